//! Letters that can be seen only while they move.
//!
//! Every picture of the film is noise: each of its cells is lit or dark by the toss of a coin.
//! From one picture to the next the noise moves one cell to the right where a letter is, and one
//! to the left elsewhere. So no picture alone, and no text, says which letters they are. A program
//! that compares pictures can find out; this is a hurdle, no proof.

use std::fmt::Write as _;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// Letters that are told apart easily, each as seven rows of five bits.
const LETTERS: [(char, [u8; 7]); 16] = [
    (
        'A',
        [
            0b01110, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001,
        ],
    ),
    (
        'C',
        [
            0b01111, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b01111,
        ],
    ),
    (
        'E',
        [
            0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111,
        ],
    ),
    (
        'F',
        [
            0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b10000,
        ],
    ),
    (
        'H',
        [
            0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001,
        ],
    ),
    (
        'K',
        [
            0b10001, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010, 0b10001,
        ],
    ),
    (
        'L',
        [
            0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111,
        ],
    ),
    (
        'M',
        [
            0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001,
        ],
    ),
    (
        'N',
        [
            0b10001, 0b11001, 0b11001, 0b10101, 0b10011, 0b10011, 0b10001,
        ],
    ),
    (
        'P',
        [
            0b11110, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000, 0b10000,
        ],
    ),
    (
        'R',
        [
            0b11110, 0b10001, 0b10001, 0b11110, 0b10100, 0b10010, 0b10001,
        ],
    ),
    (
        'T',
        [
            0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100,
        ],
    ),
    (
        'U',
        [
            0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110,
        ],
    ),
    (
        'X',
        [
            0b10001, 0b01010, 0b01010, 0b00100, 0b01010, 0b01010, 0b10001,
        ],
    ),
    (
        'Y',
        [
            0b10001, 0b01010, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100,
        ],
    ),
    (
        'Z',
        [
            0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b11111,
        ],
    ),
];
/// How many letters a film shows.
const COUNT: usize = 3;
/// Cells to a bit of a letter, across and down.
const SCALE: usize = 5;
/// Cells around the letters and between them.
const MARGIN: usize = 8;
const GAP: usize = 9;
/// Width of a picture in cells: a multiple of four, as many as a hex digit holds.
const WIDTH: usize = 112;
const HEIGHT: usize = 7 * SCALE + 2 * MARGIN;
/// Number of pictures. Behind the last one the first one follows.
const PICTURES: usize = 16;

/// Noise in which letters can be seen while it moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Film {
    /// Width of a picture in cells.
    pub width: usize,
    /// Its height.
    pub height: usize,
    /// The pictures: a bit for each cell, row by row, four in a hex digit.
    pub pictures: Vec<String>,
}

impl Film {
    /// Draws letters and their film.
    #[must_use]
    pub(super) fn drawn(rng: &mut dyn Rng) -> (String, Self) {
        let mut letters = String::new();
        let mut mask = vec![false; WIDTH * HEIGHT];
        for place in 0..COUNT {
            let (letter, rows) = LETTERS[rng.random_range(0..LETTERS.len())];
            letters.push(letter);
            let left = MARGIN + place * (5 * SCALE + GAP);
            for (y, x) in (0..7 * SCALE).flat_map(|y| (0..5 * SCALE).map(move |x| (y, x))) {
                let lit = rows[y / SCALE] >> (4 - x / SCALE) & 1 == 1;
                mask[(MARGIN + y) * WIDTH + left + x] = lit;
            }
        }
        (letters, Self::of_mask(&mask, rng))
    }

    fn of_mask(mask: &[bool], rng: &mut dyn Rng) -> Self {
        // Wide enough that nothing comes around within the film.
        let strip = WIDTH + PICTURES;
        let mut noise = || -> Vec<bool> { (0..strip * HEIGHT).map(|_| rng.random()).collect() };
        let (there, elsewhere) = (noise(), noise());
        let picture = |time: usize| {
            let cell = |at: usize| {
                let (y, x) = (at / WIDTH, at % WIDTH);
                if mask[at] {
                    there[y * strip + x + PICTURES - time]
                } else {
                    elsewhere[y * strip + x + time]
                }
            };
            let cells: Vec<bool> = (0..WIDTH * HEIGHT).map(cell).collect();
            hex(&cells)
        };
        Self {
            width: WIDTH,
            height: HEIGHT,
            pictures: (0..PICTURES).map(picture).collect(),
        }
    }

    /// The cells of a picture, row by row; those that are missing are dark. The pictures follow
    /// each other in a ring.
    #[must_use]
    pub fn cells(&self, picture: usize) -> Vec<bool> {
        let count = self.width.saturating_mul(self.height);
        let index = picture.checked_rem(self.pictures.len()).unwrap_or(0);
        let digits = self.pictures.get(index).map_or("", String::as_str);
        let bits = digits.chars().flat_map(|digit| {
            let value = digit.to_digit(16).unwrap_or(0);
            (0..4).rev().map(move |bit| value >> bit & 1 == 1)
        });
        let mut cells: Vec<bool> = bits.take(count).collect();
        cells.resize(count, false);
        cells
    }
}

fn hex(cells: &[bool]) -> String {
    let mut digits = String::with_capacity(cells.len().div_ceil(4));
    for four in cells.chunks(4) {
        let value = four.iter().fold(0, |sum, lit| sum * 2 + u8::from(*lit));
        // Writing to a String cannot fail.
        let _ = write!(digits, "{value:x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// How often a cell is what its neighbour was one picture before.
    fn follows(film: &Film, mask: &[bool], inside: bool, step: isize) -> f64 {
        let (mut same, mut all) = (0.0, 0.0);
        for time in 1..PICTURES {
            let (before, now) = (film.cells(time - 1), film.cells(time));
            for at in 1..WIDTH * HEIGHT - 1 {
                let from = at.wrapping_add_signed(-step);
                let within_row = from / WIDTH == at / WIDTH;
                if within_row && mask[at] == inside && mask[from] == inside {
                    all += 1.0;
                    same += f64::from(u8::from(now[at] == before[from]));
                }
            }
        }
        same / all
    }

    #[test]
    fn letters_move_one_way_and_the_rest_the_other_and_no_picture_shows_them() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        // The left half of the picture stands for a letter.
        let mask: Vec<bool> = (0..WIDTH * HEIGHT).map(|at| at % WIDTH < 56).collect();
        let film = Film::of_mask(&mask, &mut rng);
        assert_eq!(follows(&film, &mask, true, 1), 1.0);
        assert_eq!(follows(&film, &mask, false, -1), 1.0);
        // By chance alone half of them would be.
        assert!((follows(&film, &mask, true, -1) - 0.5).abs() < 0.02);
        assert!((follows(&film, &mask, false, 1) - 0.5).abs() < 0.02);
        for picture in 0..PICTURES {
            let cells = film.cells(picture);
            for inside in [true, false] {
                let of = cells.iter().zip(&mask).filter(|(_, of)| **of == inside);
                let lit: Vec<f64> = of.map(|(lit, _)| f64::from(u8::from(*lit))).collect();
                let share = lit.iter().sum::<f64>() / lit.len() as f64;
                // Half, give or take four standard deviations of 2,800 tosses.
                assert!((share - 0.5).abs() < 0.038, "picture {picture}: {share}");
            }
        }
    }

    #[test]
    fn each_person_gets_letters_of_their_own() {
        let letters = |seed| Film::drawn(&mut ChaCha8Rng::seed_from_u64(seed)).0;
        assert_eq!(letters(1), letters(1));
        let different: std::collections::BTreeSet<String> = (0..20).map(letters).collect();
        assert!(different.len() > 15, "{different:?}");
        assert!(different.iter().all(|letters| letters.len() == COUNT));
    }
}

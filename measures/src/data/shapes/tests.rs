use super::labels::{LabelTable, labels};
use super::*;
use crate::data::hash::fnv;

// For each of the 32 combinations of S1 … S5, counted in binary with S1 first, the 15 labels:
// from itertools import product
// for a, b, c, d, e in product((0, 1), repeat=5):
//     printed = [not (a and c) or d, b or c or e, b and c or d and e, b != c, b or e, not (a or d) or e,
//                (b and c) != e, a and e or b, c, (a and b) != d, not (c or e), a or d or e, b != c,
//                not (a and e or d), d != e]
//     print(''.join(str(int(bool(v))) for v in printed))
// and with labels 2, 4, 6 and 10 replaced by b or c and d, a != b, not (a or d or e), (a or b) != d
const PRINTED: [&str; 32] = [
    "100001000010010",
    "110011100001011",
    "100000000111001",
    "111011100101000",
    "110101001000110",
    "110111101001111",
    "110100001101101",
    "111111101101100",
    "110111010010110",
    "110111110001111",
    "110110010111101",
    "111111110101100",
    "111011111000010",
    "111011011001011",
    "111010111101001",
    "111011011101000",
    "100000000011010",
    "110011110001001",
    "100000000111001",
    "111011110101000",
    "010100001001110",
    "010111111001101",
    "110100001101101",
    "111111111101100",
    "110110010111110",
    "110111110101101",
    "110110010011101",
    "111111110001100",
    "011010111101010",
    "011011011101001",
    "111010111001001",
    "111011011001000",
];
const RELEASED: [&str; 32] = [
    "100001000010010",
    "100010100001011",
    "100000000111001",
    "101010100101000",
    "100001001000110",
    "100010101001111",
    "110000001101101",
    "111010101101100",
    "110111010110110",
    "110110110101111",
    "110110010011101",
    "111110110001100",
    "111111111100010",
    "111110011101011",
    "111110111001001",
    "111110011001000",
    "100100000111010",
    "100110110101001",
    "100100000011001",
    "101110110001000",
    "000100001101110",
    "000110111101101",
    "110100001001101",
    "111110111001100",
    "110010010111110",
    "110010110101101",
    "110010010011101",
    "111010110001100",
    "011010111101010",
    "011010011101001",
    "111010111001001",
    "111010011001000",
];

#[test]
fn labels_are_those_of_both_tables() {
    for (number, (printed, released)) in PRINTED.iter().zip(RELEASED).enumerate() {
        let present = std::array::from_fn(|shape| number >> (4 - shape) & 1 == 1);
        let text = |table| -> String {
            let found = labels(present, table);
            found.iter().map(|&l| if l { '1' } else { '0' }).collect()
        };
        assert_eq!(text(LabelTable::Printed), *printed, "{present:?}");
        assert_eq!(text(LabelTable::Released), released, "{present:?}");
        let printed = labels(present, LabelTable::Printed);
        assert_eq!(printed[3], printed[12], "in print these two are one");
    }
}

const DATA: ShapePictures = ShapePictures { seed: 7, cell: 12 };

#[test]
fn shapes_are_there_half_the_time_in_cells_of_their_own() {
    let mut counts = [0_u32; SHAPES];
    let mut colours = [0_u32; 7];
    for number in 0..PICTURES {
        let scene = DATA.scene(number);
        let placed: Vec<Placed> = scene.shapes.iter().flatten().copied().collect();
        for (count, shape) in counts.iter_mut().zip(&scene.shapes) {
            *count += u32::from(shape.is_some());
        }
        for (place, shape) in placed.iter().enumerate() {
            colours[shape.colour] += 1;
            assert!(shape.cell.iter().all(|&c| c < GRID));
            assert!(placed[..place].iter().all(|other| other.cell != shape.cell));
        }
    }
    // Four standard errors of a share of 20,000: 283.
    assert!(
        counts.iter().all(|n| n.abs_diff(10_000) < 283),
        "{counts:?}"
    );
    let mean = colours.iter().sum::<u32>() / 7;
    assert!(
        colours.iter().all(|n| n.abs_diff(mean) < 600),
        "{colours:?}"
    );
}

#[test]
fn masks_are_the_coloured_pixels_and_their_cells() {
    let scene = DATA.scene(3);
    let picture = DATA.draw(&scene);
    let mut drawn = vec![false; DATA.side() * DATA.side()];
    for shape in 0..SHAPES {
        let mask = DATA.mask(&scene, shape, Extent::Drawn);
        let cell = DATA.mask(&scene, shape, Extent::Cell);
        match scene.shapes[shape] {
            None => assert!(!mask.contains(&true) && !cell.contains(&true)),
            Some(placed) => {
                assert_eq!(cell.iter().filter(|&&m| m).count(), 144);
                let first = cell.iter().position(|&m| m).unwrap();
                assert_eq!([first / 84 / 12, first % 84 / 12], placed.cell);
                let pixels = mask.iter().filter(|&&m| m).count();
                assert!((40..=80).contains(&pixels), "shape {shape}: {pixels}");
                for (pixel, _) in mask.iter().enumerate().filter(|(_, m)| **m) {
                    assert!(cell[pixel]);
                    assert_eq!(picture[3 * pixel..][..3], COLOURS[placed.colour]);
                    drawn[pixel] = true;
                }
            }
        }
    }
    let background = drawn.iter().enumerate().filter(|(_, d)| !**d);
    assert!(
        background
            .into_iter()
            .all(|(p, _)| picture[3 * p..][..3] == [255; 3])
    );
}

/// No two shapes are drawn alike, in small cells and in large ones; and none touches the border of its cell, so that
/// neighbours do not run into each other.
#[test]
fn shapes_are_different_and_stay_within_their_cells() {
    for cell in [12, 16, 32] {
        let data = ShapePictures { seed: 1, cell };
        let alone = |shape: usize| {
            let mut scene = Scene {
                shapes: [None; SHAPES],
            };
            scene.shapes[shape] = Some(Placed {
                cell: [2, 3],
                colour: 0,
            });
            data.mask(&scene, shape, Extent::Drawn)
        };
        let masks: Vec<Vec<bool>> = (0..SHAPES).map(alone).collect();
        for (shape, mask) in masks.iter().enumerate() {
            for other in &masks[..shape] {
                let differ = mask.iter().zip(other).filter(|(a, b)| a != b).count();
                assert!(
                    differ * 16 >= cell * cell,
                    "shape {shape}, cell {cell}: {differ}"
                );
            }
            if cell == 32 {
                let (row, column) = (2 * cell, 3 * cell);
                let at = |r: usize, c: usize| mask[r * data.side() + c];
                assert!((0..cell).all(|i| !at(row, column + i) && !at(row + i, column)));
            }
        }
    }
}

#[test]
fn the_data_are_those_that_they_were() {
    let pictures = (0..20).flat_map(|number| DATA.draw(&DATA.scene(number)));
    let present = (0..PICTURES).flat_map(|number| DATA.scene(number).of_interest().map(u8::from));
    let found = [fnv(pictures), fnv(present)];
    assert_eq!(found, HASHES, "{found:#x?}");
}

const HASHES: [u64; 2] = [0x57d2_4564_7173_6a51, 0x4948_5ced_beec_0aab];

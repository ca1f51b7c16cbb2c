//! BotCL's synthetic pictures: shapes in the cells of a grid, five of which decide the labels (paper 001, supplement,
//! section 3).
//!
//! Each of 15 shapes is in a picture with probability ½, at most once, in a cell of its own of a 7×7 grid, in one of
//! seven colours, on white. 20,000 pictures; nine tenths are to train on. A picture has 15 labels, several at once;
//! see [`labels`].
//!
//! The paper shows its shapes in a figure alone and takes its pictures from a generator that draws markers of a
//! plotting library; the shapes here are our own ([`outline`]). Facts for the measures are known of each: its
//! cell, and the pixels that it covers.

pub mod labels;
mod outline;

use crate::random::Random;

/// Number of shapes.
pub const SHAPES: usize = 15;
/// The first so many shapes decide the labels.
pub const OF_INTEREST: usize = 5;
/// Rows and columns of the grid.
pub const GRID: usize = 7;
/// Number of pictures.
pub const PICTURES: usize = 20_000;
/// The first so many are to train on, the others to test on.
pub const TRAIN: usize = 18_000;

/// Green, red, blue, black, orange, purple and yellow: red, green and blue of each, from 0 to 255.
pub const COLOURS: [[u8; 3]; 7] = [
    [0, 128, 0],
    [255, 0, 0],
    [0, 0, 255],
    [0, 0, 0],
    [255, 165, 0],
    [128, 0, 128],
    [255, 255, 0],
];
const WHITE: u8 = 255;

/// The pictures of a seed. Each is drawn from numbers of its own, so that any can be drawn alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShapePictures {
    /// The seed.
    pub seed: u64,
    /// Rows and columns of a cell in pixels; a picture has seven times as many. With fewer than 12 some shapes are hard
    /// to tell apart.
    pub cell: usize,
}

/// A shape that is in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Row and column of its cell, from 0.
    pub cell: [usize; 2],
    /// Number of its colour in [`COLOURS`].
    pub colour: usize,
}

/// The content of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    /// Each shape; none where the picture lacks it.
    pub shapes: [Option<Placed>; SHAPES],
}

/// Which pixels count as a shape's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of its cell, as in print.
    Cell,
    /// Those that are drawn, as in the released code.
    Drawn,
}

impl ShapePictures {
    /// Rows and columns of a picture.
    #[must_use]
    pub fn side(&self) -> usize {
        GRID * self.cell
    }

    /// The content of picture `number`.
    #[must_use]
    pub fn scene(&self, number: usize) -> Scene {
        let mut random = Random::new(self.seed, number as u64);
        let present: [bool; SHAPES] = std::array::from_fn(|_| random.below(2) == 1);
        let colours: [usize; SHAPES] = std::array::from_fn(|_| random.below(COLOURS.len()));
        let cells = random.permutation(GRID * GRID);
        Scene {
            shapes: std::array::from_fn(|shape| {
                present[shape].then(|| Placed {
                    cell: [cells[shape] / GRID, cells[shape] % GRID],
                    colour: colours[shape],
                })
            }),
        }
    }

    /// Draws a scene: rows × columns × red, green and blue, from 0 to 255.
    #[must_use]
    pub fn draw(&self, scene: &Scene) -> Vec<u8> {
        let mut picture = vec![WHITE; self.side() * self.side() * 3];
        for (shape, placed) in scene.shapes.iter().enumerate() {
            if let Some(placed) = placed {
                for pixel in self.pixels(shape, *placed, Extent::Drawn) {
                    picture[3 * pixel..][..3].copy_from_slice(&COLOURS[placed.colour]);
                }
            }
        }
        picture
    }

    /// Where a shape is: for each pixel, in reading order, whether it is the shape's. All false where the scene lacks
    /// it. Panics when there is no such shape.
    #[must_use]
    pub fn mask(&self, scene: &Scene, shape: usize, extent: Extent) -> Vec<bool> {
        let mut mask = vec![false; self.side() * self.side()];
        if let Some(placed) = scene.shapes[shape] {
            for pixel in self.pixels(shape, placed, extent) {
                mask[pixel] = true;
            }
        }
        mask
    }

    /// The pixels of a shape, as places in reading order.
    fn pixels(
        &self,
        shape: usize,
        placed: Placed,
        extent: Extent,
    ) -> impl Iterator<Item = usize> + use<> {
        let (cell, side) = (self.cell, self.side());
        let [top, left] = placed.cell.map(|place| place * cell);
        // Middle of a pixel from −1 to 1 across a cell.
        let middle = move |pixel: usize| (2.0 * pixel as f64 + 1.0) / cell as f64 - 1.0;
        (0..cell * cell)
            .map(move |place| (place / cell, place % cell))
            .filter(move |&(row, column)| {
                extent == Extent::Cell || outline::contains(shape, middle(column), middle(row))
            })
            .map(move |(row, column)| (top + row) * side + left + column)
    }
}

impl Scene {
    /// Which of the shapes that decide are there.
    #[must_use]
    pub fn of_interest(&self) -> [bool; OF_INTEREST] {
        std::array::from_fn(|shape| self.shapes[shape].is_some())
    }
}

#[cfg(test)]
mod tests;

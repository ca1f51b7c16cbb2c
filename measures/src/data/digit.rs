//! Measured factors of a handwritten digit: thickness, slant, width, height and area, as Morpho-MNIST defines them
//! (Castro et al., JMLR 2019, section 3).
//!
//! The picture is enlarged four times (bilinear) and cut at the middle between its darkest and its brightest pixel;
//! all lengths are given in pixels of the picture as it was.
//!
//! | factor | formula |
//! | --- | --- |
//! | area | pixels of ink of the enlarged picture ÷ 16 |
//! | thickness | 2 × mean, over the skeleton, of the distance to the nearest pixel without ink, ÷ 4 |
//! | slant | atan(−μ₁₁ ÷ μ₀₂), in radians, of the central moments of the grey values, y downwards: positive where the top leans to the right |
//! | height | rows that hold the middle 96 % of the ink |
//! | width | the same of columns, after each row was moved so that the slant is 0 |
//!
//! DIFFERENCE: Morpho-MNIST enlarges by a spline of the third order after smoothing, and takes the skeleton of another
//! library; ours is Zhang and Suen's. Numbers are near theirs, not the same.

mod distance;
mod skeleton;

use crate::upsampling::{Size, bilinear};

/// How much a picture is enlarged.
const SCALE: usize = 4;
/// Share of the ink beyond each end of height and width.
const BEYOND: f64 = 0.02;

/// The factors that are measured of a digit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DigitFactors {
    /// Mean width of its strokes in pixels.
    pub thickness: f64,
    /// How far it leans to the right, in radians.
    pub slant: f64,
    /// Width of its parallelogram in pixels.
    pub width: f64,
    /// Height of its parallelogram in pixels.
    pub height: f64,
    /// Area of its ink in square pixels.
    pub area: f64,
}

impl DigitFactors {
    /// The names of the factors, in the order of [`Self::values`].
    pub const NAMES: [&'static str; 5] = ["thickness", "slant", "width", "height", "area"];

    /// Measures a picture: grey values in reading order, ink being bright. None where all pixels are the same, or a
    /// value is not finite: there is no ink to measure. Panics when there are not as many values as `size` says.
    #[must_use]
    pub fn of(picture: &[f64], size: Size) -> Option<Self> {
        assert_eq!(picture.len(), size.area(), "a value for each pixel");
        let (least, most) = picture
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &v| {
                (least.min(v), most.max(v))
            });
        let finite = picture.iter().all(|v| v.is_finite());
        if !finite || least >= most {
            return None;
        }
        let large = Size {
            height: SCALE * size.height,
            width: SCALE * size.width,
        };
        let grey: Vec<f64> = bilinear(picture, size, large)
            .into_iter()
            .map(|v| v - least)
            .collect();
        let ink: Vec<bool> = grey.iter().map(|&v| v > (most - least) / 2.0).collect();
        let scale = SCALE as f64;
        let moments = Moments::of(&grey, large);
        let [height, width] = moments.extent(&grey, large);
        Some(Self {
            thickness: thickness(&ink, large)? / scale,
            slant: (-moments.shear).atan(),
            width: width / scale,
            height: height / scale,
            area: ink.iter().filter(|&&i| i).count() as f64 / (scale * scale),
        })
    }

    /// The factors in the order of [`Self::NAMES`].
    #[must_use]
    pub fn values(&self) -> [f64; 5] {
        [
            self.thickness,
            self.slant,
            self.width,
            self.height,
            self.area,
        ]
    }
}

/// Twice the mean distance of the skeleton from what is no ink; none without ink.
fn thickness(ink: &[bool], size: Size) -> Option<f64> {
    let squared = distance::squared(ink, size);
    let skeleton = skeleton::thinned(ink, size);
    let distances: Vec<f64> = skeleton
        .iter()
        .zip(squared)
        .filter(|(on, _)| **on)
        .map(|(_, squared)| squared.sqrt())
        .collect();
    let count = distances.len();
    (count > 0).then(|| 2.0 * distances.iter().sum::<f64>() / count as f64)
}

/// Where the ink is, and how it leans.
struct Moments {
    middle_row: f64,
    /// How many columns further right each row down is: μ₁₁ ÷ μ₀₂; 0 where all ink is in one row.
    shear: f64,
}

impl Moments {
    fn of(grey: &[f64], size: Size) -> Self {
        let weighed = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            let places = (0..size.height).flat_map(|r| (0..size.width).map(move |c| (r, c)));
            let sums = places
                .zip(grey)
                .map(|((r, c), v)| v * of(r as f64, c as f64));
            sums.sum()
        };
        let mass = weighed(&|_, _| 1.0);
        let row = weighed(&|r, _| r) / mass;
        let column = weighed(&|_, c| c) / mass;
        let across = weighed(&|r, c| (r - row) * (c - column));
        let down = weighed(&|r, _| (r - row) * (r - row));
        Self {
            middle_row: row,
            shear: if down > 0.0 { across / down } else { 0.0 },
        }
    }

    /// How many rows, and how many columns of the upright digit, hold all but the outermost ink.
    fn extent(&self, grey: &[f64], size: Size) -> [f64; 2] {
        let mut rows = Vec::with_capacity(grey.len());
        let mut columns = Vec::with_capacity(grey.len());
        for (place, &weight) in grey.iter().enumerate() {
            if weight > 0.0 {
                let (row, column) = ((place / size.width) as f64, (place % size.width) as f64);
                rows.push((row, weight));
                columns.push((column - self.shear * (row - self.middle_row), weight));
            }
        }
        // A pixel is one wide: from the first place to the last is one more than their difference.
        [rows, columns].map(|places| span(places) + 1.0)
    }
}

/// From the place below which 2 % of the weight lies to the one above which as much does.
fn span(mut places: Vec<(f64, f64)>) -> f64 {
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    let beyond = BEYOND * places.iter().map(|(_, weight)| weight).sum::<f64>();
    end(places.iter().rev(), beyond) - end(places.iter(), beyond)
}

/// The first place with more than `beyond` of the weight at and before it.
fn end<'a>(mut ordered: impl Iterator<Item = &'a (f64, f64)>, beyond: f64) -> f64 {
    let mut sum = 0.0;
    let found = ordered.find(|(_, weight)| {
        sum += weight;
        sum > beyond
    });
    found.map_or(0.0, |(place, _)| *place)
}

#[cfg(test)]
mod tests;

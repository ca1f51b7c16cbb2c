//! Structural similarity of pictures, and its form over several scales.
//!
//! SSIM: Wang, Bovik, Sheikh and Simoncelli (2004). In each window of 11 × 11 pixels, weighted by a Gaussian with
//! σ = 1.5, it compares means (l), and variances and covariance (cs):
//!
//! l = (2 μ_x μ_y + C₁) / (μ_x² + μ_y² + C₁), cs = (2 σ_xy + C₂) / (σ_x² + σ_y² + C₂),
//! C₁ = (0.01 L)², C₂ = (0.03 L)², where L is the range of the values.
//!
//! A picture's similarity is the mean of l · cs over all windows that lie within it, and over its colours. MS-SSIM
//! (Wang, Simoncelli and Bovik 2003): the picture is halved again and again; the mean of cs at each scale but the
//! last, and that of l · cs at the last, are raised to the scale's weight and multiplied.

use super::DistanceBounds;
use crate::model::InstanceShape;

/// Pixels of a window on each side of its centre.
const RADIUS: usize = 5;

/// Width and height of a window.
const WINDOW: usize = 2 * RADIUS + 1;

const SIGMA: f64 = 1.5;

/// How much each scale counts, from the finest (Wang et al. 2003); of fewer scales, in proportion.
const WEIGHTS: [f64; 5] = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];

/// Most scales that there are weights for.
pub(super) const MOST_SCALES: usize = WEIGHTS.len();

/// How many scales a picture of this shape has: at each, a window fits. None for a series.
pub(super) fn scales_of(shape: InstanceShape) -> usize {
    let InstanceShape::Image { height, width, .. } = shape else {
        return 0;
    };
    let side = height.min(width);
    (0..MOST_SCALES)
        .take_while(|scale| side >> scale >= WINDOW)
        .count()
}

/// Between which bounds the similarity lies, if each value of `x` is known up to `off` and those of `y` exactly; in
/// [0, 1], where less than none counts as none. `None` where no window fits so often, or a length is not the shape's.
pub(super) fn similarity(
    shape: InstanceShape,
    (x, y): (&[f64], &[f64]),
    off: f64,
    (range, scales): (f64, usize),
) -> Option<DistanceBounds> {
    let InstanceShape::Image {
        height,
        width,
        channels,
    } = shape
    else {
        return None;
    };
    let fits = x.len() == shape.len() && y.len() == x.len() && channels > 0;
    if !fits || scales == 0 || scales > scales_of(shape) {
        return None;
    }
    let constants = [0.01, 0.03].map(|k| (k * range) * (k * range));
    let plane = |values: &[f64], channel: usize| Plane {
        width,
        values: values[channel..]
            .iter()
            .step_by(channels)
            .copied()
            .collect(),
    };
    let mut sum = Interval::exactly(0.0);
    for channel in 0..channels {
        let planes = (plane(x, channel), plane(y, channel));
        sum = sum.plus(over_scales(planes, off, constants, scales, height));
    }
    #[allow(clippy::cast_precision_loss)] // 1 or 3
    let mean = sum.times(Interval::exactly(1.0 / channels as f64));
    Some(DistanceBounds {
        low: mean.low.clamp(0.0, 1.0),
        high: mean.high.clamp(0.0, 1.0),
    })
}

/// The similarity of two planes, at each scale that counts.
fn over_scales(
    (mut x, mut y): (Plane, Plane),
    off: f64,
    constants: [f64; 2],
    scales: usize,
    mut height: usize,
) -> Interval {
    if scales == 1 {
        return at_scale(&x, &y, height, off, constants).both;
    }
    let all: f64 = WEIGHTS.iter().take(scales).sum();
    let mut product = Interval::exactly(1.0);
    for (scale, weight) in WEIGHTS.iter().take(scales).enumerate() {
        let found = at_scale(&x, &y, height, off, constants);
        let last = scale + 1 == scales;
        let counts = if last { found.both } else { found.structure };
        // A power of a negative number is none, so contrary structure counts as no structure.
        product = product.times(counts.map(|it| it.max(0.0).powf(weight / all)));
        if !last {
            // The mean of four values is no further off than each of them.
            (x, y) = (x.halved(height), y.halved(height));
            height /= 2;
        }
    }
    product
}

/// Means over all windows of one scale.
struct AtScale {
    /// Of cs.
    structure: Interval,
    /// Of l · cs.
    both: Interval,
}

fn at_scale(x: &Plane, y: &Plane, height: usize, off: f64, [c1, c2]: [f64; 2]) -> AtScale {
    let product = |a: &Plane, b: &Plane| Plane {
        width: a.width,
        values: a.values.iter().zip(&b.values).map(|(a, b)| a * b).collect(),
    };
    let weights = gaussian();
    let blurred = |plane: &Plane| plane.blurred(height, &weights);
    let (mean_x, mean_y) = (blurred(x), blurred(y));
    let (square_x, square_y) = (blurred(&product(x, x)), blurred(&product(y, y)));
    let cross = blurred(&product(x, y));
    let (mut structure, mut both) = (Interval::exactly(0.0), Interval::exactly(0.0));
    for window in 0..mean_x.len() {
        let (mx, my) = (mean_x[window], mean_y[window]);
        let spread = |square: f64, mean: f64| (square - mean * mean).max(0.0).sqrt();
        let (sx, sy) = (spread(square_x[window], mx), spread(square_y[window], my));
        // Values that are off by at most `off` have a mean and a standard deviation that are off by at most that.
        let mx = Interval::around(mx, off);
        let sx = Interval::around(sx, off).map(|it| it.max(0.0));
        let covariance = Interval::around(cross[window] - mean_x[window] * my, off * sy);
        let exactly = Interval::exactly;
        let l = mx
            .times(exactly(2.0 * my))
            .plus(exactly(c1))
            .over(mx.squared().plus(exactly(my * my + c1)));
        let cs = covariance
            .times(exactly(2.0))
            .plus(exactly(c2))
            .over(sx.squared().plus(exactly(sy * sy + c2)));
        let most = |it: Interval| it.map(|it| it.clamp(-1.0, 1.0));
        structure = structure.plus(most(cs));
        both = both.plus(most(l).times(most(cs)));
    }
    #[allow(clippy::cast_precision_loss)] // pixels of a picture
    let share = Interval::exactly(1.0 / mean_x.len() as f64);
    AtScale {
        structure: structure.times(share),
        both: both.times(share),
    }
}

/// The weights of a window along one side; their sum is 1.
fn gaussian() -> [f64; WINDOW] {
    #[allow(clippy::cast_precision_loss)] // -5 to 5
    let mut weights = std::array::from_fn(|at| {
        let from_centre = at as f64 - RADIUS as f64;
        (-from_centre * from_centre / (2.0 * SIGMA * SIGMA)).exp()
    });
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

/// One colour of a picture, row by row.
struct Plane {
    width: usize,
    values: Vec<f64>,
}

impl Plane {
    /// The weighted mean of each window that lies within.
    fn blurred(&self, height: usize, weights: &[f64; WINDOW]) -> Vec<f64> {
        let columns = self.width - 2 * RADIUS;
        let rows: Vec<f64> = self
            .values
            .chunks_exact(self.width)
            .flat_map(|row| row.windows(WINDOW).map(|values| dot(values, weights)))
            .collect();
        let mut blurred = vec![0.0; columns * (height - 2 * RADIUS)];
        for (at, out) in blurred.chunks_exact_mut(columns).enumerate() {
            for (below, weight) in weights.iter().enumerate() {
                let row = &rows[(at + below) * columns..][..columns];
                for (sum, value) in out.iter_mut().zip(row) {
                    *sum += weight * value;
                }
            }
        }
        blurred
    }

    /// Half as wide and high: the mean of each four pixels. An odd row or column at the end is left out.
    fn halved(&self, height: usize) -> Self {
        let width = self.width / 2;
        let mut values = Vec::with_capacity(width * (height / 2));
        for row in 0..height / 2 {
            let [upper, lower] = [2 * row, 2 * row + 1].map(|row| &self.values[row * self.width..]);
            values.extend((0..width).map(|column| {
                let at = 2 * column;
                (upper[at] + upper[at + 1] + lower[at] + lower[at + 1]) / 4.0
            }));
        }
        Self { width, values }
    }
}

fn dot(values: &[f64], weights: &[f64; WINDOW]) -> f64 {
    values.iter().zip(weights).map(|(a, b)| a * b).sum()
}

/// All that a number can be.
#[derive(Clone, Copy)]
struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    fn exactly(number: f64) -> Self {
        Self::around(number, 0.0)
    }

    fn around(number: f64, off: f64) -> Self {
        Self {
            low: number - off,
            high: number + off,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }

    fn times(self, other: Self) -> Self {
        Self::of([
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        ])
    }

    /// Divided by what is above 0.
    fn over(self, other: Self) -> Self {
        Self::of([
            self.low / other.low,
            self.low / other.high,
            self.high / other.low,
            self.high / other.high,
        ])
    }

    fn squared(self) -> Self {
        let ends = [self.low * self.low, self.high * self.high];
        let spans_zero = self.low < 0.0 && self.high > 0.0;
        Self {
            low: if spans_zero {
                0.0
            } else {
                ends[0].min(ends[1])
            },
            high: ends[0].max(ends[1]),
        }
    }

    /// The interval under a function that never falls.
    fn map(self, rising: impl Fn(f64) -> f64) -> Self {
        Self {
            low: rising(self.low),
            high: rising(self.high),
        }
    }

    fn of(numbers: [f64; 4]) -> Self {
        Self {
            low: numbers.into_iter().fold(f64::INFINITY, f64::min),
            high: numbers.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

#[cfg(test)]
mod tests;

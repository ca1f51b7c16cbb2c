//! dSprites, rendered: white sprites on 64×64 black pixels.
//!
//! The original pictures come in no package. The outlines here were fitted so
//! that renderings agree with a decoder that was trained on the originals
//! (intersection over union 0.93, the rest being that decoder's blur).
//!
//! A picture has a shape (1 square, 2 ellipse, 3 heart), a scale (6 values in
//! [0.5, 1]), an orientation (40 values in [0, 2π], both ends included, so the
//! first and the last look the same), and x and y positions (32 values each in
//! [0, 1]): 737,280 rows, the last factor changing fastest.

pub mod dependent;

use crate::data::Dataset;

/// Rows and columns of a picture.
pub const SIDE: usize = 64;
/// Number of values of shape, scale, orientation, x and y.
pub const COUNTS: [usize; 5] = [3, 6, 40, 32, 32];
/// Smallest and largest value of each factor.
pub const RANGES: [(f64, f64); 5] = [
    (1.0, 3.0),
    (0.5, 1.0),
    (0.0, std::f64::consts::TAU),
    (0.0, 1.0),
    (0.0, 1.0),
];

/// Subpixels along a pixel's side; a pixel is on when at least half of them are.
const SUBPIXELS: usize = 3;
/// No outline reaches further from its centre at scale 1, in pixels
/// (the square's corner: 9.60·√2 = 13.58).
const REACH: f64 = 14.0;

/// The dataset.
#[derive(Debug, Clone, Copy)]
pub struct DSprites;

impl Dataset for DSprites {
    fn rows(&self) -> usize {
        COUNTS.iter().product()
    }

    fn instance_len(&self) -> usize {
        SIDE * SIDE
    }

    fn factor_names(&self) -> &'static [&'static str] {
        &["shape", "scale", "orientation", "x", "y"]
    }

    fn factors(&self, row: usize) -> Vec<f64> {
        let mut rest = row;
        let mut factors = vec![0.0; COUNTS.len()];
        for ((factor, &count), (min, max)) in factors.iter_mut().zip(&COUNTS).zip(RANGES).rev() {
            let index = (rest % count) as f64;
            rest /= count;
            *factor = min + (max - min) * index / (count - 1) as f64;
        }
        factors
    }

    /// The shape.
    fn class_factor(&self) -> Option<usize> {
        Some(0)
    }

    fn render_factors(&self, factors: &[f64], out: &mut [f32]) -> bool {
        draw(factors, out);
        true
    }

    fn render(&self, row: usize, out: &mut [f32]) {
        draw(&self.factors(row), out);
    }
}

/// Draws the sprite with these factors.
fn draw(factors: &[f64], out: &mut [f32]) {
    let &[shape, scale, orientation, x, y] = factors else {
        return out.fill(0.0);
    };
    let outline = Outline::of(shape);
    let (centre_x, centre_y) = (16.0 + 32.0 * x, 16.0 + 32.0 * y);
    let (sin, cos) = orientation.sin_cos();
    let inside = |px: f64, py: f64| {
        let (dx, dy) = (px - centre_x, py - centre_y);
        outline.contains((cos * dx - sin * dy) / scale, (sin * dx + cos * dy) / scale)
    };
    out.fill(0.0);
    let near = |centre: f64| {
        // clamped to the picture
        let edge = |v: f64| v.clamp(0.0, SIDE as f64) as usize;
        edge((centre - REACH * scale).floor())..edge((centre + REACH * scale).ceil())
    };
    for row in near(centre_y) {
        for column in near(centre_x) {
            let on = (0..SUBPIXELS * SUBPIXELS).filter(|i| {
                inside(
                    subpixel(column, i % SUBPIXELS),
                    subpixel(row, i / SUBPIXELS),
                )
            });
            if 2 * on.count() >= SUBPIXELS * SUBPIXELS {
                out[row * SIDE + column] = 1.0;
            }
        }
    }
}

/// Middle of a subpixel; pixel i spans [i, i + 1].
fn subpixel(pixel: usize, index: usize) -> f64 {
    pixel as f64 + (index as f64 + 0.5) / SUBPIXELS as f64
}

/// A shape at scale 1 about the origin, in pixels, y down.
#[derive(Debug, Clone, Copy)]
enum Outline {
    Square,
    Ellipse,
    Heart,
}

impl Outline {
    fn of(shape: f64) -> Self {
        if shape < 1.5 {
            Self::Square
        } else if shape < 2.5 {
            Self::Ellipse
        } else {
            Self::Heart
        }
    }

    fn contains(self, u: f64, v: f64) -> bool {
        match self {
            Self::Square => u.abs().max(v.abs()) < 9.60,
            Self::Ellipse => (u / 12.716).powi(2) + (v / 7.24).powi(2) < 1.0,
            Self::Heart => heart(u.abs(), v),
        }
    }
}

/// Two discs, and below them what lies between their outer tangents, which meet
/// at the tip. The heart is its own mirror image, so `u` is taken as |u|.
fn heart(u: f64, v: f64) -> bool {
    const LOBE: (f64, f64) = (4.47, -3.951);
    const RADIUS: f64 = 5.079;
    const TIP: f64 = 8.491;
    if (u - LOBE.0).hypot(v - LOBE.1) < RADIUS {
        return true;
    }
    // Unit vector from the tip to the lobe's centre, turned outwards by the angle
    // whose sine is radius / distance: the direction of the tangent.
    let (du, dv) = (LOBE.0, LOBE.1 - TIP);
    let distance = du.hypot(dv);
    let (sin, cos) = (
        RADIUS / distance,
        (1.0 - (RADIUS / distance).powi(2)).sqrt(),
    );
    let tangent = (
        (du * cos - dv * sin) / distance,
        (du * sin + dv * cos) / distance,
    );
    // Where the tangent touches the disc.
    let reach = distance * cos;
    let touch = (tangent.0 * reach, TIP + tangent.1 * reach);
    if v >= TIP {
        return false;
    }
    if v >= touch.1 {
        // Beside the tangent: its u at this height.
        return u < tangent.0 * (v - TIP) / tangent.1;
    }
    // Above the points of touch: the triangle from the tip to the two lobes' centres
    // and the radii to the points of touch close the gap between the discs.
    v >= LOBE.1 && u < LOBE.0 + (touch.0 - LOBE.0) * (v - LOBE.1) / (touch.1 - LOBE.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(factors: [f64; 5]) -> Vec<f32> {
        let mut out = vec![0.0; SIDE * SIDE];
        draw(&factors, &mut out);
        out
    }

    fn area(factors: [f64; 5]) -> f32 {
        render(factors).iter().sum()
    }

    #[test]
    fn factors_enumerate_the_grid() {
        assert_eq!(DSprites.rows(), 737_280);
        assert_eq!(DSprites.factors(0), [1.0, 0.5, 0.0, 0.0, 0.0]);
        assert_eq!(DSprites.factors(1), [1.0, 0.5, 0.0, 0.0, 1.0 / 31.0]);
        assert_eq!(
            DSprites.factors(737_279),
            [3.0, 1.0, std::f64::consts::TAU, 1.0, 1.0]
        );
    }

    #[test]
    fn areas_are_those_of_the_outlines() {
        // Square (2·9.60)² = 368.64; ellipse π·12.716·7.24 = 289.2. The heart's area by
        // sampling its definition (two discs, two tangent triangles) with numpy:
        // import numpy as np; c, r, t = np.array([4.47, -3.951]), 5.079, 8.491
        // g = np.stack(np.meshgrid(np.arange(-12, 12, .01), np.arange(-12, 12, .01)), -1)
        // a = np.stack([abs(g[..., 0]), g[..., 1]], -1); tip = np.array([0, t]); d = c - tip
        // s = r / np.hypot(*d); k = np.sqrt(1 - s*s); p = tip + (np.array([[k, -s], [s, k]]) @ d) * k
        // hull = [tip, p, c, np.array([0, c[1]])]
        // cross = lambda u, v: u[..., 0]*v[..., 1] - u[..., 1]*v[..., 0]
        // side = np.array([cross(hull[(i+1)%4] - hull[i], a - hull[i]) for i in range(4)])
        // disc = np.hypot(*np.moveaxis(a - c, -1, 0)) < r
        // print((disc | (side.max(0) < 0) | (side.min(0) > 0)).mean() * 576)
        for (shape, expected) in [(1.0, 368.64), (2.0, 289.2), (3.0, HEART_AREA)] {
            let found = area([shape, 1.0, 0.7, 0.5, 0.5]);
            assert!(
                (found - expected).abs() < 0.03 * expected,
                "shape {shape}: {found}, not {expected}"
            );
            let small = area([shape, 0.5, 0.7, 0.5, 0.5]);
            assert!(
                (small - expected / 4.0).abs() < 0.06 * expected / 4.0,
                "shape {shape}: {small}"
            );
        }
    }

    const HEART_AREA: f32 = 215.73;

    #[test]
    fn sprites_stay_inside_and_turn() {
        for shape in [1.0, 2.0, 3.0] {
            let middle = area([shape, 1.0, 0.3, 0.5, 0.5]);
            for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                assert!(
                    (area([shape, 1.0, 0.3, x, y]) - middle).abs() < 8.0,
                    "cut off at {x}, {y}"
                );
            }
            assert_eq!(
                render([shape, 1.0, 0.0, 0.5, 0.5]),
                render([shape, 1.0, std::f64::consts::TAU, 0.5, 0.5])
            );
        }
    }

    #[test]
    fn nothing_lies_outside_the_box_that_is_searched() {
        for outline in [Outline::Square, Outline::Ellipse, Outline::Heart] {
            for i in 0..3600 {
                let (sin, cos) = f64::from(i).to_radians().sin_cos();
                assert!(!outline.contains(REACH * cos, REACH * sin), "{outline:?}");
            }
        }
    }
}

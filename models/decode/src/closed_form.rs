//! Decoders that are formulas.

use serde::{Deserialize, Serialize};

/// A decoder without weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClosedForm {
    /// A line plus a sine, five dimensions: x(t) = z₁·t + z₂ + z₃·sin(z₄·t + z₅)
    /// at t = `x_start`, `x_start` + `x_step`, … (Ross et al., *Sinelines*).
    Sinelines {
        /// First abscissa.
        x_start: f64,
        /// Distance between neighbouring abscissae.
        x_step: f64,
        /// Number of points.
        points: usize,
    },
    /// A disc about the middle of a square picture, two dimensions in [0, 1]: on
    /// 64 pixels, radius 24·z₁ + 4 about (31, 31), brightness 1 − z₂ inside and
    /// z₂ outside (the practice task of Ross et al.); other sizes in proportion.
    Circles {
        /// Side of the picture in pixels.
        size: usize,
    },
}

impl ClosedForm {
    /// Number of latent dimensions the formula takes.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        match self {
            Self::Sinelines { .. } => 5,
            Self::Circles { .. } => 2,
        }
    }

    /// Number of values it gives.
    #[must_use]
    pub fn instance_len(&self) -> usize {
        match *self {
            Self::Sinelines { points, .. } => points,
            Self::Circles { size } => size.saturating_mul(size),
        }
    }

    /// The instance at `z`; empty when `z` has not [`dimensions`](Self::dimensions) components.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // instances are f32, indices small
    pub fn decode(&self, z: &[f64]) -> Vec<f32> {
        match (self, z) {
            (
                &Self::Sinelines {
                    x_start,
                    x_step,
                    points,
                },
                &[slope, intercept, amplitude, frequency, phase],
            ) => (0..points)
                .map(|i| {
                    let t = x_start + x_step * i as f64;
                    (slope * t + intercept + amplitude * (frequency * t + phase).sin()) as f32
                })
                .collect(),
            (&Self::Circles { size }, &[radius, shade]) => {
                let scale = size as f64 / 64.0;
                let (centre, radius) = (31.0 * scale, (24.0 * radius + 4.0) * scale);
                let (inside, outside) = ((1.0 - shade) as f32, shade as f32);
                let pixel = |row: usize, column: usize| {
                    let (dy, dx) = (row as f64 - centre, column as f64 - centre);
                    if dx.hypot(dy) < radius {
                        inside
                    } else {
                        outside
                    }
                };
                (0..size)
                    .flat_map(|row| (0..size).map(move |column| pixel(row, column)))
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_grow_and_darken() {
        let circles = ClosedForm::Circles { size: 64 };
        let x = circles.decode(&[0.0, 0.0]);
        assert_eq!(x.len(), 4096);
        // Offsets with dx² + dy² < 16: 45 of them.
        // python3 -c "print(sum(x*x+y*y<16 for x in range(-9,9) for y in range(-9,9)))"
        assert_eq!(x.iter().filter(|&&p| p == 1.0).count(), 45);
        assert_eq!((x[31 * 64 + 31], x[0]), (1.0, 0.0));
        let x = circles.decode(&[1.0, 0.25]);
        assert_eq!(
            (x[31 * 64 + 31], x[31 * 64 + 4], x[31 * 64 + 3], x[0]),
            (0.75, 0.75, 0.25, 0.25)
        );
        assert!(circles.decode(&[0.5]).is_empty());
    }
}

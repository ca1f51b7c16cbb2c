//! Sinelines: a line plus a sine at 64 points (Ross et al., CHI 2021).

use models::closed_form::ClosedForm;
use models::sampling::Distribution;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::data::Dataset;

/// First abscissa.
pub const X_START: f64 = -3.2;
/// Distance between abscissae.
pub const X_STEP: f64 = 0.1;
/// Number of points.
pub const POINTS: usize = 64;

/// Distributions of slope, intercept, amplitude, frequency and phase.
pub const FACTORS: [Distribution; 5] = [
    Distribution::Uniform {
        min: -1.0,
        max: 1.0,
    },
    Distribution::Normal { mean: 0.0, sd: 1.0 },
    Distribution::Exponential { mean: 1.0 },
    Distribution::Exponential { mean: 1.0 },
    Distribution::Uniform {
        min: 0.0,
        max: std::f64::consts::TAU,
    },
];

/// The dataset is defined by this seed; row i is drawn from its i-th stream.
const DATASET_SEED: u64 = 0x51_4e_e5;

/// Curves drawn from [`FACTORS`].
#[derive(Debug, Clone)]
pub struct Sinelines {
    rows: usize,
    formula: ClosedForm,
}

impl Sinelines {
    /// The dataset of `rows` curves; a longer one begins with the same rows.
    #[must_use]
    pub fn new(rows: usize) -> Self {
        Self {
            rows,
            formula: ClosedForm::Sinelines {
                x_start: X_START,
                x_step: X_STEP,
                points: POINTS,
            },
        }
    }
}

impl Dataset for Sinelines {
    fn rows(&self) -> usize {
        self.rows
    }

    fn instance_len(&self) -> usize {
        POINTS
    }

    fn factor_names(&self) -> &'static [&'static str] {
        &["slope", "intercept", "amplitude", "frequency", "phase"]
    }

    fn factors(&self, row: usize) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(DATASET_SEED);
        rng.set_stream(row as u64);
        FACTORS.iter().map(|d| d.draw(&mut rng)).collect()
    }

    fn render_factors(&self, factors: &[f64], out: &mut [f32]) -> bool {
        out.copy_from_slice(&self.formula.decode(factors));
        true
    }

    fn render(&self, row: usize, out: &mut [f32]) {
        out.copy_from_slice(&self.formula.decode(&self.factors(row)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_reproducible_and_independent() {
        let data = Sinelines::new(100);
        assert_eq!(data.factors(7), Sinelines::new(1000).factors(7));
        assert_ne!(data.factors(7), data.factors(8));
    }

    #[test]
    fn curves_follow_the_formula() {
        // python3 -c "from math import *; print([.5*t-1+2*sin(3*t+.25) for t in (-3.2, 0, 3.1)])"
        let x = Sinelines::new(1)
            .formula
            .decode(&[0.5, -1.0, 2.0, 3.0, 0.25]);
        for (i, expected) in [(0, -2.749_416_6), (32, -0.505_192_1), (63, 0.300_209_9)] {
            assert!((x[i] - expected).abs() < 1e-5, "point {i}: {}", x[i]);
        }
    }
}

//! Where starts and targets of questions are drawn from.

use rand::{Rng, RngExt};
use rand_distr::{Exp1, StandardNormal};
use serde::{Deserialize, Serialize};

/// p(Z): what latent vectors for questions are drawn from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Sampling {
    /// A row of the bundle's held-out latents, each as likely as any other.
    HeldOut,
    /// Each dimension on its own from a distribution; clamped to the dimension's range.
    Distributions {
        /// One for each dimension, in order.
        dimensions: Vec<Distribution>,
    },
}

/// A distribution of one latent dimension.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Distribution {
    /// Equally likely everywhere in [min, max).
    Uniform {
        /// Lower end.
        min: f64,
        /// Upper end.
        max: f64,
    },
    /// The normal distribution.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        sd: f64,
    },
    /// The exponential distribution, from zero up.
    Exponential {
        /// Mean (= 1 / rate).
        mean: f64,
    },
    /// The whole numbers 0 … values − 1, equally likely: for a discrete dimension.
    Choice {
        /// How many there are.
        values: u16,
    },
}

impl Distribution {
    /// One draw.
    pub fn draw(&self, rng: &mut impl Rng) -> f64 {
        match *self {
            Self::Uniform { min, max } => min + (max - min) * rng.random::<f64>(),
            Self::Normal { mean, sd } => mean + sd * rng.sample::<f64, _>(StandardNormal),
            Self::Exponential { mean } => mean * rng.sample::<f64, _>(Exp1),
            Self::Choice { values } => f64::from(rng.random_range(0..values.max(1))),
        }
    }

    /// What is wrong with the parameters, if anything.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let (ok, rule) = match *self {
            Self::Uniform { min, max } => (
                min.is_finite() && max.is_finite() && min < max,
                "min must be below max, both finite",
            ),
            Self::Normal { mean, sd } => (
                mean.is_finite() && sd.is_finite() && sd > 0.0,
                "mean must be finite, sd positive",
            ),
            Self::Exponential { mean } => (mean.is_finite() && mean > 0.0, "mean must be positive"),
            Self::Choice { values } => (values > 0, "values must be positive"),
        };
        (!ok).then(|| format!("{self:?}: {rule}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let n = 200_000;
        let mut check = |distribution: Distribution, mean: f64, variance: f64| {
            let draws: Vec<f64> = (0..n).map(|_| distribution.draw(&mut rng)).collect();
            let m = draws.iter().sum::<f64>() / f64::from(n);
            let v = draws.iter().map(|x| (x - m).powi(2)).sum::<f64>() / f64::from(n);
            assert!((m - mean).abs() < 0.02, "{distribution:?}: mean {m}");
            assert!(
                (v - variance).abs() < 0.05 * variance,
                "{distribution:?}: variance {v}"
            );
        };
        check(
            Distribution::Uniform {
                min: -1.0,
                max: 1.0,
            },
            0.0,
            1.0 / 3.0,
        );
        check(Distribution::Normal { mean: 0.5, sd: 2.0 }, 0.5, 4.0);
        check(Distribution::Exponential { mean: 1.0 }, 1.0, 1.0);
        check(Distribution::Choice { values: 3 }, 1.0, 2.0 / 3.0);
    }
}

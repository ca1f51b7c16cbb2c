//! The terms of a loss, by name.

use std::collections::BTreeMap;
use std::fmt;

use candle_core::{Result, Tensor};

/// Terms of a loss, each a mean over a batch; or sums of them over several batches.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Terms {
    by_name: BTreeMap<&'static str, f64>,
}

impl Terms {
    /// Adds the value of a scalar to the term of that name.
    ///
    /// # Errors
    /// When the tensor is no scalar of f32.
    pub fn add(&mut self, name: &'static str, value: &Tensor) -> Result<()> {
        *self.by_name.entry(name).or_default() += f64::from(value.to_scalar::<f32>()?);
        Ok(())
    }

    /// Adds every term of another batch.
    pub fn add_all(&mut self, other: &Self) {
        for (name, value) in &other.by_name {
            *self.by_name.entry(name).or_default() += value;
        }
    }

    /// Every term divided by `n`.
    #[must_use]
    pub fn divided_by(&self, n: f64) -> Self {
        let by_name = self.by_name.iter().map(|(&name, v)| (name, v / n));
        Self {
            by_name: by_name.collect(),
        }
    }

    /// The term of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.by_name.get(name).copied()
    }

    /// The sum of all terms.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.by_name.values().sum()
    }
}

/// `kl 13.210  reconstruction 70.441`
impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.by_name.iter().enumerate() {
            let gap = if i == 0 { "" } else { "  " };
            write!(f, "{gap}{name} {value:.3}")?;
        }
        Ok(())
    }
}

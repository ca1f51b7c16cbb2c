//! Latent spaces: the dimensions of a generative model, and vectors in them.

use serde::{Deserialize, Serialize};

mod dimension;

pub use dimension::Dimension;

/// Step of every slider in the released study of Ross et al. (2021); starts and
/// targets are rounded to it, so that a target can be reached exactly.
pub const DEFAULT_STEP: f64 = 0.01;

/// Why a latent space or a vector in it was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LatentError {
    /// The space has no dimension at all.
    #[error("a latent space needs at least one dimension")]
    NoDimensions,
    /// A discrete dimension follows a continuous one.
    #[error(
        "dimension {index} is discrete but follows a continuous one; discrete dimensions come first"
    )]
    DiscreteAfterContinuous {
        /// 0-based index of the dimension.
        index: usize,
    },
    /// A discrete dimension offers no choice.
    #[error("dimension {index} is discrete with {values} values; it needs at least 2")]
    TooFewValues {
        /// 0-based index of the dimension.
        index: usize,
        /// The number found.
        values: u16,
    },
    /// A continuous dimension ends before it begins, or is not finite.
    #[error(
        "dimension {index} runs from {min} to {max} in steps of {step}; min must not be above max, the step positive, all finite"
    )]
    BadInterval {
        /// 0-based index of the dimension.
        index: usize,
        /// The minimum found.
        min: f64,
        /// The maximum found.
        max: f64,
        /// The step found.
        step: f64,
    },
    /// The vector has the wrong number of components.
    #[error("{expected} numbers are needed, one for each dimension; there are {found}")]
    WrongLength {
        /// Number of dimensions of the space.
        expected: usize,
        /// Number of components found.
        found: usize,
    },
    /// A component is not in its dimension's range, not whole where it must be, or not finite.
    #[error("dimension {index} is {value}, and takes {dimension}")]
    OutOfRange {
        /// 0-based index of the component.
        index: usize,
        /// The value found.
        value: f64,
        /// The dimension it was meant for.
        dimension: Dimension,
    },
}

/// The dimensions of a model, discrete ones first.
///
/// ```
/// use domain::model::latent::{Dimension, LatentSpace};
/// let space = LatentSpace::new(vec![
///     Dimension::Discrete { values: 3 },
///     Dimension::Continuous { min: -1.0, max: 1.0, step: 0.01 },
/// ])?;
/// assert_eq!(space.decoder_input(&[2.0, 0.5])?, vec![0.0, 0.0, 1.0, 0.5]);
/// # Ok::<(), domain::model::latent::LatentError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<Dimension>", into = "Vec<Dimension>")]
pub struct LatentSpace {
    dimensions: Vec<Dimension>,
}

impl TryFrom<Vec<Dimension>> for LatentSpace {
    type Error = LatentError;
    fn try_from(dimensions: Vec<Dimension>) -> Result<Self, LatentError> {
        Self::new(dimensions)
    }
}

impl From<LatentSpace> for Vec<Dimension> {
    fn from(space: LatentSpace) -> Self {
        space.dimensions
    }
}

impl LatentSpace {
    /// Checks the dimensions and makes a space of them.
    ///
    /// # Errors
    /// When there is none, when a discrete one follows a continuous one, or
    /// when one of them offers nothing to choose from.
    pub fn new(dimensions: Vec<Dimension>) -> Result<Self, LatentError> {
        if dimensions.is_empty() {
            return Err(LatentError::NoDimensions);
        }
        let mut seen_continuous = false;
        for (index, dimension) in dimensions.iter().enumerate() {
            match *dimension {
                Dimension::Discrete { .. } if seen_continuous => {
                    return Err(LatentError::DiscreteAfterContinuous { index });
                }
                Dimension::Discrete { values } if values < 2 => {
                    return Err(LatentError::TooFewValues { index, values });
                }
                Dimension::Discrete { .. } => {}
                Dimension::Continuous { min, max, step } => {
                    seen_continuous = true;
                    let finite = min.is_finite() && max.is_finite() && step.is_finite();
                    if !finite || min > max || step <= 0.0 {
                        return Err(LatentError::BadInterval {
                            index,
                            min,
                            max,
                            step,
                        });
                    }
                }
            }
        }
        Ok(Self { dimensions })
    }

    /// A space of sliders whose intervals are known to be right.
    pub(crate) fn of_dials(dimensions: Vec<Dimension>) -> Self {
        Self { dimensions }
    }

    /// The dimensions, discrete ones first.
    #[must_use]
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// Number of dimensions (= dials), whatever their kind. Never zero.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.dimensions.len()
    }

    /// Number of values the decoder takes: discrete dimensions count once per alternative.
    #[must_use]
    pub fn decoder_width(&self) -> usize {
        self.dimensions.iter().map(Dimension::width).sum()
    }

    /// Checks that a vector belongs to the space.
    ///
    /// A continuous component may lie anywhere in its closed interval (held-out
    /// encodings are not rounded); a discrete one must be a whole index.
    ///
    /// # Errors
    /// On a wrong length, and on the first component that its dimension does not take.
    pub fn validate(&self, z: &[f64]) -> Result<(), LatentError> {
        if z.len() != self.len() {
            return Err(LatentError::WrongLength {
                expected: self.len(),
                found: z.len(),
            });
        }
        for (index, (&value, dimension)) in z.iter().zip(&self.dimensions).enumerate() {
            let fits = match dimension {
                Dimension::Discrete { values } => {
                    value.fract() == 0.0 && value >= 0.0 && value < f64::from(*values)
                }
                Dimension::Continuous { min, max, .. } => value >= *min && value <= *max,
            };
            if !fits {
                return Err(LatentError::OutOfRange {
                    index,
                    value,
                    dimension: dimension.clone(),
                });
            }
        }
        Ok(())
    }

    /// The vector a participant's controls would show for `z`: every component snapped.
    ///
    /// # Errors
    /// On a wrong length.
    pub fn snap(&self, z: &[f64]) -> Result<Vec<f64>, LatentError> {
        if z.len() != self.len() {
            return Err(LatentError::WrongLength {
                expected: self.len(),
                found: z.len(),
            });
        }
        Ok(z.iter()
            .zip(&self.dimensions)
            .map(|(&v, d)| d.snap(v))
            .collect())
    }

    /// The decoder's input at z: one-hot blocks for the discrete dimensions, then
    /// the continuous components. Length [`decoder_width`](Self::decoder_width).
    ///
    /// # Errors
    /// As [`validate`](Self::validate).
    pub fn decoder_input(&self, z: &[f64]) -> Result<Vec<f32>, LatentError> {
        let mut input = vec![0.0; self.decoder_width()];
        self.write_decoder_input(z, &mut input)?;
        Ok(input)
    }

    /// As [`decoder_input`](Self::decoder_input), into `input`.
    ///
    /// # Errors
    /// As [`validate`](Self::validate).
    ///
    /// # Panics
    /// When `input` is shorter than [`decoder_width`](Self::decoder_width).
    pub fn write_decoder_input(&self, z: &[f64], input: &mut [f32]) -> Result<(), LatentError> {
        self.validate(z)?;
        let mut rest = input;
        for (&value, dimension) in z.iter().zip(&self.dimensions) {
            let (block, after) = rest.split_at_mut(dimension.width());
            match dimension {
                Dimension::Discrete { .. } => {
                    for (i, entry) in (0u32..).zip(block) {
                        *entry = if f64::from(i) == value { 1.0 } else { 0.0 };
                    }
                }
                Dimension::Continuous { .. } => block.fill(value as f32),
            }
            rest = after;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

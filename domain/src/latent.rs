//! Latent spaces: the dimensions of a generative model, and vectors in them.

use serde::{Deserialize, Serialize};

/// Step of every slider in the released study of Ross et al. (2021); starts and
/// targets are rounded to it, so that a target can be reached exactly.
pub const DEFAULT_STEP: f64 = 0.01;

/// One dimension of a latent space: what a participant calls a *dial*.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Dimension {
    /// A choice among `values` alternatives, shown as unlabelled radio buttons.
    /// A vector holds the index of the choice (0-based, as a whole number).
    Discrete {
        /// How many alternatives there are; at least 2.
        values: u16,
    },
    /// A slider over the closed interval `[min, max]`.
    Continuous {
        /// Smallest value the slider takes.
        min: f64,
        /// Largest value the slider takes.
        max: f64,
        /// Distance between neighbouring slider positions, counted from zero.
        #[serde(default = "default_step")]
        step: f64,
    },
}

/// A value this close to a multiple of the step, in steps, is that multiple.
const OFF_GRID: f64 = 1e-6;

fn default_step() -> f64 {
    DEFAULT_STEP
}

impl Dimension {
    /// Width of the slider, the unit of *slide distance*; `None` for a discrete dimension.
    #[must_use]
    pub fn range(&self) -> Option<f64> {
        match self {
            Self::Continuous { min, max, .. } => Some(max - min),
            Self::Discrete { .. } => None,
        }
    }

    /// Whether the dimension is shown as radio buttons.
    #[must_use]
    pub fn is_discrete(&self) -> bool {
        matches!(self, Self::Discrete { .. })
    }

    /// Number of decoder inputs the dimension takes: one per alternative, or one.
    #[must_use]
    pub fn width(&self) -> usize {
        match self {
            Self::Discrete { values } => usize::from(*values),
            Self::Continuous { .. } => 1,
        }
    }

    /// The nearest value the control can be set to: whole and in range for a
    /// discrete dimension; a multiple of the step, clamped to the interval, for
    /// a continuous one. The ends are themselves reachable even if they are no
    /// multiple of the step. `NaN` becomes the smallest value.
    #[must_use]
    pub fn snap(&self, value: f64) -> f64 {
        match self {
            Self::Discrete { values } => {
                let last = f64::from(values.saturating_sub(1));
                if value.is_nan() {
                    0.0
                } else {
                    value.round().clamp(0.0, last)
                }
            }
            Self::Continuous { min, max, step } => {
                // The ends are values of their own, so that snapping twice changes nothing.
                if value.is_nan() || value <= *min {
                    return *min;
                }
                if value >= *max {
                    return *max;
                }
                // Dividing by the reciprocal keeps 0.29 as 0.29 and not 0.29000000000000004.
                let per_unit = (1.0 / step).round();
                let snapped = if (per_unit * step - 1.0).abs() < 1e-9 {
                    (value * per_unit).round() / per_unit
                } else {
                    (value / step).round() * step
                };
                snapped.clamp(*min, *max)
            }
        }
    }

    /// The value so many positions further up (or down, where `steps` is negative), not beyond the
    /// ends. The positions of a slider are the multiples of its step and its two ends: from an
    /// end that is no multiple, the next position is the multiple beside it.
    ///
    /// ```
    /// use domain::latent::Dimension;
    /// let dial = Dimension::Continuous { min: -1.0, max: 1.234, step: 0.01 };
    /// assert_eq!(dial.stepped(1.234, -1), 1.23);
    /// assert_eq!(dial.stepped(1.23, 1), 1.234);
    /// ```
    #[must_use]
    pub fn stepped(&self, value: f64, steps: i32) -> f64 {
        let steps = f64::from(steps);
        let wanted = match self {
            Self::Discrete { .. } => value + steps,
            Self::Continuous { step, .. } => {
                // Counted from the multiple that lies on the other side, or here.
                let position = value / step;
                let from = if steps < 0.0 {
                    (position - OFF_GRID).ceil()
                } else {
                    (position + OFF_GRID).floor()
                };
                if steps == 0.0 {
                    value
                } else {
                    (from + steps) * step
                }
            }
        };
        self.snap(wanted)
    }
}

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
    /// A continuous dimension has no extent or is not finite.
    #[error(
        "dimension {index} runs from {min} to {max} in steps of {step}; min must be below max, the step positive, all finite"
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
    #[error("the vector has {found} components, the space {expected} dimensions")]
    WrongLength {
        /// Number of dimensions of the space.
        expected: usize,
        /// Number of components found.
        found: usize,
    },
    /// A component is not in its dimension's range, not whole where it must be, or not finite.
    #[error("component {index} is {value}, which {dimension:?} does not take")]
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
/// use domain::latent::{Dimension, LatentSpace};
/// let space = LatentSpace::new(vec![
///     Dimension::Discrete { values: 3 },
///     Dimension::Continuous { min: -1.0, max: 1.0, step: 0.01 },
/// ])?;
/// assert_eq!(space.decoder_input(&[2.0, 0.5])?, vec![0.0, 0.0, 1.0, 0.5]);
/// # Ok::<(), domain::latent::LatentError>(())
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
                    if !finite || min >= max || step <= 0.0 {
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

    /// What the decoder is fed: one-hot blocks for the discrete dimensions, then
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
                #[allow(clippy::cast_possible_truncation)] // the decoder works in f32
                Dimension::Continuous { .. } => block.fill(value as f32),
            }
            rest = after;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn continuous(min: f64, max: f64) -> Dimension {
        Dimension::Continuous {
            min,
            max,
            step: DEFAULT_STEP,
        }
    }

    #[test]
    fn refuses_what_no_participant_could_use() {
        assert_eq!(LatentSpace::new(vec![]), Err(LatentError::NoDimensions));
        assert_eq!(
            LatentSpace::new(vec![
                continuous(0.0, 1.0),
                Dimension::Discrete { values: 3 }
            ]),
            Err(LatentError::DiscreteAfterContinuous { index: 1 })
        );
        assert!(LatentSpace::new(vec![Dimension::Discrete { values: 1 }]).is_err());
        assert!(LatentSpace::new(vec![continuous(1.0, 1.0)]).is_err());
        assert!(LatentSpace::new(vec![continuous(f64::NAN, 1.0)]).is_err());
    }

    #[test]
    fn one_hot_blocks_come_first() {
        let space = LatentSpace::new(vec![
            Dimension::Discrete { values: 2 },
            continuous(-4.0, 4.0),
        ])
        .unwrap();
        assert_eq!(space.decoder_width(), 3);
        assert_eq!(
            space.decoder_input(&[1.0, 0.25]).unwrap(),
            vec![0.0, 1.0, 0.25]
        );
        for bad in [
            &[2.0, 0.0][..],
            &[0.5, 0.0],
            &[0.0, 4.1],
            &[0.0, f64::NAN],
            &[0.0],
        ] {
            assert!(space.decoder_input(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_end_off_the_grid_loses_no_step() {
        let check = |min: f64, max: f64, value: f64, steps: i32, expected: f64| {
            let dial = continuous(min, max);
            assert_eq!(dial.stepped(value, steps), expected, "{value} {steps}");
        };
        check(-1.0, 1.234, 1.234, -1, 1.23);
        check(-1.0, 1.234, 1.234, -3, 1.21);
        check(-1.0, 1.234, 1.23, 1, 1.234);
        check(-1.0, 1.234, 1.234, 1, 1.234);
        check(-1.236, 1.0, -1.236, 1, -1.23);
        check(-1.236, 1.0, -1.23, -1, -1.236);
        check(-1.236, 1.0, 0.28, 1, 0.29);
        check(-1.236, 1.0, 0.29, -1, 0.28);
        check(-1.236, 1.0, 0.29, 0, 0.29);
        let choice = Dimension::Discrete { values: 3 };
        assert_eq!(choice.stepped(1.0, 1), 2.0);
        assert_eq!(choice.stepped(1.0, 2), 2.0);
        assert_eq!(choice.stepped(1.0, -2), 0.0);
    }

    #[test]
    fn json_goes_through_the_same_checks() {
        let json = r#"[{"kind":"continuous","min":0,"max":1},{"kind":"discrete","values":3}]"#;
        let error = serde_json::from_str::<LatentSpace>(json)
            .unwrap_err()
            .to_string();
        assert!(error.contains("discrete dimensions come first"), "{error}");
    }

    proptest! {
        #[test]
        fn snapping_lands_in_range_and_is_idempotent(v in -20.0..20.0f64, lo in -5.0..0.0f64, w in 0.05..9.0f64) {
            let d = continuous(lo, lo + w);
            let s = d.snap(v);
            prop_assert!(LatentSpace::new(vec![d.clone()]).unwrap().validate(&[s]).is_ok());
            prop_assert_eq!(d.snap(s), s);
            let hundredths = s * 100.0;
            let at_an_end = s == lo || s == lo + w;
            prop_assert!(at_an_end || (hundredths - hundredths.round()).abs() < 1e-9);
        }

        #[test]
        fn a_step_leads_to_the_next_position_and_back(v in -20.0..20.0f64, lo in -5.0..0.0f64, w in 0.05..9.0f64) {
            let d = continuous(lo, lo + w);
            let here = d.snap(v);
            let (below, above) = (d.stepped(here, -1), d.stepped(here, 1));
            prop_assert!(here == lo || (below < here && d.stepped(below, 1) == here));
            prop_assert!(here == lo + w || (above > here && d.stepped(above, -1) == here));
        }
    }
}

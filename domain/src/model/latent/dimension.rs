//! One dimension of a latent space.

use super::DEFAULT_STEP;

crate::json::tagged! {
    "kind", deny_unknown_fields;
    /// One dimension of a latent space: what a participant calls a *dial*.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
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
}

/// The values it takes, in words.
impl std::fmt::Display for Dimension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Discrete { values } => {
                write!(f, "whole numbers from 0 to {}", values.saturating_sub(1))
            }
            Self::Continuous { min, max, .. } => write!(f, "numbers from {min} to {max}"),
        }
    }
}

/// A value this close to a multiple of the step, in steps, is that multiple.
const OFF_GRID: f64 = 1e-6;

fn default_step() -> f64 {
    DEFAULT_STEP
}

impl Dimension {
    /// A slider from `min` to `max`, in steps of `step`.
    #[must_use]
    pub const fn continuous(min: f64, max: f64, step: f64) -> Self {
        Self::Continuous { min, max, step }
    }

    /// Width of the slider, the unit of *slide distance*; `None` for a discrete dimension.
    #[must_use]
    pub fn range(&self) -> Option<f64> {
        match self {
            Self::Continuous { min, max, .. } => Some(max - min),
            Self::Discrete { .. } => None,
        }
    }

    /// Smallest and largest value; `None` for a discrete dimension.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        match *self {
            Self::Continuous { min, max, .. } => Some((min, max)),
            Self::Discrete { .. } => None,
        }
    }

    /// The value at a share of the way from the smallest to the largest, snapped. A
    /// share outside [0, 1] gives the nearer end.
    #[must_use]
    pub fn at_share(&self, share: f64) -> f64 {
        let (min, max) = match *self {
            Self::Continuous { min, max, .. } => (min, max),
            Self::Discrete { values } => (0.0, f64::from(values.saturating_sub(1))),
        };
        self.snap(min + (max - min) * share)
    }

    /// The value that a random number in [0, 1) gives: all values of a discrete dimension, and
    /// all of a slider's range, are equally likely.
    #[must_use]
    pub fn at_random(&self, random: f64) -> f64 {
        match self {
            Self::Discrete { values } => self.snap((random * f64::from(*values)).floor()),
            Self::Continuous { .. } => self.at_share(random),
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
    /// use domain::model::latent::Dimension;
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

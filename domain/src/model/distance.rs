//! Distances between two instances: what *alignment* is measured by.
//!
//! All work on flat arrays of equal length, in f64. Values that are not finite
//! count as 0, so that a broken pixel never turns a whole record into `NaN`.
//! They are computed on the values as the decoder gives them, however these are shown.

mod bounds;
mod per_channel;
mod ssim;

pub use bounds::{DistanceBounds, squared_error_bounds};
pub use per_channel::PerChannel;

use super::InstanceShape;

/// Slack allowed when a distance is compared with a threshold (released study).
pub const THRESHOLD_TOLERANCE: f64 = 0.001;

crate::json::tagged! {
    "kind", deny_unknown_fields;
    /// A dissimilarity in [0, 1]; 0 means that the two instances are the same to it.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum Distance {
        /// Share of values with |x_i − x′_i| > `tolerance`; the Jaccard distance
        /// of Ross et al. on Sinelines. All curves of a series count alike.
        Jaccard {
            /// Largest difference that still counts as equal.
            tolerance: PerChannel,
        },
        /// Bray–Curtis dissimilarity Σ|x_i − x′_i| / Σ(|x_i| + |x′_i|).
        ///
        /// DIFFERENCE: scipy divides by Σ|x_i + x′_i|, which is the same for amounts, but may be
        /// 0 where values have different signs. As here, it is within [0, 1] for any values. Yet
        /// it suits amounts: two values of different signs are at distance 1 however small they
        /// are, and the distance depends on where 0 lies.
        BrayCurtis,
        /// Mean of |x_i − x′_i| / `range`, where a value that is off by the whole range or more
        /// counts as 1: Gower's (1971) distance of numbers. For values of any sign.
        MeanAbsolute {
            /// Difference that is as large as can be: what lies between the smallest and the
            /// largest value of the model's instances. A range that is not above 0 finds no
            /// difference.
            range: PerChannel,
        },
        /// 1 − |a ∧ b| / |a ∨ b| on values binarised at `binarise_at`
        /// (a value *above* it is on).
        Iou {
            /// Values above this are on.
            binarise_at: f64,
        },
        /// 1 − SSIM (Wang et al. 2004) of two pictures, or 1 − MS-SSIM (Wang et al. 2003) with more than one
        /// scale: how alike their structure is, as people see it. Similarities below 0 count as 0. Colours are
        /// averaged. A picture has at least 11 × 11 pixels at its last scale.
        Ssim {
            /// L, from the smallest value that there can be to the largest.
            #[serde(default = "whole_range")]
            range: f64,
            /// How often the picture is compared, each time half as large: 1 to 5.
            #[serde(default = "one_scale")]
            scales: u8,
        },
    }
}

const fn whole_range() -> f64 {
    1.0
}

const fn one_scale() -> u8 {
    1
}

/// Two instances of different lengths cannot be compared, nor pictures that are not what a distance of pictures is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("instances of {left} and {right} values cannot be compared")]
pub struct LengthMismatch {
    /// Number of values in the first instance.
    pub left: usize,
    /// Number of values in the second.
    pub right: usize,
}

impl Distance {
    /// The distance between two instances of a shape, by which only SSIM goes: the others take any values.
    ///
    /// Two empty instances, and two instances without anything on (all zero),
    /// have distance 0.
    ///
    /// ```
    /// use domain::model::{InstanceShape, distance::Distance};
    /// let curve = InstanceShape::series(2, 1);
    /// assert_eq!(Distance::BrayCurtis.between(curve, &[1.0, 0.0], &[0.0, 1.0])?, 1.0);
    /// assert_eq!(Distance::BrayCurtis.between(curve, &[0.0, 0.0], &[0.0, 0.0])?, 0.0);
    /// # Ok::<(), domain::model::distance::LengthMismatch>(())
    /// ```
    ///
    /// # Errors
    /// When the lengths differ, or SSIM cannot compare pictures of this shape ([`problem`](Self::problem)).
    pub fn between(
        &self,
        shape: InstanceShape,
        a: &[f32],
        b: &[f32],
    ) -> Result<f64, LengthMismatch> {
        let pairs = pairs(a, b)?;
        Ok(match self {
            Self::Jaccard { tolerance } => {
                let differing = pairs
                    .zip(tolerance.by_value())
                    .filter(|((x, y), tolerance)| (x - y).abs() > *tolerance)
                    .count();
                ratio(differing as f64, a.len() as f64)
            }
            Self::MeanAbsolute { range } => {
                let apart = pairs
                    .zip(range.by_value())
                    .map(|((x, y), range)| ratio((x - y).abs(), range))
                    .sum();
                ratio(apart, a.len() as f64)
            }
            Self::BrayCurtis => {
                let (difference, total) = pairs.fold((0.0, 0.0), |(d, t), (x, y)| {
                    (d + (x - y).abs(), t + x.abs() + y.abs())
                });
                ratio(difference, total)
            }
            Self::Iou { binarise_at } => {
                let mut overlap = Overlap::default();
                for (x, y) in pairs {
                    overlap.add(x > *binarise_at, y > *binarise_at);
                }
                overlap.distance()
            }
            // Both bounds are the same where all values are known.
            Self::Ssim { range, scales } => {
                bounds::ssim_bounds(shape, (a, b), 0.0, (*range, *scales))?.low
            }
        })
    }

    /// Why it cannot be a distance of instances of this shape; `None` if it can.
    #[must_use]
    pub fn problem(&self, shape: InstanceShape) -> Option<String> {
        let channels = shape.channels();
        if let Self::Ssim { scales, .. } = self {
            let most = ssim::scales_of(shape);
            let wanted = usize::from(*scales);
            if most == 0 {
                let needed = "it compares pictures of at least 11 × 11 pixels";
                return Some(format!("ssim: {needed}"));
            }
            if !(1..=most).contains(&wanted) {
                return Some(format!(
                    "scales: {wanted}; pictures of this size have 1 to {most}"
                ));
            }
        }
        let (name, numbers) = match self {
            Self::Jaccard { tolerance } => ("tolerance", tolerance.numbers()),
            Self::MeanAbsolute { range } => ("range", range.numbers()),
            Self::Iou { binarise_at } => ("binarise_at", std::slice::from_ref(binarise_at)),
            Self::Ssim { range, .. } => ("range", std::slice::from_ref(range)),
            Self::BrayCurtis => return None,
        };
        let fits = |number: &f64| match self {
            Self::Jaccard { .. } => *number >= 0.0,
            Self::MeanAbsolute { .. } => *number > 0.0,
            // Its square must not vanish.
            Self::Ssim { .. } => *number >= 1e-100,
            Self::Iou { .. } | Self::BrayCurtis => true,
        };
        if numbers.len() != 1 && numbers.len() != channels {
            let found = numbers.len();
            return Some(format!("{name}: {found} numbers for {channels} channels"));
        }
        let wrong = numbers.iter().find(|n| !n.is_finite() || !fits(n))?;
        Some(format!("{name}: {wrong} cannot be one"))
    }

    /// Whether it counts values on one side of a cut, and so moves in steps.
    #[must_use]
    pub fn counts_values(&self) -> bool {
        matches!(self, Self::Jaccard { .. } | Self::Iou { .. })
    }
}

/// Values that are on in both instances, and in either.
#[derive(Default)]
struct Overlap {
    both: u32,
    either: u32,
}

impl Overlap {
    fn add(&mut self, a: bool, b: bool) {
        self.both += u32::from(a && b);
        self.either += u32::from(a || b);
    }

    /// 1 − both / either; 0 where nothing is on.
    fn distance(&self) -> f64 {
        if self.either == 0 {
            0.0
        } else {
            1.0 - f64::from(self.both) / f64::from(self.either)
        }
    }
}

/// ε where questions are solved at this alignment, in per cent.
#[must_use]
pub fn threshold_at(alignment_percent: f64) -> f64 {
    1.0 - alignment_percent / 100.0
}

/// Whether a distance counts as having reached the threshold ε.
#[must_use]
pub fn reaches(distance: f64, threshold: f64) -> bool {
    distance <= threshold + THRESHOLD_TOLERANCE
}

/// How near a picture is to its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alignment {
    /// d(x, x′); `NaN` without a picture.
    pub distance: f64,
    /// Whether that is near enough ([`reaches`]).
    pub reached: bool,
}

impl Alignment {
    /// At this distance, where the threshold is ε.
    #[must_use]
    pub fn at(distance: f64, threshold: f64) -> Self {
        Self {
            distance,
            reached: reaches(distance, threshold),
        }
    }

    /// 1 − d(x, x′), which participants see as a percentage.
    #[must_use]
    pub fn share(self) -> f64 {
        1.0 - self.distance
    }
}

/// Σ (x_i − x′_i)²: a sum, not a mean. 0 for empty instances.
///
/// # Errors
/// When the lengths differ.
pub fn squared_error(a: &[f32], b: &[f32]) -> Result<f64, LengthMismatch> {
    Ok(pairs(a, b)?.map(|(x, y)| (x - y) * (x - y)).sum())
}

fn pairs<'a>(
    a: &'a [f32],
    b: &'a [f32],
) -> Result<impl Iterator<Item = (f64, f64)> + 'a, LengthMismatch> {
    if a.len() != b.len() {
        return Err(LengthMismatch {
            left: a.len(),
            right: b.len(),
        });
    }
    let finite = |v: f32| if v.is_finite() { f64::from(v) } else { 0.0 };
    Ok(a.iter().zip(b).map(move |(&x, &y)| (finite(x), finite(y))))
}

/// part / whole, 0 when there is no whole, never above 1.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        (part / whole).min(1.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests;

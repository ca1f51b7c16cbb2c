//! Distances between two instances: what *alignment* is measured by.
//!
//! All work on flat arrays of equal length, in f64. Values that are not finite
//! count as 0, so that a broken pixel never turns a whole record into `NaN`.

mod bounds;

pub use bounds::{Bounds, squared_error_bounds};

/// Slack allowed when a distance is compared with a threshold (released study).
pub const THRESHOLD_TOLERANCE: f64 = 0.001;

crate::json::tagged! {
    "kind", deny_unknown_fields;
    /// A dissimilarity in [0, 1]; 0 means that the two instances are the same to it.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum Distance {
        /// Share of positions with |x_i − x′_i| > `tolerance`; the Jaccard distance
        /// of Ross et al. on Sinelines.
        Jaccard {
            /// Largest difference that still counts as equal.
            tolerance: f64,
        },
        /// Bray–Curtis dissimilarity Σ|x_i − x′_i| / Σ(|x_i| + |x′_i|).
        BrayCurtis,
        /// 1 − |a ∧ b| / |a ∨ b| on values binarised at `binarise_at`
        /// (a value *above* it is on).
        Iou {
            /// Values above this are on.
            binarise_at: f64,
        },
    }
}

/// Two instances of different lengths cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("instances of {left} and {right} values cannot be compared")]
pub struct LengthMismatch {
    /// Number of values in the first instance.
    pub left: usize,
    /// Number of values in the second.
    pub right: usize,
}

impl Distance {
    /// The distance between two instances.
    ///
    /// Two empty instances, and two instances without anything on (all zero),
    /// have distance 0.
    ///
    /// ```
    /// use domain::distance::Distance;
    /// assert_eq!(Distance::BrayCurtis.between(&[1.0, 0.0], &[0.0, 1.0])?, 1.0);
    /// assert_eq!(Distance::BrayCurtis.between(&[0.0], &[0.0])?, 0.0);
    /// # Ok::<(), domain::distance::LengthMismatch>(())
    /// ```
    ///
    /// # Errors
    /// When the lengths differ.
    pub fn between(&self, a: &[f32], b: &[f32]) -> Result<f64, LengthMismatch> {
        let pairs = pairs(a, b)?;
        #[allow(clippy::cast_precision_loss)] // instances have far fewer than 2^52 values
        Ok(match *self {
            Self::Jaccard { tolerance } => {
                let differing = pairs.filter(|(x, y)| (x - y).abs() > tolerance).count();
                ratio(differing as f64, a.len() as f64)
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
                    overlap.add(x > binarise_at, y > binarise_at);
                }
                overlap.distance()
            }
        })
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

/// Whether a distance counts as having reached the threshold ε.
#[must_use]
pub fn reaches(distance: f64, threshold: f64) -> bool {
    distance <= threshold + THRESHOLD_TOLERANCE
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Distance; 3] = [
        Distance::Jaccard { tolerance: 0.5 },
        Distance::BrayCurtis,
        Distance::Iou { binarise_at: 0.5 },
    ];

    /// scipy 1.17.1:
    /// ```python
    /// import numpy as np
    /// from scipy.spatial.distance import braycurtis, jaccard, hamming
    /// a = np.array([0., .2, .9, 1., .6, .4]); b = np.array([.1, .9, .8, 0., .55, .45])
    /// braycurtis(a, b)                       # 0.3389830508474577
    /// jaccard(a > .5, b > .5)                # 0.5
    /// hamming(np.abs(a - b) > .5, np.zeros(6, bool))   # 0.3333333333333333
    /// np.sum((a - b) ** 2)                   # 1.515
    /// ```
    #[test]
    fn agrees_with_scipy() {
        let a = [0.0, 0.2, 0.9, 1.0, 0.6, 0.4];
        let b = [0.1, 0.9, 0.8, 0.0, 0.55, 0.45];
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-7, "{found} {expected}")
        };
        near(
            Distance::BrayCurtis.between(&a, &b).unwrap(),
            0.338_983_050_847_457_7,
        );
        near(
            Distance::Iou { binarise_at: 0.5 }.between(&a, &b).unwrap(),
            0.5,
        );
        near(
            Distance::Jaccard { tolerance: 0.5 }
                .between(&a, &b)
                .unwrap(),
            1.0 / 3.0,
        );
        near(squared_error(&a, &b).unwrap(), 1.515);
    }

    #[test]
    fn empty_and_black_instances_are_equal() {
        for d in ALL {
            assert_eq!(d.between(&[], &[]).unwrap(), 0.0);
            assert_eq!(d.between(&[0.0; 9], &[0.0; 9]).unwrap(), 0.0);
            assert!(d.between(&[0.0], &[]).is_err());
        }
        assert_eq!(squared_error(&[], &[]).unwrap(), 0.0);
    }

    #[test]
    fn broken_pixels_do_not_spread() {
        for d in ALL {
            let found = d
                .between(&[f32::NAN, 1.0, f32::INFINITY], &[0.0, 1.0, 0.0])
                .unwrap();
            assert_eq!(found, 0.0, "{d:?}");
        }
    }

    #[test]
    fn threshold_has_the_released_tolerance() {
        assert!(reaches(0.1009, 0.1));
        assert!(!reaches(0.1011, 0.1));
        assert!(!reaches(f64::NAN, 0.1));
    }

    proptest! {
        #[test]
        fn symmetric_and_within_the_unit_interval(
            pairs in proptest::collection::vec((-3.0f32..3.0, -3.0f32..3.0), 0..40)
        ) {
            let (a, b): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            for d in ALL {
                let ab = d.between(&a, &b).unwrap();
                prop_assert!((0.0..=1.0).contains(&ab), "{d:?} {ab}");
                prop_assert_eq!(ab, d.between(&b, &a).unwrap());
                prop_assert_eq!(d.between(&a, &a).unwrap(), 0.0);
            }
        }
    }
}

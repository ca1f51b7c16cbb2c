//! Between which bounds a distance lies when an instance is known only up to rounding.
//!
//! Two builds of one decoder round differently. A distance that steps (IoU, Jaccard) jumps when a
//! value near its cut changes sides, so a tolerance on the distance itself cannot be right: these
//! bounds say which distances the rounding of the values allows.

use super::{Distance, LengthMismatch, Overlap, pairs, ratio, ssim};
use crate::model::InstanceShape;

/// The smallest and the largest value that something can have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceBounds {
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

impl DistanceBounds {
    /// Slack for the rounding of sums in f64, in which both sides compute.
    const SLACK: f64 = 1e-9;

    /// Whether a value lies between them. NaN does not.
    #[must_use]
    pub fn contain(&self, value: f64) -> bool {
        let slack = Self::SLACK * self.high.abs().max(1.0);
        (self.low - slack..=self.high + slack).contains(&value)
    }
}

/// How far another build's values may be from those of `x`: `tolerance`, in proportion to the
/// largest of them in size where that is above 1. Sums round in proportion to their terms, so what
/// is near 0 among large values is off by as much as these.
fn rounding(x: &[f32], tolerance: f64) -> f64 {
    let sizes = x
        .iter()
        .filter(|v| v.is_finite())
        .map(|v| f64::from(v.abs()));
    tolerance * sizes.fold(1.0, f64::max)
}

impl Distance {
    /// Between which bounds the distance from `x` to `target` lies, if each value of `x` is known
    /// up to `tolerance`, or up to that part of the largest of them where it is above 1 in size.
    ///
    /// Exact where values decide independently (Jaccard, IoU, mean absolute); for Bray–Curtis the
    /// bounds of numerator and denominator are taken apart, and for SSIM those of each window's. Two empty
    /// instances give 0 and 0.
    ///
    /// # Errors
    /// As [`between`](Self::between).
    pub fn bounds(
        &self,
        shape: InstanceShape,
        x: &[f32],
        target: &[f32],
        tolerance: f64,
    ) -> Result<DistanceBounds, LengthMismatch> {
        let pairs = pairs(x, target)?;
        let (length, off) = (x.len() as f64, rounding(x, tolerance));
        Ok(match self {
            Self::Jaccard { tolerance: equal } => {
                let (mut surely, mut perhaps) = (0.0, 0.0);
                for ((x, y), equal) in pairs.zip(equal.by_value()) {
                    let apart = (x - y).abs();
                    surely += f64::from(u8::from(apart - off > equal));
                    perhaps += f64::from(u8::from(apart + off > equal));
                }
                DistanceBounds {
                    low: ratio(surely, length),
                    high: ratio(perhaps, length),
                }
            }
            Self::MeanAbsolute { range } => {
                let (mut low, mut high) = (0.0, 0.0);
                for ((x, y), range) in pairs.zip(range.by_value()) {
                    let apart = (x - y).abs();
                    low += ratio((apart - off).max(0.0), range);
                    high += ratio(apart + off, range);
                }
                DistanceBounds {
                    low: ratio(low, length),
                    high: ratio(high, length),
                }
            }
            Self::BrayCurtis => {
                let (mut apart, mut total, mut unsure) = (0.0, 0.0, 0.0);
                for (x, y) in pairs {
                    apart += (x - y).abs();
                    total += x.abs() + y.abs();
                    unsure += off;
                }
                let low = ratio((apart - unsure).max(0.0), total + unsure);
                let high = if total > unsure {
                    ratio(apart + unsure, total - unsure)
                } else {
                    1.0
                };
                // Two instances without anything on are alike, however they round.
                let high = if length > 0.0 { high } else { 0.0 };
                DistanceBounds { low, high }
            }
            Self::Iou { binarise_at } => {
                let (mut most, mut least) = (Overlap::default(), Overlap::default());
                for (x, y) in pairs {
                    let (surely, perhaps) = (x - off > *binarise_at, x + off > *binarise_at);
                    let target = y > *binarise_at;
                    // On where the target is on brings them together, on elsewhere apart.
                    let (near, far) = if target {
                        (perhaps, surely)
                    } else {
                        (surely, perhaps)
                    };
                    most.add(near, target);
                    least.add(far, target);
                }
                DistanceBounds {
                    low: most.distance(),
                    high: least.distance(),
                }
            }
            Self::Ssim { range, scales } => {
                return ssim_bounds(shape, (x, target), off, (*range, *scales));
            }
        })
    }
}

/// The bounds of [`Distance::Ssim`] with this range and so many scales, if each value of `x` is known up to `off`.
pub(super) fn ssim_bounds(
    shape: InstanceShape,
    (x, target): (&[f32], &[f32]),
    off: f64,
    (range, scales): (f64, u8),
) -> Result<DistanceBounds, LengthMismatch> {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs(x, target)?.unzip();
    let (left, right) = (x.len(), y.len());
    if left == 0 {
        return Ok(DistanceBounds {
            low: 0.0,
            high: 0.0,
        });
    }
    let similarity = ssim::similarity(shape, (&x, &y), off, (range, usize::from(scales)))
        .ok_or(LengthMismatch { left, right })?;
    Ok(DistanceBounds {
        low: 1.0 - similarity.high,
        high: 1.0 - similarity.low,
    })
}

/// Between which bounds Σ (x − x′)² lies, if the values of `x` are known as in
/// [`Distance::bounds`].
///
/// # Errors
/// When the lengths differ.
pub fn squared_error_bounds(
    x: &[f32],
    target: &[f32],
    tolerance: f64,
) -> Result<DistanceBounds, LengthMismatch> {
    let (mut low, mut high) = (0.0, 0.0);
    let off = rounding(x, tolerance);
    for (x, y) in pairs(x, target)? {
        let apart = (x - y).abs();
        low += (apart - off).max(0.0).powi(2);
        high += (apart + off).powi(2);
    }
    Ok(DistanceBounds { low, high })
}

#[cfg(test)]
mod tests {
    use super::super::squared_error;
    use super::super::tests::{ANY, all};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_pixel_at_its_cut_may_fall_to_either_side() {
        let iou = Distance::Iou { binarise_at: 0.5 };
        let bounds = iou
            .bounds(ANY, &[0.500_01, 0.9, 0.1], &[1.0, 1.0, 0.0], 1e-4)
            .unwrap();
        assert_eq!((bounds.low, bounds.high), (0.0, 0.5));
        let sure = iou
            .bounds(ANY, &[0.6, 0.9, 0.1], &[1.0, 1.0, 0.0], 1e-4)
            .unwrap();
        assert_eq!((sure.low, sure.high), (0.0, 0.0));
    }

    #[test]
    fn no_number_lies_between_no_bounds() {
        let bounds = DistanceBounds {
            low: 0.0,
            high: 1.0,
        };
        assert!(!bounds.contain(f64::NAN));
        assert!(!bounds.contain(1.1));
        for distance in all() {
            let empty = distance.bounds(ANY, &[], &[], 1e-4).unwrap();
            assert_eq!((empty.low, empty.high), (0.0, 0.0), "{distance:?}");
            assert!(distance.bounds(ANY, &[0.0], &[], 1e-4).is_err());
        }
    }

    proptest! {
        /// A distance lies within its bounds, whatever another build makes of the values.
        #[test]
        fn every_rounding_lies_within(
            values in proptest::collection::vec((-2.0f32..2.0, -2.0f32..2.0, -1.0f64..1.0), 1..40),
            tolerance in 1e-5f64..0.3,
        ) {
            let x: Vec<f32> = values.iter().map(|v| v.0).collect();
            let target: Vec<f32> = values.iter().map(|v| v.1).collect();
            let size = x.iter().fold(1.0, |size: f64, v| size.max(f64::from(v.abs())));
            let other: Vec<f32> = values
                .iter()
                .map(|v| (f64::from(v.0) + 0.999 * v.2 * tolerance * size) as f32)
                .collect();
            for distance in all() {
                let bounds = distance.bounds(ANY, &x, &target, tolerance).unwrap();
                let found = distance.between(ANY, &other, &target).unwrap();
                prop_assert!(bounds.contain(found), "{:?} {:?} {}", distance, bounds, found);
            }
            let bounds = squared_error_bounds(&x, &target, tolerance).unwrap();
            let found = squared_error(&other, &target).unwrap();
            prop_assert!(bounds.contain(found), "{:?} {}", bounds, found);
        }
    }
}

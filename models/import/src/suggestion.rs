//! A distance and a threshold that suit what a decoder gives.

use domain::model::InstanceShape;
use domain::model::distance::{Distance, PerChannel};

use super::assemble::Decoded;

/// What part of a curve's range counts as equal, where nobody says: in the paper 0.5 on a plot from
/// -10 to 10.
const TOLERATED: f64 = 0.025;
/// Curves whose ranges differ by more than so many times have a number each.
const ALIKE: f64 = 4.0;
/// What part of the usual distance of two instances solves a question, where nobody says.
const SOLVED: f64 = 0.25;
/// Cut of pictures in black and white.
const CUT: f64 = 0.5;

/// A distance whose numbers may be left to what the latents decode to.
#[derive(Debug, Clone, PartialEq)]
pub enum DistanceChoice {
    /// Its numbers are known.
    Given(Distance),
    /// Jaccard, with the tolerance that suits the values.
    Jaccard,
    /// Mean absolute, with the range of the values.
    MeanAbsolute,
    /// SSIM over so many scales, with the range of the values.
    Ssim(u8),
}

impl Decoded {
    /// The distance chosen, its numbers taken from the values where they were not told.
    #[must_use]
    pub fn distance(&self, choice: &DistanceChoice) -> Distance {
        match choice {
            DistanceChoice::Given(distance) => distance.clone(),
            DistanceChoice::Jaccard => Distance::Jaccard {
                tolerance: self.spans(TOLERATED),
            },
            DistanceChoice::MeanAbsolute => Distance::MeanAbsolute {
                range: self.spans(1.0),
            },
            DistanceChoice::Ssim(scales) => Distance::Ssim {
                range: if self.is_unclipped() {
                    self.spans(1.0)
                        .numbers()
                        .iter()
                        .copied()
                        .fold(0.0, f64::max)
                } else {
                    1.0
                },
                scales: *scales,
            },
        }
    }

    /// The distance that suits this kind of output: Jaccard for curves, IoU for pictures shown in
    /// black and white, mean absolute for values that need no clipping, and Bray–Curtis for
    /// pictures from black to white.
    #[must_use]
    pub fn suggested_distance(&self, black_and_white: Option<f64>) -> Distance {
        match (self.shape(), black_and_white) {
            (InstanceShape::Series { .. }, _) => self.distance(&DistanceChoice::Jaccard),
            (InstanceShape::Image { .. }, Some(binarise_at)) => Distance::Iou { binarise_at },
            (InstanceShape::Image { .. }, None) if self.is_unclipped() => {
                self.distance(&DistanceChoice::MeanAbsolute)
            }
            (InstanceShape::Image { .. }, None) if self.is_black_and_white() => {
                Distance::Iou { binarise_at: CUT }
            }
            (InstanceShape::Image { .. }, None) => Distance::BrayCurtis,
        }
    }

    /// The threshold that suits a distance: a quarter of what held-out instances are mostly apart,
    /// in two digits, and not above the paper's own thresholds (0.1; for IoU 0.25); but at least one
    /// point of a curve, and what the sliders can reach. `None` where instances are mostly no further
    /// apart than that.
    #[must_use]
    pub fn suggested_threshold(&self, distance: &Distance) -> Option<f64> {
        let most = match distance {
            Distance::Iou { .. } => 0.25,
            _ => 0.1,
        };
        let typical = self.typical_distance(distance)?;
        let point = match distance {
            Distance::Jaccard { .. } => 1.0 / self.shape().len() as f64,
            _ => 0.0,
        };
        let least = point.max(self.reachable(distance));
        let wanted = short((SOLVED * typical).min(most));
        let wanted = if wanted < least {
            not_below(least)
        } else {
            wanted
        };
        (wanted > 0.0 && wanted < typical).then_some(wanted)
    }

    /// A part of the range of the values, in two digits: one number if the channels are alike, else
    /// one for each. A channel that never changes has the largest range of the others.
    fn spans(&self, part: f64) -> PerChannel {
        let channels = self.shape().channels();
        let span = |channel| {
            let (low, high) = self.ends_of(channel);
            f64::from(high) - f64::from(low)
        };
        let spans: Vec<f64> = (0..channels).map(span).collect();
        let largest = spans.iter().copied().fold(0.0, f64::max);
        let changing = spans.iter().copied().filter(|&span| span > 0.0);
        let smallest = changing.fold(largest, f64::min);
        let number = |span: f64| short(part * if span > 0.0 { span } else { largest });
        if largest > ALIKE * smallest
            && let Some(each) = PerChannel::of_each(spans.into_iter().map(number).collect())
        {
            return each;
        }
        number(largest).into()
    }
}

/// A number in two digits, as it is written.
fn short(number: f64) -> f64 {
    format!("{number:.1e}").parse().unwrap_or(number)
}

/// The smallest number in two digits that is not below.
fn not_below(number: f64) -> f64 {
    let near = short(number);
    if near >= number {
        return near;
    }
    short(number + 10_f64.powf(number.log10().floor() - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (number, expected) in [(0.1234, 0.12), (987.6, 990.0), (0.000_456, 0.000_46)] {
            assert_eq!(short(number), expected);
        }
        // One of 66 points, one of 64.
        for (number, expected) in [(1.0 / 66.0, 0.016), (0.015_625, 0.016), (0.3, 0.3)] {
            assert_eq!(not_below(number), expected);
        }
    }
}

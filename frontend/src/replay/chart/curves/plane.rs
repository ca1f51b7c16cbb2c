//! Where the points of curves over one time lie in their drawing, and which curve is meant by a place in it.

use domain::lanes::Point;
use domain::task::Outcome;

use crate::replay::chart::tick_step;

/// A value over time. Each point holds until the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its points, in milliseconds since the common beginning, in order; values in [0, 1].
    pub points: Vec<Point>,
    /// When it ends, likewise.
    pub until_ms: u64,
    /// The value that is wanted.
    pub wanted: f64,
    /// How it ended; none: it has not.
    pub outcome: Option<Outcome>,
}

impl Curve {
    /// The value at a moment: none before the first point and after the end.
    #[must_use]
    pub fn value_at(&self, ms: u64) -> Option<f64> {
        let begun = self.points.partition_point(|point| point.at_ms <= ms);
        let last = self.points[..begun].last()?;
        (ms <= self.until_ms.max(last.at_ms)).then_some(last.value)
    }

    /// Its last value.
    #[must_use]
    pub fn end(&self) -> Option<Point> {
        let last = self.points.last()?;
        Some(Point {
            at_ms: self.until_ms.max(last.at_ms),
            value: last.value,
        })
    }
}

/// Room for the numbers at the left, and below, in pixels.
const LEFT: f64 = 46.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 8.0;
const BELOW: f64 = 20.0;

/// How far from a curve a place may be that means it, in pixels.
const NEAR: f64 = 14.0;

/// Where moments and values lie, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Left and right end.
    pub across: (f64, f64),
    /// Top and bottom.
    pub down: (f64, f64),
    length_ms: u64,
}

impl Plane {
    /// A drawing of a size, from 0 to `length_ms`.
    #[must_use]
    pub fn new((width, height): (f64, f64), length_ms: u64) -> Self {
        Self {
            across: (LEFT, (width - RIGHT).max(LEFT + 1.0)),
            down: (TOP, (height - BELOW).max(TOP + 1.0)),
            length_ms: length_ms.max(1),
        }
    }

    /// Where a moment lies.
    #[must_use]
    pub fn x(&self, ms: u64) -> f64 {
        let (left, right) = self.across;
        left + ms as f64 / self.length_ms as f64 * (right - left)
    }

    /// Where a value lies; outside of [0, 1] at the edge.
    #[must_use]
    pub fn y(&self, value: f64) -> f64 {
        let (top, bottom) = self.down;
        let value = if value.is_nan() { 0.0 } else { value };
        bottom - value.clamp(0.0, 1.0) * (bottom - top)
    }

    /// The moment at a place, within the drawing.
    #[must_use]
    pub fn moment(&self, x: f64) -> u64 {
        let (left, right) = self.across;
        let share = ((x - left) / (right - left)).clamp(0.0, 1.0);
        (share * self.length_ms as f64).round() as u64
    }

    /// Round times, with about `apart` pixels between two at least.
    #[must_use]
    pub fn ticks(&self, apart: f64) -> Vec<u64> {
        let (left, right) = self.across;
        let step = tick_step(apart * self.length_ms as f64 / (right - left));
        (0..=self.length_ms / step).map(|n| n * step).collect()
    }

    /// The curve that a place means: the nearest, if it is near.
    #[must_use]
    pub fn nearest(&self, curves: &[Curve], x: f64, y: f64) -> Option<usize> {
        let (from, to) = (self.moment(x - 4.0), self.moment(x + 4.0));
        let distances = curves
            .iter()
            .enumerate()
            .filter_map(|(index, curve)| Some((index, self.distance(curve, (from, to), y)?)));
        let (index, distance) = distances.min_by(|a, b| a.1.total_cmp(&b.1))?;
        (distance <= NEAR).then_some(index)
    }

    /// How far a height is from what a curve does within a stretch of time; none where it is not there.
    fn distance(&self, curve: &Curve, (from, to): (u64, u64), y: f64) -> Option<f64> {
        let first = curve.points.partition_point(|point| point.at_ms < from);
        let last = curve.points.partition_point(|point| point.at_ms <= to);
        let within = curve.points[first..last].iter().map(|point| point.value);
        let values = within
            .chain(curve.value_at(from))
            .map(|value| self.y(value));
        let (mut top, mut bottom) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            top = top.min(value);
            bottom = bottom.max(value);
        }
        (top <= bottom).then(|| (top - y).max(y - bottom).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(u64, f64)], until_ms: u64) -> Curve {
        let points = points.iter().map(|&(at_ms, value)| Point { at_ms, value });
        Curve {
            points: points.collect(),
            until_ms,
            wanted: 0.9,
            outcome: None,
        }
    }

    #[test]
    fn points_hold_until_the_next_and_the_last_until_the_end() {
        let curve = curve(&[(0, 0.2), (1_000, 0.5)], 3_000);
        assert_eq!(curve.value_at(999), Some(0.2));
        assert_eq!(curve.value_at(3_000), Some(0.5));
        assert_eq!(curve.value_at(3_001), None);
        assert_eq!(curve.end().map(|it| it.at_ms), Some(3_000));
        assert_eq!(
            Curve {
                points: Vec::new(),
                ..curve
            }
            .value_at(5),
            None
        );
    }

    #[test]
    fn a_place_across_is_its_moment() {
        let plane = Plane::new((656.0, 228.0), 60_000);
        assert_eq!(plane.across, (46.0, 646.0));
        assert_eq!((plane.x(0), plane.x(60_000)), (46.0, 646.0));
        assert_eq!(
            (plane.y(1.0), plane.y(0.0), plane.y(f64::NAN)),
            (8.0, 208.0, 208.0)
        );
        assert_eq!(
            (plane.moment(346.0), plane.moment(-9.0), plane.moment(1e9)),
            (30_000, 0, 60_000)
        );
        assert_eq!(
            plane.ticks(100.0),
            [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]
        );
        // Nothing has no length, and is drawn all the same.
        let nothing = Plane::new((10.0, 5.0), 0);
        assert!(nothing.x(0).is_finite() && nothing.ticks(50.0).len() < 3);
    }

    #[test]
    fn a_place_means_the_nearest_curve_that_is_there() {
        let plane = Plane::new((656.0, 228.0), 60_000);
        let curves = [
            curve(&[(0, 0.1), (30_000, 0.9)], 40_000),
            curve(&[(0, 0.5)], 60_000),
        ];
        assert_eq!(plane.nearest(&curves, 100.0, plane.y(0.11)), Some(0));
        assert_eq!(plane.nearest(&curves, 100.0, plane.y(0.48)), Some(1));
        assert_eq!(plane.nearest(&curves, 100.0, plane.y(0.8)), None);
        // Where it rises, all of the step is the curve.
        assert_eq!(plane.nearest(&curves, 346.0, plane.y(0.7)), Some(0));
        // The first is over by then.
        assert_eq!(plane.nearest(&curves, 506.0, plane.y(0.9)), None);
        assert_eq!(plane.nearest(&[], 100.0, 10.0), None);
    }
}

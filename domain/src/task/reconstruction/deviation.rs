//! How far the dials are from the target, over the time of a question.
//!
//! The deviation is the mean over the dials that are shown of |z_i − z′_i| in slider widths; radio
//! buttons count 0 where they are right and 1 where they are not, and a dial of zero width 0. It
//! needs the answer key, so that it is known to the server and the analysis alone.

use crate::model::latent::LatentSpace;

/// The deviation of one vector; `None` where no dial is shown or a vector does not fit.
pub(super) fn deviation(
    space: &LatentSpace,
    shown: &[usize],
    z: &[f64],
    target: &[f64],
) -> Option<f64> {
    let mut sum = 0.0;
    for &dial in shown {
        let (z, target) = (z.get(dial)?, target.get(dial)?);
        sum += match space.dimensions().get(dial)?.range() {
            Some(range) if range > 0.0 => (z - target).abs() / range,
            Some(_) => 0.0,
            None => f64::from(u8::from(z != target)),
        };
    }
    #[allow(clippy::cast_precision_loss)] // a few dials
    (!shown.is_empty()).then(|| sum / shown.len() as f64)
}

/// The deviation over the time of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OverTime {
    pub(super) start: f64,
    pub(super) end: f64,
    /// The mean over the time: that of each snapshot counts until the next, the last one until
    /// the question's end.
    pub(super) mean: f64,
}

/// The deviation as far as the snapshots go.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DeviationSoFar {
    /// When the first snapshot was, and its deviation.
    first: Option<(u64, f64)>,
    last: (u64, f64),
    /// Deviation × milliseconds, up to the last snapshot.
    area: f64,
}

impl DeviationSoFar {
    /// Takes in the next snapshot: its milliseconds since the question began, and its deviation.
    pub(super) fn push(&mut self, at_ms: u64, deviation: f64) {
        if self.first.is_some() {
            self.area += self.since_last(at_ms);
        }
        self.first.get_or_insert((at_ms, deviation));
        self.last = (at_ms, deviation);
    }

    fn since_last(&self, to_ms: u64) -> f64 {
        self.last.1 * length(self.last.0, to_ms)
    }

    /// Over the time of a question that went on until then; `None` where no snapshot was taken in.
    pub(super) fn until(&self, until_ms: u64) -> Option<OverTime> {
        let (from_ms, start) = self.first?;
        let end = self.last.1;
        let whole = length(from_ms, until_ms);
        let mean = if whole > 0.0 {
            (self.area + self.since_last(until_ms)) / whole
        } else {
            end
        };
        Some(OverTime { start, end, mean })
    }
}

#[allow(clippy::cast_precision_loss)] // a few hours
fn length(from_ms: u64, to_ms: u64) -> f64 {
    to_ms.saturating_sub(from_ms) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::latent::Dimension;

    /// By hand: dial 0 is right (0), dial 1 is 3 of 12 off (0.25), dial 2 has no width (0); dial 3
    /// is not shown. (0 + 0.25 + 0) / 3 = 0.08333…; with a wrong choice (1 + 0.25 + 0) / 3.
    #[test]
    fn deviation_is_the_mean_over_the_dials_that_are_shown() {
        let dial = |min, max| Dimension::Continuous {
            min,
            max,
            step: 0.01,
        };
        let space = LatentSpace::new(vec![
            Dimension::Discrete { values: 3 },
            dial(-6.0, 6.0),
            dial(1.0, 1.0),
            dial(0.0, 1.0),
        ])
        .unwrap();
        let target = [2.0, 1.0, 1.0, 0.0];
        let of = |choice: f64| deviation(&space, &[2, 0, 1], &[choice, -2.0, 1.0, 1.0], &target);
        assert!((of(2.0).unwrap() - 0.25 / 3.0).abs() < 1e-12);
        assert!((of(0.0).unwrap() - 1.25 / 3.0).abs() < 1e-12);
        assert_eq!(deviation(&space, &[], &target, &target), None);
        assert_eq!(deviation(&space, &[0], &[], &target), None);
    }

    /// numpy: `t = np.array([0, 1000, 1500, 4000]); d = np.array([.5, .25, .1]);
    /// (d * np.diff(t)).sum() / 4000` is 0.21875.
    #[test]
    fn each_snapshot_counts_until_the_next() {
        let path = [(0, 0.5), (1_000, 0.25), (1_500, 0.1)];
        let over = |path: &[(u64, f64)], until_ms| {
            let mut so_far = DeviationSoFar::default();
            for (at_ms, deviation) in path {
                so_far.push(*at_ms, *deviation);
            }
            so_far.until(until_ms)
        };
        let over_time = over(&path, 4_000).unwrap();
        assert_eq!((over_time.start, over_time.end), (0.5, 0.1));
        assert!((over_time.mean - 0.218_75).abs() < 1e-12);
        assert_eq!(over(&[(0, 0.5)], 0).unwrap().mean, 0.5);
        assert_eq!(over(&[], 10), None);
    }
}

//! Scales and axes.

use analysis::numbers::rounded;

use crate::canvas::{Anchor, Area, BODY, Canvas, SMALL, Stroke};
use crate::ink::Ink;
use crate::letters::width;

/// From values to places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub low: f64,
    pub high: f64,
    /// Place of the lowest value.
    pub from: f64,
    /// Place of the highest.
    pub to: f64,
}

impl Scale {
    /// Up the side of a plot.
    pub(crate) fn up(plot: Area, low: f64, high: f64) -> Self {
        let (from, to) = (plot.bottom(), plot.y);
        Self {
            low,
            high,
            from,
            to,
        }
    }

    /// Along the foot of a plot.
    pub(crate) fn along(plot: Area, low: f64, high: f64) -> Self {
        let (from, to) = (plot.x, plot.right());
        Self {
            low,
            high,
            from,
            to,
        }
    }

    pub(crate) fn at(&self, value: f64) -> f64 {
        let width = self.high - self.low;
        let share = if width > 0.0 {
            (value - self.low) / width
        } else {
            0.5
        };
        self.from + (self.to - self.from) * share
    }

    /// The same, values beyond the ends at the ends.
    pub(crate) fn within(&self, value: f64) -> f64 {
        self.at(value.clamp(self.low, self.high.max(self.low)))
    }
}

/// Round numbers from `low` to `high`, about `count` of them: 1, 2 or 5 times a power of ten
/// apart.
pub(crate) fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let step = step(high - low, count);
    if !(step > 0.0 && step.is_finite()) {
        return vec![low];
    }
    let (first, last) = ((low / step - 1e-6).ceil(), (high / step + 1e-6).floor());
    let count = (last - first).max(0.0) as usize;
    (0..=count).map(|i| (first + i as f64) * step).collect()
}

fn step(range: f64, count: usize) -> f64 {
    let rough = range / count.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|f| f * power >= rough * 0.999);
    factor.unwrap_or(10.0) * power
}

/// Ticks of a scale of whole numbers, such as 1 to 7: every one of them; of longer ones, fewer. Of a
/// short stretch of such a scale, such as 4 to 4.8, round numbers as on any axis.
pub(crate) fn ticks_of_scale(low: f64, high: f64) -> Vec<f64> {
    let whole = low.fract() == 0.0 && high.fract() == 0.0;
    if low > 0.0 && whole && (3.0..=10.0).contains(&(high - low)) {
        let count = (high - low) as usize;
        return (0..=count).map(|i| low + i as f64).collect();
    }
    ticks(low, high, 5)
}

/// The range of an axis that holds these values: from 0 if that is near, to a round number.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low > high {
        return (0.0, 1.0);
    }
    let low = if low > 0.0 && low < 0.6 * high {
        0.0
    } else {
        low
    };
    let high = if high < 0.0 && high > 0.6 * low {
        0.0
    } else {
        high
    };
    let step = step((high - low).max(high.abs() * 0.1).max(1e-9), 4);
    ((low / step).floor() * step, (high / step).ceil() * step)
}

/// Numbers with as many digits as tell them apart.
pub(crate) fn tick_labels(ticks: &[f64]) -> Vec<String> {
    let gap = ticks
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .fold(f64::INFINITY, f64::min);
    // A single one has as many digits as it takes.
    let gap = match ticks {
        [only] => only.abs(),
        _ => gap,
    };
    let digits = (0..6)
        .find(|digits| {
            let unit = 10f64.powi(*digits);
            ((gap * unit).round() - gap * unit).abs() < 1e-6 * (gap * unit).max(1.0)
        })
        .unwrap_or(6);
    let digits = digits as usize;
    let label = |tick: &f64| {
        let tick = if tick.abs() < gap * 1e-6 { 0.0 } else { *tick };
        rounded(tick, digits)
    };
    ticks.iter().map(label).collect()
}

/// Width that the numbers of a vertical axis take.
pub(crate) fn labels_width(ticks: &[f64]) -> f64 {
    let labels = tick_labels(ticks);
    labels
        .iter()
        .map(|l| width(l, SMALL.size, false))
        .fold(0.0, f64::max)
        + 4.0
}

/// Grid lines and numbers of a vertical axis at the left of a plot.
pub(crate) fn vertical(canvas: &mut Canvas, plot: Area, scale: Scale, ticks: &[f64]) {
    for (tick, label) in ticks.iter().zip(tick_labels(ticks)) {
        let y = scale.at(*tick);
        canvas.line(
            (plot.x, y),
            (plot.right(), y),
            Stroke::solid(Ink::Grid, 0.6),
        );
        let at = (plot.x - 3.0, y + SMALL.size * 0.36);
        canvas.text(at, Anchor::End, SMALL, &label);
    }
}

/// A plot of values from 0 to 1 over a time from 0 `until` so many seconds, with its upright axis;
/// below it stays room of the height `foot`. Gives the plot and its two scales, across and up.
pub(crate) fn shares_over_time(
    canvas: &mut Canvas,
    inner: Area,
    foot: f64,
    until: f64,
) -> (Area, Scale, Scale) {
    let up = ticks(0.0, 1.0, 5);
    let left = labels_width(&up);
    let plot = Area::new(
        inner.x + left,
        inner.y + 8.0,
        inner.w - left - 4.0,
        inner.h - foot,
    );
    let y = Scale::up(plot, 0.0, 1.0);
    let x = Scale::along(plot, 0.0, until);
    vertical(canvas, plot, y, &up);
    (plot, x, y)
}

/// Grid lines and numbers of a horizontal axis below a plot, and its name.
pub(crate) fn horizontal(canvas: &mut Canvas, plot: Area, scale: Scale, ticks: &[f64], name: &str) {
    for (tick, label) in ticks.iter().zip(tick_labels(ticks)) {
        let x = scale.at(*tick);
        canvas.line(
            (x, plot.y),
            (x, plot.bottom()),
            Stroke::solid(Ink::Grid, 0.6),
        );
        let at = (x, plot.bottom() + SMALL.size + 2.5);
        canvas.text(at, Anchor::Middle, SMALL, &label);
    }
    if !name.is_empty() {
        let at = (
            plot.x + plot.w / 2.0,
            plot.bottom() + 2.0 * SMALL.size + 6.0,
        );
        canvas.text(at, Anchor::Middle, BODY, name);
    }
}

/// The line at the foot of a plot.
pub(crate) fn foot(canvas: &mut Canvas, plot: Area) {
    let (from, to) = ((plot.x, plot.bottom()), (plot.right(), plot.bottom()));
    canvas.line(from, to, Stroke::solid(Ink::Muted, 0.8));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_range() {
        assert_eq!(ticks(0.0, 100.0, 5), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(
            tick_labels(&ticks(0.0, 1.0, 5)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(tick_labels(&ticks(-0.5, 0.5, 2)), ["−0.5", "0.0", "0.5"]);
        assert_eq!(ticks(3.0, 3.0, 4), [3.0]);
        assert_eq!(tick_labels(&[3.5]), ["3.5"]);
        assert_eq!(tick_labels(&[4.0]), ["4"]);
        assert_eq!(tick_labels(&[0.0]), ["0"]);
    }

    #[test]
    fn a_short_stretch_of_a_scale_has_round_numbers_and_a_whole_one_all_of_its_own() {
        assert_eq!(ticks_of_scale(1.0, 5.0), [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(tick_labels(&ticks_of_scale(4.0, 4.8)).len(), 5);
        assert_eq!(
            tick_labels(&ticks_of_scale(3.0, 4.4)),
            ["3.0", "3.5", "4.0"]
        );
    }

    #[test]
    fn an_axis_holds_its_values_and_begins_at_zero_if_that_is_near() {
        assert_eq!(range([3.0, 97.0].into_iter()), (0.0, 100.0));
        assert_eq!(range([-3.0, 4.0].into_iter()), (-4.0, 4.0));
        assert_eq!(range([f64::NAN].into_iter()), (0.0, 1.0));
        let (low, high) = range([5.0, 5.0].into_iter());
        assert!(low <= 5.0 && high >= 5.0, "{low} {high}");
    }
}

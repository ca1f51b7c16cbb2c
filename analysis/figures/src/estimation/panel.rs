//! One metric of an estimation plot: values, and differences at their right or below them.

use analysis::tables::label;
use analysis::{MetricComparison, TestOfPair};

use super::{Change, changes, test};
use crate::axis::{Scale, foot, labels_width, range, tick_labels, ticks, ticks_of_scale, vertical};
use crate::canvas::{Anchor, Area, BODY, Canvas, SMALL, Stroke};
use crate::ink::Ink;
use crate::layout::{GAP, Sample, grid, legend, name_below, names_below, titled};
use crate::letters::{cut, width as width_of};
use crate::{bounds, divisor};

/// Height of the plot of differences below that of the values.
const LOWER: f64 = 62.0;
/// Height of the space above it, with what is estimated.
const TITLED: f64 = 19.0;
/// Height of the plot of the values.
const UPPER: f64 = 104.0;

/// One metric in a panel.
pub(super) struct Panel<'a> {
    pub comparison: &'a MetricComparison,
    names: &'a [String],
    /// The divisor of the values.
    pub divisor: f64,
    changes: Vec<Change>,
    /// The divisor of the differences: 1, if they are not in the metric's unit.
    unit: f64,
    /// Whether lines join a person's values.
    pub joined: bool,
}

pub(super) fn draw(
    width: f64,
    metrics: &[&MetricComparison],
    names: &[String],
    joined: bool,
) -> Canvas {
    let mut canvas = Canvas::new(width);
    let two = names.len() == 2;
    let count = names.len() as f64;
    let narrowest = if two { 156.0 } else { 40.0 + count * 28.0 };
    let narrowest = narrowest.clamp(110.0, width);
    let slot = if two {
        (narrowest - 30.0) * 0.31
    } else {
        (narrowest - 34.0) / count
    };
    let (mut below, turned) = names_below(names, slot);
    // Names that do not fit beside each other are numbered, and told once above.
    let (mut top, mut short) = (0.0, names.to_vec());
    if turned != 0.0 {
        let numbered = names
            .iter()
            .zip(1..)
            .map(|(name, at)| format!("{at}: {name}"));
        top = legend(
            &mut canvas,
            0.0,
            &numbered.collect::<Vec<_>>(),
            Sample::Marker,
        );
        short = (1..=names.len()).map(|at| at.to_string()).collect();
        below = names_below(&short, slot).0;
    }
    let lower = if two { 0.0 } else { LOWER + TITLED };
    let height = 17.0 + UPPER + lower + below;
    let areas = grid(&mut canvas, metrics.len(), top, narrowest, height, 4);
    for (comparison, area) in metrics.iter().zip(areas) {
        let divisor = divisor(comparison);
        let in_unit = test(comparison).is_some_and(TestOfPair::is_in_unit);
        let title = label(comparison.metric, divisor);
        let inner = titled(&mut canvas, area, &title);
        let panel = Panel {
            comparison,
            names: &short,
            divisor,
            changes: changes(comparison),
            unit: if in_unit { divisor } else { 1.0 },
            joined,
        };
        if two {
            panel.gardner_altman(&mut canvas, inner, below, in_unit);
        } else {
            panel.cumming(&mut canvas, inner, below);
        }
    }
    canvas.height += GAP / 3.0;
    canvas
}

impl Panel<'_> {
    /// The ends of the axis of values, which hold `also`, too.
    fn ends(&self, also: &[f64]) -> (f64, f64) {
        let rows = self.comparison.conditions.iter();
        let values = rows.flat_map(|row| &row.values);
        let values = values.map(|value| value.value / self.divisor);
        let (low, high) = bounds(self.comparison.metric).unwrap_or_else(|| range(values));
        let outside = |value: &&f64| **value < low || **value > high;
        if also.iter().find(outside).is_none() {
            return (low, high);
        }
        range(also.iter().copied().chain([low, high]))
    }

    /// The first condition's mean over the people of the tests, where it is known who they are.
    fn first_mean(&self) -> Option<f64> {
        let row = self.comparison.conditions.first()?;
        let numbers = &self.comparison.numbers;
        let tested = |person: usize| numbers.is_empty() || numbers.binary_search(&person).is_ok();
        let values = row.values.iter().filter(|it| tested(it.person));
        let values: Vec<f64> = values.map(|it| it.value / self.divisor).collect();
        let sum: f64 = values.iter().sum();
        (!values.is_empty()).then(|| sum / values.len() as f64)
    }

    fn gardner_altman(&self, canvas: &mut Canvas, inner: Area, below: f64, in_unit: bool) {
        let reach: Vec<f64> = self.reach();
        let zero = if in_unit { self.first_mean() } else { None };
        let also: Vec<f64> = zero.map_or(Vec::new(), |zero| {
            reach.iter().map(|it| zero + it).collect()
        });
        let (low, high) = self.ends(&also);
        let shown = ticks_of_scale(low, high);
        let left = labels_width(&shown);
        let (from, to) = match zero {
            Some(zero) => (low - zero, high - zero),
            None => self.own_ends(),
        };
        let of_change = ticks(from, to, 4);
        let right = labels_width(&of_change) + 2.0;
        let whole = inner.w - left - right;
        let plot = Area::new(
            inner.x + left,
            inner.y + 4.0,
            whole * 0.64,
            inner.h - below - 4.0,
        );
        let scale = Scale::up(plot, low, high);
        vertical(canvas, plot, scale, &shown);
        foot(canvas, plot);
        let slot = plot.w / 2.0;
        self.values(canvas, plot, slot, scale);
        for (index, name) in self.names.iter().enumerate() {
            let x = plot.x + slot * (index as f64 + 0.5);
            name_below(canvas, (x, plot.bottom()), name, 0.0);
        }
        let beside = Area {
            x: plot.right(),
            w: whole - plot.w,
            ..plot
        };
        let scale = Scale::up(beside, from, to);
        let edge = beside.right();
        canvas.line(
            (edge, beside.y),
            (edge, beside.bottom()),
            Stroke::solid(Ink::Muted, 0.6),
        );
        for (tick, text) in of_change.iter().zip(tick_labels(&of_change)) {
            let y = scale.at(*tick);
            canvas.line((edge, y), (edge + 2.0, y), Stroke::solid(Ink::Muted, 0.6));
            let at = (edge + 3.5, y + SMALL.size * 0.36);
            canvas.text(at, Anchor::Start, SMALL, &text);
        }
        let zero_from = if zero.is_some() {
            plot.x + slot * 0.77
        } else {
            beside.x
        };
        let level = scale.at(0.0);
        canvas.line(
            (zero_from, level),
            (edge, level),
            Stroke::dashed(Ink::Muted, 0.6, "2 2"),
        );
        for change in &self.changes {
            let x = beside.x + beside.w / 2.0;
            self.change(canvas, x, change, scale);
        }
        let mut text = self
            .names
            .iter()
            .rev()
            .cloned()
            .collect::<Vec<_>>()
            .join(" − ");
        let room = beside.w + right - 2.0;
        if width_of(&text, BODY.size, false) > room {
            text = cut("Difference", BODY.size, false, room);
        }
        let at = (beside.x + (beside.w + right) / 2.0, plot.bottom());
        name_below(canvas, at, &text, 0.0);
    }

    fn cumming(&self, canvas: &mut Canvas, inner: Area, below: f64) {
        let (low, high) = self.ends(&[]);
        let shown = ticks_of_scale(low, high);
        let (from, to) = self.own_ends();
        let of_change = ticks(from, to, 3);
        let left = labels_width(&shown).max(labels_width(&of_change));
        let plot = Area::new(inner.x + left, inner.y + 4.0, inner.w - left, UPPER - 4.0);
        let scale = Scale::up(plot, low, high);
        vertical(canvas, plot, scale, &shown);
        foot(canvas, plot);
        let slot = plot.w / self.names.len() as f64;
        self.values(canvas, plot, slot, scale);
        let lower = Area {
            y: plot.bottom() + TITLED,
            h: inner.h - below - UPPER - TITLED,
            ..plot
        };
        let estimates = test(self.comparison).map_or("", TestOfPair::estimates);
        let title = format!(
            "{estimates}, less {}",
            self.names.first().map_or("", String::as_str)
        );
        let title = cut(&title, SMALL.size, false, inner.w);
        canvas.text((inner.x, lower.y - 7.0), Anchor::Start, SMALL, &title);
        let scale = Scale::up(lower, from, to);
        vertical(canvas, lower, scale, &of_change);
        let level = scale.at(0.0);
        let ends = ((lower.x, level), (lower.right(), level));
        canvas.line(ends.0, ends.1, Stroke::solid(Ink::Muted, 0.8));
        for change in &self.changes {
            self.change(
                canvas,
                lower.x + slot * (change.place as f64 + 0.5),
                change,
                scale,
            );
        }
        for (index, name) in self.names.iter().enumerate() {
            let x = lower.x + slot * (index as f64 + 0.5);
            name_below(canvas, (x, lower.bottom()), name, 0.0);
        }
    }

    /// The differences and the ends of their intervals, as they are shown.
    fn reach(&self) -> Vec<f64> {
        let of = |change: &Change| {
            let (low, high) = change.ends.unwrap_or((change.value, change.value));
            [change.value, low, high].map(|it| it / self.unit)
        };
        self.changes.iter().flat_map(of).collect()
    }

    /// The ends of an axis of differences alone, with 0 on it.
    fn own_ends(&self) -> (f64, f64) {
        range(self.reach().into_iter().chain([0.0]))
    }

    fn change(&self, canvas: &mut Canvas, x: f64, change: &Change, scale: Scale) {
        if let Some((low, high)) = change.ends {
            let ends = [low, high].map(|it| scale.at(it / self.unit));
            canvas.line((x, ends[0]), (x, ends[1]), Stroke::solid(Ink::Text, 1.3));
        }
        canvas.marker((x, scale.at(change.value / self.unit)), change.place, 2.6);
    }
}

//! Draws the timeline.

use std::collections::BTreeSet;

use domain::lanes::{LaneQuestion, Lanes, PassedTarget, Point};
use domain::task::Outcome;
use web_sys::CanvasRenderingContext2d as Context;

use super::colours::Colours;
use super::columns::columns;
use super::symbols::{self, Symbol};
use super::{ChartKind, Row, RowKind, Scale};
use crate::replay::clock::{length, ruler_clock};
use crate::replay::timeline::TimelineEntry;

mod dials;
mod marks;

pub use marks::absence;
use marks::hatched;

/// The content of a drawing.
pub struct Drawing<'a> {
    /// The session along its time.
    pub lanes: &'a Lanes,
    /// Its end, in milliseconds since its start.
    pub end_ms: u64,
    /// Where dials passed the target's values.
    pub overshoots: &'a [PassedTarget],
    /// The timeline's entries of what has happened.
    pub entries: &'a [TimelineEntry],
    /// The rows.
    pub rows: &'a [Row],
    /// Where moments lie.
    pub scale: &'a Scale,
    /// The kinds that are hidden.
    pub hidden: &'a BTreeSet<ChartKind>,
    /// The page's colours.
    pub colours: &'a Colours,
}

/// Font of numbers and names.
pub(super) const FONT: &str = "12px system-ui, sans-serif";

impl Drawing<'_> {
    /// Draws everything; the canvas is empty before.
    pub fn paint(&self, context: &Context) {
        context.set_font(FONT);
        context.set_text_baseline("middle");
        let (left, right) = self.scale.ends();
        for row in self.rows {
            let middle = row.top + row.height / 2.0;
            context.set_text_align("right");
            context.set_fill_style_str(&self.colours.muted);
            // Words that do not fit are cut by the browser; there is nobody to tell.
            let _ = context.fill_text_with_max_width(&row.label, left - 8.0, middle, left - 10.0);
            if row.kind != RowKind::Ruler {
                context.set_fill_style_str(&self.colours.panel);
                context.fill_rect(left, row.top, right - left, row.height);
            }
        }
        context.save();
        context.begin_path();
        // Symbols at the ends may reach over them a little.
        let height = super::height(self.rows);
        context.rect(left - 7.0, 0.0, right - left + 14.0, height);
        context.clip();
        self.rests(context, height);
        for row in self.rows {
            match row.kind {
                RowKind::Ruler => self.ruler(context, row),
                RowKind::Questions => self.questions(context, row),
                RowKind::Alignment => self.alignment(context, row),
                RowKind::Error => self.error(context, row),
                RowKind::Dial(dial) => self.dial(context, row, dial),
                RowKind::Moments => self.moments(context, row),
                RowKind::Absences => self.absences(context, row),
            }
        }
        context.restore();
    }

    fn in_sight(&self) -> impl Iterator<Item = &LaneQuestion> {
        let (left, right) = self.scale.ends();
        self.lanes.questions().iter().filter(move |question| {
            self.scale.x(question.until_ms(self.end_ms)) >= left
                && self.scale.x(question.from_ms) <= right
        })
    }

    /// Long rests: hatched through all rows, with their length.
    fn rests(&self, context: &Context, height: f64) {
        let (left, right) = self.scale.ends();
        for rest in self.lanes.rests().iter().chain(&self.lanes.afterwards()) {
            let (from, to) = (self.scale.x(rest.from_ms), self.scale.x(rest.to_ms));
            if to < left || from > right || to - from < 2.0 {
                continue;
            }
            let (from, to) = (from.max(left), to.min(right));
            hatched(context, [from, 20.0, to, height], &self.colours.line, 5.0);
        }
    }

    fn ruler(&self, context: &Context, row: &Row) {
        let middle = row.top + row.height / 2.0;
        let (left, right) = self.scale.ends();
        // Lengths of rests first: they are what the scale leaves out.
        let mut taken: Vec<(f64, f64)> = Vec::new();
        context.set_text_align("center");
        context.set_fill_style_str(&self.colours.ink);
        for rest in self.lanes.rests().iter().chain(&self.lanes.afterwards()) {
            let (from, to) = (self.scale.x(rest.from_ms), self.scale.x(rest.to_ms));
            let words = format!("⇥{}⇤", length(rest.length_ms()));
            let half = words.chars().count() as f64 * 3.4 + 3.0;
            let x = f64::midpoint(from, to).min(right - half).max(left + half);
            let is_free = taken.iter().all(|(a, b)| x + half < *a || x - half > *b);
            if to >= left && from <= right && is_free {
                let _ = context.fill_text(&words, x, middle);
                taken.push((x - half, x + half));
            }
        }
        context.set_fill_style_str(&self.colours.muted);
        let ticks = self.scale.ticks(64.0);
        let written = ruler_clock(&ticks);
        for ms in ticks {
            let words = written(ms);
            let half = words.chars().count() as f64 * 3.4 + 3.0;
            let x = self.scale.x(ms);
            context.fill_rect(x, row.top + row.height, 1.0, 4.0);
            // On a canvas that is narrower than the words, they begin at its left.
            let x = x.min(right - half + 6.0).max(left + half - 6.0);
            if taken.iter().all(|(a, b)| x + half < *a || x - half > *b) {
                let _ = context.fill_text(&words, x, middle);
            }
        }
    }

    fn questions(&self, context: &Context, row: &Row) {
        let middle = row.top + row.height / 2.0;
        let mut last_label = f64::NEG_INFINITY;
        let mut last_symbol = f64::NEG_INFINITY;
        for question in self.in_sight() {
            let from = self.scale.x(question.from_ms);
            let to = self.scale.x(question.until_ms(self.end_ms));
            let width = (to - from - 1.0).max(1.0);
            context.set_fill_style_str(&self.colours.surface);
            context.fill_rect(from, row.top + 1.0, width, row.height - 2.0);
            context.set_stroke_style_str(match question.ended {
                None => &self.colours.accent,
                Some((_, Outcome::Skipped | Outcome::Missed | Outcome::Cut)) => &self.colours.bad,
                Some(_) => &self.colours.good,
            });
            context.set_line_width(1.0);
            context.stroke_rect(from + 0.5, row.top + 1.5, width - 1.0, row.height - 3.0);
            let (left, _) = self.scale.ends();
            let at = from.max(left) + 4.0;
            let words = if question.practice {
                format!("P{}", question.number)
            } else {
                question.number.to_string()
            };
            let needs = words.chars().count() as f64 * 7.0;
            let fits = needs + 20.0 < to - at;
            if fits && at > last_label {
                context.set_text_align("left");
                context.set_fill_style_str(&self.colours.ink);
                let _ = context.fill_text(&words, at, middle);
                last_label = at + needs;
            }
            if let Some((ended_ms, outcome)) = question.ended {
                let x = (self.scale.x(ended_ms) - 7.0).max(from + 5.0);
                // Shapes that would lie upon each other say nothing.
                if x - last_symbol >= 11.0 {
                    symbols::draw(context, Symbol::Outcome(outcome), x, middle, self.colours);
                    last_symbol = x;
                }
            }
        }
    }

    fn alignment(&self, context: &Context, row: &Row) {
        for question in self.in_sight() {
            let ends = self.ends_of(question);
            let y = |value: f64| {
                row.top + row.height - 2.0 - value.clamp(0.0, 1.0) * (row.height - 4.0)
            };
            if question.error.alignment.is_empty() {
                continue;
            }
            context.set_stroke_style_str(&self.colours.muted);
            context.set_line_width(1.0);
            dash(context, &[3.0, 3.0]);
            context.begin_path();
            context.move_to(ends.0, y(question.wanted));
            context.line_to(ends.1, y(question.wanted));
            context.stroke();
            dash(context, &[]);
            context.set_stroke_style_str(&self.colours.alignment);
            context.set_line_width(1.75);
            self.curve(context, &question.error.alignment, ends, y);
        }
    }

    fn error(&self, context: &Context, row: &Row) {
        context.set_stroke_style_str(&self.colours.error);
        context.set_line_width(1.25);
        for question in self.in_sight() {
            let points = &question.error.squared_error;
            let most = points.iter().map(|point| point.value).fold(0.0, f64::max);
            if most > 0.0 {
                let y = |value: f64| row.top + row.height - 2.0 - value / most * (row.height - 4.0);
                self.curve(context, points, self.ends_of(question), y);
            }
        }
    }

    fn ends_of(&self, question: &LaneQuestion) -> (f64, f64) {
        let (left, right) = self.scale.ends();
        let from = self.scale.x(question.from_ms).max(left);
        let to = self.scale.x(question.until_ms(self.end_ms)).min(right);
        (from, to.max(from))
    }

    /// A curve whose points hold until the next one.
    fn curve(&self, context: &Context, points: &[Point], ends: (f64, f64), y: impl Fn(f64) -> f64) {
        let columns = columns(points, |ms| self.scale.x(ms), ends);
        let Some(first) = columns.first() else {
            return;
        };
        context.begin_path();
        context.move_to(first.x, y(first.first));
        let mut held = first.first;
        for column in &columns {
            context.line_to(column.x, y(held));
            context.line_to(column.x, y(column.first));
            if column.least < column.most {
                context.line_to(column.x, y(column.least));
                context.line_to(column.x, y(column.most));
                context.line_to(column.x, y(column.last));
            }
            held = column.last;
        }
        context.line_to(ends.1, y(held));
        context.stroke();
    }
}

pub(super) fn dash(context: &Context, lengths: &[f64]) {
    let list: js_sys::Array = lengths.iter().map(|it| js_sys::Number::from(*it)).collect();
    // Only a list of something else than lengths is refused.
    let _ = context.set_line_dash(&list);
}

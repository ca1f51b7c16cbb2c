//! Single moments and absences on the timeline, each kind with a shape or a filling of its own.

use domain::lanes::{Absence, AbsenceKind};
use web_sys::CanvasRenderingContext2d as Context;

use super::Drawing;
use crate::replay::chart::colours::Colours;
use crate::replay::chart::symbols::{self, Symbol};
use crate::replay::chart::{ChartKind, Row};
use crate::replay::timeline::TimelineKind;

impl Drawing<'_> {
    pub(super) fn moments(&self, context: &Context, row: &Row) {
        let middle = row.top + row.height / 2.0;
        for entry in self.entries {
            let (kind, symbol) = match entry.kind {
                TimelineKind::Note => (ChartKind::Notes, Symbol::Note),
                TimelineKind::Asked => (ChartKind::Asked, Symbol::Asked),
                TimelineKind::Finding => (ChartKind::Findings, Symbol::Finding),
                _ => continue,
            };
            if !self.hidden.contains(&kind) {
                self.symbol(context, symbol, entry.at_ms, middle);
            }
        }
        if !self.hidden.contains(&ChartKind::Verdicts) {
            for (at_ms, right) in self.in_sight().filter_map(|it| it.verdict) {
                self.symbol(context, Symbol::Verdict { right }, at_ms, middle);
            }
        }
    }

    pub(super) fn symbol(&self, context: &Context, symbol: Symbol, at_ms: u64, y: f64) {
        let x = self.scale.x(at_ms);
        let (left, right) = self.scale.ends();
        if (left - 1.0..=right + 1.0).contains(&x) {
            symbols::draw(context, symbol, x, y, self.colours);
        }
    }

    pub(super) fn absences(&self, context: &Context, row: &Row) {
        for Absence { kind, span } in self.lanes.absences() {
            let (left, right) = self.scale.ends();
            let from = self.scale.x(span.from_ms).max(left);
            let to = self.scale.x(span.to_ms).min(right).max(from + 2.0);
            if from > right || to < left {
                continue;
            }
            absence(
                context,
                kind,
                [from, row.top, to, row.top + row.height],
                self.colours,
            );
        }
        for &at_ms in self.lanes.reloads() {
            self.symbol(context, Symbol::Reload, at_ms, row.top + row.height / 2.0);
        }
    }
}

/// An absence between left, top, right and bottom: each kind has a filling of its own.
pub fn absence(context: &Context, kind: AbsenceKind, area: [f64; 4], colours: &Colours) {
    let [left, top, right, bottom] = area;
    match kind {
        AbsenceKind::Away => {
            context.set_fill_style_str(&colours.away);
            context.fill_rect(left, top + 2.0, right - left, bottom - top - 4.0);
        }
        AbsenceKind::Paused => {
            hatched(
                context,
                [left, top + 2.0, right, bottom - 2.0],
                &colours.paused,
                4.0,
            );
            context.set_stroke_style_str(&colours.paused);
            context.stroke_rect(
                left + 0.5,
                top + 2.5,
                right - left - 1.0,
                bottom - top - 5.0,
            );
        }
        AbsenceKind::Offline => {
            context.set_fill_style_str(&colours.offline);
            context.fill_rect(left, bottom - 4.0, right - left, 3.0);
        }
    }
}

/// Slanted lines within an area.
pub(super) fn hatched(
    context: &Context,
    [left, top, right, bottom]: [f64; 4],
    colour: &str,
    apart: f64,
) {
    context.save();
    context.begin_path();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    context.set_stroke_style_str(colour);
    context.set_line_width(1.5);
    context.begin_path();
    let height = bottom - top;
    let mut x = left - height;
    while x < right {
        context.move_to(x, bottom);
        context.line_to(x + height, top);
        x += apart;
    }
    context.stroke();
    context.restore();
}

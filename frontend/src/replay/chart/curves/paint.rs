//! Draws curves over one time.

use domain::task::Outcome;
use web_sys::CanvasRenderingContext2d as Context;

use super::plane::{Curve, Plane};
use crate::replay::chart::colours::Colours;
use crate::replay::chart::columns::columns;
use crate::replay::chart::paint::{FONT, dash};
use crate::replay::chart::symbols::{self, Symbol};
use crate::replay::clock::ruler_clock;

/// Colour and dashes of a curve: how it ended is told by both, and by the shape at its end.
fn style(outcome: Option<Outcome>, colours: &Colours) -> (&str, &'static [f64]) {
    match outcome {
        Some(Outcome::Solved | Outcome::Answered | Outcome::Finished) => (&colours.good, &[]),
        Some(Outcome::Skipped | Outcome::Missed) => (&colours.bad, &[7.0, 4.0]),
        Some(Outcome::Cut) => (&colours.bad, &[2.0, 3.0]),
        None => (&colours.muted, &[2.0, 3.0]),
    }
}

/// The axes: times below, shares at the left, and a line at each value that is wanted.
pub(super) fn axes(context: &Context, plane: &Plane, curves: &[Curve], colours: &Colours) {
    let ((left, right), (top, bottom)) = (plane.across, plane.down);
    context.set_fill_style_str(&colours.panel);
    context.fill_rect(left, top, right - left, bottom - top);
    context.set_font(FONT);
    context.set_text_baseline("middle");
    context.set_text_align("right");
    for percent in [0_u8, 25, 50, 75, 100] {
        let y = plane.y(f64::from(percent) / 100.0);
        context.set_fill_style_str(&colours.line);
        context.fill_rect(left, y, right - left, 1.0);
        context.set_fill_style_str(&colours.muted);
        // Words that do not fit are cut by the browser; there is nobody to tell.
        let _ = context.fill_text(&format!("{percent} %"), left - 5.0, y);
    }
    context.set_text_align("center");
    let ticks = plane.ticks(64.0);
    let written = ruler_clock(&ticks);
    for ms in ticks {
        let x = plane.x(ms);
        context.set_fill_style_str(&colours.muted);
        context.fill_rect(x, bottom, 1.0, 4.0);
        let _ = context.fill_text(&written(ms), x.min(right - 8.0), bottom + 12.0);
    }
    let mut wanted: Vec<f64> = curves.iter().map(|it| it.wanted).collect();
    wanted.sort_by(f64::total_cmp);
    wanted.dedup();
    context.set_stroke_style_str(&colours.ink);
    context.set_line_width(1.0);
    dash(context, &[3.0, 3.0]);
    for value in wanted {
        context.begin_path();
        context.move_to(left, plane.y(value));
        context.line_to(right, plane.y(value));
        context.stroke();
    }
    dash(context, &[]);
}

/// A curve; one that is meant is thick, and in a colour of its own.
pub(super) fn curve(
    context: &Context,
    plane: &Plane,
    curve: &Curve,
    colours: &Colours,
    is_meant: bool,
) {
    let (colour, dashes) = style(curve.outcome, colours);
    let colour = if is_meant { &colours.accent } else { colour };
    context.set_stroke_style_str(colour);
    context.set_line_width(if is_meant { 3.0 } else { 1.25 });
    dash(context, dashes);
    let columns = columns(&curve.points, |ms| plane.x(ms), plane.across);
    let (Some(first), Some(end)) = (columns.first(), curve.end()) else {
        return;
    };
    context.begin_path();
    context.move_to(first.x, plane.y(first.first));
    let mut held = first.first;
    for column in &columns {
        context.line_to(column.x, plane.y(held));
        context.line_to(column.x, plane.y(column.first));
        if column.least < column.most {
            context.line_to(column.x, plane.y(column.least));
            context.line_to(column.x, plane.y(column.most));
            context.line_to(column.x, plane.y(column.last));
        }
        held = column.last;
    }
    let x = plane.x(end.at_ms).min(plane.across.1);
    context.line_to(x, plane.y(held));
    context.stroke();
    dash(context, &[]);
    let symbol = Symbol::ended(curve.outcome);
    symbols::draw(context, symbol, x, plane.y(end.value), colours);
}

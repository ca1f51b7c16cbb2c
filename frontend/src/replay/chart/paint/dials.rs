//! Dials on the timeline: where each stood, turned round and passed its target.

use domain::lanes::{DialLane, LaneQuestion, PassedTarget};
use domain::movement::Direction;
use web_sys::CanvasRenderingContext2d as Context;

use super::Drawing;
use crate::replay::chart::symbols::Symbol;
use crate::replay::chart::{ChartKind, Row};

impl Drawing<'_> {
    pub(super) fn dial(&self, context: &Context, row: &Row, dial: usize) {
        for question in self.in_sight() {
            let Some(lane) = question.dials.get(dial) else {
                continue;
            };
            let y =
                |value: f64| row.top + row.height - 2.0 - lane.share(value) * (row.height - 4.0);
            context.set_stroke_style_str(&self.colours.dial);
            context.set_line_width(1.5);
            self.curve(context, &lane.points, self.ends_of(question), y);
            self.turns(context, lane, y);
            self.overshoots(context, question, lane, y);
        }
    }

    /// Where a dial passed the target's value, where there is room for it.
    fn overshoots(
        &self,
        context: &Context,
        question: &LaneQuestion,
        lane: &DialLane,
        y: impl Fn(f64) -> f64,
    ) {
        if self.hidden.contains(&ChartKind::Overshoots) {
            return;
        }
        let mut last = f64::NEG_INFINITY;
        let of_dial = |it: &&PassedTarget| it.at == question.at && it.dimension == lane.index;
        for passed in self.overshoots.iter().filter(of_dial) {
            let x = self.scale.x(passed.at_ms);
            let Some(value) = lane.value_at(passed.at_ms).filter(|_| x - last >= 9.0) else {
                continue;
            };
            last = x;
            self.symbol(context, Symbol::Overshoot, passed.at_ms, y(value));
        }
    }

    /// Where a dial turned: an arrow head the way it went on, where there is room for it.
    fn turns(&self, context: &Context, lane: &DialLane, y: impl Fn(f64) -> f64) {
        let (left, right) = self.scale.ends();
        let mut last = f64::NEG_INFINITY;
        context.set_fill_style_str(&self.colours.ink);
        for turn in &lane.turns {
            let x = self.scale.x(turn.at.at_ms);
            if x < left || x > right || x - last < 9.0 {
                continue;
            }
            last = x;
            let away = match turn.to {
                Direction::Up => -4.0,
                Direction::Down => 4.0,
            };
            let y = y(turn.at.value);
            context.begin_path();
            context.move_to(x - 3.0, y);
            context.line_to(x + 3.0, y);
            context.line_to(x, y + away);
            context.close_path();
            context.fill();
        }
    }
}

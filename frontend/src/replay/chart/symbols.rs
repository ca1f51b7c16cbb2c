//! Shapes of the timeline. Each kind of thing has a shape of its own, so that nothing hangs on colours.

use domain::task::Outcome;
use web_sys::CanvasRenderingContext2d as Context;

use super::colours::Colours;

/// A shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbol {
    /// How a question ended.
    Outcome(Outcome),
    /// A question that has not ended.
    Open,
    /// A note or mark.
    Note,
    /// A verdict.
    Verdict {
        /// Whether the answer was right.
        right: bool,
    },
    /// Something that was asked for.
    Asked,
    /// The page was opened again.
    Reload,
    /// Something does not agree.
    Finding,
    /// A dial passed the target's value.
    Overshoot,
}

impl Symbol {
    /// How a question ended; none: it has not.
    pub fn ended(outcome: Option<Outcome>) -> Self {
        outcome.map_or(Self::Open, Self::Outcome)
    }
}

/// Draws a shape around a place.
pub fn draw(context: &Context, symbol: Symbol, x: f64, y: f64, colours: &Colours) {
    use Outcome::{Answered, Cut, Finished, Missed, Skipped, Solved};
    let r = 5.0;
    let (colour, filled) = match symbol {
        Symbol::Outcome(Solved | Answered | Finished) | Symbol::Verdict { right: true } => {
            (&colours.good, true)
        }
        Symbol::Outcome(Skipped | Missed | Cut) | Symbol::Verdict { right: false } => {
            (&colours.bad, false)
        }
        Symbol::Note => (&colours.accent, true),
        Symbol::Open => (&colours.muted, false),
        Symbol::Asked => (&colours.ink, false),
        Symbol::Reload => (&colours.muted, true),
        Symbol::Finding => (&colours.bad, true),
        Symbol::Overshoot => (&colours.bad, false),
    };
    context.set_fill_style_str(colour);
    context.set_stroke_style_str(colour);
    context.set_line_width(1.75);
    context.begin_path();
    let line = |points: &[(f64, f64)]| {
        for (index, (dx, dy)) in points.iter().enumerate() {
            if index == 0 {
                context.move_to(x + dx, y + dy);
            } else {
                context.line_to(x + dx, y + dy);
            }
        }
    };
    let polygon = |points: &[(f64, f64)]| {
        line(points);
        context.close_path();
    };
    match symbol {
        Symbol::Open => {
            let _ = context.arc(x, y, r - 1.0, 0.0, std::f64::consts::TAU);
        }
        Symbol::Outcome(Solved) => {
            // A disc; that of a browser cannot fail for such a radius.
            let _ = context.arc(x, y, r, 0.0, std::f64::consts::TAU);
        }
        Symbol::Outcome(Answered | Finished) => {
            polygon(&[(0.0, -r), (r, 0.0), (0.0, r), (-r, 0.0)]);
        }
        Symbol::Outcome(Missed) => {
            line(&[(-r, -r), (r, r)]);
            line(&[(r, -r), (-r, r)]);
        }
        Symbol::Outcome(Skipped) => {
            line(&[(-r, -r), (0.0, 0.0), (-r, r)]);
            line(&[(0.0, -r), (r, 0.0), (0.0, r)]);
        }
        Symbol::Outcome(Cut) => {
            line(&[(-3.0, -r), (-3.0, r)]);
            line(&[(3.0, -r), (3.0, r)]);
        }
        Symbol::Note => {
            polygon(&[(-3.0, -6.0), (6.0, -2.5), (-3.0, 1.0)]);
            context.fill();
            context.begin_path();
            line(&[(-3.0, -6.0), (-3.0, 7.0)]);
        }
        Symbol::Verdict { right: true } => {
            context.set_line_width(2.5);
            line(&[(-r, 0.0), (-1.5, 4.0), (r, -4.0)]);
        }
        Symbol::Verdict { right: false } => {
            let _ = context.arc(x, y, r, 0.0, std::f64::consts::TAU);
            line(&[(-3.0, -3.0), (3.0, 3.0)]);
        }
        Symbol::Asked => {
            polygon(&[(-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)]);
        }
        Symbol::Reload => polygon(&[(0.0, -r), (r, r), (-r, r)]),
        Symbol::Overshoot => {
            line(&[(-3.5, -1.5), (0.0, -r), (3.5, -1.5)]);
            line(&[(-3.5, 1.5), (0.0, r), (3.5, 1.5)]);
        }
        Symbol::Finding => polygon(&[(-6.0, -r), (6.0, -r), (0.0, 6.0)]),
    }
    if filled && !matches!(symbol, Symbol::Verdict { .. } | Symbol::Note) {
        context.fill();
    } else {
        context.stroke();
    }
}

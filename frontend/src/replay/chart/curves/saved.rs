//! Curves as a picture to be saved.

use web_sys::HtmlCanvasElement;

use super::paint;
use super::plane::{Curve, Plane};
use crate::replay::chart::colours::Colours;
use crate::replay::paper::{INK, MUTED, sheet, words};

/// Width and height of the plot itself, and room around it.
const SIZE: (f64, f64) = (920.0, 420.0);
const MARGIN: f64 = 20.0;
/// Room for the title above and what is said below.
const ABOVE: f64 = 34.0;
const BELOW: f64 = 24.0;

/// Draws curves over so much time with a title above and a line of words below; `None` where the browser gives no
/// canvas to draw on.
#[must_use]
pub fn drawn(
    curves: &[Curve],
    length_ms: u64,
    title: &str,
    caption: &str,
) -> Option<HtmlCanvasElement> {
    let (width, height) = (SIZE.0 + 2.0 * MARGIN, SIZE.1 + 2.0 * MARGIN + ABOVE + BELOW);
    let (canvas, context) = sheet((width, height))?;
    words(&context, title, (MARGIN, MARGIN + 18.0), 19.0, INK, SIZE.0);
    let below = height - MARGIN;
    words(&context, caption, (MARGIN, below), 13.0, MUTED, SIZE.0);
    context.translate(MARGIN, MARGIN + ABOVE).ok()?;
    let (plane, colours) = (Plane::new(SIZE, length_ms), Colours::on_paper());
    paint::axes(&context, &plane, curves, &colours);
    for curve in curves {
        paint::curve(&context, &plane, curve, &colours, false);
    }
    Some(canvas)
}

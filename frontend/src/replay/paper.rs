//! Pictures that are saved, for a talk or a paper: always dark on light, twice as fine as a screen.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d as Context, HtmlCanvasElement};

/// Pixels of the file for each of the drawing's.
const FINE: f64 = 2.0;

pub(super) const INK: &str = "#1b1c22";
pub(super) const MUTED: &str = "#5b5e69";
pub(super) const LINE: &str = "#c9cbd4";
pub(super) const ACCENT: &str = "#5344c7";
pub(super) const GOOD: &str = "#1d7442";
pub(super) const BAD: &str = "#b3261e";
pub(super) const PAPER: &str = "#ffffff";
const FONT: &str = "system-ui, sans-serif";

/// An empty sheet of so many pixels; `None` where the browser gives no canvas to draw on.
pub(super) fn sheet((width, height): (f64, f64)) -> Option<(HtmlCanvasElement, Context)> {
    let canvas = document().create_element("canvas").ok()?;
    let canvas: HtmlCanvasElement = canvas.dyn_into().ok()?;
    canvas.set_width((width * FINE) as u32);
    canvas.set_height((height * FINE) as u32);
    let context = canvas.get_context("2d").ok().flatten()?;
    let context: Context = context.dyn_into().ok()?;
    context.scale(FINE, FINE).ok()?;
    context.set_fill_style_str(PAPER);
    context.fill_rect(0.0, 0.0, width, height);
    Some((canvas, context))
}

/// Writes a line of words, at most so wide.
pub(super) fn words(
    context: &Context,
    words: &str,
    (x, y): (f64, f64),
    size: f64,
    colour: &str,
    most: f64,
) {
    context.set_font(&format!("{size}px {FONT}"));
    context.set_text_align("left");
    context.set_text_baseline("alphabetic");
    context.set_fill_style_str(colour);
    // Words that do not fit are made narrower by the browser; there is nobody to tell.
    let _ = context.fill_text_with_max_width(words, x, y, most);
}

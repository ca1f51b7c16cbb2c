//! Canvases that are drawn by code, sharp on any screen and in the page's colours.

use gloo_events::EventListener;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// A canvas; without a label it is decoration.
#[component]
pub fn Canvas(
    /// The element.
    node: NodeRef<html::Canvas>,
    /// The content of the drawing, in words.
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    let is_decoration = move || label.with(String::is_empty);
    view! {
        <canvas
            node_ref=node
            role=move || (!is_decoration()).then_some("img")
            aria-hidden=move || is_decoration().then_some("true")
            aria-label=move || Some(label.get()).filter(|it| !it.is_empty())
        ></canvas>
    }
}

/// Gives a canvas a size in CSS pixels and empties it. `None` where it cannot be drawn on.
pub fn prepared(
    canvas: &HtmlCanvasElement,
    (width, height): (f64, f64),
) -> Option<CanvasRenderingContext2d> {
    let ratio = window().device_pixel_ratio().max(1.0);
    canvas.set_width((width * ratio).round() as u32);
    canvas.set_height((height * ratio).round() as u32);
    let style = web_sys::HtmlElement::style(canvas);
    // Lengths in pixels are taken by every browser.
    let _ = style.set_property("width", &format!("{width}px"));
    let _ = style.set_property("height", &format!("{height}px"));
    let context = canvas.get_context("2d").ok().flatten()?;
    let context: CanvasRenderingContext2d = context.dyn_into().ok()?;
    context.scale(ratio, ratio).ok()?;
    Some(context)
}

/// Says that the page has turned dark or light: colours are to be looked up anew.
pub fn theme() -> Trigger {
    let changed = Trigger::new();
    let dark = window()
        .match_media("(prefers-color-scheme: dark)")
        .ok()
        .flatten();
    if let Some(dark) = dark {
        let listener = EventListener::new(&dark, "change", move |_| changed.notify());
        let listener = StoredValue::new_local(Some(listener));
        on_cleanup(move || drop(listener.try_update_value(Option::take)));
    }
    changed
}

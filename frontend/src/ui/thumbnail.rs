//! Small pictures, as examples show them.

use std::sync::Arc;

use domain::model::ModelFacts;
use leptos::html;
use leptos::prelude::*;

use super::paint::{self, Tint};
use super::plots::Plots;

/// One small picture. It says nothing to a screen reader: what is around it does.
#[component]
pub fn Thumbnail(
    /// The model whose instance it is.
    facts: Arc<ModelFacts>,
    /// Its values; nothing is drawn of none.
    #[prop(into)]
    values: Signal<Arc<Vec<f32>>>,
) -> impl IntoView {
    let Some(size) = paint::image_size(facts.shape) else {
        return view! {
            <div class="thumbnail plot-area" aria-hidden="true"><Plots facts values/></div>
        }
        .into_any();
    };
    let (height, width, _) = size;
    let crisp = facts.display.binarise_at.is_some();
    let canvas = NodeRef::<html::Canvas>::new();
    Effect::new(move |pixels: Option<Vec<u8>>| {
        let mut pixels = pixels.unwrap_or_default();
        if let Some(canvas) = canvas.get() {
            let values = values.get();
            if !values.is_empty() {
                paint::pixels(&values, size, &facts.display, Tint::Neutral, &mut pixels);
                paint::put(&canvas, &pixels, height, width);
            }
        }
        pixels
    });
    view! {
        <canvas
            node_ref=canvas
            class="thumbnail"
            class:crisp=crisp
            width=width.to_string()
            height=height.to_string()
            aria-hidden="true"
        ></canvas>
    }
    .into_any()
}

//! Small pictures, as examples show them.

use std::sync::Arc;

use domain::model::ModelFacts;
use leptos::html;
use leptos::prelude::*;

use super::paint::{self, PLOT_HEIGHT, PLOT_WIDTH, Tint};
use super::picture::axes;

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
        let axes = axes(&facts);
        let guide = axes.guide_at.map(|guide| {
            let y = format!("{:.2}", paint::plot_y(guide, &axes));
            view! { <line class="guide" x1="0" x2=PLOT_WIDTH.to_string() y1=y.clone() y2=y.clone()/> }
        });
        return view! {
            <svg class="thumbnail plot" viewBox=format!("0 0 {PLOT_WIDTH} {PLOT_HEIGHT}") aria-hidden="true">
                {guide}
                <path class="curve" d=move || paint::curve(&values.get(), &axes, 0.0)/>
            </svg>
        }
        .into_any();
    };
    let (height, width, _) = size;
    let binarise_at = facts.display.binarise_at;
    let canvas = NodeRef::<html::Canvas>::new();
    Effect::new(move |_| {
        if let Some(canvas) = canvas.get() {
            let values = values.get();
            if !values.is_empty() {
                let pixels = paint::pixels(&values, size, binarise_at, Tint::Neutral);
                paint::put(&canvas, &pixels, height, width);
            }
        }
    });
    view! {
        <canvas
            node_ref=canvas
            class="thumbnail"
            class:crisp=binarise_at.is_some()
            width=width.to_string()
            height=height.to_string()
            aria-hidden="true"
        ></canvas>
    }
    .into_any()
}

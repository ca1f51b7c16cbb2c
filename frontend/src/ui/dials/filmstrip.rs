//! Previews along a dial: what it would make from where all the others stand.

use std::sync::Arc;

use domain::model::ModelFacts;
use domain::model::latent::Dimension;
use domain::movement::filmstrip::{Strip, positions};
use leptos::prelude::*;

use super::Dial;
use crate::state::StripSignals;
use crate::text::text;
use crate::ui::thumbnail::Thumbnail;

/// The previews. A tap on one moves the dial there, which keys and screen readers do with the dial
/// itself: to them the strip is one picture.
#[component]
pub(super) fn Filmstrip(
    dial: Dial,
    facts: Arc<ModelFacts>,
    signals: StripSignals,
) -> impl IntoView {
    let Dial {
        dimension, value, ..
    } = dial;
    let words = &text().dial;
    let strip: Signal<Strip> = signals.strip.into();
    let current: Signal<bool> = signals.current.into();
    let places = dimension.with_value(positions);
    let discrete = dimension.with_value(Dimension::is_discrete);
    let label = move || {
        if discrete {
            words.previews_values(dial.name.get())
        } else {
            words.previews(dial.name.get())
        }
    };
    let gaps = places.len().saturating_sub(1).max(1);
    let all = StoredValue::new(places.clone());
    let nearest = Memo::new(move |_| {
        let value = value.get();
        all.with_value(|places| {
            let off = |place: &f64| (place - value).abs();
            let nearest = places.iter().enumerate();
            let nearest = nearest.min_by(|a, b| off(a.1).total_cmp(&off(b.1)));
            nearest.map_or(0, |(index, _)| index)
        })
    });
    let frames = places.into_iter().enumerate().map(|(index, place)| {
        let values = Signal::derive(move || {
            strip.with(|strip| strip.get(index).cloned().unwrap_or_default())
        });
        view! {
            <span
                class="preview"
                class:here=move || nearest.get() == index
                on:click=move |_| dial.move_to(place)
            >
                <Thumbnail facts=facts.clone() values/>
            </span>
        }
    });
    let frames = frames.collect_view();
    view! {
        <div
            class="filmstrip"
            class:values=discrete
            class:stale=move || !current.get()
            style:--gaps=gaps.to_string()
            role="img"
            data-testid=format!("dial-{}-previews", dial.position)
            aria-label=label
        >
            {frames}
        </div>
    }
}

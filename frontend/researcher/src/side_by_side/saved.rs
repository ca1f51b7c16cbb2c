//! Saves the moment that is shown of all sessions, or all of what is shown of them.

use domain::common::moment::moment;
use frontend::replay::slide::{Card, Slide};
use leptos::prelude::*;

use super::together::{Together, moment_of};
use crate::saving::{SaveAs, Shown};
use crate::text::text;
use crate::words::levels;

/// *Save as* of sessions that stand side by side. Its clock is the common one.
#[component]
pub fn SaveTogether(together: Together) -> impl IntoView {
    let slide = Callback::new(move |at_ms: u64| {
        let shown = together.shown();
        let cards = shown.iter().map(|(seat, span)| Card {
            session: seat.state.session.session.0.clone(),
            ordinal: seat.state.session.ordinal,
            cell: levels(&seat.state.plan.cell),
            still: seat.replay.still(moment_of(*span, at_ms)),
        });
        let title = shown.first().map(|(seat, _)| seat.state.title.clone());
        Slide {
            caption: text()
                .beside
                .caption(title.unwrap_or_default(), moment(at_ms)),
            cards: cards.collect(),
        }
    });
    let moments = Callback::new(move |()| {
        let shown = together.shown();
        let each = shown.iter().flat_map(|(seat, span)| {
            let moved = seat.replay.movements(*span).into_iter();
            moved.map(|at_ms| at_ms - span.from_ms)
        });
        let mut all: Vec<u64> = each.collect();
        all.sort_unstable();
        all.dedup();
        all
    });
    let shown = Shown {
        at_ms: Signal::derive(move || together.at_ms()),
        slide,
        moments,
        stem: StoredValue::new(format!("{}-side-by-side", together.study.get_value())),
    };
    view! { <SaveAs area=together.area shown/> }
}

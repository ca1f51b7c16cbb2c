//! Saves the moment that the replay shows, or its question.

use domain::common::moment::moment;
use frontend::replay::slide::{Card, Slide};
use leptos::prelude::*;

use super::viewer::Viewer;
use crate::saving::{SaveAs, Shown};
use crate::words::levels;

/// *Save as* of a replay. Its clock is the session's.
#[component]
pub fn SaveMoment(viewer: Viewer) -> impl IntoView {
    let slide = Callback::new(move |at_ms: u64| {
        let opened = viewer.opened.get_value();
        let cards = opened.iter().map(|opened| {
            let plan = &opened.state.plan;
            Card {
                session: opened.state.session.session.0.clone(),
                ordinal: opened.state.session.ordinal,
                cell: levels(&plan.cell),
                still: opened.replay.still(at_ms),
            }
        });
        let title = opened.as_ref().map(|it| it.state.title.clone());
        Slide {
            caption: format!("{} · {}", title.unwrap_or_default(), moment(at_ms)),
            cards: cards.collect(),
        }
    });
    let moments = Callback::new(move |()| {
        let at_ms = viewer.at_ms_untracked();
        let replay = viewer.replay();
        let span = replay
            .as_ref()
            .and_then(|replay| replay.question_span(at_ms));
        replay
            .zip(span)
            .map_or_else(Vec::new, |(replay, span)| replay.movements(span))
    });
    let ordinal = viewer
        .opened
        .with_value(|opened| opened.as_ref().map_or(0, |it| it.state.session.ordinal));
    let stem = format!("{}-session-{ordinal}", viewer.study.get_value());
    let shown = Shown {
        at_ms: Signal::derive(move || viewer.at_ms()),
        slide,
        moments,
        stem: StoredValue::new(stem),
    };
    view! { <SaveAs area=viewer.area shown/> }
}

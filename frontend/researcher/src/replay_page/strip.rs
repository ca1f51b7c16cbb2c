//! The session along its time: a bar for each question, and where nobody was there.

use frontend::replay::clock::clock;
use frontend::replay::strip::{Stretch, StretchKind, stretches};
use frontend::replay::view::SharedReplay;
use leptos::prelude::*;

/// Shapes and words of the legend.
const LEGEND: [(StretchKind, &str); 5] = [
    (StretchKind::Reached, "solved, answered or finished"),
    (StretchKind::Missed, "given up, missed or cut off"),
    (StretchKind::Open, "under way"),
    (StretchKind::Away, "away"),
    (StretchKind::Note, "note"),
];

/// The bars; each leads to its beginning.
#[component]
pub fn Strip(
    /// The end of the session, in milliseconds since its start.
    viewer_end: RwSignal<u64>,
    /// Whether all of the log is here.
    whole: RwSignal<bool>,
    /// The session.
    replay: SharedReplay,
    /// The moment that is shown.
    at: Signal<u64>,
    /// Somebody wants to see a moment.
    on_choose: Callback<u64>,
) -> impl IntoView {
    let found = Memo::new(move |_| {
        // It is made again when something has come.
        viewer_end.track();
        whole.track();
        replay.with_value(|replay| replay.with_events(stretches))
    });
    let share = move |ms: u64| 100.0 * ms as f64 / viewer_end.get().max(1) as f64;
    let bar = move |stretch: Stretch| {
        let from = stretch.from_ms;
        let left = move || format!("{:.3}%", share(from));
        let width = move || format!("{:.3}%", share(stretch.to_ms - stretch.from_ms));
        let name = format!("{}, from {}", stretch.words, clock(from));
        view! {
            <button
                type="button"
                class="area-bar"
                data-kind=stretch.kind.name()
                title=name.clone()
                aria-label=name
                style:left=left
                style:width=width
                on:click=move |_| on_choose.run(from)
            ></button>
        }
    };
    let bars = move || found.get().into_iter().map(bar).collect_view();
    let legend = LEGEND.map(|(kind, words)| {
        view! { <li><span class="area-bar" data-kind=kind.name() aria-hidden="true"></span>{words}</li> }
    });
    view! {
        <div class="area-strip" data-testid="strip">
            {bars}
            <span class="area-now" style:left=move || format!("{:.3}%", share(at.get())) aria-hidden="true"></span>
        </div>
        <ul class="area-legend small">{legend.collect_view()}</ul>
    }
}

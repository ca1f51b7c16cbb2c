//! Beside the participant's screen: what is known of the moment, and what has happened, in words.

use frontend::replay::chart::ChartKind;
use frontend::replay::clock::clock;
use frontend::replay::facts::{DialFact, Facts, facts};
use frontend::replay::timeline::{TimelineEntry, TimelineKind};
use frontend::replay::view::SharedReplay;
use frontend::runtime::task::Displayed;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::viewer::Viewer;

use crate::text::text;

/// The facts about the moment that is shown.
#[component]
pub fn FactsBeside(
    /// The page.
    viewer: Viewer,
    /// The session.
    replay: SharedReplay,
) -> impl IntoView {
    let shown = replay.with_value(|replay| replay.shown);
    let found = Memo::new(move |_| {
        let (count, at_ms) = (shown.count.get(), viewer.at_ms());
        shown.taken.track();
        replay.with_value(|replay| {
            let session = replay.session();
            Shown(replay.with_events(|events, _| {
                // After the end nobody looks at the screen.
                let at_ms = at_ms.min(viewer.end_ms.get());
                facts(&session, &events[..count.min(events.len())], at_ms)
            }))
        })
    });
    let row = |(name, value): (&'static str, String)| {
        view! { <div><dt>{name}</dt><dd data-fact=name>{value}</dd></div> }
    };
    let dial = |dial: DialFact| {
        let name = dial.name.filter(|name| !name.trim().is_empty());
        let name = name.unwrap_or_else(|| text().replay.dial(dial.number));
        let value = dial.value.to_string();
        view! { <div><dt>{name}</dt><dd data-dial=dial.number.to_string()>{value}</dd></div> }
    };
    view! {
        <section class="area-facts" aria-label=text().replay.this_moment()>
            <h2 data-testid="place">{move || found.get().0.place}</h2>
            <p class="small muted" data-testid="event">
                {move || text().replay.event_of(shown.count.get(), shown.taken.get(), found.get().0.event)}
            </p>
            <dl data-testid="facts">
                {move || found.get().0.rows.into_iter().map(row).collect_view()}
                {move || found.get().0.dials.into_iter().map(dial).collect_view()}
            </dl>
        </section>
    }
}

/// Facts; another moment may have the same.
#[derive(Clone, PartialEq)]
struct Shown(Facts);

fn kind_of(kind: TimelineKind) -> ChartKind {
    match kind {
        TimelineKind::Place => ChartKind::Places,
        TimelineKind::Outcome => ChartKind::Questions,
        TimelineKind::Note => ChartKind::Notes,
        TimelineKind::Verdict => ChartKind::Verdicts,
        TimelineKind::Asked => ChartKind::Asked,
        TimelineKind::Absence => ChartKind::Absences,
        TimelineKind::Finding => ChartKind::Findings,
    }
}

/// The events that have happened, oldest first. Each entry leads to its moment. Up and down go from entry to entry.
#[component]
pub fn EventList(
    /// The page.
    viewer: Viewer,
    /// The session.
    replay: SharedReplay,
) -> impl IntoView {
    let shown = replay.with_value(|replay| replay.shown);
    let entries = Memo::new(move |_| {
        let hidden = viewer.chart.hidden.get();
        let mut entries = shown.timeline.get();
        entries.retain(|entry| !hidden.contains(&kind_of(entry.kind)));
        entries.sort_by_key(|entry| entry.at_ms);
        entries
    });
    // The last entry that has happened; it can be reached by Tab.
    let here = Memo::new(move |_| {
        let at_ms = viewer.at_ms();
        entries.with(|entries| {
            let happened = entries.partition_point(|entry| entry.at_ms <= at_ms);
            happened.saturating_sub(1)
        })
    });
    let list = NodeRef::<leptos::html::Ol>::new();
    Effect::new(move |_| {
        let here = here.get();
        let Some(list) = list.get() else { return };
        let item = list
            .children()
            .item(u32::try_from(here).unwrap_or(u32::MAX));
        let Some(item) = item.and_then(|it| it.dyn_into::<web_sys::HtmlElement>().ok()) else {
            return;
        };
        // Within the list alone: the page stays where it is.
        let top = item.offset_top() - list.offset_top();
        let (from, height) = (list.scroll_top(), list.client_height());
        if top < from || top + item.offset_height() > from + height {
            list.set_scroll_top(top - height / 3);
        }
    });
    let row = move |(index, entry): (usize, TimelineEntry)| {
        let TimelineEntry {
            at_ms,
            kind,
            mark,
            text: said,
        } = entry;
        let mark = mark.map(|mark| view! { <b class="replay-mark">{mark}" "</b> });
        view! {
            <li>
                <button
                    type="button"
                    class="area-entry"
                    data-kind=kind.name()
                    tabindex=move || if here.get() == index { "0" } else { "-1" }
                    aria-current=move || (here.get() == index).then_some("true")
                    on:click=move |_| viewer.seek(at_ms)
                >
                    <time>{clock(at_ms)}</time>
                    <span>{mark}{said}</span>
                </button>
            </li>
        }
    };
    // The log comes part after part: rows that are there stay.
    let rows = move || entries.get().into_iter().enumerate();
    let key = |(index, entry): &(usize, TimelineEntry)| (*index, entry.clone());
    view! {
        <section class="area-events" aria-label=text().replay.has_happened()>
            <ol node_ref=list data-testid="events" on:keydown=walk>
                <For each=rows key children=row/>
            </ol>
        </section>
    }
}

/// Up, down, Home and End move the focus within the list.
fn walk(event: KeyboardEvent) {
    let target = event.target();
    let item = target
        .and_then(|it| it.dyn_into::<web_sys::Element>().ok())
        .and_then(|it| it.parent_element());
    let Some(item) = item else { return };
    let list = item.parent_element();
    let next = match event.key().as_str() {
        "ArrowDown" => item.next_element_sibling(),
        "ArrowUp" => item.previous_element_sibling(),
        "Home" => list.and_then(|it| it.first_element_child()),
        "End" => list.and_then(|it| it.last_element_child()),
        _ => return,
    };
    event.prevent_default();
    let button = next
        .and_then(|it| it.first_element_child())
        .and_then(|it| it.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(button) = button {
        // A button that is on the page takes the focus.
        let _ = button.focus();
    }
}

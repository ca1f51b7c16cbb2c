//! The participant's screen, read-only: live, or at any moment before.

use frontend::replay::clock::clock;
use frontend::replay::view::{Damaged, ReplayFrame};
use frontend::ui::parts::whole_percent;
use frontend::ui::typed::passing_id;
use leptos::prelude::*;

use crate::context::Current;

/// The participant's screen, as far as it is known.
#[component]
pub fn Mirror(
    /// The session that is followed.
    current: StoredValue<Current, LocalStorage>,
) -> impl IntoView {
    let shown = current.with_value(|current| current.replay.shown);
    let status = move || {
        if shown.moment_ms.get().is_some() {
            "Earlier"
        } else if shown.ended.get() {
            "Ended"
        } else if shown.away.get() {
            "Page in the background or closed"
        } else if shown.paused.get() {
            "Paused"
        } else {
            "Live"
        }
    };
    let done = move || format!("{} % done", whole_percent(shown.progress.get()));
    let stage_left = move || {
        Some(format!(
            "{} min left in this stage",
            shown.stage_left.get()?
        ))
    };
    let study_left = move || {
        Some(format!(
            "about {} min left in the study",
            shown.study_left.get()?
        ))
    };
    let replay = current.with_value(|current| StoredValue::new_local(current.replay.clone()));
    view! {
        <section class="lab-mirror" aria-label="The participant's screen">
            <p class="lab-status">
                <span class="lab-live" data-testid="status" class:quiet=move || status() != "Live">
                    {status}
                </span>
                <span class="muted" data-testid="done">{done}</span>
                <span class="muted">{study_left}</span>
                <span class="muted">{stage_left}</span>
            </p>
            <Seeking current/>
            <Damaged replay/>
            <ReplayFrame replay/>
        </section>
    }
}

/// The moment that is shown, and a slider to another.
#[component]
fn Seeking(current: StoredValue<Current, LocalStorage>) -> impl IntoView {
    let shown = current.with_value(|current| current.replay.shown);
    let seek = move |moment_ms| current.with_value(|current| current.replay.seek(moment_ms));
    let at_s = move || {
        let moment_ms = shown.moment_ms.get();
        moment_ms.map_or_else(|| shown.seconds.get(), |ms| ms / 1_000)
    };
    let at = move || clock(at_s() * 1_000);
    let id = passing_id();
    view! {
        <div class="lab-seek">
            <label for=id.clone()>"Moment"</label>
            <input
                type="range"
                id=id
                min="0"
                max=move || shown.seconds.get().to_string()
                aria-valuetext=at
                data-testid="moment"
                prop:value=move || at_s().to_string()
                on:input=move |event| {
                    if let Ok(seconds) = event_target_value(&event).parse::<u64>() {
                        seek(Some(seconds * 1_000));
                    }
                }
            />
            <time class="lab-time" data-testid="time">{at}</time>
            <button
                type="button"
                class="button quiet"
                data-testid="live"
                disabled=move || shown.moment_ms.get().is_none()
                on:click=move |_| seek(None)
            >
                "Now"
            </button>
        </div>
    }
}

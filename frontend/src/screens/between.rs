//! Screens between tasks: instructions, breaks, and waiting for right answers.

use std::time::Duration;

use domain::recruitment::platform::WayBack;
use leptos::prelude::*;

use super::go_back::GoBack;
use crate::state::{Persistence, SaveState};
use crate::text::text;
use crate::ui::parts::{Heading, Press};

/// Something to read.
#[component]
pub fn InstructionsScreen(
    /// Heading of the page; absent: the app's own.
    title: Option<String>,
    /// The text as HTML, which the server made from Markdown.
    html: String,
    /// How long it stays at least, in seconds.
    at_least_s: f64,
    /// It was read.
    on_done: Callback<()>,
) -> impl IntoView {
    let (words, ways) = (&text().instructions, &text().ways);
    let left_s = countdown(at_least_s);
    let over = Memo::new(move |_| left_s.get() <= 0.0);
    let heading = title.unwrap_or_else(|| words.heading().to_owned());
    let wait = move || (!over.get()).then(|| ways.wait(left_s.get()));
    view! {
        <article class="screen reading" data-screen="instructions">
            <Heading words=heading/>
            <div class="card prose" inner_html=html></div>
            <div class="actions">
                <Press testid="instructions-read"
                    disabled=Signal::derive(move || !over.get()) on_press=on_done>
                    {ways.go_on()}
                </Press>
                <span class="muted tabular" role="timer" aria-live="off">{wait}</span>
            </div>
        </article>
    }
}

/// Seconds that are left of a time, counted down while the screen is shown.
pub(super) fn countdown(at_least_s: f64) -> RwSignal<f64> {
    let left_s = RwSignal::new(at_least_s.max(0.0).ceil());
    if left_s.get_untracked() > 0.0 {
        let ticks = set_interval_with_handle(
            move || left_s.update(|left| *left = (*left - 1.0).max(0.0)),
            Duration::from_secs(1),
        );
        on_cleanup(move || {
            if let Ok(ticks) = ticks {
                ticks.clear();
            }
        });
    }
    left_s
}

/// How saving stands, in a sentence: of a card that somebody may leave the page at.
#[component]
fn Kept(save: Signal<Option<SaveState>>, keeping: Persistence) -> impl IntoView {
    let words = &text().shell;
    let said = move || match (save.get(), keeping) {
        (None | Some(SaveState::Saved), _) => words.all_saved(),
        (Some(SaveState::Saving | SaveState::Delayed | SaveState::Stalled), _) => {
            words.being_saved()
        }
        (Some(SaveState::Offline), Persistence::Everything) => words.kept_for_now(),
        (Some(SaveState::Offline), _) => words.not_kept(),
    };
    view! { <p data-testid="kept">{said}</p> }
}

/// A rest of a certain length at least.
#[component]
pub fn BreakScreen(
    /// How long it lasts at least, in seconds.
    at_least_s: f64,
    /// Whether the participant's work is saved.
    save: Signal<Option<SaveState>>,
    /// The part of the session that this browser keeps.
    keeping: Persistence,
    /// It is over.
    on_done: Callback<()>,
) -> impl IntoView {
    let (words, ways) = (&text().rest, &text().ways);
    let left_s = countdown(at_least_s);
    let over = Memo::new(move |_| left_s.get() <= 0.0);
    view! {
        <div class="screen notice" data-screen="break">
            <div class="card">
                <Heading words=words.heading()/>
                <p class="lead">{words.body()}</p>
                <Kept save keeping/>
                <p class="muted tabular" role="timer" aria-live="off">
                    {move || if over.get() {
                        words.ready().to_owned()
                    } else {
                        ways.wait(left_s.get())
                    }}
                </p>
                <div class="actions">
                    <Press testid="break-end" disabled=Signal::derive(move || !over.get()) on_press=on_done>
                        {ways.go_on()}
                    </Press>
                </div>
            </div>
        </div>
    }
}

/// A stage is over: its time is up, the experimenter ended it, or the participant was away for too
/// long.
#[component]
pub fn TimeUpScreen(
    /// Whether the participant's work is saved.
    save: Signal<Option<SaveState>>,
    /// The part of the session that this browser keeps.
    keeping: Persistence,
    /// The participant goes on.
    on_done: Callback<()>,
) -> impl IntoView {
    let words = &text().time_up;
    view! {
        <div class="screen notice" data-screen="time-up">
            <div class="card">
                <Heading words=words.heading()/>
                <Kept save keeping/>
                <div class="actions">
                    <Press testid="time-up-go-on" on_press=on_done>{text().ways.go_on()}</Press>
                </div>
            </div>
        </div>
    }
}

/// The experimenter has paused the session.
#[component]
pub fn PausedScreen() -> impl IntoView {
    let words = &text().paused;
    view! {
        <div class="screen notice" data-screen="paused">
            <div class="card" role="status">
                <Heading words=words.heading()/>
                <p class="lead">{words.body()}</p>
            </div>
        </div>
    }
}

/// While the server checks the answers that decide what comes next.
#[component]
pub fn AwaitingScreen(
    /// Whether it is out of reach.
    offline: Signal<bool>,
) -> impl IntoView {
    let words = &text().awaiting;
    view! {
        <div class="screen notice" data-screen="awaiting-verdicts">
            <div class="card">
                <Heading words=words.heading()/>
                <p role="status">
                    {move || if offline.get() { words.offline() } else { words.body() }}
                </p>
            </div>
        </div>
    }
}

/// The end before all was asked, through no fault of the participant's.
#[component]
pub fn EndedEarlyScreen(
    /// Name of the screen.
    name: &'static str,
    /// Heading.
    heading: &'static str,
    /// Why it ended.
    body: &'static str,
    /// Whether the server has everything.
    saved: Signal<bool>,
    /// How the participant goes back to their platform, if they can.
    way_back: Signal<Option<WayBack>>,
) -> impl IntoView {
    let words = &text().screened_out;
    view! {
        <div class="screen notice" data-screen=name>
            <div class="card">
                <Heading words=heading/>
                <p class="lead">{body}</p>
                <p class="muted" role="status">
                    {move || if saved.get() { words.saved() } else { words.saving() }}
                </p>
                {move || way_back.get().map(|way_back| view! { <GoBack way_back/> })}
            </div>
        </div>
    }
}

//! Whether the participant's voice may be recorded, and a try of the microphone.

use std::time::Duration;

use domain::session::lab::Recording;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::runtime::current::CurrentSession;
use crate::text::text;
use crate::ui::parts::{Heading, whole_percent};
use crate::ui::presses;

/// How often the meter is looked at.
const METER: Duration = Duration::from_millis(100);

/// How far the try of the microphone is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    /// The participant has not answered.
    Asked,
    /// The browser asks for the microphone.
    Opening,
    /// It is open.
    Open,
    /// The browser does not give it.
    Refused,
}

/// The page that asks. A participant who says no goes on without being recorded.
#[component]
pub fn MicrophoneScreen(
    /// How it would be recorded.
    recording: Recording,
    /// How far the try is.
    trial: RwSignal<Trial>,
    /// How loud it is, in [0, 1].
    level: Signal<f64>,
    /// The participant wants to try the microphone.
    on_try: Callback<()>,
    /// Whether they may be recorded.
    on_answer: Callback<bool>,
) -> impl IntoView {
    let words = &text().microphone;
    let heard = RwSignal::new(false);
    let now = RwSignal::new(0.0_f64);
    let look = move || {
        let loud = level.get_untracked();
        now.set(loud);
        if loud > 0.05 {
            heard.set(true);
        }
    };
    let ticks = set_interval_with_handle(look, METER);
    on_cleanup(move || {
        if let Ok(ticks) = ticks {
            ticks.clear();
        }
    });
    let days = usize::try_from(recording.delete_after_days).unwrap_or_default();
    let press = recording
        .press_to_talk
        .then(|| view! { <p>{words.press()}</p> });
    let yes = move || match trial.get() {
        Trial::Open => {
            let meter = view! {
                <div class="level">
                    <p id="level-words">{words.say_something()}</p>
                    <div
                        class="level-bar"
                        role="meter"
                        aria-labelledby="level-words"
                        aria-valuemin="0"
                        aria-valuemax="100"
                        aria-valuenow=move || whole_percent(now.get()).to_string()
                    >
                        <div style:width=move || format!("{}%", whole_percent(now.get()))></div>
                    </div>
                    <p role="status" class="muted">
                        {move || if heard.get() { words.heard() } else { words.not_heard() }}
                    </p>
                </div>
            };
            let go_on = view! {
                <button
                    type="button"
                    class="button primary"
                    data-testid="record"
                    disabled=move || !heard.get()
                    on:click=move |_| on_answer.run(true)
                >
                    {words.record()}
                </button>
            };
            (meter.into_any(), go_on.into_any())
        }
        state => {
            let problem = (state == Trial::Refused)
                .then(|| view! { <p class="problem" role="alert">{words.refused()}</p> });
            let try_it = view! {
                <button
                    type="button"
                    class="button primary"
                    data-testid="try-microphone"
                    disabled=state == Trial::Opening
                    on:click=move |_| on_try.run(())
                >
                    {if state == Trial::Refused { words.try_again() } else { words.agree() }}
                </button>
            };
            (problem.into_any(), try_it.into_any())
        }
    };
    let shown = Memo::new(move |_| trial.get());
    view! {
        <div class="screen notice" data-screen="microphone">
            <div class="card">
                <Heading words=words.heading()/>
                <p class="lead">{words.body()}</p>
                {press}
                <p>{words.kept(days)}</p>
                {move || {
                    shown.track();
                    // Each step's button stands where the one before was.
                    presses::new_page();
                    let (above, button) = yes();
                    view! {
                        {above}
                        <div class="actions">
                            {button}
                            <button
                                type="button"
                                class="button quiet"
                                data-testid="not-recorded"
                                on:click=move |_| on_answer.run(false)
                            >
                                {words.decline()}
                            </button>
                        </div>
                    }
                }}
            </div>
        </div>
    }
}

/// The screen of a session that may be recorded.
#[must_use]
pub fn microphone(session: CurrentSession) -> Option<AnyView> {
    let recording = session.get()?.session().recording()?;
    let trial = RwSignal::new(Trial::Asked);
    let level = Signal::derive(move || session.get().map_or(0.0, |taken| taken.microphone_level()));
    let on_try = Callback::new(move |()| {
        trial.set(Trial::Opening);
        spawn_local(async move {
            let Some(taken) = session.get() else {
                return;
            };
            match taken.open_microphone().await {
                Ok(()) => trial.set(Trial::Open),
                Err(why) => {
                    leptos::logging::warn!("no microphone: {why}");
                    trial.set(Trial::Refused);
                }
            }
        });
    });
    let on_answer = session.callback(|taken, agreed| taken.answer_recording(agreed));
    let view = view! { <MicrophoneScreen recording trial level on_try on_answer/> };
    Some(view.into_any())
}

//! The sign that says whether sound is recorded, and the button that is held while speaking.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;

use crate::state::SoundState;
use crate::text::text;

/// In the frame of every screen while a session records, or should.
#[component]
pub fn SoundSign(
    /// The sound.
    sound: Signal<SoundState>,
    /// Whether it is recorded only while a button is held.
    press_to_talk: Signal<bool>,
    /// The button was pressed, or let go.
    on_talk: Callback<bool>,
) -> impl IntoView {
    let words = &text().microphone;
    let sign = move || {
        let (name, label) = match sound.get() {
            SoundState::None => return None,
            SoundState::On => ("on", words.on()),
            SoundState::Muted => ("muted", words.muted()),
            SoundState::Silent => ("silent", words.silent()),
            SoundState::Failed => ("failed", words.failed()),
        };
        Some(view! {
            <span class="sound-state" data-testid="sound-state" data-state=name>{label}</span>
        })
    };
    let is_space = |event: &KeyboardEvent| matches!(event.key().as_str(), " " | "Enter");
    let button = move || {
        let talks = matches!(
            sound.get(),
            SoundState::On | SoundState::Muted | SoundState::Silent
        );
        (press_to_talk.get() && talks).then(|| {
            view! {
                <button
                    type="button"
                    class="button talk"
                    data-testid="talk"
                    on:pointerdown=move |_: PointerEvent| on_talk.run(true)
                    on:pointerup=move |_: PointerEvent| on_talk.run(false)
                    on:pointercancel=move |_: PointerEvent| on_talk.run(false)
                    on:keydown=move |event: KeyboardEvent| {
                        if is_space(&event) && !event.repeat() {
                            event.prevent_default();
                            on_talk.run(true);
                        }
                    }
                    on:keyup=move |event: KeyboardEvent| {
                        if is_space(&event) {
                            on_talk.run(false);
                        }
                    }
                >
                    {words.hold()}
                </button>
            }
        })
    };
    // The button stays where it is while the sign changes.
    let talks = Memo::new(move |_| press_to_talk.get() && sound.get() != SoundState::None);
    let idle = move || sound.get() == SoundState::None;
    view! {
        <div class="sound" class:idle=idle>
            <div role="status">{sign}</div>
            {move || talks.get().then(|| untrack(button))}
        </div>
    }
}

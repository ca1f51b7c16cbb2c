//! Stopping before the end, or taking back what was given.

use domain::recruitment::platform::WayBack;
use leptos::prelude::*;

use super::go_back::GoBack;
use crate::state::CodeState;
use crate::text::text;
use crate::ui::parts::{Heading, Press};

/// What becomes of what the participant gave, if they stop; or they go on.
#[component]
pub fn WithdrawScreen(
    /// Whether everything has been answered, so that there is nothing to stop.
    at_end: bool,
    /// Whether the last attempt to erase everything failed.
    failed: Signal<bool>,
    /// They go on after all.
    on_go_on: Callback<()>,
    /// They stop; whether everything is to be erased.
    on_stop: Callback<bool>,
) -> impl IntoView {
    let words = &text().withdraw;
    let stop = (!at_end).then(|| {
        view! {
            <div class="way-out">
                <button
                    type="button"
                    class="button"
                    data-testid="stop-and-keep"
                    on:click=move |_| on_stop.run(false)
                >
                    {words.stop()}
                </button>
                <p class="muted small">{words.stop_note()}</p>
            </div>
        }
    });
    let erase = if at_end {
        words.erase_after_end()
    } else {
        words.erase()
    };
    view! {
        <div class="screen notice" data-screen="withdraw">
            <div class="card">
                <Heading words=words.heading()/>
                <p>{words.body()}</p>
                <p class="actions">
                    <Press testid="go-on" on_press=on_go_on>{words.go_on()}</Press>
                </p>
                {stop}
                <div class="way-out">
                    <button
                        type="button"
                        class="button"
                        data-testid="stop-and-erase"
                        on:click=move |_| on_stop.run(true)
                    >
                        {erase}
                    </button>
                    <p class="muted small">{words.erase_note()}</p>
                </div>
                <div role="alert">
                    {move || failed.get().then(|| view! { <p class="problem">{words.failed()}</p> })}
                </div>
            </div>
        </div>
    }
}

/// After stopping.
#[component]
pub fn WithdrawnScreen(
    /// Whether the participant wanted everything erased.
    erase: bool,
    /// Whether that still waits for the network.
    waits: Signal<bool>,
    /// The completion code, where everything had been answered before it was erased.
    code: Signal<CodeState>,
    /// How the participant goes back to their platform, if they can.
    way_back: Signal<Option<WayBack>>,
) -> impl IntoView {
    let words = &text().withdraw;
    let said = move || match (erase, waits.get()) {
        (false, _) => words.kept(),
        (true, true) => words.erasing(),
        (true, false) => words.erased(),
    };
    view! {
        <div class="screen notice" data-screen="withdrawn">
            <div class="card">
                <Heading words=words.done_heading()/>
                <p role="status" data-testid="withdrawn">{said}</p>
                {move || match code.get() {
                    CodeState::Ready(code) => Some(view! {
                        <p>{words.code()} " " <code class="notranslate" translate="no" data-testid="completion-code">{code}</code></p>
                    }),
                    _ => None,
                }}
                {move || match way_back.get() {
                    Some(way_back) => view! { <GoBack way_back/> }.into_any(),
                    None => view! { <p>{(!waits.get()).then(|| words.close())}</p> }.into_any(),
                }}
            </div>
        </div>
    }
}

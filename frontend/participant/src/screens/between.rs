//! What stands between tasks: instructions, breaks, and waiting for right answers.

use std::time::Duration;

use frontend::text::text;
use frontend::ui::parts::Heading;
use leptos::prelude::*;

/// Something to read.
#[component]
pub fn InstructionsScreen(
    /// The text as HTML, which the server made from Markdown.
    html: String,
    /// It was read.
    on_done: Callback<()>,
) -> impl IntoView {
    let words = &text().instructions;
    view! {
        <article class="screen reading" data-screen="instructions">
            <Heading words=words.heading()/>
            <div class="card prose" inner_html=html></div>
            <div class="actions">
                <button
                    type="button"
                    class="button primary"
                    data-testid="instructions-read"
                    on:click=move |_| on_done.run(())
                >
                    {words.go_on()}
                </button>
            </div>
        </article>
    }
}

/// A rest of a certain length at least.
#[component]
pub fn BreakScreen(
    /// How long it lasts at least, in seconds.
    at_least_s: f64,
    /// It is over.
    on_done: Callback<()>,
) -> impl IntoView {
    let words = &text().rest;
    let left_s = RwSignal::new(at_least_s.max(0.0).ceil());
    let ticks = set_interval_with_handle(
        move || left_s.update(|left| *left = (*left - 1.0).max(0.0)),
        Duration::from_secs(1),
    );
    on_cleanup(move || {
        if let Ok(ticks) = ticks {
            ticks.clear();
        }
    });
    let over = Memo::new(move |_| left_s.get() <= 0.0);
    view! {
        <div class="screen notice" data-screen="break">
            <div class="card">
                <Heading words=words.heading()/>
                <p class="lead">{words.body()}</p>
                <p class="muted tabular" role="timer" aria-live="off">
                    {move || if over.get() {
                        words.ready().to_owned()
                    } else {
                        words.wait(left_s.get())
                    }}
                </p>
                <div class="actions">
                    <button
                        type="button"
                        class="button primary"
                        data-testid="break-end"
                        disabled=move || !over.get()
                        on:click=move |_| on_done.run(())
                    >
                        {words.go_on()}
                    </button>
                </div>
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

/// After wrong answers in practice: the end.
#[component]
pub fn ScreenedOutScreen(
    /// Whether the server has everything.
    saved: Signal<bool>,
) -> impl IntoView {
    let words = &text().screened_out;
    view! {
        <div class="screen notice" data-screen="screened-out">
            <div class="card">
                <Heading words=words.heading()/>
                <p class="lead">{words.body()}</p>
                <p class="muted" role="status">
                    {move || if saved.get() { words.saved() } else { words.saving() }}
                </p>
            </div>
        </div>
    }
}

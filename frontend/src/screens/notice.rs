//! Screens with one thing to say.

use domain::recruitment::platform::WayBack;
use leptos::prelude::*;

use super::go_back::GoBack;
use crate::runtime::current::CurrentSession;
use crate::runtime::file_link;
use crate::state::{FetchProgress, Missing};
use crate::text::text;
use crate::ui::parts::{Heading, Press, whole_percent};
use crate::ui::presses;

/// After saying no. Nothing was created.
#[component]
pub fn DeclinedScreen(
    /// How the participant goes back to their platform, if they can.
    way_back: Signal<Option<WayBack>>,
) -> impl IntoView {
    let words = &text().declined;
    view! {
        <div class="screen notice" data-screen="declined">
            <div class="card">
                <Heading words=words.heading()/>
                <p>{words.body()}</p>
                {move || way_back.get().map(|way_back| view! { <GoBack way_back/> })}
                // The same address, opened anew.
                <p><a href="">{words.again()}</a></p>
            </div>
        </div>
    }
}

/// While weights come in.
#[component]
pub fn LoadingScreen(
    /// How much is here, and how long the rest takes.
    arrival: Signal<FetchProgress>,
    /// Why it failed, in a sentence.
    error: Signal<Option<String>>,
    /// Asks for another attempt.
    on_retry: Callback<()>,
) -> impl IntoView {
    let words = &text().loading;
    let percent = move || arrival.get().share.map(whole_percent);
    let heading = Signal::derive(move || {
        let failed = error.with(Option::is_some);
        (if failed {
            words.failed()
        } else {
            words.heading()
        })
        .to_owned()
    });
    let progress = move || {
        view! {
            <progress class="progress" aria-label=words.heading() max="100" value=percent></progress>
            <p class="muted tabular" data-testid="time-left">
                {move || match (arrival.get().left_s, percent()) {
                    (Some(left_s), _) => time_left(left_s),
                    (None, Some(percent)) => words.percent(percent),
                    (None, None) => "\u{a0}".to_owned(),
                }}
            </p>
        }
    };
    let failure = move |error: String| {
        presses::new_page();
        view! {
            <p role="alert" class="problem">{error}</p>
            <button type="button" class="button primary" on:click=move |_| on_retry.run(())>
                {words.retry()}
            </button>
        }
    };
    view! {
        <div class="screen notice" data-screen="loading">
            <div class="card">
                <Heading words=heading/>
                {move || match error.get() {
                    None => progress().into_any(),
                    Some(error) => failure(error).into_any(),
                }}
            </div>
        </div>
    }
}

/// The screen of a session that waits for something.
#[must_use]
pub fn loading(session: CurrentSession, missing: Missing) -> AnyView {
    let models = move || session.get().map(|taken| taken.decoders().clone());
    let instances = move || session.get().map(|taken| taken.instances().clone());
    let on_retry = session.callback(|taken, ()| {
        taken.decoders().retry_now();
        taken.instances().retry_now();
    });
    let (arrival, error) = match missing {
        Missing::Model(sha256) => (
            Signal::derive(move || {
                models()
                    .and_then(|it| it.arrival(&sha256))
                    .unwrap_or_default()
            }),
            Signal::derive(move || models()?.error()),
        ),
        Missing::Instance => (
            Signal::stored(FetchProgress::default()),
            Signal::derive(move || instances()?.error()),
        ),
    };
    view! { <LoadingScreen arrival error on_retry/> }.into_any()
}

/// A length of time in round words: an estimate is no countdown.
fn time_left(seconds: f64) -> String {
    let words = &text().loading;
    let rounded = |value: f64| value.max(0.0).ceil() as usize;
    match seconds {
        _ if seconds <= 5.0 => words.seconds_few().to_owned(),
        _ if seconds <= 90.0 => words.seconds(rounded(seconds / 5.0) * 5),
        _ => words.minutes(rounded(seconds / 60.0)),
    }
}

/// When there is nothing to show: an unknown study, a session that is gone.
#[component]
pub fn ErrorScreen(
    /// The problem and what to do, in a sentence or two.
    message: String,
) -> impl IntoView {
    let words = &text().problem;
    view! {
        <div class="screen notice" data-screen="error">
            <div class="card">
                <Heading words=words.heading()/>
                <p>{message}</p>
            </div>
        </div>
    }
}

/// When the server has lost the session and this browser has what was answered.
#[component]
pub fn LostScreen(
    /// The answers so far, as a file.
    file: String,
    /// Begins the study anew; what this browser has stays.
    on_again: Callback<()>,
) -> impl IntoView {
    let words = &text().lost;
    let save = file_link::link_to(&file).map(|link| {
        view! {
            <p class="actions">
                <a class="button primary" href=link download="redial-answers.json" data-testid="save-answers">
                    {words.save()}
                </a>
            </p>
        }
    });
    view! {
        <div class="screen notice" data-screen="lost">
            <div class="card">
                <Heading words=words.heading()/>
                <p>{words.body()}</p>
                {save}
                <p>
                    <button type="button" class="button" on:click=move |_| on_again.run(())>
                        {words.again()}
                    </button>
                </p>
            </div>
        </div>
    }
}

/// When the session is live on another page: in another tab, or on another device.
#[component]
pub fn OtherTabScreen(
    /// Takes the session over; the other page stops.
    on_take_over: Callback<()>,
) -> impl IntoView {
    let words = &text().other_tab;
    view! {
        <div class="screen notice" data-screen="other-tab">
            <div class="card">
                <Heading words=words.heading()/>
                <p>{words.body()}</p>
                <Press testid="take-over" on_press=on_take_over>{words.take_over()}</Press>
            </div>
        </div>
    }
}

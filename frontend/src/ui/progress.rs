//! How far the participant has come.

use leptos::prelude::*;

use super::parts::whole_percent;
use crate::state::Whereabouts;
use crate::text::text;

/// Where a question stands in its session. Numbers count from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SessionPlace {
    /// Number of the stage; practice is not counted.
    pub stage_number: usize,
    /// How many stages there are, practice not counted.
    pub stage_count: usize,
    /// Number of the question in its stage.
    pub question_number: usize,
    /// How many questions the stage has.
    pub question_count: usize,
    /// Whether the stage is practice.
    pub practice: bool,
    /// Minutes that are left to the stage; absent where no clock is shown.
    pub minutes_left: Signal<Option<u64>>,
}

impl SessionPlace {
    /// Whether the participant has seen a question of this kind before, so that heading and
    /// instruction can give way to the question.
    #[must_use]
    pub fn is_familiar(self) -> bool {
        self.question_number > 1 || self.stage_number > 1
    }
}

/// How much of the session is done: a thin bar that every screen of a session has.
#[component]
pub fn ProgressBar(
    /// Share that is done, in [0, 1]; absent outside a session.
    share: Signal<Option<f64>>,
) -> impl IntoView {
    let words = &text().progress;
    let bar = move |share: f64| {
        let percent = whole_percent(share);
        view! {
            <div
                class="session-progress"
                role="progressbar"
                data-testid="progress"
                aria-label=words.label()
                aria-valuemin="0"
                aria-valuemax="100"
                aria-valuenow=percent.to_string()
                aria-valuetext=words.overall(percent)
                title=words.overall(percent)
            >
                <div style:width=format!("{:.2}%", share.clamp(0.0, 1.0) * 100.0)></div>
            </div>
        }
    };
    move || share.get().map(bar)
}

/// Which question it is, on narrow windows alone, and about how long the study still takes.
#[component]
pub fn HeaderPlace(
    /// Where the participant is.
    whereabouts: Signal<Whereabouts>,
) -> impl IntoView {
    let words = &text().progress;
    let shown = Memo::new(move |_| whereabouts.get());
    let question = move || {
        let (number, count) = shown.get().question?;
        Some(view! { <span class="place-narrow">{words.question(number, count)}</span> })
    };
    let left = move || {
        let minutes = shown.get().minutes_left?;
        Some(view! { <span data-testid="study-left">{words.about(minutes)}</span> })
    };
    view! { <p class="place site-place" data-testid="site-place">{question}{left}</p> }
}

/// The question's stage and number, in words.
#[component]
pub fn PlaceLine(
    /// Where the question stands.
    place: SessionPlace,
) -> impl IntoView {
    let words = &text().progress;
    let stage = if place.practice {
        words.practice().to_owned()
    } else {
        words.stage(place.stage_number, place.stage_count)
    };
    view! {
        <p class="place">
            <span>{stage}</span>
            // Of a single one there is nothing to count.
            {(place.question_count > 1).then(|| view! {
                <span class="place-question">
                    {words.question(place.question_number, place.question_count)}
                </span>
            })}
            // Quiet: it is read by who looks for it, and announced to nobody.
            {move || place.minutes_left.get().map(|minutes| view! {
                <span class="tabular" data-testid="time-left">
                    {if minutes > 1 {
                        words.minutes_left(minutes)
                    } else {
                        words.last_minute().to_owned()
                    }}
                </span>
            })}
        </p>
    }
}

//! The footer of a question: stage, question and overall progress.

use leptos::prelude::*;

use super::parts::whole_percent;
use crate::text::text;

/// Where a question stands in its session. Numbers count from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
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
    /// Share of the session's questions that have ended, in [0, 1].
    pub overall: f64,
}

/// Stage, question and overall progress.
#[component]
pub fn Progress(
    /// Where the question stands.
    place: Place,
) -> impl IntoView {
    let words = &text().progress;
    let percent = whole_percent(place.overall);
    let stage = if place.practice {
        words.practice().to_owned()
    } else {
        words.stage(place.stage_number, place.stage_count)
    };
    view! {
        <section class="progress-footer" aria-label=words.label()>
            <p class="progress-place">
                <span>{stage}</span>
                // Of a single one there is nothing to count.
                {(place.question_count > 1).then(|| view! {
                    <span>{words.question(place.question_number, place.question_count)}</span>
                })}
            </p>
            <progress class="progress" max="100" value=percent.to_string() aria-label=words.label()></progress>
            <p class="tabular progress-overall">{words.overall(percent)}</p>
        </section>
    }
}

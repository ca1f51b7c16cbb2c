//! The screen before a stage: what is coming, and that the dials now act otherwise.

use leptos::prelude::*;

use super::StageFacts;
use crate::text::text;
use crate::ui::parts::{Heading, Press};

/// What a task says before one of its stages.
#[derive(Debug, Clone, PartialEq)]
pub struct Intro {
    /// The heading.
    pub heading: &'static str,
    /// What is coming.
    pub lead: String,
    /// What is said below that: how many questions, and how quickly to work.
    pub more: Option<String>,
}

impl Intro {
    /// Before practice.
    #[must_use]
    pub fn practice(lead: String) -> Self {
        Self {
            heading: text().stage_intro.practice_heading(),
            lead,
            more: None,
        }
    }

    /// Before a stage that counts: its number of questions, and what else there is to say.
    #[must_use]
    pub fn real(heading: &'static str, lead: &str, stage: &StageFacts, pace: &str) -> Self {
        let words = &text().stage_intro;
        let questions = words.questions(stage.questions);
        let limit = stage.limit.map(|limit| match limit.minutes {
            minutes if minutes >= 1.0 => words.limit_minutes(minutes.round() as usize),
            minutes => words.limit_seconds((minutes * 60.0).round() as usize),
        });
        let questions = match limit {
            Some(limit) => format!("{questions} {limit}"),
            None => questions,
        };
        Self {
            heading,
            lead: lead.to_owned(),
            more: Some(format!("{questions} {pace}").trim_end().to_owned()),
        }
    }
}

/// The introduction of a stage.
#[component]
pub fn StageIntroScreen(
    /// The stage.
    stage: StageFacts,
    /// What its task says.
    intro: Intro,
    /// The participant is ready.
    on_begin: Callback<()>,
) -> impl IntoView {
    let words = &text().stage_intro;
    let begin = if stage.practice {
        words.practice_begin()
    } else {
        words.begin()
    };
    let position = (!stage.practice).then(|| {
        view! { <p class="eyebrow">{words.position(stage.number, stage.count)}</p> }
    });
    let more = intro.more.map(|more| view! { <p>{more}</p> });
    view! {
        <div class="screen notice" data-screen="stage-intro">
            <div class="card">
                {position}
                <Heading words=intro.heading/>
                <p class="lead">{intro.lead}</p>
                {more}
                <div class="actions">
                    <Press testid="stage-begin" on_press=on_begin>{begin}</Press>
                </div>
            </div>
        </div>
    }
}

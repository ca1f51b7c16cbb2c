//! The screen before a stage: what is coming, and that the dials now act otherwise.

use std::sync::Arc;

use domain::model::ModelFacts;
use leptos::prelude::*;

use super::StageFacts;
use crate::runtime::decoders::Decoders;
use crate::text::text;
use crate::ui::parts::{Heading, Press};
use crate::ui::thumbnail::Thumbnail;

/// The words of a task before one of its stages.
#[derive(Debug, Clone, PartialEq)]
pub struct Intro {
    /// The heading.
    pub heading: &'static str,
    /// The lead: what is coming.
    pub lead: String,
    /// The words below the lead: how many questions, and how quickly to work.
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

/// The model's picture at `z`: where the model is loaded, and quick enough to be drawn by the page.
pub(super) fn preview(facts: &ModelFacts, z: &[f64], decoders: &Decoders) -> Option<AnyView> {
    let decoder = decoders.decoder(facts).filter(|it| !it.uses_worker())?;
    let mut values = Vec::new();
    if !decoder.on_page().at(z, &mut values) {
        return None;
    }
    let (facts, values) = (Arc::new(facts.clone()), Arc::new(values));
    let picture = view! { <Thumbnail facts values=Signal::stored(values)/> };
    Some(view! { <div class="intro-picture">{picture}</div> }.into_any())
}

/// The introduction of a stage.
#[component]
pub fn StageIntroScreen(
    /// The stage.
    stage: StageFacts,
    /// The words of its task.
    intro: Intro,
    /// About how long the study still takes; absent where nobody was told.
    minutes_left: Option<usize>,
    /// A picture of what comes, where one is at hand that gives nothing away.
    picture: Option<AnyView>,
    /// The participant is ready.
    on_begin: Callback<()>,
) -> impl IntoView {
    let words = &text().stage_intro;
    let position = (!stage.practice).then(|| words.position(stage.number, stage.count));
    let left = minutes_left.map(|minutes| text().progress.about(minutes));
    let place = [position, left].into_iter().flatten();
    let place = place
        .map(|said| view! { <span>{said}</span> })
        .collect_view();
    let more = intro.more.map(|more| view! { <p>{more}</p> });
    view! {
        <div class="screen notice" data-screen="stage-intro">
            <div class="card">
                <p class="eyebrow place">{place}</p>
                <Heading words=intro.heading/>
                <p class="lead">{intro.lead}</p>
                {more}
                {picture}
                <div class="actions">
                    <Press testid="stage-begin" on_press=on_begin>{text().ways.start()}</Press>
                </div>
            </div>
        </div>
    }
}

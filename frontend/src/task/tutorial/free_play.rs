//! The tutorial of any task that has none of its own: the dials, and what ends the questions.

use std::sync::Arc;

use domain::model::ModelFacts;
use domain::task::reconstruction::Stop;
use leptos::prelude::*;

use super::TutorialParts;
use super::play_box::{PlayBox, Shows};
use super::steps::{Steps, a_break, endings};
use crate::state::{LocalDecode, Persistence};
use crate::text::text;
use crate::ui::parts::Heading;

/// Number of steps.
const STEPS: usize = 2;

/// The tutorial.
pub fn free_play(parts: TutorialParts) -> AnyView {
    let TutorialParts {
        facts,
        decode,
        keeping,
        first,
        on_step,
        on_done,
        ..
    } = parts;
    let step = move |step| self::step(step, &facts, decode, keeping);
    view! { <Steps count=STEPS first on_step step on_done/> }.into_any()
}

fn step(
    step: usize,
    facts: &Arc<ModelFacts>,
    decode: LocalDecode,
    keeping: Persistence,
) -> AnyView {
    let words = &text().tutorial;
    match step {
        0 => dials(facts.clone(), decode),
        _ => view! {
            <Heading words=words.end_heading()/>
            {endings([
                (words.end_free_title(), words.end_free()),
                a_break(keeping),
            ])}
        }
        .into_any(),
    }
}

/// The first step of a tutorial with dials: they are tried without a target.
pub fn dials(facts: Arc<ModelFacts>, decode: LocalDecode) -> AnyView {
    let words = &text().tutorial;
    view! {
        <Heading words=words.dials_heading()/>
        <p>{words.dials_body()}</p>
        <PlayBox facts decode shows=Shows::Picture stop=Stop::AtThreshold bar=false/>
        <p class="muted small">{words.dials_keys()}</p>
    }
    .into_any()
}

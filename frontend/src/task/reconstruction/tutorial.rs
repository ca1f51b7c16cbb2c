//! The tutorial of interactive reconstruction.

use std::sync::Arc;

use domain::model::ModelFacts;
use domain::task::TaskPlan;
use domain::task::reconstruction::Stop;
use leptos::prelude::*;

use crate::state::{LocalDecode, Persistence};
use crate::task::tutorial::{PlayBox, Shows, Steps, TutorialParts, a_break, dials, endings};
use crate::text::text;
use crate::ui::parts::Heading;

/// Number of steps.
const STEPS: usize = 4;

/// The tutorial.
pub fn tutorial(parts: TutorialParts) -> AnyView {
    let TutorialParts {
        facts,
        decode,
        stage,
        keeping,
        first,
        on_step,
        on_done,
    } = parts;
    // As in the questions that follow.
    let (stop, bar) = match stage {
        Some(TaskPlan::Reconstruction(plan)) => (plan.stop, plan.show_alignment),
        _ => (Stop::AtThreshold, true),
    };
    let step = move |step| self::step(step, &facts, decode, stop, bar, keeping);
    view! { <Steps count=STEPS first on_step step on_done/> }.into_any()
}

fn step(
    step: usize,
    facts: &Arc<ModelFacts>,
    decode: LocalDecode,
    stop: Stop,
    bar: bool,
    keeping: Persistence,
) -> AnyView {
    let words = &text().tutorial;
    let facts = facts.clone();
    match step {
        0 => dials(facts, decode),
        1 => view! {
            <Heading words=words.target_heading()/>
            <p>
                {words.target_body()}" "
                // The bar's words say that it ends a question.
                {if bar && stop == Stop::AtThreshold { words.target_bar() } else { words.target_try() }}
            </p>
            <PlayBox facts decode shows=Shows::Target stop bar/>
        }
        .into_any(),
        2 => view! {
            <Heading words=words.together_heading()/>
            <p>{words.together_body()}" "{words.together_try()}</p>
            <PlayBox facts decode shows=Shows::TargetAndSwitch stop bar/>
        }
        .into_any(),
        _ => view! {
            <Heading words=words.end_heading()/>
            {endings(match stop {
                Stop::AtThreshold => [
                    (words.end_matched_title(), words.end_matched()),
                    (words.end_skip_title(), words.end_skip()),
                    a_break(keeping),
                ],
                Stop::Declared => [
                    (words.end_done_title(), words.end_done()),
                    (words.end_give_up_title(), words.end_give_up()),
                    a_break(keeping),
                ],
            })}
        }
        .into_any(),
    }
}

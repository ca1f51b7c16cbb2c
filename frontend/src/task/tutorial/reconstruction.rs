//! The tutorial of interactive reconstruction, and the shorter one of free play.

use std::sync::Arc;

use domain::model::ModelFacts;
use domain::task::reconstruction::Stop;
use leptos::prelude::*;

use super::play_box::{PlayBox, Shows};
use super::steps::{a_break, endings};
use crate::state::{Keeping, LocalDecode};
use crate::text::text;
use crate::ui::parts::Heading;

/// Number of steps of interactive reconstruction.
pub const STEPS: usize = 4;

/// Number of steps of free play.
pub const FREE_STEPS: usize = 2;

/// A step of interactive reconstruction.
pub fn step(
    step: usize,
    facts: &Arc<ModelFacts>,
    decode: LocalDecode,
    stop: Stop,
    bar: bool,
    keeping: Keeping,
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

/// A step of free play.
pub fn free_step(
    step: usize,
    facts: &Arc<ModelFacts>,
    decode: LocalDecode,
    keeping: Keeping,
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

fn dials(facts: Arc<ModelFacts>, decode: LocalDecode) -> AnyView {
    let words = &text().tutorial;
    view! {
        <Heading words=words.dials_heading()/>
        <p>{words.dials_body()}</p>
        <PlayBox facts decode shows=Shows::Picture stop=Stop::AtThreshold bar=false/>
        <p class="muted small">{words.dials_keys()}</p>
    }
    .into_any()
}

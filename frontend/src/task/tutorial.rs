//! Tutorials: a few short steps with something to play with, one tutorial for each task.

mod play_box;
mod reconstruction;
mod single_dimension;
mod steps;

use std::sync::Arc;

use domain::model::ModelFacts;
use domain::task::TaskKind;
use domain::task::single_dimension::Visualisation;
use leptos::prelude::*;

use crate::state::LocalDecode;
use steps::Steps;

/// The tutorial of a task, played with any model; it keeps what is played to itself.
#[component]
pub fn TutorialScreen(
    /// The task.
    task: TaskKind,
    /// The model to play with.
    facts: ModelFacts,
    /// Its decoder.
    decode: LocalDecode,
    /// How dials are explained in the single-dimension task.
    visualisation: Visualisation,
    /// The last step was read.
    on_done: Callback<()>,
) -> impl IntoView {
    let facts = Arc::new(facts);
    match task {
        TaskKind::Reconstruction => {
            let step = move |step| reconstruction::step(step, &facts, decode);
            view! { <Steps count=reconstruction::STEPS step on_done/> }
        }
        TaskKind::SingleDimension => {
            let step = move |step| single_dimension::step(step, &facts, decode, visualisation);
            view! { <Steps count=single_dimension::STEPS step on_done/> }
        }
        // Free play is the tutorial of any task that has none of its own.
        _ => {
            let step = move |step| reconstruction::free_step(step, &facts, decode);
            view! { <Steps count=reconstruction::FREE_STEPS step on_done/> }
        }
    }
}

//! Tutorials: a few short steps with something to play with, one tutorial for each task.

mod play_box;
mod reconstruction;
mod single_dimension;
mod steps;

use std::sync::Arc;

use domain::model::ModelFacts;
use domain::task::TaskPlan;
use domain::task::reconstruction::Stop;
use domain::task::single_dimension::Visualisation;
use leptos::prelude::*;

use crate::state::{Keeping, LocalDecode};
use steps::Steps;

/// What a tutorial is made from; it keeps what is played to itself.
pub struct TutorialParts {
    /// The model to play with, any one.
    pub facts: Arc<ModelFacts>,
    /// Its decoder.
    pub decode: LocalDecode,
    /// The first stage of the same task, whose questions the tutorial explains.
    pub stage: Option<TaskPlan>,
    /// What the browser keeps.
    pub keeping: Keeping,
    /// The step at which the participant was before the page was left, from 0.
    pub first: usize,
    /// Another step is shown.
    pub on_step: Callback<usize>,
    /// The last step was read.
    pub on_done: Callback<()>,
}

/// The tutorial of any task that has none of its own.
pub(super) fn free_play(parts: TutorialParts) -> AnyView {
    let TutorialParts {
        facts,
        decode,
        keeping,
        first,
        on_step,
        on_done,
        ..
    } = parts;
    let step = move |step| reconstruction::free_step(step, &facts, decode, keeping);
    view! { <Steps count=reconstruction::FREE_STEPS first on_step step on_done/> }.into_any()
}

/// The tutorial of interactive reconstruction.
pub(super) fn reconstruction(parts: TutorialParts) -> AnyView {
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
    let step = move |step| reconstruction::step(step, &facts, decode, stop, bar, keeping);
    view! { <Steps count=reconstruction::STEPS first on_step step on_done/> }.into_any()
}

/// The tutorial of the single-dimension task.
pub(super) fn single_dimension(parts: TutorialParts) -> AnyView {
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
    let visualisation = match stage {
        Some(TaskPlan::SingleDimension(plan)) => plan.visualisation,
        _ => Visualisation::Traversals,
    };
    let step = move |step| single_dimension::step(step, &facts, decode, visualisation, keeping);
    view! { <Steps count=single_dimension::STEPS first on_step step on_done/> }.into_any()
}

//! Tutorials: a few short steps with something to play with. A task that has one of its own keeps it in
//! its own folder.

mod free_play;
mod play_box;
mod steps;

use std::sync::Arc;

use domain::model::ModelFacts;
use domain::task::TaskPlan;
use leptos::prelude::Callback;

use crate::state::{LocalDecode, Persistence};

pub(super) use free_play::{dials, free_play};
pub(super) use play_box::{PlayBox, Shows};
pub(super) use steps::{Steps, a_break, endings};

/// The parts that a tutorial is made from; it keeps what is played to itself.
pub struct TutorialParts {
    /// The model to play with, any one.
    pub facts: Arc<ModelFacts>,
    /// Its decoder.
    pub decode: LocalDecode,
    /// The first stage of the same task, whose questions the tutorial explains.
    pub stage: Option<TaskPlan>,
    /// The part of the session that the browser keeps.
    pub keeping: Persistence,
    /// The step at which the participant was before the page was left, from 0.
    pub first: usize,
    /// Another step is shown.
    pub on_step: Callback<usize>,
    /// The last step was read.
    pub on_done: Callback<()>,
}

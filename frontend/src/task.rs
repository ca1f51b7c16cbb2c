//! Each task as people see it: its questions, the words before its stages, its tutorial.
//! Signals in, callbacks out.

pub mod concept_naming;
pub mod exploration;
mod intro;
pub mod reconstruction;
pub mod single_dimension;
pub mod tutorial;

use domain::session::Session;
use domain::session::event::QuestionRef;
use domain::session::flow::StageLimit;
use domain::task::{TaskKind, TaskPlan};
use leptos::prelude::*;

use crate::runtime::current::CurrentSession;
use crate::runtime::decoders::Decoders;
use crate::runtime::sizes;
use crate::runtime::task::Displayed;
use crate::ui::dials::THUMB_WIDTH_PX;
use crate::ui::progress::SessionPlace;
pub use intro::{Intro, StageIntroScreen};
pub use tutorial::TutorialParts;

/// The screens of a task.
pub trait TaskScreens {
    /// The question on display; none if the session has left it.
    fn question(&self, question: &OnDisplay<'_>) -> Option<AnyView>;

    /// The frame of its picture as a question of this stage lays it out, as HTML without content, from which its
    /// size is measured; none if the window does not decide it.
    fn size_probe(&self, _plan: &TaskPlan) -> Option<String> {
        None
    }

    /// The words before a stage.
    fn intro(&self, stage: &StageFacts, plan: &TaskPlan) -> Intro;

    /// A picture of what comes, to be shown before a stage: one that gives nothing away, and only if it
    /// is at hand. None, unless the task has such a picture.
    fn preview(&self, _plan: &TaskPlan, _decoders: &Decoders) -> Option<AnyView> {
        None
    }

    /// The tutorial: free play, unless the task has one of its own.
    fn tutorial(&self, parts: TutorialParts) -> AnyView {
        tutorial::free_play(parts)
    }
}

/// From a task to what people see of it.
#[must_use]
pub fn screens(task: TaskKind) -> &'static dyn TaskScreens {
    match task {
        TaskKind::Reconstruction => &reconstruction::Screens,
        TaskKind::SingleDimension => &single_dimension::Screens,
        TaskKind::Exploration => &exploration::Screens,
        TaskKind::ConceptNaming => &concept_naming::Screens,
    }
}

/// The question on display.
pub struct OnDisplay<'a> {
    /// Where the callbacks report to.
    pub session: CurrentSession,
    /// Where the question is on screen now.
    pub display: &'a dyn Displayed,
    /// Which question it is.
    pub at: QuestionRef,
    /// The task's part of its stage.
    pub plan: &'a TaskPlan,
    /// Where it stands in its session.
    pub place: SessionPlace,
}

/// The facts of a stage that are said before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageFacts {
    /// Number of the stage from 1, practice not counted.
    pub number: usize,
    /// How many stages there are, practice not counted.
    pub count: usize,
    /// Whether the stage is practice.
    pub practice: bool,
    /// How many questions it has.
    pub questions: usize,
    /// Whether the stage before it was about the same model.
    pub same_model: bool,
    /// When it ends at the latest.
    pub limit: Option<StageLimit>,
}

impl StageFacts {
    /// Of the stage with this index; none if there is no such stage.
    #[must_use]
    pub fn of(session: &Session, index: usize) -> Option<Self> {
        let stages = &session.plan().stages;
        let stage = stages.get(index)?;
        let place = session.place_of(index)?;
        let before = index.checked_sub(1).and_then(|before| stages.get(before));
        Some(Self {
            number: place.number,
            count: place.count,
            practice: stage.practice,
            questions: place.questions,
            same_model: before.is_some_and(|it| {
                it.task.model().is_some() && it.task.model() == stage.task.model()
            }),
            limit: stage.limit,
        })
    }
}

/// The screen of a question. On a page that follows the session, `session` is none, and nobody is
/// told anything.
#[must_use]
pub fn question_view(
    display: &dyn Displayed,
    session: CurrentSession,
    at: QuestionRef,
) -> Option<AnyView> {
    let (plan, place) = {
        let shown = display.session();
        let place = place(&shown, at, display.app().minutes_left.into())?;
        (shown.shared_plan(), place)
    };
    let stage = plan.stages.get(at.stage)?;
    if session.get().is_some() {
        sizes::watch(session, at, THUMB_WIDTH_PX);
    }
    screens(stage.task.task()).question(&OnDisplay {
        session,
        display,
        at,
        plan: &stage.task,
        place,
    })
}

fn place(
    session: &Session,
    at: QuestionRef,
    minutes_left: Signal<Option<u64>>,
) -> Option<SessionPlace> {
    let facts = StageFacts::of(session, at.stage)?;
    Some(SessionPlace {
        stage_number: facts.number,
        stage_count: facts.count,
        question_number: session.number_of(at),
        question_count: facts.questions,
        practice: facts.practice,
        minutes_left,
    })
}

//! Tasks: what a participant is asked to do with a model.
//!
//! Each task is one module and implements [`Task`]. The list at the end of this
//! file is the only place that enumerates them: it makes the types that hold any
//! task's settings, plan, answer key, events, state and measures.

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::clock::QuestionClock;
use crate::common::event_text::EventText;
use crate::model::evidence::Verification;
use crate::model::instance::InstanceId;
use crate::model::{ModelFacts, ModelSource};
use crate::movement::Movement;

#[macro_use]
mod list;

#[cfg(feature = "check")]
pub mod check;
pub mod draw;
pub mod exploration;
pub mod person;
pub mod reconstruction;
pub mod record;
pub mod single_dimension;
pub mod tables;

use draw::{DrawContext, DrawError};
use tables::Table;

pub use record::{Outcome, QuestionRecord};

/// Longest note that is kept, of a participant or an experimenter, in characters.
pub const MAX_NOTE: usize = 5_000;

/// What a task is and does. Everything that Redial knows of a task stands behind this.
pub trait Task {
    /// Whether answers are right or wrong, so that rules can count them.
    const HAS_RIGHT_ANSWERS: bool;
    /// Whether only the answer key says what is right, so that pages ask for a [`Verdict`].
    const HAS_VERDICTS: bool;

    /// What a study's author sets.
    type Settings;
    /// What the participant's browser is given for one stage: no answers.
    type Plan;
    /// What the browser must not know about one question.
    type Key;
    /// What can happen in a question.
    type Event;
    /// One question, as far as it has gone: everything that its screen shows.
    type State;
    /// What is measured of one question.
    type Measures;

    /// Names of the models the settings refer to.
    fn models(settings: &Self::Settings) -> Vec<&str>;

    /// Number of questions that a stage of these settings has, whoever draws it; 0 where its model
    /// is not known.
    fn questions_of(settings: &Self::Settings, models: &dyn ModelSource) -> usize;

    /// What is wrong with the settings.
    #[cfg(feature = "check")]
    fn check(settings: &Self::Settings, context: &mut check::TaskCheck<'_>);

    /// Draws one stage: its plan, and the key of each question.
    ///
    /// # Errors
    /// When a model is missing or broken, or cannot give such a question.
    fn draw(
        settings: &Self::Settings,
        context: &DrawContext<'_>,
        rng: &mut dyn Rng,
    ) -> Result<(Self::Plan, Vec<Self::Key>), DrawError>;

    /// The model of a stage.
    fn model(plan: &Self::Plan) -> &ModelFacts;

    /// Number of questions in a stage.
    fn question_count(plan: &Self::Plan) -> usize;

    /// The instance that a question's screen shows and that is not decoded in the browser.
    fn instance(plan: &Self::Plan, question: usize) -> Option<&InstanceId>;

    /// How a question's active time is counted.
    fn active_time(_plan: &Self::Plan) -> crate::clock::ActiveTimeSetting {
        crate::clock::ActiveTimeSetting::default()
    }

    /// A question that is coming on screen; `before` is the stage's last one.
    fn start(plan: &Self::Plan, question: usize, before: Option<&Self::State>) -> Self::State;

    /// Takes in an event, or leaves the state as it was and says why not.
    ///
    /// # Errors
    /// A [`TaskRefusal`].
    fn apply(
        plan: &Self::Plan,
        state: &mut Self::State,
        now: &Now<'_>,
        event: &Self::Event,
    ) -> Result<Step, TaskRefusal>;

    /// What is measured of a question as far as it has gone. With its key, what
    /// depends on the answer is measured, too.
    fn measures(
        plan: &Self::Plan,
        key: Option<&Self::Key>,
        state: &Self::State,
        clock: &QuestionClock,
        verdict: Option<Verdict>,
    ) -> Self::Measures;

    /// Whether a question may be given up at a moment.
    fn can_skip(_plan: &Self::Plan, _clock: &QuestionClock, _now_ms: u64) -> bool {
        false
    }

    /// The name that the participant gave to a dial.
    fn dial_name(_state: &Self::State, _dimension: usize) -> Option<&str> {
        None
    }

    /// The movement of dials that an event tells of, if it tells of one.
    fn movement(_event: &Self::Event) -> Option<&Movement> {
        None
    }

    /// The text in an event, and how long it may be; `None` where it has none.
    fn text(event: &Self::Event) -> Option<EventText<'_>>;

    /// What the participant typed in their own words in an event.
    fn typed_text(_event: &mut Self::Event) -> Option<&mut String> {
        None
    }

    /// How far the dials were slid, in slider widths; `None` for a task without dials.
    fn slide_distance(_measures: &Self::Measures) -> Option<f64> {
        None
    }

    /// Whether a question's answer was right: known at once, only to who has the
    /// key or a verdict, or not a question of right and wrong at all (`None`).
    fn is_right(measures: &Self::Measures, outcome: Option<Outcome>) -> Option<bool>;

    /// The verdict on an answered question; `None` for a task without one.
    fn verdict(_key: &Self::Key, _state: &Self::State) -> Option<Verdict> {
        None
    }

    /// What a simulated participant does next in a question: events, each with the milliseconds
    /// that pass before it. They are valid, and asked for again until the question leaves the
    /// screen. None: the participant closes the page. People who know what is asked of them
    /// ([`Strategy::KnowsDimensions`](crate::task::person::Strategy)) know the key.
    fn simulate(
        plan: &Self::Plan,
        key: Option<&Self::Key>,
        question: usize,
        state: &Self::State,
        now: &Now<'_>,
        simulation: &SimulationContext<'_>,
        rng: &mut dyn Rng,
    ) -> Vec<(u64, Self::Event)>;

    /// Compares what was drawn, and what a page reported in a question, with what the
    /// models decode. Each event comes with its number in the participant's log.
    fn verify(
        plan: &Self::Plan,
        key: &Self::Key,
        question: usize,
        events: &[(u64, &Self::Event)],
        verification: &mut Verification<'_>,
    );

    /// The tables that an export has of this task.
    fn tables() -> Vec<Table>;
}

/// When an event happens, and in which question.
#[derive(Debug, Clone, Copy)]
pub struct Now<'a> {
    /// The event's time, in milliseconds since the session's start.
    pub at_ms: u64,
    /// The question's clock, which has not taken in this event.
    pub clock: &'a QuestionClock,
    /// How the question ended, if it has.
    pub outcome: Option<Outcome>,
    /// The server's verdict on the answer, if the page has received it.
    pub verdict: Option<Verdict>,
}

impl Now<'_> {
    /// Milliseconds since the question started.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        self.at_ms.saturating_sub(self.clock.started_at_ms())
    }
}

/// What an event came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// When the participant did something; absent if they did not.
    pub activity_at_ms: Option<u64>,
    /// How the question ended, if it did with this event. Its clock stands from now on.
    pub ended: Option<Outcome>,
    /// Whether the question leaves the screen.
    pub left: bool,
}

impl Step {
    /// Nothing but an activity.
    #[must_use]
    pub fn activity(at_ms: u64) -> Self {
        Self {
            activity_at_ms: Some(at_ms),
            ..Self::default()
        }
    }

    /// The question is over; it stays on screen.
    #[must_use]
    pub fn ended(outcome: Outcome) -> Self {
        Self {
            ended: Some(outcome),
            ..Self::default()
        }
    }

    /// The question leaves the screen.
    #[must_use]
    pub fn left() -> Self {
        Self {
            left: true,
            ..Self::default()
        }
    }
}

/// Why a task refused an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskRefusal {
    /// It has no place in the question's present state.
    #[error("'{event}' cannot happen now")]
    NotNow {
        /// The event.
        event: &'static str,
    },
    /// It contradicts the plan or what happened before.
    #[error("'{event}' cannot be right: {why}")]
    Impossible {
        /// The event.
        event: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// It belongs to another task.
    #[error("it belongs to another task")]
    WrongTask,
}

/// The right answer to a question, told once the server holds the participant's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// 0-based index of the right option.
    pub option: usize,
    /// Whether it is the one that was chosen.
    pub right: bool,
}

/// Who a simulated participant is.
#[derive(Clone, Copy)]
pub struct SimulationContext<'a> {
    /// Whether the question is practice.
    pub practice: bool,
    /// Somebody who sees what models decode and takes a person's time; absent: valid events
    /// that are made up, for tests of whatever takes logs in.
    pub person: Option<&'a crate::task::person::SimulatedPerson>,
    /// Of what is made up: movements before the one that ends a question.
    pub movements: usize,
}

/// An event of one of the tasks.
pub trait OfTask: Into<TaskEvent> {}

tasks! {
    /// Turn the dials until the picture matches a target.
    Reconstruction => reconstruction,
    /// Say whether a dimension of a given picture is low, medium or high.
    SingleDimension => single_dimension,
    /// Play with a model's dials, without a target.
    Exploration => exploration,
}

//! Tasks: what a participant is asked to do with a model.
//!
//! Each task is one module and implements [`Task`]: what it asks, and what it contributes to inclusion
//! rules, signs of automation and analyses. The list at the end of this file is the only place that
//! enumerates them: it makes the types that hold any task's settings, plan, answer key, events, state
//! and measures.

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::clock::QuestionClock;
use crate::common::event_text::EventText;
use crate::model::evidence::Verification;
use crate::model::instance::InstanceId;
use crate::model::{ModelFacts, ModelSource};
use crate::movement::{Movement, MovementMeasures, Overshoot};

#[macro_use]
mod list;

#[cfg(feature = "check")]
pub mod check;
pub mod concept_naming;
mod details;
pub mod draw;
pub mod exploration;
mod metric;
pub mod person;
mod posed;
pub mod reconstruction;
pub mod record;
pub mod single_dimension;
mod step;
pub mod tables;

use draw::{DrawContext, DrawError};
use tables::Table;

pub use details::{NamingDetails, QuestionDetails, TermGroup};
pub use metric::Metric;
pub use posed::Posed;
pub use record::{Outcome, QuestionRecord};
pub use step::{Now, Step, TaskRefusal, Verdict};

/// Longest note that is kept, of a participant or an experimenter, in characters.
pub const MAX_NOTE: usize = 5_000;

/// A task: its types and its behaviour. Everything that Redial knows of a task stands behind this.
pub trait Task {
    /// Its place in the list.
    const KIND: TaskKind;
    /// Whether answers are right or wrong, so that rules can count them.
    const HAS_RIGHT_ANSWERS: bool;
    /// Whether only the answer key says what is right, so that pages ask for a [`Verdict`].
    const HAS_VERDICTS: bool;
    /// Whether each of its stages is about a model, which can be played with in a tutorial.
    const IS_ABOUT_A_MODEL: bool = true;
    /// The metrics that this task alone gives. Questions of a task with a completion rate can be solved.
    const METRICS: &'static [Metric];

    /// The settings that a study's author chooses.
    type Settings;
    /// The plan of one stage, as the participant's browser gets it: no answers.
    type Plan;
    /// The answer key of one question, which the browser must not know.
    type Key;
    /// An event that can happen in a question.
    type Event;
    /// One question, as far as it has gone: everything that its screen shows.
    type State;
    /// The measures of one question.
    type Measures;

    /// Names of the models the settings refer to; none for a task without a model.
    fn models(settings: &Self::Settings) -> Vec<&str>;

    /// Names of what its questions can be about ([`subject`](Self::subject)): the models, where
    /// there are some.
    fn subjects(settings: &Self::Settings) -> Vec<&str> {
        Self::models(settings)
    }

    /// Number of questions that a stage of these settings has, whoever draws it; 0 where its model
    /// is not known.
    fn questions_of(settings: &Self::Settings, models: &dyn ModelSource) -> usize;

    /// How many questions a stage has, if everybody gets the same: of a task that says which question
    /// is which ([`item`](Self::item)).
    fn fixed_questions(_settings: &Self::Settings) -> Option<usize> {
        None
    }

    /// For how long at least pictures are kept back, in milliseconds, if they are.
    fn minimum_latency_ms(_settings: &Self::Settings) -> Option<u64> {
        None
    }

    /// Notes the mistakes in the settings.
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

    /// The model of a stage; `None` for a task without one.
    fn model(plan: &Self::Plan) -> Option<&ModelFacts>;

    /// The subject of a question of a stage: the name of its model, for a task that has one. With the
    /// question's key it may be known more exactly.
    fn subject<'a>(plan: &'a Self::Plan, key: Option<&'a Self::Key>) -> &'a str;

    /// Number of questions in a stage.
    fn question_count(plan: &Self::Plan) -> usize;

    /// The instances that a question's screen shows and that are not decoded in the browser, in the
    /// order in which its driver takes them.
    fn instances(plan: &Self::Plan, question: usize) -> Vec<&InstanceId>;

    /// A question as others may be asked it, too; `None` for a task whose questions have no start and target.
    fn posed(_plan: &Self::Plan, _question: usize) -> Option<Posed<'_>> {
        None
    }

    /// How a question's active time is counted.
    fn active_time(_plan: &Self::Plan) -> crate::clock::ActiveTimeSetting {
        crate::clock::ActiveTimeSetting::default()
    }

    /// ε: the distance that solves a question; `None` for a task without a distance.
    fn threshold(plan: &Self::Plan, _question: usize) -> Option<f64> {
        Self::model(plan).map(|model| model.threshold)
    }

    /// Seconds of active time before which nobody can skip, if there is such a time.
    fn skip_after_s(_plan: &Self::Plan) -> Option<f64> {
        None
    }

    /// Whether an analysis looks at the names that dials were given.
    fn dials_have_names(_plan: &Self::Plan) -> bool {
        false
    }

    /// Which question it is, in words that are the same for everybody who is asked the same.
    fn item(_plan: &Self::Plan, _key: &Self::Key, _question: usize) -> Option<String> {
        None
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

    /// The measures of a question as far as it has gone. With its key, measures that
    /// depend on the answer are taken, too.
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

    /// The dimensions that have a dial on screen, in the order of their dials; none for a task without dials.
    fn dials(_plan: &Self::Plan) -> Vec<usize> {
        Vec::new()
    }

    /// The name that the participant gave to a dial.
    fn dial_name(_state: &Self::State, _dimension: usize) -> Option<&str> {
        None
    }

    /// The movement of dials that an event tells of, if it tells of one.
    fn movement(_event: &Self::Event) -> Option<&Movement> {
        None
    }

    /// d(x, x′) where the movement of an event led, for a task with a target.
    fn distance(_event: &Self::Event) -> Option<f64> {
        None
    }

    /// Σ (x − x′)² where the movement of an event led, for a task with a target.
    fn squared_error(_event: &Self::Event) -> Option<f64> {
        None
    }

    /// The text in an event, and how long it may be; `None` where it has none.
    fn text(event: &Self::Event) -> Option<EventText<'_>>;

    /// The text that the participant typed in their own words in an event.
    fn typed_text(_event: &mut Self::Event) -> Option<&mut String> {
        None
    }

    /// How the dials were moved; `None` for a task without dials.
    fn movement_measures(_measures: &Self::Measures) -> Option<&MovementMeasures> {
        None
    }

    /// Whether each dial was moved once at most and none beyond its target, as by somebody who knows
    /// the solution; `None` where fewer than two dials were moved, and for a task without a target.
    fn is_direct(_measures: &Self::Measures) -> Option<bool> {
        None
    }

    /// The value of one of [`METRICS`](Self::METRICS); `None` where a question says nothing about it.
    /// Rates follow from how questions ended, and are not asked for.
    fn metric(_measures: &Self::Measures, _metric: Metric, _active_time_s: f64) -> Option<f64> {
        None
    }

    /// The details that an analysis takes from a question beside metrics.
    fn details(_measures: &Self::Measures) -> QuestionDetails {
        QuestionDetails::default()
    }

    /// Whether a question's answer was right: known at once, only to who has the
    /// key or a verdict, or not a question of right and wrong at all (`None`).
    fn is_right(measures: &Self::Measures, outcome: Option<Outcome>) -> Option<bool>;

    /// The verdict on an answered question; `None` for a task without one.
    fn verdict(_key: &Self::Key, _state: &Self::State) -> Option<Verdict> {
        None
    }

    /// The next events of a simulated participant in a question, each with the milliseconds
    /// that pass before it. They are valid, and asked for again until the question leaves the
    /// screen. None: the participant closes the page. People who know what is asked of them
    /// ([`Strategy::KnowsDimensions`](crate::task::person::Strategy)) know the key.
    fn simulate(it: &Simulated<'_, Self>, rng: &mut dyn Rng) -> Vec<(u64, Self::Event)>;

    /// When dials passed the target's values while they were slid; none in a task without a target.
    fn overshoots(_key: &Self::Key, _events: &[(u64, &Self::Event)]) -> Vec<Overshoot> {
        Vec::new()
    }

    /// Compares what was drawn, and what a page reported in a question, with what the
    /// models decode. Each event comes with its number in the participant's log.
    fn verify(
        plan: &Self::Plan,
        key: &Self::Key,
        question: usize,
        events: &[(u64, &Self::Event)],
        verification: &mut Verification<'_>,
    );

    /// Compares what one event of a question reported with what the model decodes; its number is that in the
    /// participant's log. No answer key is needed. Nothing is found in an event that reports nothing of a picture.
    fn verify_event(
        _plan: &Self::Plan,
        _question: usize,
        _seq: u64,
        _event: &Self::Event,
        _verification: &mut Verification<'_>,
    ) {
    }

    /// The tables that an export has of this task.
    fn tables() -> Vec<Table>;
}

/// The simulated participant of a question.
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

/// A question before a simulated participant.
pub struct Simulated<'a, T: Task + ?Sized> {
    /// The stage.
    pub plan: &'a T::Plan,
    /// The question's key, for who may know it.
    pub key: Option<&'a T::Key>,
    /// Its index in the stage.
    pub question: usize,
    /// How far it has gone.
    pub state: &'a T::State,
    /// When.
    pub now: &'a Now<'a>,
    /// Who.
    pub simulation: &'a SimulationContext<'a>,
}

/// An event of one of the tasks.
pub trait OfTask: Into<TaskEvent> {}

// The dollar is for a macro that the list makes.
tasks! { $
    /// Turn the dials until the picture matches a target.
    Reconstruction => reconstruction,
    /// Say whether a dimension of a given picture is low, medium or high.
    SingleDimension => single_dimension,
    /// Play with a model's dials, without a target.
    Exploration => exploration,
    /// Name what is highlighted in samples of a concept.
    ConceptNaming => concept_naming,
}

mod any;

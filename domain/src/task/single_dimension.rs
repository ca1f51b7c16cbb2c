//! The single-dimension task: say whether a dimension of a given picture is low,
//! medium or high (of a discrete dimension: which value it has).
//!
//! The baseline of Ross et al. (CHI 2021), section 4.2. The question's picture
//! arrives as an instance, since its z_i is the answer; the examples beside it are
//! decoded in the browser.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::{
    Metric, Now, Outcome, QuestionDetails, Simulated, Step, Task, TaskKind, TaskRefusal, Verdict,
};
use crate::clock::QuestionClock;
use crate::common::event_text::EventText;
use crate::model::evidence::Verification;
use crate::model::instance::InstanceId;
use crate::model::{ModelFacts, ModelSource};
use crate::task::draw::{DrawContext, DrawError};
use crate::task::tables::Table;

#[cfg(feature = "check")]
mod check;
mod draw;
mod examples;
mod options;
mod settings;
mod simulate;
mod state;
mod tables;
mod verify;

pub use examples::{
    EXEMPLARS_PER_BIN, Example, ExampleSet, TRAVERSAL_ROWS, TRAVERSAL_STEPS, examples,
};
pub use options::{Options, RANGES};
pub use settings::{Item, Settings, Visualisation};
pub use state::{Measures, State};

/// Format version of this task's events.
pub const EVENT_FORMAT: u16 = 1;

/// Number of points of the two items after the choice.
pub const LIKERT_POINTS: u8 = 5;

/// The stage, as the participant's browser gets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Plan {
    /// The model, pinned as it was when the session started.
    pub model: ModelFacts,
    /// How dimensions are explained.
    pub visualisation: Visualisation,
    /// Whether the right answer is shown after each question.
    pub feedback: bool,
    /// Latent vectors that examples are made from. None of them is a question's.
    pub pool: Vec<Vec<f64>>,
    /// The questions, in order.
    pub questions: Vec<QuestionPlan>,
}

/// One question as the participant's browser gets it: without the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct QuestionPlan {
    /// The dimension asked about, from 0.
    pub dimension: usize,
    /// What the participant calls it: the k-th dimension shown is dial k, from 1.
    pub dial: usize,
    /// What there is to choose from.
    pub options: Options,
    /// The name of x, the picture asked about.
    pub instance: InstanceId,
    /// Seed of the examples.
    pub seed: u32,
}

/// What the browser must not know about one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Key {
    /// Latent vector of the picture.
    pub z: Vec<f64>,
    /// The right option, from 0.
    pub option: usize,
}

crate::json::tagged! {
    "event";
    /// What can happen in a question.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum Event {
        /// *Show more examples*: another set took the place of the one before.
        MoreExamplesShown {
            /// Number of the set, from 1; the one that a question opens with is 0.
            set: u32,
        },
        /// An option was chosen; it can still be changed.
        Chosen {
            /// The option, from 0.
            option: usize,
        },
        /// *Continue*: the choice is final, and the two items are answered.
        Answered {
            /// The option, from 0.
            option: usize,
            /// "I'm confident I'm right": 1 (strongly disagree) to 5 (strongly agree).
            confidence: u8,
            /// "The dial makes sense": 1 to 5.
            understanding: u8,
        },
        /// The participant went on.
        MovedOn {
            /// Whether the right answer had been shown. It is not where the stage shows none,
            /// or the server was out of reach.
            with_feedback: bool,
        },
    }
}

logged!(Event);

crate::json::named!(Event::name: MoreExamplesShown, Chosen, Answered, MovedOn);

/// The task.
#[derive(Debug, Clone, Copy)]
pub struct SingleDimension;

impl Task for SingleDimension {
    const KIND: TaskKind = TaskKind::SingleDimension;
    const HAS_RIGHT_ANSWERS: bool = true;
    const HAS_VERDICTS: bool = true;
    const METRICS: &'static [Metric] = &[
        Metric::CorrectRate,
        Metric::Confidence,
        Metric::Understanding,
    ];

    every_task!();
    about_a_model!();

    fn questions_of(settings: &Settings, models: &dyn ModelSource) -> usize {
        let all = || {
            models
                .facts(&settings.model)
                .map_or(0, |facts| facts.latent.len())
        };
        match settings.items.len() {
            0 => {
                let dimensions = settings.dimensions.as_ref().map_or_else(all, Vec::len);
                dimensions * settings.questions_per_dimension as usize
            }
            given => given,
        }
    }

    #[cfg(feature = "check")]
    fn check(settings: &Settings, context: &mut crate::task::check::TaskCheck<'_>) {
        check::check(settings, context);
    }

    fn draw(
        settings: &Settings,
        context: &DrawContext<'_>,
        rng: &mut dyn Rng,
    ) -> Result<(Plan, Vec<Key>), DrawError> {
        draw::draw(settings, context, rng)
    }

    fn question_count(plan: &Plan) -> usize {
        plan.questions.len()
    }

    fn instances(plan: &Plan, question: usize) -> Vec<&InstanceId> {
        let asked = plan.questions.get(question);
        asked.map(|asked| &asked.instance).into_iter().collect()
    }

    fn start(_plan: &Plan, question: usize, _before: Option<&State>) -> State {
        State::start(question)
    }

    fn measures(
        plan: &Plan,
        key: Option<&Key>,
        state: &State,
        _clock: &QuestionClock,
        verdict: Option<Verdict>,
    ) -> Measures {
        state.measures(plan, key, verdict)
    }

    fn text(event: &Event) -> Option<EventText<'_>> {
        match event {
            Event::MoreExamplesShown { set: _ }
            | Event::Chosen { option: _ }
            | Event::Answered {
                option: _,
                confidence: _,
                understanding: _,
            }
            | Event::MovedOn { with_feedback: _ } => None,
        }
    }

    fn metric(measures: &Measures, metric: Metric, _active_time_s: f64) -> Option<f64> {
        match metric {
            Metric::Confidence => measures.confidence.map(f64::from),
            Metric::Understanding => measures.understanding.map(f64::from),
            _ => None,
        }
    }

    fn details(measures: &Measures) -> QuestionDetails {
        QuestionDetails {
            dimension: Some(measures.dimension),
            options: Some(measures.options),
            ..QuestionDetails::default()
        }
    }

    fn is_right(measures: &Measures, _outcome: Option<Outcome>) -> Option<bool> {
        measures.right
    }

    fn verdict(key: &Key, state: &State) -> Option<Verdict> {
        Some(Verdict {
            option: key.option,
            right: state.answer()?.option == key.option,
        })
    }

    fn verify(
        plan: &Plan,
        key: &Key,
        question: usize,
        _events: &[(u64, &Event)],
        verification: &mut Verification<'_>,
    ) {
        verify::verify(plan, key, question, verification);
    }

    fn tables() -> Vec<Table> {
        tables::tables()
    }
}

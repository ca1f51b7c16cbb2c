//! Concept naming: samples of a concept with the concept highlighted, and terms to name it with.
//!
//! The naming study of Wang et al. (BotCL, CVPR 2023, supplement 4.1). The plan holds vocabulary and
//! samples; which bundle a concept is from, and so whether it was learnt, marked by people or drawn at
//! random, stands in the key alone.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::{
    MAX_NOTE, Metric, Now, Outcome, QuestionDetails, Simulated, Step, Task, TaskKind, TaskRefusal,
    Verdict,
};
use crate::clock::QuestionClock;
use crate::common::event_text::EventText;
use crate::concepts::{ConceptKind, HighlightDisplay, PictureShape, Vocabulary};
use crate::model::evidence::Verification;
use crate::model::instance::InstanceId;
use crate::model::{ModelFacts, ModelSource};
use crate::task::draw::{DrawContext, DrawError};
use crate::task::tables::Table;

mod answer;
#[cfg(feature = "check")]
mod check;
mod draw;
mod measures;
pub mod play;
mod settings;
mod simulate;
mod state;
mod tables;
mod verify;

pub use answer::{Answer, Choice, Missing};
pub use measures::Measures;
pub use settings::{ConceptOrder, Explanation, Settings};
pub use state::State;

/// Format version of this task's events.
pub const EVENT_FORMAT: u16 = 1;

/// The stage, as the participant's browser gets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Plan {
    /// The terms, in the participant's language.
    pub vocabulary: Vocabulary,
    /// Where highlights are drawn.
    pub display: HighlightDisplay,
    /// A place is highlighted where its map is above this.
    pub highlight_above: f64,
    /// Shape of each picture.
    pub shape: PictureShape,
    /// Number of samples of each concept.
    pub samples: usize,
    /// The example that can be opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<ExamplePlan>,
    /// Whether an explanation is asked for.
    pub explanation: Explanation,
    /// The questions, in order.
    pub questions: Vec<QuestionPlan>,
}

/// A concept with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct ExamplePlan {
    /// The name of its samples.
    pub sheet: InstanceId,
    /// The term of each group, from 0; `None` where there is none.
    pub terms: Vec<Option<usize>>,
    /// Why these, in the participant's language.
    pub explanation: String,
}

/// One question as the participant's browser gets it: samples, and nothing of where they come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct QuestionPlan {
    /// The name of the samples ([`Sheet`](crate::concepts::Sheet)).
    pub sheet: InstanceId,
}

/// What the browser must not know about one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Key {
    /// Name of the bundle.
    pub bundle: String,
    /// SHA-256 over all files of the bundle.
    pub bundle_sha256: String,
    /// Where its concepts come from.
    pub concept_kind: ConceptKind,
    /// Name of the concept.
    pub concept: String,
    /// What its maker says that it shows: the term of each group, from 0. Empty where nobody says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<Option<usize>>,
}

crate::json::tagged! {
    "event";
    /// What can happen in a question.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum Event {
        /// The answer was changed: a term chosen, *None of them* ticked, a second set begun or given up.
        Changed(Choice),
        /// A sample was enlarged.
        SampleEnlarged {
            /// Which one, from 0.
            sample: usize,
        },
        /// The enlarged sample was closed.
        SampleClosed,
        /// The definitions of a group's terms were opened.
        DefinitionsOpened {
            /// Which group, from 0.
            group: usize,
        },
        /// The worked example was opened.
        ExampleOpened,
        /// The explanation, all of it as it stands now.
        ExplanationWritten {
            /// At most [`MAX_NOTE`](crate::task::MAX_NOTE) characters.
            text: String,
        },
        /// *Continue*: the answer is final.
        Finished,
    }
}

logged!(Event);

crate::json::named!(
    Event::name: Changed,
    SampleEnlarged,
    SampleClosed,
    DefinitionsOpened,
    ExampleOpened,
    ExplanationWritten,
    Finished
);

/// The task.
#[derive(Debug, Clone, Copy)]
pub struct ConceptNaming;

impl Task for ConceptNaming {
    const KIND: TaskKind = TaskKind::ConceptNaming;
    const HAS_RIGHT_ANSWERS: bool = false;
    const HAS_VERDICTS: bool = false;
    const IS_ABOUT_A_MODEL: bool = false;
    const METRICS: &'static [Metric] = &[Metric::NamingRate];

    every_task!();

    fn models(_settings: &Settings) -> Vec<&str> {
        Vec::new()
    }

    fn subjects(settings: &Settings) -> Vec<&str> {
        settings.concepts.iter().map(String::as_str).collect()
    }

    fn questions_of(settings: &Settings, models: &dyn ModelSource) -> usize {
        let of_bundle = |bundle: &String| {
            let card = models.concepts().and_then(|source| source.card(bundle));
            settings.taken(card.map_or(0, |card| card.concepts.len()))
        };
        settings.concepts.iter().map(of_bundle).sum()
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

    fn model(_plan: &Plan) -> Option<&ModelFacts> {
        None
    }

    fn subject<'a>(plan: &'a Plan, key: Option<&'a Key>) -> &'a str {
        key.map_or(&plan.vocabulary.name, |key| &key.bundle)
    }

    fn question_count(plan: &Plan) -> usize {
        plan.questions.len()
    }

    fn instances(plan: &Plan, question: usize) -> Vec<&InstanceId> {
        let asked = plan.questions.get(question).map(|asked| &asked.sheet);
        let example = plan.example.as_ref().map(|example| &example.sheet);
        asked.into_iter().chain(example).collect()
    }

    fn item(_plan: &Plan, key: &Key, _question: usize) -> Option<String> {
        Some(format!("{} {}", key.bundle, key.concept))
    }

    fn start(plan: &Plan, question: usize, _before: Option<&State>) -> State {
        State::start(plan, question)
    }

    fn measures(
        plan: &Plan,
        key: Option<&Key>,
        state: &State,
        _clock: &QuestionClock,
        _verdict: Option<Verdict>,
    ) -> Measures {
        Measures::of(plan, key, state)
    }

    fn text(event: &Event) -> Option<EventText<'_>> {
        match event {
            Event::ExplanationWritten { text } => Some(EventText::new("text", text, MAX_NOTE)),
            _ => None,
        }
    }

    fn typed_text(event: &mut Event) -> Option<&mut String> {
        match event {
            Event::ExplanationWritten { text } => Some(text),
            _ => None,
        }
    }

    fn metric(measures: &Measures, metric: Metric, _active_time_s: f64) -> Option<f64> {
        match metric {
            Metric::NamingRate => measures.named.map(|named| f64::from(u8::from(named))),
            _ => None,
        }
    }

    fn details(measures: &Measures) -> QuestionDetails {
        QuestionDetails {
            naming: measures.details(),
            ..QuestionDetails::default()
        }
    }

    fn is_right(_measures: &Measures, _outcome: Option<Outcome>) -> Option<bool> {
        None
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

//! Interactive reconstruction: turn the dials until the picture matches a target.
//!
//! The task of Ross et al. (CHI 2021), section 3: start z and target z′ are drawn
//! independently; the participant sees x = g(z) and x′ = g(z′) and moves z until
//! d(x, x′) ≤ ε.

use rand::Rng;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::{
    Metric, Now, Outcome, Posed, QuestionDetails, Simulated, Step, Task, TaskKind, TaskRefusal,
    Verdict,
};
use crate::clock::{ActiveTimeRule, ActiveTimeSetting, INACTIVE_AFTER_MS, QuestionClock};
use crate::common::event_text::EventText;
use crate::json::Object;
use crate::model::evidence::Verification;
use crate::model::instance::InstanceId;
use crate::model::{Arrangement, ModelFacts, ModelSource};
use crate::movement::{Movement, MovementMeasures, Overshoot};
use crate::task::draw::{DrawContext, DrawError};
use crate::task::tables::Table;

#[cfg(feature = "check")]
mod check;
mod deviation;
mod draw;
mod measures;
pub mod play;
mod settings;
mod simulate;
mod state;
mod tables;
mod turns;
mod verify;

pub use self::measures::Measures;
pub use self::simulate::approach;
pub use settings::{
    Feedforward, HiddenAt, Item, ListOrder, SameForAll, Settings, ShownDials, SkipPolicy, StartAt,
    Stop, ThresholdByTarget,
};
pub use state::State;

/// Format version of this task's events.
pub const EVENT_FORMAT: u16 = 1;

/// Longest name a dial can be given, in characters.
pub const MAX_DIAL_NAME: usize = 60;

crate::json::tagged! {
    "kind";
    /// When a question may be skipped.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum SkipRule {
        /// Not at all: practice must be solved.
        Never,
        /// At any time: lab sessions.
        Always,
        /// Once the active time passes T.
        AfterActive {
            /// T in seconds.
            seconds: f64,
        },
    }
}

/// One stage, as the participant's browser gets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct Plan {
    /// The model, pinned as it was when the session started; threshold and
    /// arrangement already are the study's where it sets them.
    pub model: ModelFacts,
    /// When a question may be skipped.
    pub skip: SkipRule,
    /// What ends a question.
    #[serde(default)]
    pub stop: Stop,
    /// Whether the bar with the alignment is shown.
    #[serde(default = "crate::common::defaults::yes")]
    pub show_alignment: bool,
    /// What participants see of where a dial would lead.
    #[serde(default)]
    pub feedforward: Feedforward,
    /// No picture is shown sooner than so many milliseconds after its input.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub minimum_latency_ms: u64,
    /// The dimensions that are shown, in the order of their dials; empty: all, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dials: Vec<usize>,
    /// Whether there is a button that undoes the last movement.
    #[serde(default)]
    pub undo: bool,
    /// Whether there is a button that puts the dials to random places.
    #[serde(default)]
    pub randomise: bool,
    /// Whether the arrangement that a participant chose is kept for later questions.
    pub keep_arrangement: bool,
    /// Whether dials can be renamed.
    pub rename_dials: bool,
    /// The rule for the active time.
    pub active_time: ActiveTimeRule,
    /// The limit of inactivity that it counts by, in milliseconds.
    #[serde(default = "inactive_after_ms")]
    pub inactive_after_ms: u64,
    /// The questions, in order.
    pub questions: Vec<QuestionPlan>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn inactive_after_ms() -> u64 {
    INACTIVE_AFTER_MS
}

impl Plan {
    /// The dimensions that are shown, in the order of their dials.
    #[must_use]
    pub fn shown(&self) -> Vec<usize> {
        if self.dials.is_empty() {
            (0..self.model.latent.len()).collect()
        } else {
            self.dials.clone()
        }
    }

    /// ε of a question.
    #[must_use]
    pub fn threshold(&self, question: usize) -> f64 {
        let own = self.questions.get(question).and_then(|it| it.threshold);
        own.unwrap_or(self.model.threshold)
    }

    /// The model as a question has it: with the question's own threshold.
    #[must_use]
    pub fn model_of(&self, question: usize) -> ModelFacts {
        ModelFacts {
            threshold: self.threshold(question),
            ..self.model.clone()
        }
    }
}

/// One question as the participant's browser gets it: the target is an instance,
/// never a latent vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct QuestionPlan {
    /// z the dials start at.
    pub start: Vec<f64>,
    /// The name of x′, the picture to match.
    pub target: InstanceId,
    /// ε of this question; absent: the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
}

/// What the browser must not know about one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Key {
    /// z′, the latent vector of the target.
    pub target: Vec<f64>,
}

/// How a picture compares with the target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureComparison {
    /// d(x, x′).
    pub distance: f64,
    /// Σ (x − x′)².
    pub squared_error: f64,
}

/// The state of a question at one moment. x is g(z), so it is not stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// Where the dials stand.
    #[serde(flatten)]
    pub movement: Movement,
    /// d(x, x′), in [0, 1].
    pub distance: f64,
    /// Σ (x − x′)².
    pub squared_error: f64,
}

impl<'de> Deserialize<'de> for Snapshot {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let mut fields = Object::of(reader)?;
        let error = D::Error::custom;
        Ok(Self {
            distance: fields.take("distance").map_err(error)?,
            squared_error: fields.take("squared_error").map_err(error)?,
            movement: fields.rest().map_err(error)?,
        })
    }
}

crate::json::tagged! {
    "event";
    /// What can happen in a question.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum Event {
        /// The state of the question.
        Snapshot(Snapshot),
        /// Pointer or keyboard were used without moving a dial. Only pages of event
        /// format 1 logged this; today an activity is what does something.
        Activity,
        /// Picture and target were put apart or over each other.
        DisplaySwitched {
            /// The new arrangement.
            arrangement: Arrangement,
        },
        /// A dial was given a name.
        DialRenamed {
            /// 0-based index of the dimension.
            dimension: usize,
            /// The new name, at most [`MAX_DIAL_NAME`] characters.
            name: String,
        },
        /// The threshold was reached; the dials are locked and the question's clock stands.
        Solved,
        /// The participant declared the question done; what comes next follows.
        Done,
        /// The participant gave the question up; what comes next follows.
        Skipped,
        /// The participant went on from a solved question.
        MovedOn,
    }
}

logged!(Event);

crate::json::named!(Event::name:
    Snapshot, Activity, DisplaySwitched, DialRenamed, Solved, Done, Skipped, MovedOn
);

/// The task.
#[derive(Debug, Clone, Copy)]
pub struct Reconstruction;

impl Task for Reconstruction {
    const KIND: TaskKind = TaskKind::Reconstruction;
    const HAS_RIGHT_ANSWERS: bool = true;
    const HAS_VERDICTS: bool = false;
    const METRICS: &'static [Metric] = &[
        Metric::CompletionRate,
        Metric::CompletionRateWithCut,
        Metric::SlideDistance,
        Metric::ErrorAuc,
        Metric::ErrorAucPresent,
        Metric::ErrorAucChange,
        Metric::Passes,
        Metric::MonotoneShare,
        Metric::ReversalsPerS,
        Metric::FirstImprovementS,
    ];

    every_task!();
    about_a_model!();

    fn questions_of(settings: &Settings, _models: &dyn ModelSource) -> usize {
        match settings.items.len() {
            0 => settings.questions.unwrap_or(0) as usize,
            given => given,
        }
    }

    fn fixed_questions(settings: &Settings) -> Option<usize> {
        match settings.items.len() {
            0 => settings
                .questions
                .filter(|_| settings.same_for_all.is_some())
                .map(|count| count as usize),
            given => Some(given),
        }
    }

    fn minimum_latency_ms(settings: &Settings) -> Option<u64> {
        settings.minimum_latency_ms
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
        asked.map(|asked| &asked.target).into_iter().collect()
    }

    fn posed(plan: &Plan, question: usize) -> Option<Posed<'_>> {
        let QuestionPlan { start, target, .. } = plan.questions.get(question)?;
        Some(Posed {
            model: &plan.model,
            start,
            target,
        })
    }

    fn active_time(plan: &Plan) -> ActiveTimeSetting {
        ActiveTimeSetting {
            rule: plan.active_time,
            inactive_after_ms: plan.inactive_after_ms,
        }
    }

    fn threshold(plan: &Plan, question: usize) -> Option<f64> {
        Some(plan.threshold(question))
    }

    fn skip_after_s(plan: &Plan) -> Option<f64> {
        match plan.skip {
            SkipRule::AfterActive { seconds } => Some(seconds),
            SkipRule::Never | SkipRule::Always => None,
        }
    }

    fn dials_have_names(plan: &Plan) -> bool {
        plan.rename_dials
    }

    fn item(plan: &Plan, key: &Key, question: usize) -> Option<String> {
        let (model, start) = (&plan.model.name, &plan.questions.get(question)?.start);
        Some(format!("{model} {start:?} {:?}", key.target))
    }

    fn start(plan: &Plan, question: usize, before: Option<&State>) -> State {
        State::start(plan, question, before)
    }

    fn measures(
        _plan: &Plan,
        key: Option<&Key>,
        state: &State,
        clock: &QuestionClock,
        _verdict: Option<Verdict>,
    ) -> Measures {
        state.measures(key, clock)
    }

    fn can_skip(plan: &Plan, clock: &QuestionClock, now_ms: u64) -> bool {
        State::can_skip(plan, clock, now_ms)
    }

    fn dials(plan: &Plan) -> Vec<usize> {
        plan.shown()
    }

    fn dial_name(state: &State, dimension: usize) -> Option<&str> {
        state.dial_name(dimension)
    }

    fn movement(event: &Event) -> Option<&Movement> {
        match event {
            Event::Snapshot(snapshot) => Some(&snapshot.movement),
            _ => None,
        }
    }

    fn distance(event: &Event) -> Option<f64> {
        match event {
            Event::Snapshot(snapshot) => Some(snapshot.distance),
            _ => None,
        }
    }

    fn squared_error(event: &Event) -> Option<f64> {
        match event {
            Event::Snapshot(snapshot) => Some(snapshot.squared_error),
            _ => None,
        }
    }

    fn text(event: &Event) -> Option<EventText<'_>> {
        match event {
            Event::DialRenamed { dimension: _, name } => {
                Some(EventText::new("name", name, MAX_DIAL_NAME))
            }
            Event::Snapshot(_)
            | Event::Activity
            | Event::DisplaySwitched { arrangement: _ }
            | Event::Solved
            | Event::Done
            | Event::Skipped
            | Event::MovedOn => None,
        }
    }

    fn typed_text(event: &mut Event) -> Option<&mut String> {
        match event {
            Event::DialRenamed { name, .. } => Some(name),
            _ => None,
        }
    }

    fn movement_measures(measures: &Measures) -> Option<&MovementMeasures> {
        Some(&measures.movement)
    }

    fn is_direct(measures: &Measures) -> Option<bool> {
        measures.is_direct()
    }

    fn metric(measures: &Measures, metric: Metric, active_time_s: f64) -> Option<f64> {
        measures.metric(metric, active_time_s)
    }

    fn details(measures: &Measures) -> QuestionDetails {
        QuestionDetails {
            first_touched: measures.movement.first_touched.clone(),
            ..QuestionDetails::default()
        }
    }

    fn is_right(_measures: &Measures, outcome: Option<Outcome>) -> Option<bool> {
        outcome.map(|outcome| outcome == Outcome::Solved)
    }

    fn overshoots(key: &Key, events: &[(u64, &Event)]) -> Vec<Overshoot> {
        let movements = events.iter().filter_map(|(_, event)| Self::movement(event));
        turns::overshoots(movements, &key.target)
    }

    fn verify(
        plan: &Plan,
        key: &Key,
        question: usize,
        events: &[(u64, &Event)],
        verification: &mut Verification<'_>,
    ) {
        verify::verify(plan, key, question, events, verification);
    }

    fn verify_event(
        plan: &Plan,
        question: usize,
        seq: u64,
        event: &Event,
        verification: &mut Verification<'_>,
    ) {
        verify::verify_event(plan, question, seq, event, verification);
    }

    fn tables() -> Vec<Table> {
        tables::tables()
    }
}

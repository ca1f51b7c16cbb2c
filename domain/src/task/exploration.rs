//! Exploration: free play with a model's dials, without a target.
//!
//! For demonstrations and for warming up to think aloud: dials can be named, and
//! notes taken.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::reconstruction::MAX_DIAL_NAME;
use super::{
    MAX_NOTE, Metric, Now, Outcome, Simulated, Step, Task, TaskKind, TaskRefusal, Verdict,
};
use crate::clock::QuestionClock;
use crate::common::event_text::EventText;
use crate::model::evidence::Verification;
use crate::model::instance::InstanceId;
use crate::model::{ModelFacts, ModelSource};
use crate::movement::{Movement, MovementMeasures};
use crate::task::draw::{DrawContext, DrawError};
use crate::task::tables::Table;

mod simulate;
mod state;

pub use state::{Measures, State};

/// Format version of this task's events.
pub const EVENT_FORMAT: u16 = 1;

/// What a study's author sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Name of the model: a folder of the zoo, or of `--models`.
    pub model: String,
    /// z the dials start at; absent: it is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Vec<f64>>,
    /// Whether participants can rename dials.
    #[serde(default = "crate::common::defaults::yes")]
    pub rename_dials: bool,
    /// Whether there is a place for notes.
    #[serde(default = "crate::common::defaults::yes")]
    pub notes: bool,
}

/// The stage, as the participant's browser gets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Plan {
    /// The model, pinned as it was when the session started.
    pub model: ModelFacts,
    /// z the dials start at.
    pub start: Vec<f64>,
    /// Whether dials can be renamed.
    pub rename_dials: bool,
    /// Whether there is a place for notes.
    pub notes: bool,
}

/// There is nothing to hide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Key {}

crate::json::tagged! {
    "event";
    /// What can happen.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum Event {
        /// Where the dials stand.
        Moved(Movement),
        /// A dial was given a name.
        DialRenamed {
            /// 0-based index of the dimension.
            dimension: usize,
            /// The new name, at most [`MAX_DIAL_NAME`](super::reconstruction::MAX_DIAL_NAME) characters.
            name: String,
        },
        /// The participant's notes, all of them as they stand now.
        NotesWritten {
            /// At most [`MAX_NOTE`](super::MAX_NOTE) characters.
            text: String,
        },
        /// The participant is done.
        Finished,
    }
}

logged!(Event);

crate::json::named!(Event::name: Moved, DialRenamed, NotesWritten, Finished);

/// The task.
#[derive(Debug, Clone, Copy)]
pub struct Exploration;

impl Task for Exploration {
    const KIND: TaskKind = TaskKind::Exploration;
    const HAS_RIGHT_ANSWERS: bool = false;
    const HAS_VERDICTS: bool = false;
    const METRICS: &'static [Metric] = &[];

    every_task!();
    about_a_model!();

    fn questions_of(_settings: &Settings, _models: &dyn ModelSource) -> usize {
        1
    }

    #[cfg(feature = "check")]
    fn check(settings: &Settings, context: &mut crate::task::check::TaskCheck<'_>) {
        let model = context.model("model", &settings.model);
        if let (Some(model), Some(start)) = (model, &settings.start)
            && let Err(error) = model.latent.validate(start)
        {
            context.problem("start", format!("{start:?}"), error.to_string());
        }
    }

    fn draw(
        settings: &Settings,
        context: &DrawContext<'_>,
        rng: &mut dyn Rng,
    ) -> Result<(Plan, Vec<Key>), DrawError> {
        let model = context.facts(&settings.model)?.clone();
        let start = match &settings.start {
            Some(start) => start.clone(),
            None => context.sample(&settings.model, rng)?,
        };
        let start = model
            .latent
            .snap(&start)
            .map_err(|error| DrawError::Latent {
                model: model.name.clone(),
                error,
            })?;
        let plan = Plan {
            model,
            start,
            rename_dials: settings.rename_dials,
            notes: settings.notes,
        };
        Ok((plan, vec![Key {}]))
    }

    fn question_count(_plan: &Plan) -> usize {
        1
    }

    fn instances(_plan: &Plan, _question: usize) -> Vec<&InstanceId> {
        Vec::new()
    }

    fn start(plan: &Plan, _question: usize, _before: Option<&State>) -> State {
        State::start(plan)
    }

    fn measures(
        _plan: &Plan,
        _key: Option<&Key>,
        state: &State,
        _clock: &QuestionClock,
        _verdict: Option<Verdict>,
    ) -> Measures {
        state.measures()
    }

    fn dials(plan: &Plan) -> Vec<usize> {
        (0..plan.model.latent.len()).collect()
    }

    fn dial_name(state: &State, dimension: usize) -> Option<&str> {
        state.dial_name(dimension)
    }

    fn movement(event: &Event) -> Option<&Movement> {
        match event {
            Event::Moved(movement) => Some(movement),
            _ => None,
        }
    }

    fn text(event: &Event) -> Option<EventText<'_>> {
        match event {
            Event::DialRenamed { dimension: _, name } => {
                Some(EventText::new("name", name, MAX_DIAL_NAME))
            }
            Event::NotesWritten { text } => Some(EventText::new("text", text, MAX_NOTE)),
            Event::Moved(_) | Event::Finished => None,
        }
    }

    fn typed_text(event: &mut Event) -> Option<&mut String> {
        match event {
            Event::DialRenamed { name: text, .. } | Event::NotesWritten { text } => Some(text),
            _ => None,
        }
    }

    fn movement_measures(measures: &Measures) -> Option<&MovementMeasures> {
        Some(&measures.movement)
    }

    fn is_right(_measures: &Measures, _outcome: Option<Outcome>) -> Option<bool> {
        None
    }

    fn verify(
        plan: &Plan,
        _key: &Key,
        _question: usize,
        events: &[(u64, &Event)],
        verification: &mut Verification<'_>,
    ) {
        let off_grid = |z: &[f64]| {
            let dials = plan.model.latent.dimensions().iter().zip(z);
            dials
                .into_iter()
                .any(|(dial, value)| dial.snap(*value) != *value)
        };
        for (seq, event) in events {
            if let Event::Moved(movement) = event
                && off_grid(&movement.z)
            {
                let problem = "a dial stands between two of its steps";
                verification.contradiction(Some(*seq), problem.into());
            }
        }
    }

    fn tables() -> Vec<Table> {
        state::tables()
    }
}

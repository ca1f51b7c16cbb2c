//! The record of a question: what every task has in common, and the task's own measures.

use serde::{Deserialize, Serialize};

use super::{TaskKind, TaskMeasures};
use crate::clock::{QuestionClock, seconds};
use crate::common::identifiers::QuestionRef;
use crate::common::sizes::SizesSeen;
use crate::movement::decode_times::DecodeTimes;

/// Format version of question records.
pub const RECORD_FORMAT: u16 = 2;

/// How a question ended. One that was begun and has no outcome was abandoned, or is
/// still on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The target was matched: d(x, x′) ≤ ε.
    Solved,
    /// It was given up.
    Skipped,
    /// It was declared done before the target was matched.
    Missed,
    /// A time limit cut it off.
    Cut,
    /// It was answered, rightly or wrongly.
    Answered,
    /// It was brought to its end, where there is no right or wrong.
    Finished,
}

crate::json::named!(Outcome: Solved, Skipped, Missed, Cut, Answered, Finished);

/// What is known about one question. For a question that has not ended
/// (`outcome` absent) everything counts up to its last event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct QuestionRecord {
    /// Format version of this record: [`RECORD_FORMAT`].
    pub format: u16,
    /// Which question.
    #[serde(flatten)]
    pub at: QuestionRef,
    /// Name of the stage.
    pub stage_id: String,
    /// Name of what it is about: the model, or of concepts the bundle that they are from, which only
    /// the answer key says.
    pub model: String,
    /// Whether it was practice.
    pub practice: bool,
    /// How it ended; absent while it has not.
    pub outcome: Option<Outcome>,
    /// When it started, in milliseconds since the session's start.
    pub started_at_ms: u64,
    /// Seconds from start to end: the paper's *response time*.
    pub response_time_s: f64,
    /// The part of it in which the participant was active, in seconds, by the plan's rule.
    pub active_time_s: f64,
    /// The part of it in which the page was hidden, closed or asleep, in seconds.
    pub away_s: f64,
    /// The part of it in which the session was paused by the experimenter, in seconds.
    pub paused_s: f64,
    /// How often the page was opened anew during the question.
    pub reloads: u64,
    /// How long its pictures took to be decoded, where the page told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decode_times: Option<DecodeTimes>,
    /// How large picture and sliders were, where the page told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<SizesSeen>,
    /// What the task measures.
    #[serde(flatten)]
    pub measures: TaskMeasures,
}

/// The place of the question, as a record says it.
#[derive(Debug, Clone, Copy)]
pub struct QuestionPlace<'a> {
    /// Which question.
    pub at: QuestionRef,
    /// Name of the stage.
    pub stage_id: &'a str,
    /// Name of what it is about, as in the record.
    pub model: &'a str,
    /// Whether it is practice.
    pub practice: bool,
}

impl QuestionRecord {
    /// Puts a record together.
    #[must_use]
    pub fn new(
        place: QuestionPlace<'_>,
        clock: &QuestionClock,
        outcome: Option<Outcome>,
        measures: TaskMeasures,
    ) -> Self {
        let (from_ms, to_ms) = (clock.started_at_ms(), clock.until_ms());
        Self {
            format: RECORD_FORMAT,
            at: place.at,
            stage_id: place.stage_id.to_owned(),
            model: place.model.to_owned(),
            practice: place.practice,
            outcome,
            started_at_ms: from_ms,
            response_time_s: seconds(to_ms.saturating_sub(from_ms)),
            active_time_s: seconds(clock.active_ms(to_ms)),
            away_s: seconds(clock.away_ms(from_ms, to_ms)),
            paused_s: seconds(clock.paused_ms(from_ms, to_ms)),
            reloads: clock.reloads(),
            decode_times: None,
            sizes: None,
            measures,
        }
    }

    /// Which task it was.
    #[must_use]
    pub fn task(&self) -> TaskKind {
        self.measures.task()
    }

    /// Whether the question has an answer that is right or wrong: one that was cut off has none.
    #[must_use]
    pub fn has_right_answer(&self) -> bool {
        self.task().has_right_answers() && self.outcome != Some(Outcome::Cut)
    }

    /// Whether the answer was right; absent where that is not known (here), or where
    /// there is no right and wrong.
    #[must_use]
    pub fn is_right(&self) -> Option<bool> {
        let answered = self.outcome.filter(|outcome| *outcome != Outcome::Cut);
        self.measures.is_right(answered)
    }
}

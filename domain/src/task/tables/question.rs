//! The columns that the tables of all tasks have in common.

use serde_json::{Value, json};

use super::QuestionRow;
use crate::common::table::ColumnType::{Boolean, Integer, Json, Number, Text};
use crate::common::table::{Field, field};
use crate::design::Levels;
use crate::model::ModelFacts;
use crate::movement::decode_times::DecodeTimes;
use crate::task::QuestionRecord;

/// What every row about a question can say.
#[derive(Debug, Clone)]
pub struct QuestionCells {
    /// Name of the session.
    pub session: String,
    /// SHA-256 of the study's definition.
    pub study_sha256: String,
    /// The levels of the factors that the question stands for: those of the session's cell and
    /// of the stage.
    pub levels: Levels,
    /// The model, as the plan pins it.
    pub model: ModelFacts,
    /// The question's record, measured with its key.
    pub record: QuestionRecord,
}

impl QuestionCells {
    /// Of one question.
    #[must_use]
    pub fn of(row: &QuestionRow<'_>) -> Self {
        let [cell, stage] = row.levels;
        let mut levels = cell.clone();
        levels.extend(stage.clone());
        Self {
            levels,
            session: row.session.0.clone(),
            study_sha256: row.study_sha256.to_owned(),
            model: row.task.model().clone(),
            record: row.record.clone(),
        }
    }
}

impl AsRef<Self> for QuestionCells {
    fn as_ref(&self) -> &Self {
        self
    }
}

const COUNT: &str = "0 and up";

/// Columns that say which question a row is about.
#[must_use]
pub fn place_fields<R: AsRef<QuestionCells>>() -> Vec<Field<R>> {
    vec![
        field(
            "session",
            Text,
            "",
            "any",
            "Name of the session; joins the tables",
            |r: &R| json!(r.as_ref().session),
        ),
        field(
            "stage",
            Integer,
            "",
            COUNT,
            "Position of the stage in this session's order, practice included, from 0",
            |r| json!(r.as_ref().record.at.stage),
        ),
        field(
            "stage_id",
            Text,
            "",
            "any",
            "Name of the stage in the study",
            |r| json!(r.as_ref().record.stage_id),
        ),
        field(
            "question",
            Integer,
            "",
            COUNT,
            "Position of the question in its stage, from 0",
            |r| json!(r.as_ref().record.at.question),
        ),
        field("model", Text, "", "any", "Name of the model", |r| {
            json!(r.as_ref().record.model)
        }),
    ]
}

/// Columns about the question as a whole: how it ended, and its times.
#[must_use]
pub fn question_fields<R: AsRef<QuestionCells>>() -> Vec<Field<R>> {
    let mut fields = place_fields();
    fields.extend([
        field(
            "levels",
            Json,
            "",
            "object",
            "Level of each factor of the study's design, between and within people",
            |r: &R| json!(r.as_ref().levels),
        ),
        field(
            "study_sha256",
            Text,
            "",
            "64 hex digits",
            "SHA-256 of the study file the session was started with",
            |r: &R| json!(r.as_ref().study_sha256),
        ),
        field(
            "weights_sha256",
            Text,
            "",
            "64 hex digits",
            "SHA-256 of the decoder's weights; empty for a closed form",
            |r| json!(r.as_ref().model.weights_sha256),
        ),
        field(
            "bundle_sha256",
            Text,
            "",
            "64 hex digits",
            "SHA-256 over all files of the model's bundle; empty for sessions of format 1",
            |r| json!(r.as_ref().model.bundle_sha256),
        ),
        field(
            "practice",
            Boolean,
            "",
            "true, false",
            "Whether it was practice, which is not scored",
            |r| json!(r.as_ref().record.practice),
        ),
        field(
            "outcome",
            Text,
            "",
            "solved, skipped, missed, cut, answered, finished, abandoned",
            "How it ended; abandoned if it was begun and had not ended at the time of the export",
            |r| {
                let outcome = r.as_ref().record.outcome;
                json!(outcome.map_or("abandoned", |outcome| outcome.name()))
            },
        ),
        field("started_at_ms", Integer, "ms", COUNT, "When it started, since the session's start", |r| {
            json!(r.as_ref().record.started_at_ms)
        }),
        field(
            "response_time_s",
            Number,
            "s",
            COUNT,
            "Time from start to end, time away and paused included; of an abandoned question up to its last event",
            |r| json!(r.as_ref().record.response_time_s),
        ),
        field(
            "active_time_s",
            Number,
            "s",
            COUNT,
            "Part of it in which the participant was active, by the rule that the manifest names",
            |r| json!(r.as_ref().record.active_time_s),
        ),
        field(
            "away_s",
            Number,
            "s",
            COUNT,
            "Part of it in which the page was hidden or closed, or the machine asleep",
            |r| json!(r.as_ref().record.away_s),
        ),
        field(
            "paused_s",
            Number,
            "s",
            COUNT,
            "Part of it in which the experimenter had paused the session",
            |r| json!(r.as_ref().record.paused_s),
        ),
        field(
            "reloads",
            Integer,
            "",
            COUNT,
            "How often the page was opened anew during the question",
            |r| json!(r.as_ref().record.reloads),
        ),
        field(
            "decodes",
            Integer,
            "",
            "1 and up",
            "How many pictures the page decoded for it, previews and examples included; empty where the page did not tell",
            |r| decode_times(r, |times| json!(times.decodes)),
        ),
        field(
            "decode_median_ms",
            Number,
            "ms",
            COUNT,
            "Median time that a picture took to be decoded on the participant's device, since the page was last opened",
            |r| decode_times(r, |times| json!(times.median_ms)),
        ),
        field(
            "decode_p95_ms",
            Number,
            "ms",
            COUNT,
            "95th percentile of the same",
            |r| decode_times(r, |times| json!(times.p95_ms)),
        ),
    ]);
    fields
}

fn decode_times<R: AsRef<QuestionCells>>(row: &R, value: fn(&DecodeTimes) -> Value) -> Value {
    let times = row.as_ref().record.decode_times.as_ref();
    times.map_or(Value::Null, value)
}

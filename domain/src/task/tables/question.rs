//! The columns that the tables of all tasks have in common.

use super::QuestionRow;
use crate::common::sizes::SizesSeen;
use crate::common::table::Field;
use crate::design::Levels;
use crate::fields;
use crate::model::ModelFacts;
use crate::movement::decode_times::DecodeTimes;
use crate::task::QuestionRecord;

/// The cells that every row about a question can have.
#[derive(Debug, Clone)]
pub struct QuestionCells {
    /// Name of the session.
    pub session: String,
    /// SHA-256 of the study's definition.
    pub study_sha256: String,
    /// The levels of the factors that the question stands for: those of the session's cell and
    /// of the stage.
    pub levels: Levels,
    /// The model, as the plan pins it; `None` for a task without one.
    pub model: Option<ModelFacts>,
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
            model: row.task.model().cloned(),
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
    fields! { |r: &R|
        "session": "Name of the session; joins the tables",
            Text, "", "any" => r.as_ref().session;
        "stage": "Position of the stage in this session's order, practice included, from 0",
            Integer, "", COUNT => r.as_ref().record.at.stage;
        "stage_id": "Name of the stage in the study",
            Text, "", "any" => r.as_ref().record.stage_id;
        "question": "Position of the question in its stage, from 0",
            Integer, "", COUNT => r.as_ref().record.at.question;
        "model": "Name of what it is about: the model, or the bundle of concepts",
            Text, "", "any" => r.as_ref().record.model;
    }
}

/// Columns about the question as a whole: how it ended, and its times.
#[must_use]
pub fn question_fields<R: AsRef<QuestionCells>>() -> Vec<Field<R>> {
    let mut fields = place_fields();
    fields.extend(fields! { |r: &R|
        "levels": "Level of each factor of the study's design, between and within people",
            Json, "", "object" => r.as_ref().levels;
        "study_sha256": "SHA-256 of the study file the session was started with",
            Text, "", "64 hex digits" => r.as_ref().study_sha256;
        "weights_sha256": "SHA-256 of the decoder's weights; empty for a closed form, or where there is no model",
            Text, "", "64 hex digits" => r.as_ref().model.as_ref().map_or("", |model| &model.weights_sha256);
        "bundle_sha256": "SHA-256 over all files of the model's bundle; empty for sessions of format 1, or where there is no model",
            Text, "", "64 hex digits" => r.as_ref().model.as_ref().map_or("", |model| &model.bundle_sha256);
        "practice": "Whether it was practice, which is not scored",
            Boolean, "", "true, false" => r.as_ref().record.practice;
        "outcome": "How it ended; abandoned if it was begun and had not ended at the time of the export",
            Text, "", "solved, skipped, missed, cut, answered, finished, abandoned" => r.as_ref().record.outcome.map_or("abandoned", |outcome| outcome.name());
        "started_at_ms": "When it started, since the session's start",
            Integer, "ms", COUNT => r.as_ref().record.started_at_ms;
        "response_time_s": "Time from start to end, time away and paused included; of an abandoned question up to its last event",
            Number, "s", COUNT => r.as_ref().record.response_time_s;
        "active_time_s": "Part of it in which the participant was active, by the rule that the manifest names",
            Number, "s", COUNT => r.as_ref().record.active_time_s;
        "away_s": "Part of it in which the page was hidden or closed, or the machine asleep",
            Number, "s", COUNT => r.as_ref().record.away_s;
        "paused_s": "Part of it in which the experimenter had paused the session",
            Number, "s", COUNT => r.as_ref().record.paused_s;
        "reloads": "How often the page was opened anew during the question",
            Integer, "", COUNT => r.as_ref().record.reloads;
        "decodes": "How many pictures the page decoded for it, previews and examples included; empty where the page did not tell",
            Integer, "", "1 and up" => decode_times(r).map(|times| times.decodes);
        "decode_median_ms": "Median time that a picture took to be decoded on the participant's device, since the page was last opened",
            Number, "ms", COUNT => decode_times(r).map(|times| times.median_ms);
        "decode_p95_ms": "95th percentile of the same",
            Number, "ms", COUNT => decode_times(r).map(|times| times.p95_ms);
        "picture_width_px": "Width of the picture when it came on screen: the participant's own, the one asked about, or a sample; empty where the page did not tell",
            Number, "CSS px", "above 0" => sizes(r).map(|seen| seen.first.picture_width_px);
        "picture_height_px": "Its height",
            Number, "CSS px", "above 0" => sizes(r).map(|seen| seen.first.picture_height_px);
        "slider_px": "Way of a slider's thumb from one end to the other when the question came on screen; empty without sliders",
            Number, "CSS px", "above 0" => sizes(r).and_then(|seen| seen.first.slider_px);
        "size_changes": "How often one of these sizes changed while the question was on screen, as when a device is turned; the events have the new ones",
            Integer, "", COUNT => sizes(r).map(|seen| seen.changes);
    });
    fields.extend(replay_fields());
    fields
}

/// The column with the link to where the question began.
#[must_use]
pub fn replay_fields<R: AsRef<QuestionCells>>() -> Vec<Field<R>> {
    fields! { |r: &R|
        "replay": "Where one watches the question in the researcher's area, from its beginning",
            Text, "", "address", link => r.as_ref().record.started_at_ms;
    }
}

fn sizes<R: AsRef<QuestionCells>>(row: &R) -> Option<&SizesSeen> {
    row.as_ref().record.sizes.as_ref()
}

fn decode_times<R: AsRef<QuestionCells>>(row: &R) -> Option<&DecodeTimes> {
    row.as_ref().record.decode_times.as_ref()
}

//! From questions to models: the paper's table 2.

use measures::statistics::{Description, describe};
use serde::{Deserialize, Serialize};

use crate::metrics::{Outcome, QuestionRecord};
use crate::questionnaire::{Answer, SEQ};
use crate::session::Session;

/// What one participant did with one model: means over the questions that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParticipantModel {
    /// Name of the stage.
    pub stage_id: String,
    /// Name of the model.
    pub model: String,
    /// Number of questions that ended.
    pub questions: usize,
    /// Share of them that were solved.
    pub completion_rate: f64,
    /// Mean seconds from start to end.
    pub response_time_s: f64,
    /// Mean slide distance, in slider widths.
    pub slide_distance: f64,
    /// Mean error AUC, undivided.
    pub error_auc: f64,
    /// Answer to the Single Ease Question, 1 to 7; absent if it was not given.
    pub difficulty: Option<f64>,
    /// Mean over the last half of the questions minus mean over the first, of the
    /// error AUC; an odd middle question is in neither. Absent for fewer than two.
    pub error_auc_change: Option<f64>,
}

/// Means of one session, by stage; practice and stages without an ended question are left out.
#[must_use]
pub fn by_model(session: &Session) -> Vec<ParticipantModel> {
    let plan = session.plan();
    let stages = plan
        .stages
        .iter()
        .enumerate()
        .filter(|(_, stage)| !stage.practice);
    stages
        .filter_map(|(index, stage)| {
            let ended: Vec<&QuestionRecord> = session
                .ended()
                .iter()
                .filter(|record| record.at.stage == index)
                .collect();
            let mean = |value: &dyn Fn(&QuestionRecord) -> f64| -> Option<f64> {
                describe(&ended.iter().map(|r| value(r)).collect::<Vec<_>>()).map(|d| d.mean)
            };
            let half = ended.len() / 2;
            let auc = |records: &[&QuestionRecord]| {
                describe(&records.iter().map(|r| r.error_auc).collect::<Vec<_>>()).map(|d| d.mean)
            };
            let first = ended.get(..half).and_then(auc);
            let last = ended.get(ended.len() - half..).and_then(auc);
            Some(ParticipantModel {
                stage_id: stage.id.clone(),
                model: stage.model.name.clone(),
                questions: ended.len(),
                completion_rate: mean(&|r| {
                    f64::from(u8::from(r.outcome == Some(Outcome::Solved)))
                })?,
                response_time_s: mean(&|r| r.response_time_s)?,
                slide_distance: mean(&|r| r.slide_distance)?,
                error_auc: mean(&|r| r.error_auc)?,
                difficulty: difficulty(session, index),
                error_auc_change: first.zip(last).map(|(first, last)| last - first),
            })
        })
        .collect()
}

fn difficulty(session: &Session, stage: usize) -> Option<f64> {
    let answered = session
        .answers()
        .iter()
        .find(|answered| answered.stage == Some(stage) && answered.questionnaire == SEQ)?;
    match answered.answers.get(SEQ)? {
        #[allow(clippy::cast_precision_loss)] // 1 to 7
        Answer::Number(n) => Some(*n as f64),
        _ => None,
    }
}

/// One row of table 2: each measure described over participants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRow {
    /// Name of the stage.
    pub stage_id: String,
    /// Name of the model.
    pub model: String,
    /// Number of participants with at least one ended question.
    pub participants: usize,
    /// Completion rate.
    pub completion_rate: Option<Description>,
    /// Response time in seconds.
    pub response_time_s: Option<Description>,
    /// Slide distance in slider widths.
    pub slide_distance: Option<Description>,
    /// Error AUC divided by 1000, as the paper prints it.
    pub error_auc_thousands: Option<Description>,
    /// Difficulty, 1 to 7.
    pub difficulty: Option<Description>,
}

/// Table 2 of the given participants, rows in order of stage name.
#[must_use]
pub fn table(participants: &[ParticipantModel]) -> Vec<ModelRow> {
    let mut stages: Vec<(&str, &str)> = participants
        .iter()
        .map(|p| (p.stage_id.as_str(), p.model.as_str()))
        .collect();
    stages.sort_unstable();
    stages.dedup();
    stages
        .into_iter()
        .map(|(stage_id, model)| {
            let of_stage: Vec<&ParticipantModel> = participants
                .iter()
                .filter(|p| p.stage_id == stage_id && p.model == model)
                .collect();
            let over = |value: &dyn Fn(&ParticipantModel) -> Option<f64>| {
                describe(&of_stage.iter().filter_map(|p| value(p)).collect::<Vec<_>>())
            };
            ModelRow {
                stage_id: stage_id.to_owned(),
                model: model.to_owned(),
                participants: of_stage.len(),
                completion_rate: over(&|p| Some(p.completion_rate)),
                response_time_s: over(&|p| Some(p.response_time_s)),
                slide_distance: over(&|p| Some(p.slide_distance)),
                error_auc_thousands: over(&|p| Some(p.error_auc / 1000.0)),
                difficulty: over(&|p| p.difficulty),
            }
        })
        .collect()
}

//! From questions to models: the paper's table 2.

use measures::statistics::{Description, describe};
use serde::{Deserialize, Serialize};

use crate::questionnaire::{Answer, SEQ};
use crate::session::Session;
use crate::task::reconstruction::Measures;
use crate::task::{Outcome, QuestionRecord, TaskMeasures};

/// What must be the same for sessions to stand in one row.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct RowKey {
    /// Name of the stage.
    pub stage_id: String,
    /// Name of the model.
    pub model: String,
    /// SHA-256 of the study's definition.
    pub study_sha256: String,
    /// SHA-256 of the model's weights; empty for a closed form.
    pub weights_sha256: String,
    /// Distance that solves a question.
    pub threshold: f64,
}

/// What one participant did in one stage of reconstruction: means over the questions that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageSummary {
    /// The row it belongs to.
    pub key: RowKey,
    /// Number of questions that ended.
    pub questions: usize,
    /// Number of them in which the participant was away for some time.
    pub questions_with_time_away: usize,
    /// Solved / (solved + skipped); absent if there is neither.
    pub completion_rate: Option<f64>,
    /// The same with questions that a time limit cut counted as not solved.
    pub completion_rate_with_cut: f64,
    /// Mean seconds from start to end.
    pub response_time_s: f64,
    /// Mean slide distance, in slider widths.
    pub slide_distance: f64,
    /// Mean error AUC, undivided.
    pub error_auc: f64,
    /// The same without the time away or paused.
    pub error_auc_present: f64,
    /// Answer to the Single Ease Question, 1 to 7; absent if it was not given.
    pub difficulty: Option<f64>,
    /// Learning: mean error AUC of the last ⌊(n − 1)/2⌋ questions minus that of the
    /// first ⌊(n − 1)/2⌋. Absent for n < 3.
    pub error_auc_change: Option<f64>,
}

/// Means of one session, by stage of reconstruction; practice and stages without an
/// ended question are left out.
#[must_use]
pub fn by_stage(session: &Session) -> Vec<StageSummary> {
    let records = session.ended();
    let plan = session.plan();
    let scored = plan.stages.iter().enumerate().filter(|(_, s)| !s.practice);
    scored
        .filter_map(|(index, stage)| {
            let ended: Vec<(&QuestionRecord, &Measures)> = records
                .iter()
                .filter(|record| record.at.stage == index)
                .filter_map(|record| match &record.measures {
                    TaskMeasures::Reconstruction(measures) => Some((record, measures)),
                    _ => None,
                })
                .collect();
            let mean = |of: &[(&QuestionRecord, &Measures)],
                        value: fn(&QuestionRecord, &Measures) -> f64| {
                let values: Vec<f64> = of.iter().map(|(r, m)| value(r, m)).collect();
                describe(&values).ok().map(|description| description.mean)
            };
            let count = |outcome| {
                ended
                    .iter()
                    .filter(|(r, _)| r.outcome == Some(outcome))
                    .count()
            };
            let model = stage.task.model();
            let (solved, skipped) = (count(Outcome::Solved), count(Outcome::Skipped));
            Some(StageSummary {
                key: RowKey {
                    stage_id: stage.id.clone(),
                    model: model.name.clone(),
                    study_sha256: plan.study_sha256.clone(),
                    weights_sha256: model.weights_sha256.clone(),
                    threshold: model.threshold,
                },
                questions: ended.len(),
                questions_with_time_away: ended.iter().filter(|(r, _)| r.away_s > 0.0).count(),
                completion_rate: share(solved, solved + skipped),
                completion_rate_with_cut: share(solved, ended.len())?,
                response_time_s: mean(&ended, |r, _| r.response_time_s)?,
                slide_distance: mean(&ended, |_, m| m.movement.slide_distance)?,
                error_auc: mean(&ended, |_, m| m.error_auc)?,
                error_auc_present: mean(&ended, |_, m| m.error_auc_present)?,
                difficulty: difficulty(session, index),
                error_auc_change: change(&ended, |of| mean(of, |_, m| m.error_auc)),
            })
        })
        .collect()
}

/// Mean of the last ⌊(n − 1)/2⌋ minus mean of the first; `None` below 3.
fn change<T>(all: &[T], mean: impl Fn(&[T]) -> Option<f64>) -> Option<f64> {
    let half = all.len().checked_sub(1)? / 2;
    let (first, last) = (all.get(..half)?, all.get(all.len() - half..)?);
    Some(mean(last)? - mean(first)?)
}

#[allow(clippy::cast_precision_loss)] // far fewer than 2^52 questions
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
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
    /// What its sessions have in common.
    pub key: RowKey,
    /// Number of participants with at least one ended question.
    pub participants: usize,
    /// Number of questions that ended.
    pub questions: usize,
    /// Number of them in which the participant was away for some time.
    pub questions_with_time_away: usize,
    /// Completion rate.
    pub completion_rate: Option<Description>,
    /// Completion rate with cut questions counted as not solved.
    pub completion_rate_with_cut: Option<Description>,
    /// Response time in seconds.
    pub response_time_s: Option<Description>,
    /// Slide distance in slider widths.
    pub slide_distance: Option<Description>,
    /// Error AUC divided by 1000, as the paper prints it.
    pub error_auc_thousands: Option<Description>,
    /// The same without the time away or paused.
    pub error_auc_present_thousands: Option<Description>,
    /// Difficulty, 1 to 7.
    pub difficulty: Option<Description>,
}

/// Table 2 of the given stages. Sessions of different study versions, weights or
/// thresholds stand in rows of their own, in order of stage name.
#[must_use]
pub fn table(stages: &[StageSummary]) -> Vec<ModelRow> {
    let mut keys: Vec<&RowKey> = Vec::new();
    for stage in stages {
        if !keys.contains(&&stage.key) {
            keys.push(&stage.key);
        }
    }
    keys.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    keys.into_iter()
        .map(|key| {
            let of_row: Vec<&StageSummary> = stages.iter().filter(|s| s.key == *key).collect();
            let over = |value: &dyn Fn(&StageSummary) -> Option<f64>| {
                describe(&of_row.iter().filter_map(|s| value(s)).collect::<Vec<_>>()).ok()
            };
            ModelRow {
                key: key.clone(),
                participants: of_row.len(),
                questions: of_row.iter().map(|s| s.questions).sum(),
                questions_with_time_away: of_row.iter().map(|s| s.questions_with_time_away).sum(),
                completion_rate: over(&|s| s.completion_rate),
                completion_rate_with_cut: over(&|s| Some(s.completion_rate_with_cut)),
                response_time_s: over(&|s| Some(s.response_time_s)),
                slide_distance: over(&|s| Some(s.slide_distance)),
                error_auc_thousands: over(&|s| Some(s.error_auc / 1000.0)),
                error_auc_present_thousands: over(&|s| Some(s.error_auc_present / 1000.0)),
                difficulty: over(&|s| s.difficulty),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ⌊(n − 1)/2⌋ questions at each end; numbers worked out by hand.
    #[test]
    fn learning_compares_the_two_ends_and_needs_three_questions() {
        let mean = |of: &[f64]| describe(of).ok().map(|d| d.mean);
        assert_eq!(change(&[], mean), None);
        assert_eq!(change(&[1.0, 2.0], mean), None);
        assert_eq!(change(&[4.0, 9.0, 1.0], mean), Some(-3.0));
        // The paper's seven: three, one in between, three.
        let seven = [6.0, 5.0, 4.0, 9.0, 3.0, 2.0, 1.0];
        assert_eq!(change(&seven, mean), Some(-3.0));
        // Of four, one at each end.
        assert_eq!(change(&[4.0, 8.0, 8.0, 1.0], mean), Some(-3.0));
    }
}

//! What one person did: a fold over one session.
//!
//! Longer than most files: one fold for each metric.

use domain::questionnaire::{Answer, SEQ};
use domain::session::{Phase, Session};
use domain::study::{ConditionsAre, Exclusion, Metric};
use domain::task::reconstruction::SkipRule;
use domain::task::{Outcome, TaskKind, TaskMeasures, TaskPlan};
use serde::{Deserialize, Serialize};

/// One scored question that was begun.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// How it ended; `None` if it was abandoned, or is still on screen.
    pub outcome: Option<Outcome>,
    /// Seconds from start to end.
    pub response_time_s: f64,
    /// Seconds of activity.
    pub active_time_s: f64,
    /// Seconds away.
    pub away_s: f64,
    /// Reconstruction: distance slid, in slider widths.
    pub slide_distance: Option<f64>,
    /// Reconstruction: error AUC.
    pub error_auc: Option<f64>,
    /// The same without time away or paused.
    pub error_auc_present: Option<f64>,
    /// Single dimension: whether the answer was right.
    pub right: Option<bool>,
    /// Single dimension: 1 to 5.
    pub confidence: Option<f64>,
    /// Single dimension: 1 to 5.
    pub understanding: Option<f64>,
}

/// One scored stage that a person was to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageData {
    /// Name of the stage.
    pub stage: String,
    /// Name of the model.
    pub model: String,
    /// SHA-256 of its weights; empty for a closed form.
    pub weights_sha256: String,
    /// Distance that solves a question.
    pub threshold: f64,
    /// The task.
    pub task: TaskKind,
    /// Seconds of active time before which nobody can skip, if there is such a time.
    pub skip_after_s: Option<f64>,
    /// The questions that were begun, in order.
    pub questions: Vec<Question>,
    /// Answer to the Single Ease Question about it.
    pub difficulty: Option<f64>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Person {
    /// Hash of the study as it was.
    pub study_sha256: String,
    /// Whether the session is complete.
    pub complete: bool,
    /// Whether the study's inclusion rules exclude it.
    #[serde(default)]
    pub excluded: bool,
    /// Whether it was completed late, when its cell was full.
    #[serde(default)]
    pub over_quota: bool,
    /// Whether a wrong answer marked it.
    pub marked: bool,
    /// The scored stages it was to go through, in this person's order.
    pub stages: Vec<StageData>,
}

impl Person {
    /// Folds a session. With its answer keys, right and wrong are known. What the log does not
    /// say (whether inclusion rules exclude it, whether it is over quota) is for the caller
    /// to set.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let plan = session.plan();
        let records = session.records();
        let stages = plan.stages.iter().enumerate().filter(|(_, s)| !s.practice);
        let stages = stages.map(|(index, stage)| {
            let model = stage.task.model();
            let of_stage = records.iter().filter(|record| record.at.stage == index);
            StageData {
                stage: stage.id.clone(),
                model: model.name.clone(),
                weights_sha256: model.weights_sha256.clone(),
                threshold: model.threshold,
                task: stage.task.task(),
                skip_after_s: match &stage.task {
                    TaskPlan::Reconstruction(plan) => match plan.skip {
                        SkipRule::AfterActive { seconds } => Some(seconds),
                        SkipRule::Never | SkipRule::Always => None,
                    },
                    _ => None,
                },
                questions: of_stage
                    .map(|record| {
                        let question = Question {
                            outcome: record.outcome,
                            response_time_s: record.response_time_s,
                            active_time_s: record.active_time_s,
                            away_s: record.away_s,
                            slide_distance: None,
                            error_auc: None,
                            error_auc_present: None,
                            right: record.is_right(),
                            confidence: None,
                            understanding: None,
                        };
                        match &record.measures {
                            TaskMeasures::Reconstruction(found) => Question {
                                // Solved is its own metric: completion.
                                right: None,
                                slide_distance: Some(found.movement.slide_distance),
                                error_auc: Some(found.error_auc),
                                error_auc_present: Some(found.error_auc_present),
                                ..question
                            },
                            TaskMeasures::SingleDimension(found) => Question {
                                confidence: found.confidence.map(f64::from),
                                understanding: found.understanding.map(f64::from),
                                ..question
                            },
                            TaskMeasures::Exploration(_) => question,
                        }
                    })
                    .collect(),
                difficulty: difficulty(session, index),
            }
        });
        Self {
            study_sha256: plan.study_sha256.clone(),
            complete: session.phase() == Phase::Complete,
            excluded: false,
            over_quota: false,
            marked: session.is_marked() == Some(true),
            stages: stages.collect(),
        }
    }

    /// The first reason that leaves this person out: the study's own, then the plan's.
    #[must_use]
    pub fn left_out(&self, rules: &[Exclusion]) -> Option<LeftOut> {
        if self.excluded {
            return Some(LeftOut::InclusionRules);
        }
        if self.over_quota {
            return Some(LeftOut::OverQuota);
        }
        let questions = || self.stages.iter().flat_map(|stage| &stage.questions);
        let rule = rules.iter().find(|rule| match **rule {
            Exclusion::Incomplete => !self.complete,
            Exclusion::Marked => self.marked,
            Exclusion::Away { more_than_s } => {
                questions().map(|q| q.away_s).sum::<f64>() > more_than_s
            }
            Exclusion::Solved { fewer_than } => {
                let solved = |q: &&Question| q.outcome == Some(Outcome::Solved);
                questions().filter(solved).count() < fewer_than
            }
        });
        rule.map(|rule| LeftOut::Plan { rule: *rule })
    }
}

/// Why a person is left out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum LeftOut {
    /// The study's inclusion rules say so.
    InclusionRules,
    /// The cell was full before.
    OverQuota,
    /// The analysis plan says so.
    Plan {
        /// Its rule.
        rule: Exclusion,
    },
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

/// Names of conditions: a stage's or a model's. Where the same name stands for other weights
/// or another threshold (a model was replaced while the study ran), each is a condition of
/// its own, and its name says which.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditions {
    factor: ConditionsAre,
    /// Name, weights and threshold of all that there are.
    all: Vec<(String, String, f64)>,
}

impl Conditions {
    /// Of everybody.
    #[must_use]
    pub fn of(people: &[Person], factor: ConditionsAre) -> Self {
        let mut all: Vec<(String, String, f64)> = Vec::new();
        for stage in people.iter().flat_map(|person| &person.stages) {
            let one = (
                name(stage, factor).to_owned(),
                stage.weights_sha256.clone(),
                stage.threshold,
            );
            if !all.contains(&one) {
                all.push(one);
            }
        }
        Self { factor, all }
    }

    /// The condition of a stage.
    #[must_use]
    pub fn label(&self, stage: &StageData) -> String {
        let name = name(stage, self.factor);
        if self.all.iter().filter(|(n, ..)| n == name).count() < 2 {
            return name.to_owned();
        }
        let weights = stage.weights_sha256.get(..8).unwrap_or("closed form");
        format!("{name} ({}, {weights}, ε {})", stage.model, stage.threshold)
    }
}

fn name(stage: &StageData, factor: ConditionsAre) -> &str {
    match factor {
        ConditionsAre::Stage => &stage.stage,
        ConditionsAre::Model => &stage.model,
    }
}

#[allow(clippy::cast_precision_loss)] // far fewer than 2^52 questions
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    #[allow(clippy::cast_precision_loss)] // far fewer than 2^52 questions
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The value of a metric for one person in one condition: over the questions that ended in
/// its stages. `None` where nothing says anything about it.
#[must_use]
pub(crate) fn value(stages: &[&StageData], metric: Metric) -> Option<f64> {
    let questions: Vec<&Question> = stages.iter().flat_map(|stage| &stage.questions).collect();
    let ended: Vec<&Question> = questions
        .into_iter()
        .filter(|question| question.outcome.is_some())
        .collect();
    let count = |outcome| ended.iter().filter(|q| q.outcome == Some(outcome)).count();
    let (solved, skipped, cut) = (
        count(Outcome::Solved),
        count(Outcome::Skipped),
        count(Outcome::Cut),
    );
    let over = |of: fn(&Question) -> Option<f64>| mean(ended.iter().filter_map(|q| of(q)));
    match metric {
        Metric::CompletionRate => share(solved, solved + skipped),
        Metric::CompletionRateWithCut => share(solved, solved + skipped + cut),
        Metric::ResponseTimeS => over(|q| Some(q.response_time_s)),
        Metric::SlideDistance => over(|q| q.slide_distance),
        Metric::ErrorAuc => over(|q| q.error_auc),
        Metric::ErrorAucPresent => over(|q| q.error_auc_present),
        Metric::Difficulty => mean(stages.iter().filter_map(|stage| stage.difficulty)),
        Metric::CorrectRate => {
            let known: Vec<bool> = ended.iter().filter_map(|q| q.right).collect();
            share(known.iter().filter(|right| **right).count(), known.len())
        }
        Metric::Confidence => over(|q| q.confidence),
        Metric::Understanding => over(|q| q.understanding),
        Metric::ErrorAucChange => {
            let aucs: Vec<f64> = ended.iter().filter_map(|q| q.error_auc).collect();
            change(&aucs)
        }
    }
}

/// Learning: mean of the last ⌊(n − 1)/2⌋ minus mean of the first; `None` below 3.
fn change(all: &[f64]) -> Option<f64> {
    let half = all.len().checked_sub(1)? / 2;
    let (first, last) = (all.get(..half)?, all.get(all.len() - half..)?);
    Some(mean(last.iter().copied())? - mean(first.iter().copied())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ⌊(n − 1)/2⌋ questions at each end; numbers worked out by hand.
    #[test]
    fn learning_compares_the_two_ends_and_needs_three_questions() {
        assert_eq!(change(&[]), None);
        assert_eq!(change(&[1.0, 2.0]), None);
        assert_eq!(change(&[4.0, 9.0, 1.0]), Some(-3.0));
        // The paper's seven: three, one in between, three.
        assert_eq!(change(&[6.0, 5.0, 4.0, 9.0, 3.0, 2.0, 1.0]), Some(-3.0));
        // Of four, one at each end.
        assert_eq!(change(&[4.0, 8.0, 8.0, 1.0]), Some(-3.0));
    }
}

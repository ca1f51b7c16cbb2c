//! The doings of one person: a fold over one session.

mod asked;
mod conditions;
mod fold;
mod value;

use std::collections::BTreeMap;

use domain::study::{ExclusionCriterion, Metric};
use domain::task::{NamingDetails, Outcome, TaskKind};
use serde::{Deserialize, Serialize};

pub use conditions::Conditions;
pub use fold::PEOPLE_WITH_PATHS;
pub(crate) use value::{ended, ends, value, value_of_questions};

/// One scored question that was begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionResult {
    /// How it ended; `None` if it was abandoned, or is still on screen.
    pub outcome: Option<Outcome>,
    /// Seconds from start to end.
    pub response_time_s: f64,
    /// Seconds of activity.
    pub active_time_s: f64,
    /// Seconds away.
    pub away_s: f64,
    /// The metrics of its task that it says something about; rates follow from the outcome.
    #[serde(flatten)]
    pub metrics: BTreeMap<Metric, f64>,
    /// Whether the answer was right, for a task with a correct rate.
    pub right: Option<bool>,
    /// Dials in the order in which they were first moved, from 0.
    #[serde(default)]
    pub first_touched: Vec<usize>,
    /// The dimension asked about, from 0.
    #[serde(default)]
    pub dimension: Option<usize>,
    /// Number of options; chance is one over it.
    #[serde(default)]
    pub options: Option<usize>,
    /// Which start and target it had, so that the same question of other people is known; absent
    /// without the answer key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The name that a concept was given, for a task in which concepts are named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub naming: Option<NamingDetails>,
    /// How it went, for a task with a target; only where [`Person::add_paths`] was asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Trajectory>,
}

/// How a question with a target went.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trajectory {
    /// Seconds since the question's start, in order.
    pub seconds: Vec<f64>,
    /// d(x, x′) from then on.
    pub distance: Vec<f64>,
    /// Where the dials stood from then on.
    pub z: Vec<Vec<f64>>,
}

/// One dial of a stage's model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DialRange {
    /// Its smallest value; of a discrete one, 0.
    pub min: f64,
    /// Its largest value; of a discrete one, the index of the last.
    pub max: f64,
    /// Whether it is a choice among values.
    pub discrete: bool,
}

/// The name that somebody gave to a dial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Which dial, from 0.
    pub dial: usize,
    /// The name, the last if there were several.
    pub text: String,
}

/// A statement or a scale about a stage, answered with a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// Name in the data: the questionnaire's and the item's.
    pub item: String,
    /// The text that participants read.
    pub text: String,
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
    /// The answer.
    pub value: f64,
}

/// How somebody went up and down a staircase.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StaircaseResult {
    /// How often a step went in the other direction than the step before.
    pub reversals: usize,
    /// Mean level at the reversals, from 0: [`Climb::threshold`](domain::session::flow::Climb::threshold).
    pub threshold: Option<f64>,
}

/// One scored stage that a person was to do. A stage with concepts of several bundles is as many of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageData {
    /// Name of the stage.
    pub stage: String,
    /// Name of the model; of concepts, the bundle that they are from.
    pub model: String,
    /// SHA-256 of its weights; empty for a closed form, and where there is no model.
    pub weights_sha256: String,
    /// Distance that solves a question; `None` where there is no model.
    pub threshold: Option<f64>,
    /// The task.
    pub task: TaskKind,
    /// Its place among the scored stages that the person was to go through, from 0; the levels of a staircase have one.
    #[serde(default)]
    pub place: usize,
    /// Whether it goes on the staircase of the stage before: to who climbs it, they are one stage.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// How the person went up and down the staircase that begins with it, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staircase: Option<StaircaseResult>,
    /// Seconds of active time before which nobody can skip, if there is such a time.
    pub skip_after_s: Option<f64>,
    /// The questions that were begun, in order.
    pub questions: Vec<QuestionResult>,
    /// The scores about it that could be worked out, of named blocks and of questionnaires that declare their own.
    #[serde(default)]
    pub scores: BTreeMap<Metric, f64>,
    /// The model's dials.
    #[serde(default)]
    pub dials: Vec<DialRange>,
    /// Whether its dials could be named.
    #[serde(default)]
    pub dials_have_names: bool,
    /// The names given.
    #[serde(default)]
    pub labels: Vec<Label>,
    /// Answers about the stage that are numbers, the Single Ease Question left out.
    #[serde(default)]
    pub ratings: Vec<Rating>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Person {
    /// Hash of the study as it was.
    pub study_sha256: String,
    /// Whether the session is complete.
    pub complete: bool,
    /// Why it is excluded, whatever the analysis plan says; absent if it is not.
    #[serde(default)]
    pub excluded: Option<ExcludedBy>,
    /// Whether it was completed late, when its cell was full.
    #[serde(default)]
    pub over_quota: bool,
    /// Whether a wrong answer marked it.
    pub marked: bool,
    /// Whether the person agreed to take part; absent where nobody is asked.
    #[serde(default)]
    pub agreed: Option<bool>,
    /// The answers that are numbers, of pages about no stage, as `questionnaire.item`.
    #[serde(default)]
    pub answers: BTreeMap<String, f64>,
    /// The scored stages it was to go through, in this person's order.
    pub stages: Vec<StageData>,
}

impl Person {
    /// The first reason that leaves this person out: the study's own, then the plan's. Whether somebody is outlying
    /// cannot be told of one person alone.
    #[must_use]
    pub fn left_out(&self, rules: &[ExclusionCriterion]) -> Option<LeftOutReason> {
        match &self.excluded {
            Some(ExcludedBy::Participant) => return Some(LeftOutReason::Withdrawn),
            Some(ExcludedBy::Hand { .. }) => return Some(LeftOutReason::ByHand),
            Some(ExcludedBy::Rules { .. }) => return Some(LeftOutReason::InclusionRules),
            None => {}
        }
        if self.over_quota {
            return Some(LeftOutReason::OverQuota);
        }
        let questions = || self.stages.iter().flat_map(|stage| &stage.questions);
        let rule = rules.iter().find(|rule| match **rule {
            ExclusionCriterion::Incomplete => !self.complete,
            ExclusionCriterion::Marked => self.marked,
            ExclusionCriterion::Away { more_than_s } => {
                questions().map(|q| q.away_s).sum::<f64>() > more_than_s
            }
            ExclusionCriterion::Solved { fewer_than } => {
                let solved = |q: &&QuestionResult| q.outcome == Some(Outcome::Solved);
                questions().filter(solved).count() < fewer_than
            }
            ExclusionCriterion::Outlying { .. } => false,
        });
        rule.map(|rule| LeftOutReason::Plan { rule: *rule })
    }
}

/// Who, or what, excluded a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum ExcludedBy {
    /// The participant, who withdrew.
    Participant,
    /// The researcher, by hand.
    Hand {
        /// The reason that was given.
        why: String,
    },
    /// The study's inclusion rules.
    Rules {
        /// Names of those that are not met.
        unmet: Vec<String>,
    },
}

impl ExcludedBy {
    /// The reasons, to be counted.
    pub(crate) fn because(&self) -> Vec<String> {
        match self {
            Self::Participant => Vec::new(),
            Self::Hand { why } => vec![why.split_whitespace().collect::<Vec<_>>().join(" ")],
            Self::Rules { unmet } => unmet.clone(),
        }
    }
}

/// Why a person is left out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum LeftOutReason {
    /// The participant withdrew.
    Withdrawn,
    /// The researcher excluded the session by hand.
    ByHand,
    /// The study's inclusion rules say so.
    InclusionRules,
    /// The cell was full before.
    OverQuota,
    /// The analysis plan says so.
    Plan {
        /// Its rule.
        rule: ExclusionCriterion,
    },
}

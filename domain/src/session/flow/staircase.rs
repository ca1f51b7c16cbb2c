//! Adaptive difficulty: right answers lead to harder stages, wrong ones to easier ones.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Next, Span};
use crate::common::identifiers::QuestionRef;
use crate::task::QuestionRecord;

/// A run of stages, easiest first, among which the next question's stage is chosen by
/// the answers so far (an up-down staircase).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Staircase {
    /// First of its parts: 0-based index. There is one for each level.
    pub from: usize,
    /// The part after the last of them.
    pub to: usize,
    /// The stages of its parts, easiest first.
    pub stages: Vec<usize>,
    /// Level of the first question, from 0.
    pub start: usize,
    /// Right answers in a row that lead one level up.
    pub up_after: u32,
    /// Wrong answers in a row that lead one level down.
    pub down_after: u32,
    /// Number of questions in all.
    pub questions: u32,
}

impl Staircase {
    /// The question after those that ended, or the part behind the staircase. A level
    /// whose questions are used up ends it. `None` while the verdict on the last
    /// answer has not arrived.
    ///
    /// `ended` holds the questions of all its stages, oldest first; `planned` says how
    /// many questions a stage has.
    #[must_use]
    pub fn next(
        &self,
        ended: &[&QuestionRecord],
        planned: impl Fn(usize) -> usize,
    ) -> Option<Next> {
        let done = Some(Next::Part(self.to));
        if ended.len() >= self.questions as usize {
            return done;
        }
        let mut step = self.first_step();
        for question in ended {
            step = self.after(step, question.is_right()?);
        }
        let Some(&stage) = self.stages.get(step.level) else {
            return done;
        };
        let question = ended.iter().filter(|q| q.at.stage == stage).count();
        if question < planned(stage) {
            Some(Next::Question(QuestionRef { stage, question }))
        } else {
            done
        }
    }

    /// How many questions are asked at most: no more than all levels hold together.
    #[must_use]
    pub fn asked_at_most(&self, planned: impl Fn(usize) -> usize) -> usize {
        let all = self.stages.iter().map(|stage| planned(*stage));
        all.sum::<usize>().min(self.questions as usize)
    }

    /// How many questions are asked: as many as the staircase has, fewer where a level's questions
    /// can be used up before.
    #[must_use]
    pub fn asked(&self, planned: impl Fn(usize) -> usize) -> Span {
        let most = self.asked_at_most(&planned);
        let planned: Vec<usize> = self.stages.iter().map(|stage| planned(*stage)).collect();
        let whole = self.questions as usize;
        let short = planned.iter().enumerate();
        let short = short.filter(|(_, questions)| **questions < whole);
        let soonest = short.map(|(level, questions)| self.soonest_end(level, *questions, most));
        Span {
            least: soonest.min().unwrap_or(most).min(most),
            most,
        }
    }

    /// After how many questions a level's `planned` ones are used up and the next one would be of
    /// that level, at the soonest; `most` if the staircase is over before.
    fn soonest_end(&self, level: usize, planned: usize, most: usize) -> usize {
        /// Longer staircases are not looked through: no fewer than the level's own are asked.
        const LOOKED_THROUGH: usize = 500;
        if most > LOOKED_THROUGH {
            return planned;
        }
        let mut places = BTreeSet::from([(self.first_step(), 0)]);
        for asked in 0..most {
            let is_used_up = |(step, used): &(Step, usize)| step.level == level && *used >= planned;
            if places.iter().any(is_used_up) {
                return asked;
            }
            let after = |(step, used): &(Step, usize)| {
                let used = used + usize::from(step.level == level);
                [true, false].map(|right| (self.after(*step, right), used))
            };
            places = places.iter().flat_map(after).collect();
        }
        most
    }

    fn first_step(&self) -> Step {
        Step {
            level: self.start.min(self.stages.len().saturating_sub(1)),
            right: 0,
            wrong: 0,
        }
    }

    fn after(&self, step: Step, right: bool) -> Step {
        let (level, top) = (step.level, self.stages.len().saturating_sub(1));
        let (right, wrong) = if right {
            (step.right + 1, 0)
        } else {
            (0, step.wrong + 1)
        };
        if right >= self.up_after {
            Step {
                level: (level + 1).min(top),
                right: 0,
                wrong,
            }
        } else if wrong >= self.down_after {
            Step {
                level: level.saturating_sub(1),
                right,
                wrong: 0,
            }
        } else {
            Step {
                level,
                right,
                wrong,
            }
        }
    }
}

/// Where a staircase stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    level: usize,
    /// Right answers in a row.
    right: u32,
    /// Wrong answers in a row.
    wrong: u32,
}

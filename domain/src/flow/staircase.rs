//! Adaptive difficulty: right answers lead to harder stages, wrong ones to easier ones.

use serde::{Deserialize, Serialize};

use super::Next;
use crate::identifiers::QuestionRef;
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
        let top = self.stages.len().saturating_sub(1);
        let mut level = self.start.min(top);
        let (mut right, mut wrong) = (0, 0);
        for question in ended {
            if question.is_right()? {
                (right, wrong) = (right + 1, 0);
            } else {
                (right, wrong) = (0, wrong + 1);
            }
            if right >= self.up_after {
                (level, right) = ((level + 1).min(top), 0);
            } else if wrong >= self.down_after {
                (level, wrong) = (level.saturating_sub(1), 0);
            }
        }
        let Some(&stage) = self.stages.get(level) else {
            return done;
        };
        let question = ended.iter().filter(|q| q.at.stage == stage).count();
        if question < planned(stage) {
            Some(Next::Question(QuestionRef { stage, question }))
        } else {
            done
        }
    }
}

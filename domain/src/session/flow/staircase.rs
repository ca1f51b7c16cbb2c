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
    /// Number of questions in all, at most.
    pub questions: u32,
    /// It ends after so many reversals; absent: they do not end it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reversals: Option<u32>,
}

/// How somebody went up and down a staircase.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Climb {
    /// The level of each question, oldest first, from 0.
    pub levels: Vec<usize>,
    /// The level at each reversal, oldest first. A reversal is a step in the other direction than the step before; its
    /// level is that of the question whose answer led to it. A step that the easiest or the hardest level stops is a
    /// step, too.
    pub reversals: Vec<usize>,
}

impl Climb {
    /// Where the staircase settled: the mean level at the reversals, the first one left out, and the second one where
    /// an odd number is left, so that peaks and valleys count equally (Levitt 1971). In levels, from 0; `None` with
    /// fewer than three reversals.
    #[must_use]
    pub fn threshold(&self) -> Option<f64> {
        let later = self.reversals.get(1..)?;
        let counted = later.get(later.len() % 2..)?;
        let sum: usize = counted.iter().sum();
        (!counted.is_empty()).then(|| sum as f64 / counted.len() as f64)
    }
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
        let answers = ended.iter().map(|question| question.is_right());
        let (climb, step) = self.walk(answers.collect::<Option<Vec<bool>>>()?);
        let turned = climb.reversals.len();
        if self.reversals.is_some_and(|most| turned >= most as usize) {
            return done;
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

    /// How somebody went up and down it. `ended` holds the questions of all its stages, oldest first; those after one
    /// that is neither right nor wrong are left out.
    #[must_use]
    pub fn climb<'a>(&self, ended: impl IntoIterator<Item = &'a QuestionRecord>) -> Climb {
        let answers = ended.into_iter().map_while(QuestionRecord::is_right);
        self.walk(answers).0
    }

    /// The climb after some answers, and where it stands.
    fn walk(&self, answers: impl IntoIterator<Item = bool>) -> (Climb, Step) {
        let mut climb = Climb::default();
        let mut step = self.first_step();
        let mut direction = None;
        for right in answers {
            let (next, taken) = self.after(step, right);
            climb.levels.push(step.level);
            if direction.is_some() && taken.is_some() && direction != taken {
                climb.reversals.push(step.level);
            }
            direction = taken.or(direction);
            step = next;
        }
        (climb, step)
    }

    /// How many questions are asked at most: no more than all levels hold together.
    #[must_use]
    pub fn asked_at_most(&self, planned: impl Fn(usize) -> usize) -> usize {
        let all = self.stages.iter().map(|stage| planned(*stage));
        all.sum::<usize>().min(self.questions as usize)
    }

    /// How many questions are asked: as many as the staircase has, fewer where a level's questions
    /// can be used up before, or its reversals reached.
    #[must_use]
    pub fn asked(&self, planned: impl Fn(usize) -> usize) -> Span {
        let most = self.asked_at_most(&planned);
        let planned: Vec<usize> = self.stages.iter().map(|stage| planned(*stage)).collect();
        let whole = self.questions as usize;
        let short = planned.iter().enumerate();
        let short = short.filter(|(_, questions)| **questions < whole);
        let soonest = short.map(|(level, questions)| self.soonest_end(level, *questions, most));
        Span {
            least: soonest
                .chain(self.soonest_reversed())
                .min()
                .unwrap_or(most)
                .min(most),
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
                [true, false].map(|right| (self.after(*step, right).0, used))
            };
            places = places.iter().flat_map(after).collect();
        }
        most
    }

    /// After how many questions its reversals are reached, at the soonest; `None` where they do not end it.
    #[must_use]
    pub fn soonest_reversed(&self) -> Option<usize> {
        // So many steps, by turns up and down: one more than there are reversals.
        let steps = self.reversals? as usize + 1;
        let [up, down] = [self.up_after, self.down_after].map(|it| it.max(1) as usize);
        let half = steps / 2;
        Some(half.saturating_mul(up + down) + steps % 2 * up.min(down))
    }

    fn first_step(&self) -> Step {
        Step {
            level: self.start.min(self.stages.len().saturating_sub(1)),
            right: 0,
            wrong: 0,
        }
    }

    /// Where an answer leads, and which way, if it leads to a step.
    fn after(&self, step: Step, right: bool) -> (Step, Option<Direction>) {
        let (level, top) = (step.level, self.stages.len().saturating_sub(1));
        let (right, wrong) = if right {
            (step.right + 1, 0)
        } else {
            (0, step.wrong + 1)
        };
        let (level, taken) = if right >= self.up_after.max(1) {
            ((level + 1).min(top), Some(Direction::Up))
        } else if wrong >= self.down_after.max(1) {
            (level.saturating_sub(1), Some(Direction::Down))
        } else {
            (level, None)
        };
        let (right, wrong) = match taken {
            Some(_) => (0, 0),
            None => (right, wrong),
        };
        (
            Step {
                level,
                right,
                wrong,
            },
            taken,
        )
    }
}

/// Which way a step leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

//! Checks: which answers to a questionnaire the server finds wrong, and what comes of it.

use super::{AnsweredQuestionnaire, Effect, Phase, Refusal, Session};
use crate::questionnaire::Answer;
use crate::session::plan::WrongAnswer;

/// How many attention checks a session has met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttentionChecks {
    /// All that were answered.
    pub answered: usize,
    /// Those that were answered wrongly.
    pub failed: usize,
}

impl Session {
    pub(super) fn take_check(
        &mut self,
        part: usize,
        wrong: &[String],
    ) -> Result<Vec<Effect>, Refusal> {
        let attempt = self.attempts_of(part);
        self.check_check(part, attempt, wrong)?;
        let (Some(last), Some(asked)) = (self.answers.last_mut(), self.plan.questionnaire(part))
        else {
            return Err(Refusal::CheckTooEarly);
        };
        if last.wrong.is_some() {
            return Err(Refusal::CheckTooEarly);
        }
        last.wrong = Some(wrong.to_vec());
        if wrong.is_empty() {
            return Ok(self.leave_part(part));
        }
        if attempt < asked.attempts.unwrap_or(1) {
            return Ok(self.go(Phase::Questionnaire { part }));
        }
        if asked.wrong_answer == WrongAnswer::ScreenOut {
            return Ok(self.go(Phase::ScreenedOut));
        }
        Ok(self.leave_part(part))
    }

    /// A check is about answers that were handed in, names items of theirs, and is the true
    /// one where the right answers are at hand.
    pub(super) fn check_check(
        &self,
        part: usize,
        attempt: u32,
        wrong: &[String],
    ) -> Result<(), Refusal> {
        let asked = self
            .plan
            .questionnaire(part)
            .filter(|asked| asked.attempts.is_some());
        let (Some(asked), Some(answered)) = (asked, self.attempt(part, attempt)) else {
            return Err(Refusal::CheckTooEarly);
        };
        let known = |item: &String| asked.items.iter().any(|known| known.id == *item);
        let is_true = match &self.keys {
            Some(_) => self.true_check(answered) == wrong,
            None => wrong.iter().all(known),
        };
        if is_true {
            Ok(())
        } else {
            Err(Refusal::FalseCheck)
        }
    }

    /// The answers handed in at an attempt, from 1.
    fn attempt(&self, part: usize, attempt: u32) -> Option<&AnsweredQuestionnaire> {
        let index = usize::try_from(attempt).ok()?.checked_sub(1)?;
        let mut of_part = self.answers.iter().filter(|a| a.part == part);
        of_part.nth(index)
    }

    /// How often a questionnaire has been handed in.
    #[must_use]
    pub fn attempts_of(&self, part: usize) -> u32 {
        let count = self.answers.iter().filter(|a| a.part == part).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Which of the answers are wrong, by the right ones; none where these are not at hand.
    #[must_use]
    pub fn true_check(&self, answered: &AnsweredQuestionnaire) -> Vec<String> {
        let key = self.keys.as_ref().and_then(|k| k.of_part(answered.part));
        match (key, self.plan.questionnaire(answered.part)) {
            (Some(key), Some(asked)) => asked.wrong(key, &answered.answers),
            _ => Vec::new(),
        }
    }

    /// Attention checks so far; none where the right answers are not at hand. They are answers
    /// to items that have a right answer, on pages without attempts, which tell nobody so.
    #[must_use]
    pub fn attention_checks(&self) -> AttentionChecks {
        let silent = self.answers.iter().filter(|answered| {
            let asked = self.plan.questionnaire(answered.part);
            asked.is_some_and(|asked| asked.attempts.is_none())
        });
        silent.fold(AttentionChecks::default(), |sum, answered| {
            let items = answered.answers.keys();
            let with_right = items.filter(|item| self.right_answer(answered.part, item).is_some());
            AttentionChecks {
                answered: sum.answered + with_right.count(),
                failed: sum.failed + self.true_check(answered).len(),
            }
        })
    }

    /// The questionnaire whose answers wait for their check, if one does: its part.
    #[must_use]
    pub fn without_check(&self) -> Option<usize> {
        match self.phase {
            Phase::AwaitingVerdicts { part } => {
                let is_it = self
                    .plan
                    .questionnaire(part)
                    .is_some_and(|it| it.attempts.is_some());
                let waits = self
                    .answers
                    .last()
                    .is_some_and(|last| last.part == part && last.wrong.is_none());
                (is_it && waits).then_some(part)
            }
            _ => None,
        }
    }

    /// The right answer to an item of a questionnaire, if it has one and the session has its
    /// keys.
    #[must_use]
    pub fn right_answer(&self, part: usize, item: &str) -> Option<&Answer> {
        self.keys.as_ref()?.of_part(part)?.get(item)
    }

    /// The items found wrong when the questionnaire on screen was handed in before.
    #[must_use]
    pub fn wrong_before(&self) -> &[String] {
        let Phase::Questionnaire { part } = self.phase else {
            return &[];
        };
        let last = self.answers.last().filter(|last| last.part == part);
        last.and_then(|last| last.wrong.as_deref()).unwrap_or(&[])
    }
}

//! Pages of items: handing in, going back, and the time that a page may take.

use super::{AnsweredQuestionnaire, Effect, Phase, Refusal, Session};
use crate::questionnaire::{AtTimeLimit, PageTimeLimit};
use crate::session::event::Event;
use crate::session::plan::PartPlan;

impl Session {
    /// Takes in the answers to the page on screen. Answers that were given before take their
    /// place, and so do answers to pages that the new ones lead past.
    pub(super) fn take_answers(
        &mut self,
        part: usize,
        at_ms: u64,
        event: &Event,
    ) -> Result<Vec<Effect>, Refusal> {
        let Event::QuestionnaireAnswered {
            questionnaire,
            answers,
            time_over,
        } = event
        else {
            return Err(self.not_now(event));
        };
        let Some(asked) = self.plan.questionnaire(part) else {
            return Err(self.not_now(event));
        };
        if *questionnaire != asked.id {
            return Err(Refusal::WrongQuestionnaire {
                expected: asked.id.clone(),
                found: questionnaire.clone(),
            });
        }
        if *time_over && !self.is_time_over(at_ms) {
            return Err(self.not_now(event));
        }
        if *time_over {
            asked.check_so_far(answers)?;
        } else {
            asked.check(answers)?;
        }
        let checked = asked.attempts.is_some();
        let mut answered = AnsweredQuestionnaire {
            part,
            stage: self.stage_asked_about(part),
            questionnaire: questionnaire.clone(),
            at_ms,
            answers: answers.clone(),
            wrong: None,
            time_over: *time_over,
            revisions: std::collections::BTreeMap::new(),
        };
        if checked {
            self.answers.push(answered);
            return Ok(self.go(Phase::AwaitingVerdicts { part }));
        }
        let before = self.answers.iter().position(|a| a.part == part);
        if let Some(before) = before {
            answered.revises(&self.answers.remove(before));
        }
        self.answers.push(answered);
        let next = self.after_part(part);
        if before.is_some() {
            // Pages that the new answers lead past are not on the way any more.
            let to = match next {
                Phase::Questionnaire { part } => part,
                _ => usize::MAX,
            };
            self.answers.retain(|a| a.part <= part || a.part >= to);
        }
        Ok(self.go(next))
    }

    /// The stage that a questionnaire is about: the one of the last question before it that the
    /// participant was asked. The plan does not know which that will be, since staircases and ways
    /// forward leave stages out. `None` for a page about no stage, or after none.
    pub(super) fn stage_asked_about(&self, part: usize) -> Option<usize> {
        let Some(PartPlan::Questionnaire { stage: Some(_), .. }) = self.plan.parts.get(part) else {
            return None;
        };
        let is_before = |stage: &usize| self.plan.part_of_stage(*stage) < Some(part);
        let mut asked = self
            .questions
            .iter()
            .rev()
            .map(|question| question.at.stage);
        asked.find(is_before)
    }

    /// The questionnaire on screen that may take only so long.
    pub(super) fn time_limit(&self) -> Option<PageTimeLimit> {
        self.questionnaire()?.time_limit
    }

    /// Milliseconds that are left for the page on screen; absent where it may take any time.
    #[must_use]
    pub fn time_left_ms(&self, now_ms: u64) -> Option<u64> {
        let limit = self.time_limit()?;
        let end_ms = self.page_since_ms.saturating_add(limit.after_ms());
        Some(end_ms.saturating_sub(now_ms))
    }

    fn is_time_over(&self, now_ms: u64) -> bool {
        let goes_on = self.time_limit().map(|limit| limit.then) == Some(AtTimeLimit::GoOn);
        goes_on && self.time_left_ms(now_ms) == Some(0)
    }

    /// The part that the participant can go back to from the questionnaire on screen: the last one
    /// answered before it, if every page on the way back allows it.
    #[must_use]
    pub fn way_back(&self) -> Option<usize> {
        let Phase::Questionnaire { part } = self.phase else {
            return None;
        };
        let page = |part: usize| self.plan.questionnaire(part);
        // A page that is shown again because of wrong answers is not left by going back.
        if page(part)?.attempts.is_some() && self.attempts_of(part) > 0 {
            return None;
        }
        let mut from = part;
        while page(from)?.back {
            from = from.checked_sub(1)?;
            page(from).filter(|page| page.attempts.is_none())?;
            if self.answers.iter().any(|answered| answered.part == from) {
                return Some(from);
            }
        }
        None
    }

    /// The answers on the page on screen before the participant came back to it.
    #[must_use]
    pub fn answered_before(&self) -> Option<&AnsweredQuestionnaire> {
        let Phase::Questionnaire { part } = self.phase else {
            return None;
        };
        self.answers.iter().rev().find(|a| a.part == part)
    }
}

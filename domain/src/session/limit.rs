//! The time of a stage that has a limit.

use super::{Effect, Phase, Session};
use crate::clock::{ActiveTimeSetting, PageChange, QuestionClock};
use crate::session::event::QuestionRef;
use crate::session::flow::{AtLimit, LimitCounts, StageLimit};
use crate::task::Outcome;

/// The clock of the stage under way.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StageClock {
    stage: usize,
    clock: QuestionClock,
}

impl Session {
    fn limit_of(&self, stage: usize) -> Option<&StageLimit> {
        self.plan.stages.get(stage)?.limit.as_ref()
    }

    /// A question begins: with the first one of a stage that has a limit, its clock does.
    pub(super) fn start_stage_clock(&mut self, stage: usize, at_ms: u64) {
        let runs = self
            .stage_clock
            .as_ref()
            .is_some_and(|it| it.stage == stage);
        if self.limit_of(stage).is_some() && !runs {
            self.stage_clock = Some(StageClock {
                stage,
                clock: QuestionClock::start(at_ms, ActiveTimeSetting::default()),
            });
        }
    }

    pub(super) fn on_page_event_of_stage(&mut self, at_ms: u64, change: Option<PageChange>) {
        if let Some(stage) = &mut self.stage_clock {
            stage.clock.on_page_event(at_ms, change);
        }
    }

    /// How much of the time that counts for a stage's limit has passed.
    fn counted_ms(&self, stage: usize, limit: &StageLimit, now_ms: u64) -> u64 {
        let Some(of_stage) = self.stage_clock.as_ref().filter(|it| it.stage == stage) else {
            return 0;
        };
        match limit.counts {
            LimitCounts::WallClock => {
                let from_ms = of_stage.clock.started_at_ms();
                now_ms.saturating_sub(from_ms) - of_stage.clock.paused_ms(from_ms, now_ms)
            }
            LimitCounts::Active => {
                let of_stage = self
                    .questions()
                    .filter(|question| question.at.stage == stage);
                of_stage
                    .map(|question| match question.outcome {
                        Some(_) => question.clock.active_ms(question.clock.until_ms()),
                        None => question.clock.active_ms(now_ms),
                    })
                    .sum()
            }
        }
    }

    pub(super) fn time_is_up(&self, stage: usize, now_ms: u64) -> bool {
        let limit = self.limit_of(stage);
        limit.is_some_and(|limit| self.counted_ms(stage, limit, now_ms) >= limit.ms())
    }

    /// Whether the participant has gone on from a stage whose time was up, or that was ended.
    pub(super) fn has_left(&self, stage: usize) -> bool {
        self.left_stage == Some(stage)
    }

    /// How much of its time is left to the stage under way, in milliseconds; `None` where it has
    /// no limit.
    #[must_use]
    pub fn stage_left_ms(&self, now_ms: u64) -> Option<u64> {
        let (Phase::Ready(at) | Phase::Question(at)) = self.phase else {
            return None;
        };
        let limit = self.limit_of(at.stage)?;
        let counted_ms = self.counted_ms(at.stage, limit, now_ms);
        Some(limit.ms().saturating_sub(counted_ms))
    }

    /// The stage whose question on screen is to be cut off now: the page then logs
    /// [`Event::TimeUp`].
    #[must_use]
    pub fn to_be_cut(&self, now_ms: u64) -> Option<usize> {
        let Phase::Question(QuestionRef { stage, .. }) = self.phase else {
            return None;
        };
        let limit = self.limit_of(stage)?;
        let ended = self
            .running()
            .is_none_or(|question| question.outcome.is_some());
        let due =
            limit.question_on_screen == AtLimit::Cut && !ended && self.time_is_up(stage, now_ms);
        due.then_some(stage)
    }

    /// The stage that somebody who comes back now was away from for longer than the study lets them go
    /// on within it. Stages between which answers choose belong together: they go on.
    pub(super) fn stage_left_too_long(&self, now_ms: u64) -> Option<usize> {
        let (Phase::Ready(at) | Phase::Question(at)) = self.phase else {
            return None;
        };
        let away_ms = now_ms.saturating_sub(self.last_ms());
        let too_long = away_ms > self.plan.stage_within_ms?;
        (too_long && self.staircase_of(at.stage).is_none()).then_some(at.stage)
    }

    /// The stage ends now. A question on screen that has ended keeps its outcome.
    pub(super) fn cut(&mut self, stage: usize, at_ms: u64) -> Vec<Effect> {
        if let Some(question) = self.running_mut() {
            if question.outcome.is_none() {
                question.clock.end(at_ms);
                question.outcome = Some(Outcome::Cut);
            }
            question.left = true;
        }
        self.go(Phase::TimeUp { stage })
    }

    pub(super) fn leave_stage(&mut self, stage: usize) -> Vec<Effect> {
        self.left_stage = Some(stage);
        self.go(self.after_stage(stage))
    }
}

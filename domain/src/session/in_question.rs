//! Events while a question is on screen.

use std::sync::Arc;

use super::event::{Event, QuestionRef};
use super::plan::StagePlan;
use super::{BegunQuestion, Effect, Refusal, Session};
use crate::common::sizes::{Sizes, SizesSeen};
use crate::movement::decode_times::DecodeTimes;
use crate::task::{Now, TaskEvent};

impl Session {
    /// Hands an event of a task on to it, and does what follows.
    pub(super) fn in_question(
        &mut self,
        at: QuestionRef,
        at_ms: u64,
        event: &TaskEvent,
    ) -> Result<Vec<Effect>, Refusal> {
        let plan = Arc::clone(&self.plan);
        let verdict = self.verdicts.get(&at).copied();
        let (Some(StagePlan { task, .. }), Some(question)) =
            (plan.stages.get(at.stage), self.running_mut())
        else {
            return Err(self.not_now(&Event::Task(event.clone())));
        };
        let BegunQuestion {
            clock,
            outcome,
            state,
            left,
            ..
        } = question;
        let now = Now {
            at_ms,
            clock,
            outcome: *outcome,
            verdict,
        };
        let step = task.apply(state, &now, event)?;
        clock.on_task_event(at_ms, step.activity_at_ms);
        if let Some(ended) = step.ended {
            clock.end(at_ms);
            *outcome = Some(ended);
        }
        *left = step.left;
        if step.left {
            Ok(self.go(self.after_question(at, at_ms)))
        } else if step.ended.is_some() {
            Ok(vec![Effect::FlushLog])
        } else {
            Ok(vec![])
        }
    }

    /// Keeps how long a question's pictures took to be decoded: what its page told last.
    pub(super) fn take_decode_times(
        &mut self,
        at: QuestionRef,
        times: DecodeTimes,
        event: &Event,
    ) -> Result<Vec<Effect>, Refusal> {
        let question = self.told_of(at, times.problem(), event)?;
        question.decode_times = Some(times);
        Ok(vec![])
    }

    /// Keeps how large a question's picture and sliders are.
    pub(super) fn take_sizes(
        &mut self,
        at: QuestionRef,
        sizes: Sizes,
        event: &Event,
    ) -> Result<Vec<Effect>, Refusal> {
        let question = self.told_of(at, sizes.problem(), event)?;
        question.sizes = Some(SizesSeen::then(question.sizes, sizes));
        Ok(vec![])
    }

    /// The question that a page told something of, which may have left the screen.
    fn told_of(
        &mut self,
        at: QuestionRef,
        problem: Option<&'static str>,
        event: &Event,
    ) -> Result<&mut BegunQuestion, Refusal> {
        let impossible = |why| Refusal::Impossible {
            event: event.kind(),
            why,
        };
        if let Some(why) = problem {
            return Err(impossible(why));
        }
        let question = self.questions.iter_mut().find(|question| question.at == at);
        let question = question.ok_or_else(|| impossible("that question was not begun"))?;
        Ok(Arc::make_mut(question))
    }

    pub(super) fn running_mut(&mut self) -> Option<&mut BegunQuestion> {
        let last = self.questions.last_mut().filter(|last| !last.left)?;
        Some(Arc::make_mut(last))
    }
}

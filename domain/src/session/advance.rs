//! From one part to the next.

use super::{Effect, Phase, Session};
use crate::session::event::QuestionRef;
use crate::session::flow::{Condition, ConditionMet, Next, RecordedSoFar, Staircase};
use crate::session::plan::{PartPlan, WrongAnswer};
use crate::task::{QuestionRecord, TaskState};

impl Session {
    pub(super) fn go(&mut self, phase: Phase) -> Vec<Effect> {
        self.phase = phase;
        let mut effects = vec![Effect::FlushLog];
        if phase.is_end() {
            effects.push(Effect::Ended);
        }
        if phase == Phase::Complete {
            effects.push(Effect::Completed);
        }
        effects
    }

    pub(super) fn leave_part(&mut self, part: usize) -> Vec<Effect> {
        self.go(self.after_part(part))
    }

    /// Position of the consent form among the parts.
    pub(super) fn consent_part(&self) -> usize {
        let is_it = |part: &PartPlan| matches!(part, PartPlan::Consent);
        self.plan.parts.iter().position(is_it).unwrap_or(0)
    }

    /// The phase at the beginning of a part; the end behind the last.
    pub(super) fn enter(&self, part: usize) -> Phase {
        match self.plan.parts.get(part) {
            None => Phase::Complete,
            Some(PartPlan::Consent) => Phase::Consent,
            Some(PartPlan::Instructions { .. }) => Phase::Instructions { part },
            Some(PartPlan::Tutorial { .. }) => Phase::Tutorial { part },
            Some(PartPlan::Questionnaire { .. }) => Phase::Questionnaire { part },
            Some(PartPlan::DeviceCheck { .. }) => Phase::DeviceCheck { part },
            Some(PartPlan::Break { .. }) => Phase::Break { part },
            Some(&PartPlan::Stage { stage }) => match self.plan.stages.get(stage) {
                Some(plan) if plan.task.question_count() > 0 => Phase::StageIntro { stage },
                _ => self.after_part(part),
            },
        }
    }

    pub(super) fn after_part(&self, part: usize) -> Phase {
        match self.jump(part) {
            Err(NoVerdict) => Phase::AwaitingVerdicts { part },
            Ok(Some(phase)) => phase,
            Ok(None) => self.enter(part + 1),
        }
    }

    /// The question that a stage begins with.
    pub(super) fn first_question(&self, stage: usize) -> Phase {
        let first = QuestionRef { stage, question: 0 };
        match self.staircase_of(stage) {
            Some(staircase) => self.on_staircase(staircase, stage),
            None => Phase::Ready(first),
        }
    }

    /// The phase after a question that is left at a time.
    pub(super) fn after_question(&self, at: QuestionRef, at_ms: u64) -> Phase {
        let Some(part) = self.plan.part_of_stage(at.stage) else {
            return Phase::Complete;
        };
        match self.jump(part) {
            Err(NoVerdict) => return Phase::AwaitingVerdicts { part },
            Ok(Some(phase)) => return phase,
            Ok(None) => {}
        }
        if let Some(staircase) = self.staircase_of(at.stage) {
            return self.on_staircase(staircase, at.stage);
        }
        let next = QuestionRef {
            question: at.question + 1,
            ..at
        };
        if self.plan.stage_of(next).is_none() || self.has_left(at.stage) {
            return self.after_stage(at.stage);
        }
        if self.time_is_up(at.stage, at_ms) {
            return Phase::TimeUp { stage: at.stage };
        }
        Phase::Ready(next)
    }

    /// The phase after a stage that is over.
    pub(super) fn after_stage(&self, stage: usize) -> Phase {
        let Some(part) = self.plan.part_of_stage(stage) else {
            return Phase::Complete;
        };
        match self.screens_out(stage) {
            Err(NoVerdict) => Phase::AwaitingVerdicts { part },
            Ok(true) => Phase::ScreenedOut,
            Ok(false) => self.enter(part + 1),
        }
    }

    /// The phase once a verdict that was waited for has arrived.
    pub(super) fn after_waiting(&self, part: usize, at_ms: u64) -> Phase {
        match (self.plan.parts.get(part), self.questions.last()) {
            (Some(PartPlan::Stage { .. }), Some(question)) => {
                self.after_question(question.at, at_ms)
            }
            _ => self.after_part(part),
        }
    }

    fn on_staircase(&self, staircase: &Staircase, stage: usize) -> Phase {
        let ended = self.records_within(staircase.from, staircase.to);
        let ended: Vec<&QuestionRecord> = ended.iter().collect();
        let planned = |stage: usize| {
            let plan = self.plan.stages.get(stage);
            plan.map_or(0, |plan| plan.task.question_count())
        };
        match staircase.next(&ended, planned) {
            None => Phase::AwaitingVerdicts {
                part: self.plan.part_of_stage(stage).unwrap_or(staircase.from),
            },
            Some(Next::Question(at)) => Phase::Ready(at),
            Some(Next::Part(part)) => self.enter(part),
        }
    }

    pub(super) fn staircase_of(&self, stage: usize) -> Option<&Staircase> {
        let has_it = |staircase: &&Staircase| staircase.stages.contains(&stage);
        self.plan.staircases.iter().find(has_it)
    }

    /// Where a way forward leads, if one is open after what happened in `part`.
    fn jump(&self, part: usize) -> Result<Option<Phase>, NoVerdict> {
        let jumps = self.plan.jumps.iter();
        for jump in jumps.filter(|jump| (jump.from..jump.to).contains(&part)) {
            let records = self.records_within(jump.from, jump.to);
            let questions: Vec<&QuestionRecord> = records.iter().collect();
            let answers: Vec<_> = self
                .answers
                .iter()
                .filter(|answered| (jump.from..jump.to).contains(&answered.part))
                .collect();
            let recorded = RecordedSoFar {
                questions: &questions,
                answers: &answers,
            };
            match jump.when.met(recorded) {
                ConditionMet::Yes if jump.screens_out => return Ok(Some(Phase::ScreenedOut)),
                // Only forward: a way back would ask the same again.
                ConditionMet::Yes if jump.target > part => {
                    return Ok(Some(self.enter(jump.target)));
                }
                ConditionMet::Yes | ConditionMet::No => {}
                ConditionMet::Unknown => return Err(NoVerdict),
            }
        }
        Ok(None)
    }

    /// Whether a stage that is over ends the session.
    fn screens_out(&self, stage: usize) -> Result<bool, NoVerdict> {
        let rule = self.plan.stages.get(stage).map(|plan| plan.wrong_answer);
        if rule != Some(WrongAnswer::ScreenOut) {
            return Ok(false);
        }
        let part = self.plan.part_of_stage(stage).unwrap_or_default();
        let records = self.records_within(part, part + 1);
        let of_stage: Vec<&QuestionRecord> = records.iter().collect();
        let recorded = RecordedSoFar {
            questions: &of_stage,
            answers: &[],
        };
        match Condition::WrongAtLeast(1).met(recorded) {
            ConditionMet::Yes => Ok(true),
            ConditionMet::No => Ok(false),
            ConditionMet::Unknown => Err(NoVerdict),
        }
    }

    /// Records of the ended questions of some parts, as far as the page itself knows
    /// them: a verdict counts once the page has logged it.
    pub(super) fn records_within(&self, from: usize, to: usize) -> Vec<QuestionRecord> {
        let within = |stage| {
            let part = self.plan.part_of_stage(stage);
            part.is_some_and(|part| (from..to).contains(&part))
        };
        let questions = self.questions.iter();
        questions
            .filter(|question| question.outcome.is_some() && within(question.at.stage))
            .filter_map(|question| self.record_without_key(question))
            .collect()
    }

    /// The state that the stage's last question was left in.
    pub(super) fn last_state(&self, stage: usize) -> Option<&TaskState> {
        let of_stage = self.questions.iter().rev().find(|q| q.at.stage == stage);
        of_stage.map(|question| &question.state)
    }
}

/// The next phase depends on a verdict that has not arrived.
struct NoVerdict;

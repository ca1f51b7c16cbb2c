//! Queries of a session: the whole scene.

use std::sync::Arc;

use super::{AnsweredQuestionnaire, BegunQuestion, LogEnd, Phase, Session};
use crate::questionnaire::Questionnaire;
use crate::session::device::{DeviceNeeds, DeviceReport};
use crate::session::event::{Author, Consented, QuestionRef};
use crate::session::flow::{Climb, Staircase};
use crate::session::plan::{PartPlan, SessionPlan, StagePlan};

impl Session {
    /// The experimenter beside the participant, if somebody was named: the name with which they sign in.
    #[must_use]
    pub fn experimenter(&self) -> Option<&str> {
        self.experimenter.as_deref()
    }

    /// Why the researcher excluded the session by hand, if they did.
    #[must_use]
    pub fn excluded_because(&self) -> Option<&str> {
        self.excluded.as_deref()
    }

    /// The plan with which the session was started.
    #[must_use]
    pub fn plan(&self) -> &SessionPlan {
        &self.plan
    }

    /// The same, to be kept beside the session.
    #[must_use]
    pub fn shared_plan(&self) -> Arc<SessionPlan> {
        Arc::clone(&self.plan)
    }

    /// Where the participant is.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Sequence number of the next event of the participant's page: the length of its log.
    #[must_use]
    pub fn next_seq(&self) -> u64 {
        self.next_seq_of(Author::Participant)
    }

    /// Sequence number of an author's next event.
    #[must_use]
    pub fn next_seq_of(&self, author: Author) -> u64 {
        self.log_end(author).next_seq
    }

    /// Number of events by all authors: the version of the session.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.logs.values().map(|end| end.next_seq).sum()
    }

    /// Where an author's log ends.
    #[must_use]
    pub fn log_end(&self, author: Author) -> LogEnd {
        self.logs.get(&author).copied().unwrap_or_default()
    }

    /// Time of the participant's last event, in milliseconds since the session's start.
    #[must_use]
    pub fn last_ms(&self) -> u64 {
        self.log_end(Author::Participant).last_ms
    }

    /// The stage the participant is in, if any.
    #[must_use]
    pub fn current_stage(&self) -> Option<&StagePlan> {
        let stage = match self.phase {
            Phase::StageIntro { stage } | Phase::TimeUp { stage } => stage,
            Phase::Ready(at) | Phase::Question(at) => at.stage,
            Phase::Questionnaire { part } => self.stage_asked_about(part)?,
            _ => return None,
        };
        self.plan.stages.get(stage)
    }

    /// The stage whose introduction or question is on screen: the experimenter can end it.
    #[must_use]
    pub fn stage_under_way(&self) -> Option<usize> {
        match self.phase {
            Phase::StageIntro { stage } => Some(stage),
            Phase::Ready(at) | Phase::Question(at) => Some(at.stage),
            _ => None,
        }
    }

    /// Whether the page has paused, as the experimenter wished.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused_since_ms.is_some()
    }

    /// Whether the experimenter wants the page paused: it may not have heard of it yet.
    #[must_use]
    pub fn pause_is_asked(&self) -> bool {
        self.pause_asked
    }

    /// The questionnaire on screen, if any.
    #[must_use]
    pub fn questionnaire(&self) -> Option<&Questionnaire> {
        match self.phase {
            Phase::Questionnaire { part } => self.plan.questionnaire(part),
            _ => None,
        }
    }

    /// The question on screen: with its state, all that its screen shows.
    #[must_use]
    pub fn running(&self) -> Option<&BegunQuestion> {
        match self.phase {
            Phase::Question(_) => self.questions.last().map(AsRef::as_ref),
            _ => None,
        }
    }

    /// A question that was begun.
    #[must_use]
    pub fn question(&self, at: QuestionRef) -> Option<&BegunQuestion> {
        let question = self.questions.iter().find(|question| question.at == at);
        question.map(AsRef::as_ref)
    }

    /// The questions begun, in order.
    pub fn questions(&self) -> impl Iterator<Item = &BegunQuestion> {
        self.questions.iter().map(AsRef::as_ref)
    }

    /// Whether the current question can be skipped at `now_ms`.
    #[must_use]
    pub fn can_skip(&self, now_ms: u64) -> bool {
        let (Some(question), Some(stage)) = (self.running(), self.current_stage()) else {
            return false;
        };
        question.outcome.is_none() && stage.task.can_skip(&question.clock, now_ms)
    }

    /// The name a participant gave to a dial in a stage.
    #[must_use]
    pub fn dial_name(&self, stage: usize, dimension: usize) -> Option<&str> {
        self.last_state(stage)?.dial_name(dimension)
    }

    /// Questionnaires answered, in order.
    #[must_use]
    pub fn answers(&self) -> &[AnsweredQuestionnaire] {
        &self.answers
    }

    /// Questionnaires answered, in order; of several attempts at a page, the last.
    pub fn last_answers(&self) -> impl DoubleEndedIterator<Item = &AnsweredQuestionnaire> {
        let answers = self.answers.iter().enumerate();
        answers.filter_map(|(index, answered)| {
            let mut later = self.answers[index + 1..].iter();
            (!later.any(|other| other.part == answered.part)).then_some(answered)
        })
    }

    /// The staircases that the participant has begun, in the plan's order, and how they went up and down them.
    pub fn climbs(&self) -> impl Iterator<Item = (&Staircase, Climb)> {
        let staircases = self.plan.staircases.iter();
        staircases.filter_map(|staircase| {
            let ended = self.records_within(staircase.from, staircase.to);
            let climb = staircase.climb(&ended);
            (!climb.levels.is_empty()).then_some((staircase, climb))
        })
    }

    /// The page's last report of the device; absent where the study does not ask.
    #[must_use]
    pub fn device(&self) -> Option<&DeviceReport> {
        self.device.as_ref()
    }

    /// The needs that a device check asks for.
    #[must_use]
    pub fn device_needs(&self, part: usize) -> Option<DeviceNeeds> {
        match self.plan.parts.get(part) {
            Some(PartPlan::DeviceCheck { needs, .. }) => Some(*needs),
            _ => None,
        }
    }

    /// The participant's last consent; absent before, and in studies without consent.
    #[must_use]
    pub fn consented(&self) -> Option<&Consented> {
        self.consented.as_ref()
    }

    /// Whether the participant may be asked for consent again: between agreeing and the end.
    #[must_use]
    pub fn can_agree_again(&self) -> bool {
        self.consented.is_some() && !self.phase.is_end()
    }

    /// Whether the participant can withdraw now: once, while the session goes on; to have
    /// everything erased, afterwards, too. Before consent there is nothing to withdraw from.
    #[must_use]
    pub fn can_withdraw(&self, erase: bool) -> bool {
        let before = matches!(self.phase, Phase::Consent | Phase::Declined);
        let settled = self.withdrew == Some(true) || (self.phase.is_end() && !erase);
        !before && !settled
    }

    /// Whether the participant withdrew.
    #[must_use]
    pub fn has_withdrawn(&self) -> bool {
        self.withdrew.is_some()
    }

    /// Whether the participant wants everything erased that they gave.
    #[must_use]
    pub fn wants_erasure(&self) -> bool {
        self.withdrew == Some(true)
    }
}

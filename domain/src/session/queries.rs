//! What can be asked of a session.

use super::{AnsweredQuestionnaire, Phase, Session};
use crate::event::Snapshot;
use crate::metrics::{QuestionFold, QuestionRecord};
use crate::plan::{SessionPlan, SkipRule, StagePlan};
use crate::questionnaire::Questionnaire;

impl Session {
    /// What the session was started with.
    #[must_use]
    pub fn plan(&self) -> &SessionPlan {
        &self.plan
    }

    /// Where the participant is.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Sequence number of the next event: the length of the log.
    #[must_use]
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Time of the last event, in milliseconds since the session's start.
    #[must_use]
    pub fn last_ms(&self) -> u64 {
        self.last_ms
    }

    /// The stage the participant is in, if any.
    #[must_use]
    pub fn current_stage(&self) -> Option<&StagePlan> {
        match self.phase {
            Phase::StageIntro { stage }
            | Phase::Questionnaire {
                stage: Some(stage), ..
            } => self.stage(stage),
            Phase::Ready(at) | Phase::Solving(at) | Phase::Solved(at) => self.stage(at.stage),
            _ => None,
        }
    }

    /// The questionnaire on screen, if any.
    #[must_use]
    pub fn questionnaire(&self) -> Option<&Questionnaire> {
        match self.phase {
            Phase::Questionnaire {
                stage: Some(stage),
                index,
            } => self.stage(stage)?.after.get(index),
            Phase::Questionnaire { stage: None, index } => self.plan.closing.get(index),
            _ => None,
        }
    }

    /// Whether the current question can be skipped at `now_ms`.
    #[must_use]
    pub fn can_skip(&self, now_ms: u64) -> bool {
        let (Phase::Solving(_), Some(stage), Some(question)) =
            (self.phase, self.current_stage(), &self.question)
        else {
            return false;
        };
        match stage.skip {
            SkipRule::Never => false,
            SkipRule::Always => true,
            #[allow(clippy::cast_precision_loss)]
            SkipRule::AfterActive { seconds } => {
                question.active_ms(now_ms) as f64 >= seconds * 1000.0
            }
        }
    }

    /// The last snapshot of the running question: where its controls stand.
    #[must_use]
    pub fn last_snapshot(&self) -> Option<&Snapshot> {
        self.question.as_ref().and_then(QuestionFold::last_snapshot)
    }

    /// When the running question started, in milliseconds since the session's start.
    #[must_use]
    pub fn question_started_at_ms(&self) -> Option<u64> {
        self.question.as_ref().map(QuestionFold::started_at_ms)
    }

    /// The name a participant gave to a dial.
    #[must_use]
    pub fn dial_name(&self, stage: usize, dimension: usize) -> Option<&str> {
        self.dial_names.get(&(stage, dimension)).map(String::as_str)
    }

    /// Records of the questions that ended, in order.
    #[must_use]
    pub fn ended(&self) -> &[QuestionRecord] {
        &self.records
    }

    /// Records of all questions begun, the running one last, as far as the log goes.
    #[must_use]
    pub fn records(&self) -> Vec<QuestionRecord> {
        let running = self.question.as_ref().map(QuestionFold::record);
        self.records.iter().cloned().chain(running).collect()
    }

    /// Questionnaires answered, in order.
    #[must_use]
    pub fn answers(&self) -> &[AnsweredQuestionnaire] {
        &self.answers
    }

    /// Share of the questions (practice included) that have ended, in [0, 1]; 1 where there are none.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn progress(&self) -> f64 {
        match self.plan.question_count() {
            0 => 1.0,
            count => self.records.len() as f64 / count as f64,
        }
    }
}

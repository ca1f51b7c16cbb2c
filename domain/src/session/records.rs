//! Records and verdicts of the questions of a session, as far as its log goes.

use super::plan::WrongAnswer;
use super::{AnsweredQuestionnaire, BegunQuestion, Session};
use crate::session::event::QuestionRef;
use crate::task::record::QuestionPlace;
use crate::task::tables::QuestionRow;
use crate::task::{AnswerKey, QuestionRecord, Verdict};

impl Session {
    /// The source of the rows of an export about a question; `None` for a question that the plan
    /// does not have. `record` is measured with the question's key.
    #[must_use]
    pub fn question_row<'a>(&'a self, record: &'a QuestionRecord) -> Option<QuestionRow<'a>> {
        let stage = self.plan.stages.get(record.at.stage)?;
        Some(QuestionRow {
            session: &self.plan.session,
            study_sha256: &self.plan.study_sha256,
            levels: [&self.plan.cell, &stage.levels],
            task: &stage.task,
            last_state: self.last_state(record.at.stage),
            record,
            key: self.key(record.at),
        })
    }

    /// The verdict on a question, once the page has logged it.
    #[must_use]
    pub fn verdict(&self, at: QuestionRef) -> Option<Verdict> {
        self.verdicts.get(&at).copied()
    }

    /// The answered questions whose verdict the page has not logged, oldest first.
    #[must_use]
    pub fn without_verdict(&self) -> Vec<QuestionRef> {
        let open = |question: &&BegunQuestion| {
            question.is_answered()
                && question.state.task().has_verdicts()
                && !self.verdicts.contains_key(&question.at)
        };
        self.questions().filter(open).map(|q| q.at).collect()
    }

    /// The verdict that the answer key gives on an answered question; `None` before the
    /// answer, without keys, or for a task that has no verdicts.
    #[must_use]
    pub fn true_verdict(&self, at: QuestionRef) -> Option<Verdict> {
        let question = self.question(at).filter(|q| q.is_answered())?;
        self.key(at)?.verdict(&question.state)
    }

    /// The answer key of a question, where the session has keys.
    #[must_use]
    pub fn key(&self, at: QuestionRef) -> Option<&AnswerKey> {
        self.keys.as_ref()?.of(at)
    }

    /// Records of the questions that ended, in order.
    #[must_use]
    pub fn ended(&self) -> Vec<QuestionRecord> {
        let records = self.records().into_iter();
        records.filter(|record| record.outcome.is_some()).collect()
    }

    /// Records of all questions begun, in order, as far as the log goes; measured with
    /// the answer keys where the session has them.
    #[must_use]
    pub fn records(&self) -> Vec<QuestionRecord> {
        let questions = self.questions.iter();
        questions
            .filter_map(|question| self.record_with(question, self.key(question.at)))
            .collect()
    }

    pub(super) fn record_without_key(&self, question: &BegunQuestion) -> Option<QuestionRecord> {
        self.record_with(question, None)
    }

    fn record_with(
        &self,
        question: &BegunQuestion,
        key: Option<&AnswerKey>,
    ) -> Option<QuestionRecord> {
        let BegunQuestion {
            at,
            clock,
            outcome,
            state,
            decode_times,
            sizes,
            ..
        } = question;
        let stage = self.plan.stages.get(at.stage)?;
        let place = QuestionPlace {
            at: *at,
            stage_id: &stage.id,
            model: stage.task.subject(key),
            practice: stage.practice,
        };
        let measures = stage.task.measures(key, state, clock, self.verdict(*at))?;
        let mut record = QuestionRecord::new(place, clock, *outcome, measures);
        record.decode_times = *decode_times;
        record.sizes = *sizes;
        Some(record)
    }

    /// Whether wrong answers mark the session; absent while that is not known.
    #[must_use]
    pub fn is_marked(&self) -> Option<bool> {
        let counts = |record: &QuestionRecord| {
            let stage = self.plan.stages.get(record.at.stage);
            record.has_right_answer()
                && stage.is_some_and(|stage| stage.wrong_answer != WrongAnswer::Nothing)
        };
        let marks = |answered: &&AnsweredQuestionnaire| {
            let asked = self.plan.questionnaire(answered.part);
            asked.is_some_and(|asked| asked.wrong_answer != WrongAnswer::Nothing)
        };
        let mut all_known = true;
        for answered in self.last_answers().filter(marks) {
            match &answered.wrong {
                Some(wrong) if !wrong.is_empty() => return Some(true),
                Some(_) => {}
                None => all_known = false,
            }
        }
        for record in self.ended().iter().filter(|record| counts(record)) {
            match record.is_right() {
                Some(false) => return Some(true),
                Some(true) => {}
                None => all_known = false,
            }
        }
        all_known.then_some(false)
    }
}

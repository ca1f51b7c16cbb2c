//! The flow of a session: event → new state + effects.
//!
//! Browser, server and offline analysis run this one machine. It refuses an
//! event that its state does not allow, and is then left exactly as it was.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

mod queries;

use crate::distance::reaches;
use crate::event::{EVENT_FORMAT, Envelope, Event, MAX_DIAL_NAME, QuestionRef, Snapshot};
use crate::metrics::{QuestionContext, QuestionFold, QuestionRecord};
use crate::plan::{SessionPlan, StagePlan};
use crate::questionnaire::{Answer, AnswerError};

/// Where a participant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// Reading the consent form.
    Consent,
    /// Did not agree. The end.
    Declined,
    /// Reading the tutorial.
    Tutorial,
    /// Reading what the coming stage is about.
    StageIntro {
        /// 0-based index of the stage.
        stage: usize,
    },
    /// The question is about to come on screen.
    Ready(QuestionRef),
    /// The question's controls are live.
    Solving(QuestionRef),
    /// Solved, controls locked, not yet gone on.
    Solved(QuestionRef),
    /// Filling in a questionnaire: after a stage, or (stage absent) at the end.
    Questionnaire {
        /// The stage it follows.
        stage: Option<usize>,
        /// 0-based index among that stage's (or the closing) questionnaires.
        index: usize,
    },
    /// Everything asked has been answered. The end.
    Complete,
}

/// What the host of the machine is asked to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// A question ended: keep its record.
    QuestionEnded(Box<QuestionRecord>),
    /// Send what is unsent now rather than in a moment.
    FlushLog,
    /// The log is complete: a completion code may be made.
    Completed,
}

/// Why an event was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The record's format version is not one this build reads.
    #[error("format {found} is not known here; this version reads formats 1 to {EVENT_FORMAT}")]
    Format {
        /// The version found.
        found: u16,
    },
    /// The record belongs to another session.
    #[error("the event belongs to another session")]
    WrongSession,
    /// The record is not the next one.
    #[error("event {expected} was expected next, not {found}")]
    OutOfOrder {
        /// Next sequence number.
        expected: u64,
        /// The one found.
        found: u64,
    },
    /// Time went backwards.
    #[error("time went back from {before_ms} ms to {found_ms} ms")]
    ClockWentBack {
        /// Time of the event before.
        before_ms: u64,
        /// Time of this one.
        found_ms: u64,
    },
    /// The event has no place in the session's present state.
    #[error("'{event}' cannot happen in {phase:?}")]
    NotNow {
        /// Kind of the event.
        event: &'static str,
        /// The state.
        phase: Phase,
    },
    /// A snapshot that cannot be: z outside the latent space, a distance outside [0, 1], time out of order.
    #[error("the snapshot cannot be right: {0}")]
    BadSnapshot(String),
    /// "Solved" without the last snapshot having reached the threshold.
    #[error("the threshold has not been reached")]
    NotSolved,
    /// Skipped before T, or where skipping is not offered.
    #[error("the question cannot be skipped yet")]
    SkipTooEarly,
    /// A dial that is not there, cannot be renamed, or a name that is too long.
    #[error("the dial cannot be renamed: {0}")]
    BadRenaming(String),
    /// The answers do not fit the questionnaire.
    #[error(transparent)]
    Answers(#[from] AnswerError),
    /// The answers are to another questionnaire than the one on screen.
    #[error("'{found}' was answered, '{expected}' is asked")]
    WrongQuestionnaire {
        /// Name of the questionnaire on screen.
        expected: String,
        /// The one found.
        found: String,
    },
}

/// Answers to one questionnaire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct AnsweredQuestionnaire {
    /// 0-based index of the stage it follows; absent at the end of the session.
    pub stage: Option<usize>,
    /// Name of the questionnaire.
    pub questionnaire: String,
    /// When it was handed in, in milliseconds since the session's start.
    pub at_ms: u64,
    /// The answers, by item.
    pub answers: BTreeMap<String, Answer>,
}

/// The machine.
#[derive(Debug, Clone)]
pub struct Session {
    plan: Arc<SessionPlan>,
    phase: Phase,
    next_seq: u64,
    last_ms: u64,
    question: Option<QuestionFold>,
    records: Vec<QuestionRecord>,
    answers: Vec<AnsweredQuestionnaire>,
    dial_names: BTreeMap<(usize, usize), String>,
}

impl Session {
    /// A session at its beginning.
    #[must_use]
    pub fn new(plan: impl Into<Arc<SessionPlan>>) -> Self {
        let mut session = Self {
            plan: plan.into(),
            phase: Phase::Consent,
            next_seq: 0,
            last_ms: 0,
            question: None,
            records: Vec::new(),
            answers: Vec::new(),
            dial_names: BTreeMap::new(),
        };
        if !session.plan.consent {
            session.phase = session.after_consent();
        }
        session
    }

    /// A session as a log left it.
    ///
    /// # Errors
    /// The index of the first event that is refused, and why.
    pub fn replay<'a>(
        plan: impl Into<Arc<SessionPlan>>,
        log: impl IntoIterator<Item = &'a Envelope>,
    ) -> Result<Self, (usize, Refusal)> {
        let mut session = Self::new(plan);
        for (index, envelope) in log.into_iter().enumerate() {
            session
                .apply(envelope)
                .map_err(|refusal| (index, refusal))?;
        }
        Ok(session)
    }

    /// Takes in the next event.
    ///
    /// # Errors
    /// A [`Refusal`]; the session is then unchanged.
    pub fn apply(&mut self, envelope: &Envelope) -> Result<Vec<Effect>, Refusal> {
        let Envelope {
            format,
            session,
            seq,
            at_ms,
            event,
        } = envelope;
        if *format == 0 || *format > EVENT_FORMAT {
            return Err(Refusal::Format { found: *format });
        }
        if *session != self.plan.session {
            return Err(Refusal::WrongSession);
        }
        if *seq != self.next_seq {
            return Err(Refusal::OutOfOrder {
                expected: self.next_seq,
                found: *seq,
            });
        }
        if *at_ms < self.last_ms {
            return Err(Refusal::ClockWentBack {
                before_ms: self.last_ms,
                found_ms: *at_ms,
            });
        }
        let effects = self.step(*at_ms, event)?;
        self.next_seq += 1;
        self.last_ms = *at_ms;
        Ok(effects)
    }

    /// Everything but the envelope. Checks first, changes afterwards.
    fn step(&mut self, at_ms: u64, event: &Event) -> Result<Vec<Effect>, Refusal> {
        use Phase as P;
        let not_now = Refusal::NotNow {
            event: event.kind(),
            phase: self.phase,
        };
        match (self.phase, event) {
            (
                _,
                Event::PageOpened { .. }
                | Event::PageHidden
                | Event::PageShown
                | Event::ConnectionLost
                | Event::ConnectionRestored,
            ) => {
                self.push_to_question(at_ms, event);
                Ok(vec![])
            }
            (P::Consent, Event::ConsentGiven) => Ok(self.go(self.after_consent())),
            (P::Consent, Event::ConsentDeclined) => Ok(self.go(P::Declined)),
            (P::Tutorial, Event::TutorialFinished) => Ok(self.go(self.before_stage(0))),
            (P::StageIntro { stage }, Event::StageStarted { stage: found }) if *found == stage => {
                Ok(self.go(P::Ready(QuestionRef { stage, question: 0 })))
            }
            (P::Ready(at), Event::QuestionStarted { at: found }) if *found == at => {
                let stage = self.stage(at.stage).ok_or(not_now)?;
                let context = QuestionContext {
                    at,
                    stage_id: &stage.id,
                    model: &stage.model.name,
                    practice: stage.practice,
                    space: &stage.model.latent,
                };
                self.question = Some(QuestionFold::start(context, at_ms));
                self.phase = P::Solving(at);
                Ok(vec![])
            }
            (P::Solving(at), Event::Snapshot(snapshot)) => {
                self.check_snapshot(at, at_ms, snapshot)?;
                self.push_to_question(at_ms, event);
                Ok(vec![])
            }
            (P::Solving(_), Event::Activity | Event::DisplaySwitched { .. }) => {
                self.push_to_question(at_ms, event);
                Ok(vec![])
            }
            // A picture can still be looked at, and a dial named, once the question is solved.
            (P::Solved(_), Event::DisplaySwitched { .. }) => Ok(vec![]),
            (P::Solving(at) | P::Solved(at), Event::DialRenamed { dimension, name }) => {
                self.check_renaming(at, *dimension, name)?;
                self.push_to_question(at_ms, event);
                self.dial_names.insert((at.stage, *dimension), name.clone());
                Ok(vec![])
            }
            (P::Solving(at), Event::QuestionSolved) => {
                if !self.threshold_reached() {
                    return Err(Refusal::NotSolved);
                }
                let ended = self.end_question(at_ms, event);
                self.phase = P::Solved(at);
                Ok(ended)
            }
            (P::Solving(at), Event::QuestionSkipped) => {
                if !self.can_skip(at_ms) {
                    return Err(Refusal::SkipTooEarly);
                }
                let mut effects = self.end_question(at_ms, event);
                effects.extend(self.go(self.after_question(at)));
                Ok(effects)
            }
            (P::Solved(at), Event::MovedOn) => Ok(self.go(self.after_question(at))),
            (
                P::Questionnaire { stage, .. },
                Event::QuestionnaireAnswered {
                    questionnaire,
                    answers,
                },
            ) => {
                let asked = self.questionnaire().ok_or(not_now)?;
                if *questionnaire != asked.id {
                    return Err(Refusal::WrongQuestionnaire {
                        expected: asked.id.clone(),
                        found: questionnaire.clone(),
                    });
                }
                asked.check(answers)?;
                self.answers.push(AnsweredQuestionnaire {
                    stage,
                    questionnaire: questionnaire.clone(),
                    at_ms,
                    answers: answers.clone(),
                });
                Ok(self.go(self.after_questionnaire()))
            }
            _ => Err(not_now),
        }
    }

    fn push_to_question(&mut self, at_ms: u64, event: &Event) {
        if let Some(question) = &mut self.question {
            question.push(at_ms, event);
        }
    }

    fn end_question(&mut self, at_ms: u64, event: &Event) -> Vec<Effect> {
        let Some(mut question) = self.question.take() else {
            return vec![];
        };
        question.push(at_ms, event);
        let record = question.record();
        self.records.push(record.clone());
        vec![Effect::QuestionEnded(Box::new(record)), Effect::FlushLog]
    }

    fn check_snapshot(&self, at: QuestionRef, at_ms: u64, new: &Snapshot) -> Result<(), Refusal> {
        let bad = |why: String| Err(Refusal::BadSnapshot(why));
        let (Some(stage), Some(question)) = (self.stage(at.stage), &self.question) else {
            return bad("no question is running".into());
        };
        let space = &stage.model.latent;
        if let Err(error) = space.validate(&new.z) {
            return bad(error.to_string());
        }
        if new
            .dimension
            .is_some_and(|dimension| dimension >= space.len())
        {
            return bad("there is no such dimension".into());
        }
        if !(0.0..=1.0).contains(&new.distance) {
            return bad(format!("a distance of {}", new.distance));
        }
        if !(new.squared_error >= 0.0 && new.squared_error.is_finite()) {
            return bad(format!("a squared error of {}", new.squared_error));
        }
        if question.started_at_ms().saturating_add(new.elapsed_ms) > at_ms {
            return bad("it was reached after it was stored".into());
        }
        if question
            .last_snapshot()
            .is_some_and(|old| new.elapsed_ms < old.elapsed_ms)
        {
            return bad("it is older than the one before".into());
        }
        Ok(())
    }

    fn check_renaming(&self, at: QuestionRef, dimension: usize, name: &str) -> Result<(), Refusal> {
        let bad = |why: &str| Err(Refusal::BadRenaming(why.into()));
        match self.stage(at.stage) {
            Some(stage) if !stage.rename_dials => bad("dials keep their names in this stage"),
            Some(stage) if dimension >= stage.model.latent.len() => bad("there is no such dial"),
            Some(_) if name.chars().count() > MAX_DIAL_NAME => bad("the name is too long"),
            Some(_) => Ok(()),
            None => bad("there is no such stage"),
        }
    }

    fn go(&mut self, phase: Phase) -> Vec<Effect> {
        self.phase = phase;
        match phase {
            Phase::Complete => vec![Effect::FlushLog, Effect::Completed],
            _ => vec![Effect::FlushLog],
        }
    }

    fn after_consent(&self) -> Phase {
        if self.plan.tutorial {
            Phase::Tutorial
        } else {
            self.before_stage(0)
        }
    }

    fn before_stage(&self, stage: usize) -> Phase {
        match self.stage(stage) {
            Some(plan) if plan.questions.is_empty() => self.after_stage(stage, 0),
            Some(_) => Phase::StageIntro { stage },
            None => self.closing(0),
        }
    }

    fn after_question(&self, at: QuestionRef) -> Phase {
        let next = QuestionRef {
            question: at.question + 1,
            ..at
        };
        match self.plan.question(next) {
            Some(_) => Phase::Ready(next),
            None => self.after_stage(at.stage, 0),
        }
    }

    fn after_stage(&self, stage: usize, index: usize) -> Phase {
        match self.stage(stage).and_then(|plan| plan.after.get(index)) {
            Some(_) => Phase::Questionnaire {
                stage: Some(stage),
                index,
            },
            None => self.before_stage(stage + 1),
        }
    }

    fn closing(&self, index: usize) -> Phase {
        match self.plan.closing.get(index) {
            Some(_) => Phase::Questionnaire { stage: None, index },
            None => Phase::Complete,
        }
    }

    fn after_questionnaire(&self) -> Phase {
        match self.phase {
            Phase::Questionnaire {
                stage: Some(stage),
                index,
            } => self.after_stage(stage, index + 1),
            Phase::Questionnaire { stage: None, index } => self.closing(index + 1),
            other => other,
        }
    }

    fn stage(&self, index: usize) -> Option<&StagePlan> {
        self.plan.stages.get(index)
    }

    fn threshold_reached(&self) -> bool {
        let last = self.question.as_ref().and_then(QuestionFold::last_snapshot);
        match (last, self.current_stage()) {
            (Some(last), Some(stage)) => reaches(last.distance, stage.model.threshold),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;

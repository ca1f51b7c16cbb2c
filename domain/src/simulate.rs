//! Simulated participants: valid logs without a browser or a decoder, for tests of
//! everything that takes logs in.

use std::collections::VecDeque;
use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use crate::event::{Author, Consented, EVENT_FORMAT, Envelope, Event, PageInfo};
use crate::plan::{PartPlan, SessionPlan};
use crate::questionnaire::{Answer, Answers, Questionnaire};
use crate::session::{Phase, Session};
use crate::task::{Simulation, Verdict};

/// Milliseconds between two events outside of questions.
const PAUSE_MS: u64 = 100;

/// A participant who has a plan and follows it. As an iterator: the log of their page, in
/// order, to the session's end, or to where a verdict of the server is waited for.
#[derive(Debug, Clone)]
pub struct SimulatedParticipant {
    session: Session,
    rng: ChaCha20Rng,
    movements: usize,
    /// Events decided on and not yet logged, each with the milliseconds that pass before it.
    next: VecDeque<(u64, Event)>,
}

impl SimulatedParticipant {
    /// A participant at the start of a session, who moves a dial `movements` times in each
    /// question before the movement that ends it. The same seed gives the same log.
    #[must_use]
    pub fn new(plan: impl Into<Arc<SessionPlan>>, seed: u64, movements: usize) -> Self {
        Self::going_on(Session::new(plan), seed, movements)
    }

    /// A participant who opens the page of a session anew. In the middle of a question
    /// the question's log would begin again, so the session must stand between two.
    #[must_use]
    pub fn going_on(session: Session, seed: u64, movements: usize) -> Self {
        let opened = Event::PageOpened {
            page: PageInfo::default(),
        };
        Self {
            session,
            rng: ChaCha20Rng::seed_from_u64(seed),
            movements,
            next: VecDeque::from([(PAUSE_MS, opened)]),
        }
    }

    /// Where the participant is after the events given out so far.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The server's verdict on an answer has come: it is logged next.
    pub fn receive(&mut self, at: crate::event::QuestionRef, verdict: Verdict) {
        let event = Event::VerdictReceived { at, verdict };
        self.next.push_front((PAUSE_MS, event));
    }

    /// The server's check of a page's answers has come: it is logged next. Answers that are
    /// wrong are others at the next attempt.
    pub fn receive_check(&mut self, part: usize, wrong: Vec<String>) {
        let event = Event::CheckReceived { part, wrong };
        self.next.push_front((PAUSE_MS, event));
    }

    /// What is done in the present phase, at least one event; nothing at the end.
    fn decide(&mut self) -> Vec<(u64, Event)> {
        let event = match self.session.phase() {
            Phase::Consent => Event::ConsentGiven(Consented::default()),
            Phase::Instructions { part } => Event::InstructionsRead { part },
            Phase::Tutorial { .. } => Event::TutorialFinished,
            Phase::StageIntro { stage } => Event::StageStarted { stage },
            Phase::Ready(at) => Event::QuestionStarted { at },
            Phase::Question(at) => {
                let plan = self.session.plan();
                let Some(stage) = plan.stages.get(at.stage) else {
                    return Vec::new();
                };
                let simulation = Simulation {
                    practice: stage.practice,
                    decode: None,
                    instance: None,
                    movements: self.movements,
                };
                let done = stage.task.simulate(at.question, &simulation, &mut self.rng);
                return done
                    .into_iter()
                    .map(|(wait_ms, event)| (wait_ms, Event::Task(event)))
                    .collect();
            }
            Phase::TimeUp { stage } => Event::StageLeft { stage },
            Phase::Questionnaire { part } => match self.session.questionnaire() {
                Some(questionnaire) => Event::QuestionnaireAnswered {
                    questionnaire: questionnaire.id.clone(),
                    answers: self.answers(questionnaire, self.session.attempts_of(part)),
                    time_over: false,
                },
                None => return Vec::new(),
            },
            Phase::Break { part } => {
                let at_least_s = match self.session.plan().parts.get(part) {
                    Some(PartPlan::Break { at_least_s, .. }) => *at_least_s,
                    _ => 0.0,
                };
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                // at most an hour
                let wait_ms = (at_least_s * 1_000.0).ceil() as u64;
                return vec![(PAUSE_MS + wait_ms, Event::BreakEnded { part })];
            }
            Phase::AwaitingVerdicts { .. }
            | Phase::ScreenedOut
            | Phase::Complete
            | Phase::Declined => return Vec::new(),
        };
        vec![(PAUSE_MS, event)]
    }

    /// Answers that fit. Where one of several options was wrong before, the next one is tried.
    fn answers(&self, page: &Questionnaire, attempts_before: u32) -> Answers {
        let mut answers = page.sample_answers();
        for wrong in self.session.wrong_before() {
            let item = page.items.iter().find(|item| item.id == *wrong);
            let options = item.map_or(&[][..], |item| item.answer.options());
            let plain = options.iter().filter(|option| option.describe.is_none());
            let options: Vec<_> = plain.collect();
            let next = usize::try_from(attempts_before).unwrap_or_default() % options.len().max(1);
            if let (Some(Answer::Text(answer)), Some(option)) =
                (answers.get_mut(wrong), options.get(next))
            {
                answer.clone_from(&option.id);
            }
        }
        answers
    }
}

impl Iterator for SimulatedParticipant {
    type Item = Envelope;

    fn next(&mut self) -> Option<Envelope> {
        if self.next.is_empty() {
            self.next = self.decide().into();
        }
        let (wait_ms, event) = self.next.pop_front()?;
        let at_ms = self.session.last_ms() + wait_ms;
        let event = match self.session.to_be_cut(at_ms) {
            Some(stage) => {
                // Whatever was to be done in the question comes too late.
                self.next.clear();
                Event::TimeUp { stage }
            }
            None => event,
        };
        let envelope = Envelope {
            format: EVENT_FORMAT,
            session: self.session.plan().session.clone(),
            author: Author::Participant,
            seq: self.session.next_seq(),
            at_ms,
            event,
        };
        // A participant who does what the session refuses is a fault of the simulation; the log ends there.
        self.session.apply(&envelope).ok()?;
        Some(envelope)
    }
}

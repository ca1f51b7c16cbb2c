//! Simulated participants: valid logs without a browser.
//!
//! Either people ([`SimulatedPerson`]): they see what the real decoders give, follow a strategy, and take
//! a person's time. Or nobody at all, without a decoder: valid events for tests of everything
//! that takes logs in.

use std::collections::VecDeque;
use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::questionnaire::{Answers, Questionnaire};
use crate::session::device::DeviceReport;
use crate::session::event::{Author, Consented, EVENT_FORMAT, Envelope, Event, PageInfo};
use crate::session::plan::{PartPlan, SessionPlan};
use crate::session::{AnswerKeys, Phase, Session};
use crate::task::{Now, SimulationContext, Verdict};

mod answers;

pub use crate::task::person::{Mixture, Sight, SimulatedPerson, Strategy, Timing};

/// Milliseconds between two events outside of questions, of somebody who is nobody.
const PAUSE_MS: u64 = 100;

/// The device report of a simulated page: it fits every study.
const FITTING: DeviceReport = DeviceReport {
    width_px: 10_000,
    picture_px: Some(10_000.0),
    fine_pointer: true,
    touch: true,
    decode_ms: Some(0.0),
};

/// Words of a consent form, which is no part of the plan: those of the shipped ones.
const CONSENT_WORDS: usize = 300;

/// The user agent of simulated people's pages.
pub const USER_AGENT: &str = "redial simulate";

/// A participant who has a plan and follows it. As an iterator: the log of their page, in
/// order, to the session's end, or to where a verdict of the server is waited for.
#[derive(Clone)]
pub struct SimulatedParticipant {
    session: Session,
    rng: ChaCha20Rng,
    person: Option<SimulatedPerson>,
    movements: usize,
    /// Events decided on and not yet logged, each with the milliseconds that pass before it.
    next: VecDeque<(u64, Event)>,
}

impl SimulatedParticipant {
    /// Nobody, at the start of a session, who moves a dial `movements` times in each
    /// question before the movement that ends it. The same seed gives the same log.
    #[must_use]
    pub fn new(plan: impl Into<Arc<SessionPlan>>, seed: u64, movements: usize) -> Self {
        Self::going_on(Session::new(plan), seed, movements)
    }

    /// Nobody, who opens the page of a session anew. In the middle of a question
    /// the question's log would begin again, so the session must stand between two.
    #[must_use]
    pub fn going_on(session: Session, seed: u64, movements: usize) -> Self {
        Self::with(session, None, PageInfo::default(), seed, movements)
    }

    /// A person at the start of a session. Verdicts and checks of answers are what the keys
    /// say, and come at once; the server has to give out the same. The same seed gives the same
    /// log.
    #[must_use]
    pub fn person(
        plan: impl Into<Arc<SessionPlan>>,
        keys: impl Into<Arc<AnswerKeys>>,
        person: SimulatedPerson,
        seed: u64,
    ) -> Self {
        let page = PageInfo {
            viewport_width_px: 1_280,
            viewport_height_px: 800,
            pixel_ratio: 1.0,
            user_agent: format!("{USER_AGENT} ({})", person.strategy.name()),
            ..PageInfo::default()
        };
        Self::with(Session::with_keys(plan, keys), Some(person), page, seed, 0)
    }

    fn with(
        session: Session,
        person: Option<SimulatedPerson>,
        page: PageInfo,
        seed: u64,
        movements: usize,
    ) -> Self {
        Self {
            session,
            rng: ChaCha20Rng::seed_from_u64(seed),
            person,
            movements,
            next: VecDeque::from([(PAUSE_MS, Event::PageOpened { page })]),
        }
    }

    /// Where the participant is after the events given out so far.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The server's verdict on an answer has come: it is logged next.
    pub fn receive(&mut self, at: crate::session::event::QuestionRef, verdict: Verdict) {
        let event = Event::VerdictReceived { at, verdict };
        self.next.push_front((PAUSE_MS, event));
    }

    /// The server's check of a page's answers has come: it is logged next. Answers that are
    /// wrong are others at the next attempt, and those that are not stay.
    pub fn receive_check(&mut self, part: usize, wrong: Vec<String>) {
        let event = Event::CheckReceived { part, wrong };
        self.next.push_front((PAUSE_MS, event));
    }

    /// The next events in the present phase, at least one; nothing at the end.
    fn decide(&mut self) -> Vec<(u64, Event)> {
        if let Some(told) = self.told() {
            return vec![told];
        }
        let event = match self.session.phase() {
            Phase::Consent => Event::ConsentGiven(Consented::default()),
            Phase::Instructions { part } => Event::InstructionsRead { part },
            Phase::Tutorial { .. } => Event::TutorialFinished,
            Phase::StageIntro { stage } => Event::StageStarted { stage },
            Phase::Ready(at) => Event::QuestionStarted { at },
            Phase::Question(_) => return self.in_question(),
            Phase::TimeUp { stage } => Event::StageLeft { stage },
            Phase::Questionnaire { part } => match self.session.questionnaire().cloned() {
                Some(questionnaire) => Event::QuestionnaireAnswered {
                    questionnaire: questionnaire.id.clone(),
                    answers: self.answers(&questionnaire, part),
                    time_over: false,
                },
                None => return Vec::new(),
            },
            Phase::DeviceCheck { part } => Event::DeviceChecked {
                part,
                device: FITTING,
            },
            Phase::Break { part } => Event::BreakEnded { part },
            Phase::AwaitingVerdicts { .. }
            | Phase::DeviceUnfit
            | Phase::ScreenedOut
            | Phase::Complete
            | Phase::Declined
            | Phase::Withdrawn => return Vec::new(),
        };
        vec![(self.pause_ms(), event)]
    }

    /// The event that the server would tell now, by the keys, where they are known.
    fn told(&self) -> Option<(u64, Event)> {
        if !self.session.has_keys() {
            return None;
        }
        let waiting = self.session.without_verdict();
        let (at, part) = match self.session.phase() {
            Phase::Question(at) => (waiting.into_iter().find(|other| *other == at), None),
            Phase::AwaitingVerdicts { part } => (waiting.first().copied(), Some(part)),
            _ => return None,
        };
        if let Some(at) = at {
            let verdict = self.session.true_verdict(at)?;
            return Some((PAUSE_MS, Event::VerdictReceived { at, verdict }));
        }
        let part = part?;
        let wrong = self.session.true_check(self.session.answers().last()?);
        Some((PAUSE_MS, Event::CheckReceived { part, wrong }))
    }

    fn in_question(&mut self) -> Vec<(u64, Event)> {
        let (Some(asked), Some(stage)) = (self.session.running(), self.session.current_stage())
        else {
            return Vec::new();
        };
        let simulation = SimulationContext {
            practice: stage.practice,
            person: self.person.as_ref(),
            movements: self.movements,
        };
        let now = Now {
            at_ms: self.session.last_ms(),
            clock: &asked.clock,
            outcome: asked.outcome,
            verdict: self.session.verdict(asked.at),
        };
        let done = stage.task.simulate(
            self.session.key(asked.at),
            asked.at.question,
            &asked.state,
            &now,
            &simulation,
            &mut self.rng,
        );
        done.into_iter()
            .map(|(wait_ms, event)| (wait_ms, Event::Task(event)))
            .collect()
    }

    /// How long the present phase takes before its event, outside of questions.
    fn pause_ms(&mut self) -> u64 {
        let plan = self.session.plan();
        let part = |part: usize| plan.parts.get(part);
        let words = |text: &str| text.split_whitespace().count();
        let (words, at_least_s) = match self.session.phase() {
            Phase::Consent => (CONSENT_WORDS, 0.0),
            Phase::Instructions { part: index } => match part(index) {
                Some(PartPlan::Instructions {
                    html, at_least_s, ..
                }) => (words(html), *at_least_s),
                _ => (0, 0.0),
            },
            Phase::Break { part: index } => match part(index) {
                Some(PartPlan::Break { at_least_s, .. }) => (0, *at_least_s),
                _ => (0, 0.0),
            },
            Phase::Tutorial { .. } => (100, 0.0),
            Phase::StageIntro { .. } => (40, 0.0),
            Phase::Questionnaire { .. } => {
                let page = self.session.questionnaire();
                let items = page.map_or(&[][..], |page| page.items.as_slice());
                (items.iter().map(|item| words(&item.text) + 4).sum(), 0.0)
            }
            _ => (0, 0.0),
        };
        let at_least_ms = (at_least_s * 1_000.0).ceil() as u64;
        match &self.person {
            None => match self.session.phase() {
                Phase::Break { .. } => PAUSE_MS + at_least_ms,
                _ => PAUSE_MS,
            },
            Some(person) => {
                let timing = person.timing;
                let reading_ms = timing.read(words, &mut self.rng);
                reading_ms.max(at_least_ms) + timing.press(&mut self.rng)
            }
        }
    }

    /// Answers that fit. A participant who was told that some were wrong keeps the others.
    fn answers(&mut self, page: &Questionnaire, part: usize) -> Answers {
        let rng = &mut self.rng as &mut dyn Rng;
        if !self.session.wrong_before().is_empty() {
            return answers::again(page, part, &self.session, rng);
        }
        match &self.person {
            None => page.sample_answers(),
            Some(person) => answers::of_person(page, person, &self.session, rng),
        }
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
                // The question's remaining events come too late.
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

#[cfg(test)]
mod tests;

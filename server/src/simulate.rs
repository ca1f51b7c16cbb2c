//! Simulated participants: valid logs without a browser or a decoder, for tests
//! of the server and of everything downstream of it.
//!
//! A participant moves dials at random, ten snapshots a second, with made-up
//! readings; the last snapshot of a question has distance 0, which solves it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use domain::event::{EVENT_FORMAT, Envelope, Event, PageInfo, Snapshot};
use domain::latent::{Dimension, LatentSpace};
use domain::plan::SessionPlan;
use domain::questionnaire::{Answer, ItemKind, Questionnaire};
use domain::recorder::SNAPSHOT_INTERVAL_MS;
use domain::session::{Phase, Session};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// A participant who has a plan and follows it. As an iterator: their log, in
/// order, to the session's end.
#[derive(Debug, Clone)]
pub struct SimulatedParticipant {
    session: Session,
    rng: ChaCha20Rng,
    snapshots: usize,
    /// Events decided on and not yet logged.
    next: VecDeque<Event>,
    z: Vec<f64>,
    elapsed_ms: u64,
}

impl SimulatedParticipant {
    /// A participant at the start of a session, who stores `snapshots` of each
    /// question before the one that solves it. The same seed gives the same log.
    #[must_use]
    pub fn new(plan: impl Into<Arc<SessionPlan>>, seed: u64, snapshots: usize) -> Self {
        Self {
            session: Session::new(plan),
            rng: ChaCha20Rng::seed_from_u64(seed),
            snapshots,
            next: VecDeque::from([Event::PageOpened {
                page: PageInfo::default(),
            }]),
            z: Vec::new(),
            elapsed_ms: 0,
        }
    }

    /// Where the participant is after the events given out so far.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What is done in the present phase, at least one event; nothing at the end.
    fn decide(&mut self) -> Vec<Event> {
        match self.session.phase() {
            Phase::Consent => vec![Event::ConsentGiven],
            Phase::Tutorial => vec![Event::TutorialFinished],
            Phase::StageIntro { stage } => vec![Event::StageStarted { stage }],
            Phase::Ready(at) => {
                self.elapsed_ms = 0;
                let question = self
                    .session
                    .plan()
                    .question(at)
                    .map(|(_, question)| question);
                self.z = question
                    .map(|question| question.start.clone())
                    .unwrap_or_default();
                vec![Event::QuestionStarted { at }]
            }
            Phase::Solving(_) => self.solve(),
            Phase::Solved(_) => vec![Event::MovedOn],
            Phase::Questionnaire { .. } => self
                .session
                .questionnaire()
                .map(answer)
                .into_iter()
                .collect(),
            Phase::Complete | Phase::Declined => Vec::new(),
        }
    }

    fn solve(&mut self) -> Vec<Event> {
        let Some(space) = self
            .session
            .current_stage()
            .map(|stage| stage.model.latent.clone())
        else {
            return Vec::new();
        };
        let mut events = vec![self.snapshot(&space, None, 1.0)];
        for _ in 0..self.snapshots {
            let dimension = self.rng.random_range(0..space.len());
            let distance = self.rng.random_range(0.5..1.0);
            events.push(self.snapshot(&space, Some(dimension), distance));
        }
        let dimension = self.rng.random_range(0..space.len());
        events.push(self.snapshot(&space, Some(dimension), 0.0));
        events.push(Event::QuestionSolved);
        events
    }

    /// Moves a dial, if one is given, and looks at what there is.
    fn snapshot(&mut self, space: &LatentSpace, dimension: Option<usize>, distance: f64) -> Event {
        let mut direction = None;
        if let Some(index) = dimension {
            let dial = &space.dimensions()[index];
            let value = match *dial {
                Dimension::Discrete { values } => f64::from(self.rng.random_range(0..values)),
                Dimension::Continuous { min, max, .. } => {
                    dial.snap(self.rng.random_range(min..max))
                }
            };
            direction = domain::event::Direction::of(value - self.z[index]);
            self.z[index] = value;
            self.elapsed_ms += SNAPSHOT_INTERVAL_MS;
        }
        Event::Snapshot(Snapshot {
            elapsed_ms: self.elapsed_ms,
            z: self.z.clone(),
            dimension: direction.and(dimension),
            direction,
            distance,
            squared_error: distance * 64.0,
        })
    }
}

/// Answers that fit, one for each item that needs one.
fn answer(questionnaire: &Questionnaire) -> Event {
    let answers: BTreeMap<String, Answer> = questionnaire
        .items
        .iter()
        .map(|item| {
            let answer = match &item.answer {
                ItemKind::Scale { max, .. } => Answer::Number(*max),
                ItemKind::Text => Answer::Text("It went well.".into()),
                ItemKind::Choice {
                    options,
                    several: false,
                } => Answer::Text(options.first().cloned().unwrap_or_default()),
                ItemKind::Choice {
                    options,
                    several: true,
                } => Answer::Several(options.clone()),
            };
            (item.id.clone(), answer)
        })
        .collect();
    Event::QuestionnaireAnswered {
        questionnaire: questionnaire.id.clone(),
        answers,
    }
}

impl Iterator for SimulatedParticipant {
    type Item = Envelope;

    fn next(&mut self) -> Option<Envelope> {
        if self.next.is_empty() {
            self.next = self.decide().into();
        }
        let event = self.next.pop_front()?;
        let envelope = Envelope {
            format: EVENT_FORMAT,
            session: self.session.plan().session.clone(),
            seq: self.session.next_seq(),
            at_ms: self.session.last_ms() + SNAPSHOT_INTERVAL_MS,
            event,
        };
        // A participant who does what the session refuses is a fault of this module; the log ends there.
        self.session.apply(&envelope).ok()?;
        Some(envelope)
    }
}

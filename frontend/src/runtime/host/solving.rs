//! The host's part in a question: signals for its screen, and the frame in which it is decoded.

use std::sync::Arc;

use domain::event::{Envelope, Event, QuestionRef};
use domain::model::Arrangement;
use domain::session::Phase;
use leptos::prelude::{ArcRwSignal, GetUntracked, Set, Update};

use super::{Host, Moment};
use crate::runtime::question::{Question, Undecodable};
use crate::text::text;

/// At most one activity event in this time, and none where a snapshot says the same.
const ACTIVITY_INTERVAL_MS: u64 = 1_000;

/// What the screen of a question shows.
#[derive(Clone)]
pub struct QuestionSignals {
    /// Where the controls stand.
    pub z: ArcRwSignal<Vec<f64>>,
    /// The picture they make.
    pub picture: ArcRwSignal<Arc<Vec<f32>>>,
    /// How close it is to the target.
    pub alignment: ArcRwSignal<f64>,
    /// Whether the controls are locked.
    pub locked: ArcRwSignal<bool>,
    /// Whether the question can be skipped.
    pub can_skip: ArcRwSignal<bool>,
    /// How picture and target are placed.
    pub arrangement: ArcRwSignal<Arrangement>,
    /// Names the participant gave to the dials; empty where there is none.
    pub dial_names: ArcRwSignal<Vec<String>>,
}

pub(super) struct Active {
    at: QuestionRef,
    started_at_ms: u64,
    question: Question,
    signals: QuestionSignals,
}

/// What a log says about the question on screen, for a page that is opened anew.
#[derive(Debug, Clone, PartialEq)]
pub struct Restored {
    /// Latent vector of the last snapshot.
    pub z: Vec<f64>,
    /// The arrangement last chosen in this question.
    pub arrangement: Option<Arrangement>,
}

impl Restored {
    /// Reads it off a log; nothing if no question has begun.
    #[must_use]
    pub fn from_log(log: &[Envelope]) -> Option<Self> {
        let start = log
            .iter()
            .rposition(|e| matches!(e.event, Event::QuestionStarted { .. }))?;
        let question = || log[start..].iter().rev().map(|envelope| &envelope.event);
        let arrangement = question().find_map(|event| match event {
            Event::DisplaySwitched { arrangement } => Some(*arrangement),
            _ => None,
        });
        let z = question().find_map(|event| match event {
            Event::Snapshot(snapshot) => Some(snapshot.z.clone()),
            _ => None,
        });
        Some(Self { z: z?, arrangement })
    }
}

impl Host {
    /// Brings a question on screen: starts it, or goes on with it after a reload.
    /// Fails with the name of the model that is not there yet.
    pub(super) fn bring_on(&self, at: QuestionRef) -> Result<(), Option<String>> {
        if self
            .state
            .borrow()
            .active
            .as_ref()
            .is_some_and(|active| active.at == at)
        {
            return Ok(());
        }
        let stage = self.stages.get(at.stage).ok_or(None)?;
        let plan = stage.questions.get(at.question).ok_or(None)?;
        let model = &stage.model.name;
        let decode = self
            .decoders
            .get(model)
            .ok_or_else(|| Some(model.clone()))?
            .decode;

        let phase = self.state.borrow().session.phase();
        if phase == Phase::Ready(at) {
            self.log(Event::QuestionStarted { at });
        }
        let (stage, target) = (Arc::clone(stage), Arc::new(plan.target.0.clone()));
        let (last, restored, started_at_ms, now_ms) = {
            let mut state = self.state.borrow_mut();
            let now_ms = state.clock.now_ms(Moment::now());
            let started_at_ms = state.session.question_started_at_ms().unwrap_or(now_ms);
            (
                state.session.last_snapshot().cloned(),
                state.restored.take(),
                started_at_ms,
                now_ms,
            )
        };
        let arrangement = restored
            .as_ref()
            .and_then(|r| r.arrangement)
            .unwrap_or_else(|| stage.arrangement());
        let elapsed_ms = now_ms.saturating_sub(started_at_ms);
        let begun = match (phase, last, restored) {
            (Phase::Solved(_), _, Some(restored)) => {
                Question::solved(stage, target, decode, restored.z)
                    .map(|question| (question, vec![]))
            }
            (_, Some(last), _) => Question::resume(stage, target, decode, last, elapsed_ms),
            _ => Question::start(stage, target, decode, plan.start.clone()),
        };
        let (question, events) = self.decoded(begun).ok_or(None)?;
        let signals = QuestionSignals {
            z: ArcRwSignal::new(question.z().to_vec()),
            picture: ArcRwSignal::new(Arc::clone(question.picture())),
            alignment: ArcRwSignal::new(question.alignment()),
            locked: ArcRwSignal::new(question.has_ended()),
            can_skip: ArcRwSignal::new(false),
            arrangement: ArcRwSignal::new(arrangement),
            dial_names: ArcRwSignal::new(self.dial_names(at)),
        };
        self.state.borrow_mut().active = Some(Active {
            at,
            started_at_ms,
            question,
            signals,
        });
        self.log_all(events);
        Ok(())
    }

    /// The question on screen.
    #[must_use]
    pub fn question(&self) -> Option<(QuestionRef, Arc<Vec<f32>>, QuestionSignals)> {
        let state = self.state.borrow();
        let active = state.active.as_ref()?;
        Some((
            active.at,
            Arc::clone(active.question.target()),
            active.signals.clone(),
        ))
    }

    /// A dial was moved: shown at once, decoded in the coming frame.
    pub fn on_input(&self, dimension: usize, value: f64) {
        self.drive(|question, elapsed_ms| question.input(dimension, value, elapsed_ms));
        let mut state = self.state.borrow_mut();
        if !std::mem::replace(&mut state.frame_asked, true) {
            let me = self.me.clone();
            leptos::prelude::request_animation_frame(move || {
                if let Some(host) = me.upgrade() {
                    host.state.borrow_mut().frame_asked = false;
                    host.drive(Question::frame);
                }
            });
        }
    }

    /// The participant gives the question up, if that is allowed by now.
    pub fn on_skip(&self) {
        let mut state = self.state.borrow_mut();
        let now_ms = state.clock.now_ms(Moment::now());
        let allowed = state.session.can_skip(now_ms);
        drop(state);
        if allowed {
            self.drive(Question::skip);
            self.settle();
        }
    }

    /// Picture and target are put apart or together.
    pub fn on_switch(&self, arrangement: Arrangement) {
        if let Some((_, _, signals)) = self.question()
            && signals.arrangement.get_untracked() != arrangement
        {
            self.log(Event::DisplaySwitched { arrangement });
            signals.arrangement.set(arrangement);
        }
    }

    /// A dial is given a name.
    pub fn on_rename(&self, dimension: usize, name: String) {
        let Some((_, _, signals)) = self.question() else {
            return;
        };
        let name: String = name
            .trim()
            .chars()
            .take(domain::event::MAX_DIAL_NAME)
            .collect();
        if signals
            .dial_names
            .get_untracked()
            .get(dimension)
            .is_some_and(|before| *before != name)
        {
            self.log(Event::DialRenamed {
                dimension,
                name: name.clone(),
            });
            signals.dial_names.update(|names| names[dimension] = name);
        }
    }

    /// The participant did something that moves no dial.
    pub fn on_activity(&self) {
        let mut state = self.state.borrow_mut();
        let now_ms = state.clock.now_ms(Moment::now());
        let solving = matches!(state.session.phase(), Phase::Solving(_));
        let due = now_ms >= state.active_at_ms + ACTIVITY_INTERVAL_MS;
        drop(state);
        if solving && due {
            self.log(Event::Activity);
        }
    }

    pub(super) fn tick_question(&self) {
        let mut state = self.state.borrow_mut();
        let now_ms = state.clock.now_ms(Moment::now());
        let can_skip = state.session.can_skip(now_ms);
        let Some(active) = &mut state.active else {
            return;
        };
        if active.signals.can_skip.get_untracked() != can_skip {
            active.signals.can_skip.set(can_skip);
        }
        let event = active
            .question
            .tick(now_ms.saturating_sub(active.started_at_ms));
        drop(state);
        self.log_all(event);
    }

    pub(super) fn flush_question(&self) {
        self.drive(Question::flush);
    }

    /// Lets the question take something in, logs what comes of it, and shows how it stands.
    fn drive(&self, step: impl FnOnce(&mut Question, u64) -> Result<Vec<Event>, Undecodable>) {
        let mut state = self.state.borrow_mut();
        let now_ms = state.clock.now_ms(Moment::now());
        let Some(active) = state
            .active
            .as_mut()
            .filter(|active| !active.question.has_ended())
        else {
            return;
        };
        let done = step(
            &mut active.question,
            now_ms.saturating_sub(active.started_at_ms),
        );
        drop(state);
        if let Some(events) = self.decoded(done) {
            self.log_all(events);
            self.publish();
        }
    }

    fn publish(&self) {
        let state = self.state.borrow();
        let Some(Active {
            question, signals, ..
        }) = &state.active
        else {
            return;
        };
        if signals.z.get_untracked() != question.z() {
            signals.z.set(question.z().to_vec());
        }
        if !Arc::ptr_eq(&signals.picture.get_untracked(), question.picture()) {
            signals.picture.set(Arc::clone(question.picture()));
            signals.alignment.set(question.alignment());
        }
        if signals.locked.get_untracked() != question.has_ended() {
            signals.locked.set(question.has_ended());
        }
    }

    fn log_all(&self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.log(event);
        }
    }

    fn decoded<T>(&self, result: Result<T, Undecodable>) -> Option<T> {
        if result.is_err() {
            self.close(text().runtime.undecodable());
        }
        result.ok()
    }

    fn dial_names(&self, at: QuestionRef) -> Vec<String> {
        let count = self
            .stages
            .get(at.stage)
            .map_or(0, |stage| stage.model.latent.len());
        let state = self.state.borrow();
        let name = |dimension| {
            state
                .session
                .dial_name(at.stage, dimension)
                .unwrap_or_default()
        };
        (0..count)
            .map(|dimension| name(dimension).to_owned())
            .collect()
    }
}

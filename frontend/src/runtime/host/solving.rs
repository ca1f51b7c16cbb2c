//! The host's part in a question: signals for its screen, and the frame in which it is decoded.

use std::sync::Arc;

use domain::event::{Event, QuestionRef};
use domain::model::Arrangement;
use domain::session::Phase;
use leptos::prelude::{ArcRwSignal, GetUntracked, Set, Update};

use super::Host;
use super::shown_question::ShownQuestion;
use crate::runtime::clock;
use crate::runtime::question::{Question, Undecodable};
use crate::state::QuestionSignals;
use crate::text::text;

impl Host {
    /// Brings a question on screen: starts it, or goes on with it after a reload.
    /// Fails with the name of the model that is not there yet.
    pub(super) fn open_question(&self, at: QuestionRef) -> Result<(), Option<String>> {
        if self
            .state
            .borrow()
            .shown
            .as_ref()
            .is_some_and(|shown| shown.at == at)
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
            let now_ms = state.clock.now_ms(clock::monotonic_ms());
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
        self.state.borrow_mut().shown = Some(ShownQuestion {
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
        let shown = state.shown.as_ref()?;
        Some((
            shown.at,
            Arc::clone(shown.question.target()),
            shown.signals.clone(),
        ))
    }

    /// A dial was moved: shown at once, decoded in the coming frame.
    pub fn on_input(&self, dimension: usize, value: f64) {
        self.drive(|question, elapsed_ms| question.input(dimension, value, elapsed_ms));
        let mut state = self.state.borrow_mut();
        if !std::mem::replace(&mut state.frame_asked, true) {
            let me = self.this.clone();
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
        let now_ms = state.clock.now_ms(clock::monotonic_ms());
        let allowed = state.session.can_skip(now_ms);
        drop(state);
        if allowed {
            self.drive(Question::skip);
            self.show_phase();
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

    pub(super) fn tick_question(&self) {
        let mut state = self.state.borrow_mut();
        let now_ms = state.clock.now_ms(clock::monotonic_ms());
        let can_skip = state.session.can_skip(now_ms);
        let Some(shown) = &mut state.shown else {
            return;
        };
        if shown.signals.can_skip.get_untracked() != can_skip {
            shown.signals.can_skip.set(can_skip);
        }
        let event = shown
            .question
            .tick(now_ms.saturating_sub(shown.started_at_ms));
        drop(state);
        self.log_all(event);
    }

    pub(super) fn flush_question(&self) {
        self.drive(Question::flush);
    }

    /// Lets the question take something in, logs what comes of it, and shows how it stands.
    fn drive(&self, step: impl FnOnce(&mut Question, u64) -> Result<Vec<Event>, Undecodable>) {
        let mut state = self.state.borrow_mut();
        let now_ms = state.clock.now_ms(clock::monotonic_ms());
        let Some(shown) = state
            .shown
            .as_mut()
            .filter(|shown| !shown.question.has_ended())
        else {
            return;
        };
        let done = step(
            &mut shown.question,
            now_ms.saturating_sub(shown.started_at_ms),
        );
        drop(state);
        if let Some(events) = self.decoded(done) {
            self.log_all(events);
            self.publish();
        }
    }

    fn publish(&self) {
        let state = self.state.borrow();
        let Some(ShownQuestion {
            question, signals, ..
        }) = &state.shown
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

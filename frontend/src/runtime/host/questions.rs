//! The host's part in a question: its driver is opened, told things, and shown.

use std::cell::Ref;
use std::rc::Rc;
use std::sync::Arc;

use domain::session::event::{Event, QuestionRef};
use domain::session::{Phase, Session};
use leptos::prelude::{GetUntracked, Set};
use leptos::task::spawn_local;

use super::{Host, ShownQuestion};
use crate::runtime::clock;
use crate::runtime::current::TakenSession as _;
use crate::runtime::decode_timer::Timer;
use crate::runtime::decoders::Decoders;
use crate::runtime::page_decoder::PageDecoder;
use crate::runtime::sizes::SizeLog;
use crate::runtime::store::DraftOf;
use crate::runtime::task::{Displayed, QuestionParts, Scene, TaskDriver, driver};
use crate::state::{AppState, Missing};
use crate::text::text;

impl Displayed for Host {
    fn session(&self) -> Ref<'_, Session> {
        Ref::map(self.state.borrow(), |state| &state.session)
    }

    fn decoders(&self) -> &Rc<Decoders> {
        &self.decoders
    }

    fn app(&self) -> AppState {
        self.app
    }

    fn with_shown(&self, at: QuestionRef, read: &mut dyn FnMut(&mut dyn TaskDriver)) {
        let mut state = self.state.borrow_mut();
        if let Some(shown) = state.shown.as_mut().filter(|shown| shown.at == at) {
            read(shown.driver.as_mut());
        }
    }

    fn draft(&self, of: DraftOf) -> Option<String> {
        self.draft(of)
    }
}

impl Host {
    /// Brings a question on screen: starts it, or goes on with it after a reload.
    /// Fails with what is not there yet.
    pub(super) fn open_question(&self, at: QuestionRef) -> Result<(), Option<Missing>> {
        let shown = |shown: &ShownQuestion| shown.at == at;
        if self.state.borrow().shown.as_ref().is_some_and(shown) {
            return Ok(());
        }
        let stage = self.stages.get(at.stage).ok_or(None)?;
        let decoder = match stage.task.model() {
            Some(model) => {
                let missing = || Some(Missing::Model(model.bundle_sha256.clone()));
                Some(self.decoders.decoder(model).ok_or_else(missing)?)
            }
            None => None,
        };
        let mut instances = Vec::new();
        for id in stage.task.instances(at.question) {
            instances.push(self.instances.get(id).ok_or(Some(Missing::Instance))?);
        }
        self.leave_question();
        let timer = Timer::default();
        let decode = decoder.clone().map(|decoder| {
            timer
                .around(decoder.on_page())
                .in_background_when(move || decoder.uses_worker())
        });
        if self.read(Session::phase) == Phase::Ready(at) {
            self.log(Event::QuestionStarted { at });
        }
        let mut state = self.state.borrow_mut();
        let now_ms = state.clock.now_ms(clock::monotonic_ms());
        let question = state.session.running().ok_or(None)?;
        let started_at_ms = question.clock.started_at_ms();
        let parts = QuestionParts {
            question,
            instances,
            decode,
            elapsed_ms: now_ms.saturating_sub(started_at_ms),
        };
        let Ok((driver, events)) = driver(stage, parts) else {
            drop(state);
            self.close(text().runtime.undecodable());
            return Err(None);
        };
        state.shown = Some(ShownQuestion {
            at,
            started_at_ms,
            driver,
            decoder,
            timer,
            sizes: SizeLog::default(),
        });
        drop(state);
        self.log_all(events);
        self.show_question();
        Ok(())
    }

    /// Takes the question off the screen, and logs how long its pictures took to be decoded, and how large
    /// they were, if it was left at once.
    pub(super) fn leave_question(&self) {
        let Some(mut shown) = self.state.borrow_mut().shown.take() else {
            return;
        };
        // A participant who has withdrawn may have had everything erased: nothing more is sent.
        if self.read(Session::phase) == Phase::Withdrawn {
            return;
        }
        let at = shown.at;
        if let Some(sizes) = shown.sizes.last() {
            self.log(Event::QuestionSized { at, sizes });
        }
        if let Some(times) = shown.timer.times() {
            self.log(Event::DecodesTimed { at, times });
        }
    }

    /// Logs how large picture and sliders are, once they are laid out and rest.
    pub(super) fn log_sizes(&self) {
        if self.read(Session::phase) == Phase::Withdrawn {
            return;
        }
        let due = {
            let mut state = self.state.borrow_mut();
            let shown = state.shown.as_mut();
            shown.and_then(|shown| Some((shown.at, shown.sizes.at_rest()?)))
        };
        if let Some((at, sizes)) = due {
            self.log(Event::QuestionSized { at, sizes });
        }
    }

    pub(super) fn tick_question(&self) {
        self.drive_any(&mut |driver, elapsed_ms| driver.tick(elapsed_ms));
    }

    /// Cuts the question on screen off when the time of its stage is up, and keeps the clocks that
    /// the participant may see: that of the stage, and what is left to them at their platform.
    pub(super) fn watch_the_time(&self) {
        let due = |host: &Self| {
            let mut state = host.state.borrow_mut();
            let now_ms = state.clock.now_ms(clock::monotonic_ms());
            let closed = state.closed || state.asking || state.shown.is_none();
            let stage = state.session.to_be_cut(now_ms);
            stage.filter(|_| !closed)
        };
        if due(self).is_some() {
            // The last movement may even be the solution.
            self.cut_question();
            if let Some(stage) = due(self) {
                self.act(Event::TimeUp { stage });
            }
        }
        let left = {
            let mut state = self.state.borrow_mut();
            let now_ms = state.clock.now_ms(clock::monotonic_ms());
            let stage = state.session.current_stage();
            let shown = stage.is_some_and(|stage| stage.limit.is_some_and(|it| it.show_clock));
            let left_ms = shown.then(|| state.session.stage_left_ms(now_ms)).flatten();
            left_ms.map(|ms| ms.div_ceil(60_000))
        };
        if self.app.minutes_left.get_untracked() != left {
            self.app.minutes_left.set(left);
        }
        let time_left = {
            let mut state = self.state.borrow_mut();
            let now_ms = state.clock.now_ms(clock::monotonic_ms());
            let limit = state.session.plan().time_limit;
            let limit = limit.filter(|_| !state.session.phase().is_end());
            limit.and_then(|limit| limit.warning(now_ms))
        };
        if self.app.time_left.get_untracked() != time_left {
            self.app.time_left.set(time_left);
        }
    }

    pub(super) fn flush_question(&self) {
        self.drive_any(&mut |driver, elapsed_ms| driver.flush(elapsed_ms));
    }

    /// Nothing moves any more in the question on screen.
    pub(super) fn cut_question(&self) {
        self.drive_any(&mut |driver, elapsed_ms| driver.cut(elapsed_ms));
    }

    /// Has the worker decode what the question on screen wants next, where there is a worker.
    pub(super) fn decode_in_background(&self) {
        let mut state = self.state.borrow_mut();
        let now_ms = state.clock.now_ms(clock::monotonic_ms());
        let Some(shown) = state.shown.as_mut() else {
            return;
        };
        let idle = |decoder: &&PageDecoder| decoder.uses_worker() && decoder.worker_is_idle();
        let Some(decoder) = shown.decoder.as_ref().filter(idle).cloned() else {
            return;
        };
        let elapsed_ms = now_ms.saturating_sub(shown.started_at_ms);
        let Some(job) = shown.driver.wanted(elapsed_ms) else {
            return;
        };
        let (at, timer) = (shown.at, shown.timer.clone());
        drop(state);
        let this = self.this.clone();
        spawn_local(async move {
            let decoded = decoder.in_worker(&job.z).await;
            let picture = decoded.map(|(picture, ms)| {
                timer.add(ms);
                picture
            });
            let Some(host) = this.upgrade() else {
                return;
            };
            let is_shown = |shown: &ShownQuestion| shown.at == at;
            if host.state.borrow().shown.as_ref().is_some_and(is_shown) {
                let mut arrived = Some((job, picture));
                host.drive_any(&mut |driver, elapsed_ms| {
                    if let Some((job, picture)) = arrived.take() {
                        driver.arrived(job, picture)?;
                    }
                    driver.frame(elapsed_ms)
                });
            }
        });
    }

    pub(super) fn show_question(&self) {
        let mut state = self.state.borrow_mut();
        let now_ms = state.clock.now_ms(clock::monotonic_ms());
        let (Some(shown), Some(question)) = (&state.shown, state.session.running()) else {
            return;
        };
        if question.at == shown.at {
            shown.driver.show(&Scene {
                question,
                verdict: state.session.verdict(question.at),
                can_skip: state.session.can_skip(now_ms),
                now_ms,
            });
        }
    }

    pub(super) fn log_all(&self, events: Vec<Event>) {
        for event in events {
            self.log(event);
        }
    }

    /// A stage of the plan.
    #[must_use]
    pub fn stage(&self, index: usize) -> Option<&Arc<domain::session::plan::StagePlan>> {
        self.stages.get(index)
    }
}

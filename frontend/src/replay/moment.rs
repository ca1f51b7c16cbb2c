//! The moment that is shown of a replayed session: now, or any before.

use domain::lanes::Lanes;
use domain::session::event::Envelope;
use domain::session::{LogPlace, SeekableLog, Session};
use leptos::prelude::Set;

use super::{OnScreen, Replay, State, set};

/// A moment before now.
pub(super) struct Moment {
    /// In milliseconds since the session's start.
    pub at_ms: u64,
    /// The place in the log that the session had reached by then.
    pub place: LogPlace,
}

/// The session at the moment that is shown.
pub(super) fn shown_session<'a>(log: &'a SeekableLog, moment: Option<&'a Moment>) -> &'a Session {
    moment.map_or(log.latest(), |moment| moment.place.session())
}

impl Replay {
    /// Shows a moment, in milliseconds since the session's start, before what happened at it; without one, what is now.
    pub fn seek(&self, moment_ms: Option<u64>) {
        match moment_ms {
            // The events before that moment: at the first one, none.
            Some(at_ms) => {
                let count = at_ms.checked_sub(1).map_or(0, |ms| self.count_at(ms));
                self.leave();
                self.show_after(count, at_ms);
            }
            None => {
                self.leave();
                self.state.borrow_mut().moment = None;
                set(self.shown.moment_ms, None);
                self.show();
            }
        }
    }

    /// Shows what the first `count` events come to, at a moment in milliseconds since the session's start. Parts of
    /// the screen stay there as far as they are the same, as while a session is played.
    pub fn show_after(&self, count: usize, at_ms: u64) {
        let back = {
            let mut state = self.state.borrow_mut();
            let State { log, moment, .. } = &mut *state;
            let before = moment.as_ref().map(|it| it.place.count());
            let before = before.unwrap_or(log.events().len());
            match moment {
                Some(moment) => {
                    moment.at_ms = at_ms;
                    moment.place.go(log, count);
                }
                None => {
                    let place = LogPlace::after(log, count);
                    *moment = Some(Moment { at_ms, place });
                }
            }
            count < before && !has_dials(shown_session(log, moment.as_ref()))
        };
        if back {
            self.leave();
        }
        set(self.shown.moment_ms, Some(at_ms));
        self.show();
    }

    /// Nothing of another moment stays on the screen, even if it is the same one: what was chosen on it would stay chosen.
    fn leave(&self) {
        self.state.borrow_mut().open = None;
        self.shown.screen.set(OnScreen::Words("".into()));
    }

    /// How many events had happened at a moment, in milliseconds since the session's start.
    #[must_use]
    pub fn count_at(&self, at_ms: u64) -> usize {
        self.state.borrow().log.count_at(at_ms)
    }

    /// How many events had happened at the moment that is shown.
    #[must_use]
    pub fn count(&self) -> usize {
        let state = self.state.borrow();
        let moment = state.moment.as_ref().map(|it| it.place.count());
        moment.unwrap_or(state.log.events().len())
    }

    /// Folds over the events until now.
    pub fn with_events<T>(&self, fold: impl FnOnce(&[Envelope], &Session) -> T) -> T {
        let state = self.state.borrow();
        fold(state.log.events(), state.log.latest())
    }

    /// Reads the session along its time, until now.
    pub fn with_lanes<T>(&self, read: impl FnOnce(&Lanes) -> T) -> T {
        read(&self.state.borrow().lanes)
    }
}

/// Whether a question with dials is on screen: all of it follows its state, back as well as forward.
fn has_dials(session: &Session) -> bool {
    let question = session.running();
    let stage = question.and_then(|it| session.plan().stages.get(it.at.stage));
    stage.is_some_and(|stage| !stage.task.dials().is_empty())
}

//! The host's part in the log: what is logged is judged, stored, then sent.

use domain::session::Effect;
use domain::session::event::{Author, EVENT_FORMAT, Envelope, Event};
use leptos::prelude::{GetUntracked, Set};
use leptos::task::spawn_local;

use super::Host;
use crate::runtime::clock::{self, ClockNote};
use crate::runtime::credentials::{self, SessionCredentials};
use crate::runtime::store::as_stored;
use crate::runtime::upload::UploadInput;
use crate::runtime::{gestures, page};
use crate::state::Persistence;
use crate::text::text;

/// How often the clocks are noted, in milliseconds.
const NOTE_MS: f64 = 2_000.0;

impl Host {
    /// The one way into the log: numbers and dates the event, lets the session
    /// machine judge it, stores it, and has it sent once it is stored.
    pub(super) fn log(&self, event: Event) {
        // How a page was filled in comes before the page, whose session may be over with it.
        if matches!(event, Event::QuestionnaireAnswered { .. }) {
            self.log_gestures(true);
        }
        let mut state = self.state.borrow_mut();
        if state.closed {
            return;
        }
        let at_ms = state.clock.now_ms(clock::monotonic_ms());
        let seq = state.session.next_seq();
        let envelope = Envelope {
            format: EVENT_FORMAT,
            session: self.id.clone(),
            author: Author::Participant,
            seq,
            at_ms,
            event,
        };
        let applied = state
            .session
            .apply(&envelope)
            .map_err(|refusal| refusal.to_string());
        let written = as_stored(&envelope).ok_or_else(|| "it cannot be written".to_owned());
        let (effects, stored) = match applied.and_then(|effects| Ok((effects, written?))) {
            Ok(done) => done,
            Err(why) => {
                // The views offer only what the machine allows, so this is a bug.
                drop(state);
                leptos::logging::error!("'{}' was refused: {why}", envelope.event.kind());
                self.close(text().runtime.broken());
                return;
            }
        };
        state.unstored.push(stored);
        drop(state);
        for effect in effects {
            match effect {
                // The heartbeat notices the end of the log.
                Effect::Ended | Effect::Completed => {}
                Effect::FlushLog => self.store_events(),
            }
        }
    }

    /// Logs how controls were moved and texts typed since the last time, and that the page is translated;
    /// with `all`, the text that is being typed, too.
    pub(super) fn log_gestures(&self, all: bool) {
        let mut state = self.state.borrow_mut();
        if state.closed {
            return;
        }
        let now_ms = state.clock.now_ms(clock::monotonic_ms());
        drop(state);
        for event in gestures::take(now_ms, all) {
            self.log(event);
        }
        if page::is_translated() && !self.translation_logged.replace(true) {
            self.log(Event::PageTranslated {
                language: page::translated_into(),
            });
        }
    }

    /// Says that the store has failed, once it has, and makes sure that there is a way back.
    pub(super) fn notice_failed_store(&self) {
        if self.store.is_lasting() || self.app.keeping.get_untracked() != Persistence::Everything {
            return;
        }
        self.app.keeping.set(credentials::keeping(false));
        let way = SessionCredentials {
            session: self.id.clone(),
            token: self.token.clone(),
        };
        credentials::keep(&self.slot, &way, false);
    }

    /// Stores what is logged, then has it sent.
    pub(super) fn store_events(&self) {
        let mut state = self.state.borrow_mut();
        if state.storing || state.unstored.is_empty() {
            return;
        }
        state.storing = true;
        let monotonic_ms = clock::monotonic_ms();
        let at_ms = state.clock.now_ms(monotonic_ms);
        drop(state);
        // Any note says how far the two clocks are apart; writing one takes a part of a frame.
        if monotonic_ms - self.noted_ms.get() > NOTE_MS {
            self.noted_ms.set(monotonic_ms);
            let wall_ms = clock::wall_ms();
            self.store
                .note_clock(&self.id, ClockNote { at_ms, wall_ms });
        }
        let me = self.this.clone();
        spawn_local(async move {
            while let Some(host) = me.upgrade() {
                let batch = host.state.borrow().unstored.clone();
                if batch.is_empty() {
                    host.state.borrow_mut().storing = false;
                    return;
                }
                host.store.append(&host.id, &batch).await;
                host.notice_failed_store();
                // Only now: what is not stored is not sent, and what is not sent stays in the list.
                host.state.borrow_mut().unstored.drain(..batch.len());
                host.uplink.on(UploadInput::Stored(
                    batch.into_iter().map(|(_, json)| json).collect(),
                ));
            }
        });
    }
}

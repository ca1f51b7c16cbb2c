//! The host's part when the page is left: nothing may be pending afterwards.

use std::rc::Rc;

use domain::session::event::Event;
use leptos::prelude::Set;

use super::Host;
use crate::runtime::client;
use crate::runtime::clock::{self, ClockNote};
use crate::runtime::store::DraftOf;
use crate::state::Screen;

/// Browsers take 64 KiB of beacons at a time.
const MAX_BEACON_BYTES: usize = 60_000;

impl Host {
    /// The page goes into the background, or away: nothing may be pending after this.
    pub fn hide(&self) {
        let was_hidden = std::mem::replace(&mut self.state.borrow_mut().hidden, true);
        if was_hidden || self.is_over() {
            return;
        }
        self.flush_question();
        self.flush_recording();
        self.log(Event::PageHidden);
        self.state.borrow_mut().sleep.hidden();
        let mut state = self.state.borrow_mut();
        let at_ms = state.clock.now_ms(clock::monotonic_ms());
        let wall_ms = clock::wall_ms();
        self.store
            .note_clock(&self.id, ClockNote { at_ms, wall_ms });
        self.store.save_tail(&self.id, &state.unstored);
        let unstored: Vec<_> = state.unstored.iter().map(|(_, json)| json).collect();
        let body = self
            .uplink
            .read(|up| beacon(&self.token, up.unacknowledged().chain(unstored)));
        drop(state);
        if let Some(body) = body {
            client::beacon(&self.id, &body);
        }
        self.store_events();
    }

    /// Another page has taken the session over: nothing more is logged here.
    pub fn give_up(&self) {
        self.state.borrow_mut().closed = true;
        self.let_go_of_microphone();
        self.heartbeat.take();
        self.uplink.close();
        self.app.save.set(None);
        self.app.show(Screen::OtherTab);
    }

    /// The draft from before the page was left.
    #[must_use]
    pub fn draft(&self, of: DraftOf) -> Option<String> {
        self.store.draft(&self.id, of)
    }

    /// The page is back.
    pub fn show(&self) {
        if std::mem::replace(&mut self.state.borrow_mut().hidden, false) {
            self.log(Event::PageShown);
        }
    }
}

/// A beacon's body: the oldest events, as many as fit.
fn beacon<'a>(token: &str, events: impl Iterator<Item = &'a Rc<str>>) -> Option<String> {
    let mut body = ["{\"token\":\"", token, "\",\"batch\":{\"events\":["].concat();
    let empty = body.len();
    for event in events.take(api::MAX_BATCH_EVENTS) {
        if body.len() + event.len() + 4 > MAX_BEACON_BYTES {
            break;
        }
        if body.len() > empty {
            body.push(',');
        }
        body.push_str(event);
    }
    (body.len() > empty).then(|| body + "]}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beacon_is_what_the_server_reads_and_no_longer_than_browsers_take() {
        let event = |seq: usize| -> Rc<str> {
            format!(r#"{{"format":2,"session":"s","seq":{seq},"at_ms":5,"kind":"page_shown"}}"#)
                .into()
        };
        let events: Vec<_> = (0..1_000).map(event).collect();
        let body = beacon("secret", events.iter()).unwrap();
        assert!(body.len() <= MAX_BEACON_BYTES && body.len() > MAX_BEACON_BYTES - 200);
        let read: api::Beacon = serde_json::from_str(&body).unwrap();
        assert_eq!(read.token, "secret");
        assert_eq!(read.batch.events[0].seq, 0);
        assert_eq!(beacon("secret", [].iter()), None);
    }
}

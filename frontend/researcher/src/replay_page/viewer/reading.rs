//! Reads the log of the session that is open, as it comes.

use std::rc::Rc;

use api::ErrorCode;
use api::replay::ReplayState;
use api::routes;
use domain::lanes::Lanes;
use domain::session::event::SessionId;
use frontend::runtime::client::ClientError;
use frontend::runtime::research_client;
use frontend::runtime::retry::Retry;
use leptos::prelude::*;

use super::{Opened, Viewer};
use crate::session_log::LogReader;
use crate::text::text;

impl Viewer {
    /// Opens the session's log from its beginning, and shows a moment once it is there; none: the beginning, or, of a
    /// session that is under way, what is now.
    pub fn open(self, at_ms: Option<u64>) {
        self.whole.set(false);
        self.unread.set(false);
        self.opened.set_value(None);
        self.serial.update(|serial| *serial += 1);
        let mine = self.serial.get_untracked();
        self.area.attempt(async move {
            let refused = self.read(mine, at_ms).await;
            // The page may have been left.
            let _ = self.settled.try_set(true);
            let _ = self
                .unread
                .try_set(refused.is_err() && self.is_on(mine + 1));
            let words = self.identifying.try_get_untracked() == Some(true);
            if matches!(refused, Err(ClientError::Refused(_))) && words && self.is_on(mine + 1) {
                // The session that was there stays, without the words.
                self.identifying.set(false);
                self.open(at_ms);
                return refused;
            }
            refused
        });
    }

    /// Whether a log is still the one on the page.
    fn is_on(self, serial: u64) -> bool {
        self.serial.try_get_untracked() == Some(serial)
    }

    async fn read(self, serial: u64, at_ms: Option<u64>) -> Result<(), ClientError> {
        let (Some(study), Some(session)) =
            (self.study.try_get_value(), self.session.try_get_value())
        else {
            return Ok(());
        };
        let session = SessionId(session);
        // On its way while the session's plan and its models are.
        let mut log = LogReader::begin(&study, &session, self.identifying.get_untracked());
        let state = research_client::get(&routes::research_session(&study, &session)).await;
        let is_absent = state.as_ref().err().is_some_and(is_absent);
        let is_there = Some(!is_absent);
        // The parts below a session that is read again stay. The page may have been left.
        if self.is_there.try_get_untracked() != Some(is_there) {
            let _ = self.is_there.try_set(is_there);
        }
        if is_absent {
            return Ok(());
        }
        let state: ReplayState = state?;
        self.decoding.speak(&state.plan.language).await;
        if !self.is_on(serial) {
            return Ok(());
        }
        let replay = self.decoding.open(state.plan.clone());
        let ended = state.session.ended;
        self.following.set(!ended && at_ms.is_none());
        self.opened.set_value(Some(Opened {
            state,
            replay: Rc::clone(&replay),
        }));
        self.serial.set(serial + 1);
        let mut wanted_ms = None;
        if !self.following.get_untracked() {
            replay.show_after(0, 0);
            wanted_ms = Some(at_ms.unwrap_or(0));
        }
        let retry = Retry::default();
        let cut_off = text().replay.cut_off();
        while self.is_on(serial + 1) {
            let read = log.next().await;
            if !self.is_on(serial + 1) {
                return Ok(());
            }
            let new = match read {
                Ok(new) => new,
                // Events that are here stay; events that are to come, come later.
                Err(error) if self.whole.get_untracked() || passes(&error) => {
                    if !self.whole.get_untracked() {
                        replay.tell();
                        self.area.problem.set(Some(cut_off.to_owned()));
                    }
                    retry.pause().await;
                    continue;
                }
                Err(error) => return Err(error),
            };
            retry.succeeded();
            let says_cut_off = |said: &Option<String>| said.as_deref() == Some(cut_off);
            if self.area.problem.with_untracked(says_cut_off) {
                self.area.problem.set(None);
            }
            let is_last = new.next.is_none();
            replay.take(new);
            let end_ms = replay.with_lanes(Lanes::end_ms);
            // Shown as soon as all is here that had happened by then.
            let reached_ms = wanted_ms.take_if(|at_ms| is_last || *at_ms < end_ms);
            if is_last || reached_ms.is_some() || replay.has_grown() {
                replay.tell();
                self.end_ms.set(end_ms);
            }
            if let Some(at_ms) = reached_ms {
                self.show_moment(at_ms);
            }
            if is_last && !self.whole.get_untracked() {
                self.whole.set(true);
                self.settled.set(true);
            }
            let damaged = replay.shown.broken.with_untracked(Option::is_some);
            if self.whole.get_untracked() && (ended || damaged) {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Whether there is nothing that could be shown or decided about. A damaged session is there.
fn is_absent(error: &ClientError) -> bool {
    match error {
        ClientError::Refused(info) => matches!(
            info.code,
            ErrorCode::Forbidden | ErrorCode::NotFound | ErrorCode::Erased
        ),
        ClientError::Unreachable | ClientError::Unintelligible(_) => false,
    }
}

/// Whether a server that is away or starts again is all that is wrong.
fn passes(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable => true,
        ClientError::Refused(info) => info.code == ErrorCode::Unavailable,
        ClientError::Unintelligible(_) => false,
    }
}

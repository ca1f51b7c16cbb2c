//! Reads the logs of sessions that are to stand side by side.

use std::rc::Rc;

use api::replay::ReplayState;
use api::routes;
use domain::session::event::SessionId;
use frontend::runtime::client::ClientError;
use frontend::runtime::research_client;
use leptos::prelude::*;

use super::common::begun;
use super::together::{Seat, Together};
use crate::session_log::LogReader;
use crate::text::text;

impl Together {
    /// Reads all sessions, one after the other, and shows a moment. Whom nobody can read is named and left out.
    pub fn open(self, at_ms: u64) {
        let sessions = self.asked.with_value(|asked| asked.sessions.clone());
        self.area.attempt(async move {
            let mut seats = Vec::new();
            let mut first = true;
            for session in sessions {
                match self.read(&session, first).await {
                    Ok(Some(seat)) => seats.push(seat),
                    // The page was left.
                    Ok(None) => return Ok(()),
                    Err(ClientError::Unreachable) => return Err(ClientError::Unreachable),
                    Err(error) => self.unread.update(|all| {
                        all.push(text().beside.unread(&session, &error));
                    }),
                }
                first = false;
            }
            self.seated(seats, at_ms);
            Ok(())
        });
    }

    async fn read(self, session: &str, speaks: bool) -> Result<Option<Seat>, ClientError> {
        let Some(study) = self.study.try_get_value() else {
            return Ok(None);
        };
        let session = SessionId(session.to_owned());
        let mut log = LogReader::begin(&study, &session, false);
        let state: ReplayState =
            research_client::get(&routes::research_session(&study, &session)).await?;
        if speaks {
            // A page has one language: that of the first.
            self.decoding.speak(&state.plan.language).await;
        }
        let replay = self.decoding.open(state.plan.clone());
        // Nothing is decoded before it is shown.
        replay.show_after(0, 0);
        loop {
            let new = log.next().await?;
            if self.study.try_get_value().is_none() {
                return Ok(None);
            }
            let is_last = new.next.is_none();
            replay.take(new);
            if is_last {
                break;
            }
        }
        replay.tell();
        let begun = replay.with_lanes(|lanes| begun(&state.plan, lanes));
        Ok(Some(Seat {
            state: Rc::new(state),
            replay,
            begun: begun.into(),
        }))
    }
}

//! How participants go back to the platform that they came from.

use std::sync::Arc;

use api::DepartureInfo;
use domain::recruitment::platform::Ended;
use domain::session::Session;
use domain::session::event::Event;
use domain::task::Outcome;

use super::erasure::way_back;
use super::own_log::log_once;
use super::{CachedSession, SessionError, Sessions};

impl Sessions {
    /// How the participant of a session that has ended goes back. The first time that they are
    /// told, the server says so in its own log.
    ///
    /// # Errors
    /// [`SessionError::NotComplete`] while the session goes on; when storage fails.
    pub async fn departure(
        self: &Arc<Self>,
        session: Arc<CachedSession>,
    ) -> Result<DepartureInfo, SessionError> {
        let me = self.clone();
        // A task of its own: if the browser goes away half-way, machine and log must not part.
        tokio::spawn(async move { me.depart(&session).await }).await?
    }

    async fn depart(&self, session: &CachedSession) -> Result<DepartureInfo, SessionError> {
        let storage = &*self.storage;
        let (ended, study, summary) = {
            let mut machine = session.machine(storage).await?;
            let state = machine.get();
            let ended = Ended::of(state).ok_or(SessionError::NotComplete)?;
            (ended, state.plan().study.clone(), summary(state))
        };
        let nothing = DepartureInfo {
            ended,
            way_back: None,
            code: None,
        };
        // A trial leads back nowhere, also one of an earlier version that came from a platform.
        if !storage.purpose(session.id()).await?.counts() {
            return Ok(nothing);
        }
        let Some(arrival) = storage.arrival(session.id()).await? else {
            return Ok(nothing);
        };
        let code = match ended.is_completed() {
            true => Some(self.completion_code(session).await?),
            false => None,
        };
        let from = self.came_from(&study, &arrival).await?;
        let way_back =
            from.and_then(|from| way_back(&from, &arrival, ended, code.as_deref(), &summary));
        // Where the platform takes nothing from us, it is told nothing.
        if let Some(way_back) = way_back.as_ref().filter(|way| !way.url.is_empty()) {
            let event = Event::WayBackGiven {
                ended,
                platform: arrival.platform,
                code: way_back.code.clone(),
            };
            log_once(storage, session, event, self.now_unix_ms()).await?;
        }
        Ok(DepartureInfo {
            way_back,
            ..nothing
        })
    }
}

/// The summary that a form tells a platform beside the code.
fn summary(session: &Session) -> [(&'static str, String); 3] {
    let ended = session.ended();
    let scored = ended.iter().filter(|record| !record.practice);
    let solved = scored
        .clone()
        .filter(|record| record.outcome == Some(Outcome::Solved));
    [
        ("questionsEnded", scored.count().to_string()),
        ("questionsSolved", solved.count().to_string()),
        ("seconds", (session.last_ms() / 1_000).to_string()),
    ]
}

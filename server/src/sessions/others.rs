//! The events that other servers write to a database that is shared.
//!
//! A client that waits for a session at this server, such as an experimenter or the page of a lab session, is
//! told of what this server writes at once. For what others write, one statement asks at short intervals how
//! far all sessions are that somebody waits for. Nobody waits as a rule; then nothing is asked.

use std::time::Duration;

use domain::session::event::SessionId;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::Sessions;
use crate::storage::StorageError;

/// How often it is asked.
const EVERY: Duration = Duration::from_millis(200);

impl Sessions {
    /// Tells those who wait at this server what others have written, until it stops. Returns at once where no other
    /// server can write to the database.
    pub async fn follow_others(&self, stopping: CancellationToken) {
        if !self.storage.is_shared() {
            return;
        }
        let mut ticks = tokio::time::interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                () = stopping.cancelled() => return,
            }
            if let Err(error) = self.look_at_others().await {
                // A client that waits asks again by itself.
                tracing::debug!(%error, "it is not known how far sessions are");
            }
        }
    }

    async fn look_at_others(&self) -> Result<(), StorageError> {
        let waited_for = self.cache.waited_for();
        if waited_for.is_empty() {
            return Ok(());
        }
        let ids: Vec<SessionId> = waited_for.iter().map(|it| it.id().clone()).collect();
        let versions = self.storage.versions(&ids).await?;
        for session in waited_for {
            session.seen(versions.get(session.id()).copied());
        }
        Ok(())
    }
}

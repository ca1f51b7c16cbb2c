//! The last day of what participants typed in their own words.

use domain::session::event::{Author, SessionId};
use domain::session::typed_text;

use super::log::read_log;
use super::{SessionError, Sessions};
use crate::storage::TextDeletion;

/// A day in milliseconds.
pub(super) const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

impl Sessions {
    /// Deletes the typed texts whose day has come. A session that cannot be read does not stand in
    /// the way of the others: it is tried again the next time. Gives the number of sessions in
    /// which something was deleted.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn delete_texts_due_now(&self) -> Result<u64, SessionError> {
        let mut sessions = 0;
        for id in self.storage.texts_due(self.now_unix_ms()).await? {
            match self.delete_texts(&id).await {
                Ok(deleted) => sessions += u64::from(deleted),
                Err(SessionError::Storage(error)) if !error.is_damage() => return Err(error.into()),
                Err(error) => {
                    tracing::warn!(session = %id, %error, "the texts of a damaged session stay");
                }
            }
        }
        Ok(sessions)
    }

    /// Deletes the typed texts of a session; whether there were any. The same log without them gives
    /// the same session.
    async fn delete_texts(&self, id: &SessionId) -> Result<bool, SessionError> {
        let storage = &*self.storage;
        let Some(stored) = storage.session(id).await? else {
            return Ok(false);
        };
        let session = self.cached(&stored);
        // Held meanwhile, so that nothing is added to the log behind what has been read.
        let machine = session.machine(storage).await?;
        let mut events = Vec::new();
        for author in Author::ALL {
            for mut envelope in read_log(storage, id, author, 0, u64::MAX).await? {
                if typed_text::delete(&mut envelope.event, Some(&*stored.plan)) {
                    events.push(envelope);
                }
            }
        }
        let deleted = !events.is_empty();
        // More may be typed as long as a session goes on.
        let again_at_unix_ms = (!stored.has_ended()).then(|| self.now_unix_ms() + DAY_MS);
        let deletion = TextDeletion {
            session: id.clone(),
            events,
            again_at_unix_ms,
        };
        storage.delete_texts(deletion).await?;
        // It is read anew when it is needed.
        machine.forget();
        Ok(deleted)
    }
}

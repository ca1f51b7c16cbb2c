//! Deletion of what participants typed in their own words, on its day.

use async_trait::async_trait;
use domain::session::event::SessionId;

use super::super::{Result, TextDeletion};
use super::connection::{Connection, query};
use super::error::json;
use super::job::{Job, WriteTransaction};
use super::read::signed;
use super::rewriting::{self, From};
use super::sealed;

/// The sessions whose day has come, those that are due longest first.
pub(super) async fn due(
    connection: &mut dyn Connection,
    now_unix_ms: u64,
) -> Result<Vec<SessionId>> {
    let rows = query("SELECT id FROM sessions WHERE delete_text_at <= ? ORDER BY delete_text_at")
        .bind(signed(now_unix_ms))
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| Ok(SessionId(row.try_get(0)?)))
        .collect()
}

/// Puts the events in the place of those that the log has, and notes when to look again.
#[async_trait]
impl Job for TextDeletion {
    type Answer = ();

    const ERASES: bool = true;

    fn place(&self) -> &str {
        &self.session.0
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        rewriting::note(to.connection, From::EventsOf(&self.session)).await?;
        rewriting::note(to.connection, From::Tables(&["sealed_events"])).await?;
        let mut sealed = Vec::new();
        for event in &self.events {
            let changed = query(
                "UPDATE events SET envelope = ? WHERE session = ? AND author = ? AND seq = ?",
            )
            .bind(json(event)?)
            .bind(&self.session.0)
            .bind(event.author.name())
            .bind(signed(event.seq))
            .execute(&mut *to.connection)
            .await?;
            if changed == 0 {
                sealed.push(event);
            }
        }
        sealed::replace(to.connection, &self.session, &sealed).await?;
        query("UPDATE sessions SET delete_text_at = ? WHERE id = ?")
            .bind(self.again_at_unix_ms.map(signed))
            .bind(&self.session.0)
            .execute(&mut *to.connection)
            .await?;
        Ok(())
    }
}

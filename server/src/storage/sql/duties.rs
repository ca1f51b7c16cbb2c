//! Which server has which duty.

use async_trait::async_trait;

use super::super::{DutyClaim, Result};
use super::connection::query;
use super::job::{Job, WriteTransaction};
use super::read::signed;

/// The answer says whether the duty is the server's now.
#[async_trait]
impl Job for DutyClaim {
    type Answer = bool;

    fn place(&self) -> &str {
        &self.duty
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<bool> {
        let longest = self.now_unix_ms.saturating_add(self.longest_ms);
        let done = query(
            "INSERT INTO duties (name, holder, lease_until) VALUES (?1, ?2, ?3) \
             ON CONFLICT (name) DO UPDATE \
             SET holder = excluded.holder, lease_until = excluded.lease_until \
             WHERE duties.holder = ?2 OR duties.lease_until <= ?4 OR duties.lease_until > ?5",
        )
        .bind(&self.duty)
        .bind(&self.holder)
        .bind(signed(self.until_unix_ms))
        .bind(signed(self.now_unix_ms))
        .bind(signed(longest))
        .execute(&mut *to.connection)
        .await?;
        Ok(done == 1)
    }
}

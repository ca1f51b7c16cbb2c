//! Deciding what studies take people for.

use async_trait::async_trait;
use domain::recruitment::StudyStatus;

use super::super::Result;
use super::connection::{Connection, query};
use super::job::{Job, WriteTransaction};
use super::ledger_lines::status;
use super::locks::Lock;
use super::read::signed;

/// A study takes people for something else from now on. The answer says whether it is something else.
pub(super) struct SetStatus {
    pub study: String,
    pub status: StudyStatus,
    pub at_unix_ms: u64,
}

#[async_trait]
impl Job for SetStatus {
    type Answer = bool;

    fn place(&self) -> &str {
        &self.study
    }

    async fn lock(&self, _: &mut dyn Connection) -> Result<Option<Lock>> {
        Ok(Some(Lock::Study(self.study.clone())))
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<bool> {
        if status(to.connection, &self.study).await? == self.status {
            return Ok(false);
        }
        query(
            "INSERT INTO study_statuses (study, status, changed_at) VALUES (?1, ?2, ?3) \
             ON CONFLICT (study) DO UPDATE \
             SET status = excluded.status, changed_at = excluded.changed_at",
        )
        .bind(&self.study)
        .bind(self.status.name())
        .bind(signed(self.at_unix_ms))
        .execute(&mut *to.connection)
        .await?;
        Ok(true)
    }
}

//! A study at one moment: all reads in one read transaction.

use async_trait::async_trait;
use domain::event::{Author, SessionId};
use sqlx::sqlite::SqlitePool;
use sqlx::{Row, Sqlite, Transaction};

use super::super::{Result, StoredEvent, StoredSession, StudySnapshot};
use super::read;

/// The transaction; dropped, it is rolled back.
pub(super) struct SqliteSnapshot {
    study: String,
    transaction: Transaction<'static, Sqlite>,
}

impl SqliteSnapshot {
    pub(super) async fn begin(pool: &SqlitePool, study: &str) -> Result<Self> {
        let mut transaction = pool.begin().await?;
        // SQLite fixes what a transaction sees at its first read, not at BEGIN.
        sqlx::query("SELECT COUNT(*) FROM (SELECT 1 FROM sessions LIMIT 1)")
            .fetch_one(&mut *transaction)
            .await?;
        Ok(Self {
            study: study.to_owned(),
            transaction,
        })
    }
}

#[async_trait]
impl StudySnapshot for SqliteSnapshot {
    async fn session_count(&mut self) -> Result<u64> {
        let row = sqlx::query("SELECT COUNT(*) FROM sessions WHERE study = ?")
            .bind(&self.study)
            .fetch_one(&mut *self.transaction)
            .await?;
        read::unsigned(&row, 0)
    }

    async fn sessions(&mut self, after: u64, limit: u32) -> Result<Vec<StoredSession>> {
        read::sessions(&mut self.transaction, &self.study, after, limit).await
    }

    async fn events(
        &mut self,
        session: &SessionId,
        author: Author,
        from: u64,
        limit: u32,
    ) -> Result<Vec<StoredEvent>> {
        read::events(&mut self.transaction, session, author, from, limit).await
    }

    async fn study_versions(&mut self) -> Result<Vec<String>> {
        let rows = sqlx::query("SELECT sha256 FROM study_versions WHERE study = ? ORDER BY sha256")
            .bind(&self.study)
            .fetch_all(&mut *self.transaction)
            .await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    async fn study_version(&mut self, sha256: &str) -> Result<Option<Vec<u8>>> {
        let row = sqlx::query("SELECT json FROM study_versions WHERE sha256 = ?")
            .bind(sha256)
            .fetch_optional(&mut *self.transaction)
            .await?;
        row.map(|row| Ok(row.try_get(0)?)).transpose()
    }
}

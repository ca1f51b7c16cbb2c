//! A study at one moment: all reads in one read transaction.

use std::sync::Arc;

use async_trait::async_trait;
use domain::recruitment::outbox::DecisionState;
use domain::recruitment::pay;
use domain::session::event::{Author, SessionId};

use super::super::{
    BlobStore, CreditState, Erasure, Result, SessionList, SessionMark, StoredArrival,
    StoredDecision, StoredEvent, StoredPiece, StoredSession, StoredText, StudyLedger,
    StudySnapshot, TimeTaken, Transcript,
};
use super::connection::query;
use super::pool::{Lent, Pool};
use super::{
    arrivals, credits, erasures, ledger_lines, marks, outbox, payments, read, recordings,
    study_texts,
};

/// A study as it is now.
pub(super) async fn of(
    pool: &Pool,
    blobs: Arc<dyn BlobStore>,
    study: &str,
) -> Result<Box<dyn StudySnapshot>> {
    Ok(Box::new(SqlSnapshot {
        study: study.to_owned(),
        transaction: pool.snapshot().await?,
        blobs,
    }))
}

/// The transaction; dropped, it is rolled back.
struct SqlSnapshot {
    study: String,
    transaction: Lent,
    blobs: Arc<dyn BlobStore>,
}

#[async_trait]
impl StudySnapshot for SqlSnapshot {
    async fn sessions(&mut self) -> Result<SessionList> {
        read::ordinals(&mut *self.transaction, &self.study).await
    }

    async fn marks(&mut self) -> Result<Vec<(u64, SessionMark)>> {
        marks::of_study(&mut *self.transaction, &self.study).await
    }

    async fn session_id(&mut self, ordinal: u64) -> Result<Option<SessionId>> {
        read::session_id(&mut *self.transaction, &self.study, ordinal).await
    }

    async fn session(&mut self, id: &SessionId) -> Result<Option<StoredSession>> {
        read::session_despite_damage(&mut *self.transaction, id).await
    }

    async fn first_with_code(&mut self, code: &str) -> Result<Option<u64>> {
        let row = query(
            // With the plus, the index of codes is used, not that of ordinals.
            "SELECT ordinal FROM sessions WHERE study = ? AND participant_code = ? \
             ORDER BY +ordinal LIMIT 1",
        )
        .bind(&self.study)
        .bind(code)
        .fetch_optional(&mut *self.transaction)
        .await?;
        row.map(|row| read::unsigned(&row, 0)).transpose()
    }

    async fn events(
        &mut self,
        session: &SessionId,
        author: Author,
        from: u64,
        limit: u32,
    ) -> Result<Vec<StoredEvent>> {
        read::events(&mut *self.transaction, session, author, from, limit).await
    }

    async fn arrival(&mut self, session: &SessionId) -> Result<Option<StoredArrival>> {
        arrivals::read(&mut *self.transaction, session).await
    }

    async fn pieces(&mut self, session: &SessionId) -> Result<Vec<StoredPiece>> {
        recordings::of_session(&mut *self.transaction, session).await
    }

    async fn piece(
        &mut self,
        session: &SessionId,
        recording: u32,
        piece: u32,
    ) -> Result<Option<Vec<u8>>> {
        let sha256 = recordings::sha256(&mut *self.transaction, session, recording, piece).await?;
        match sha256 {
            Some(sha256) => self.blobs.get(&sha256).await,
            None => Ok(None),
        }
    }

    async fn transcripts(&mut self, session: &SessionId) -> Result<Vec<Transcript>> {
        recordings::transcripts(&mut *self.transaction, session).await
    }

    async fn erasures(&mut self) -> Result<Vec<Erasure>> {
        erasures::of_study(&mut *self.transaction, &self.study).await
    }

    async fn payments(&mut self) -> Result<Vec<pay::Entry>> {
        payments::of_study(&mut *self.transaction, &self.study).await
    }

    async fn decisions(&mut self) -> Result<Vec<StoredDecision>> {
        outbox::of_study(&mut *self.transaction, &self.study).await
    }

    async fn decision_counts(&mut self) -> Result<Vec<(DecisionState, u64)>> {
        outbox::counts(&mut *self.transaction, &self.study).await
    }

    async fn credit_counts(&mut self) -> Result<Vec<(CreditState, u64)>> {
        credits::counts(&mut *self.transaction, &self.study).await
    }

    async fn times_taken(&mut self) -> Result<Vec<TimeTaken>> {
        outbox::times_taken(&mut *self.transaction, &self.study).await
    }

    async fn ledger(&mut self) -> Result<StudyLedger> {
        ledger_lines::ledger(&mut *self.transaction, &self.study).await
    }

    async fn study_versions(&mut self) -> Result<Vec<String>> {
        let rows = query("SELECT sha256 FROM study_versions WHERE study = ? ORDER BY sha256")
            .bind(&self.study)
            .fetch_all(&mut *self.transaction)
            .await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    async fn texts(&mut self) -> Result<Vec<(String, StoredText)>> {
        study_texts::read(&mut *self.transaction, &self.study).await
    }

    async fn study_version(&mut self, sha256: &str) -> Result<Option<Vec<u8>>> {
        read::study_version(&mut *self.transaction, sha256).await
    }
}

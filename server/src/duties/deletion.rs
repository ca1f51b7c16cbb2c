//! Deleting recordings and typed words on their day, and blobs that no row names.

use std::time::Duration;

use async_trait::async_trait;

use super::Duty;
use crate::sessions::{SessionError, Sessions};

/// How often the server looks for what is to be deleted.
const LOOK_EVERY: Duration = Duration::from_secs(60 * 60);

/// Deletes recordings whose day has come.
pub(super) struct SoundDeletion;

#[async_trait]
impl Duty for SoundDeletion {
    fn name(&self) -> &'static str {
        "deletion of recordings"
    }

    async fn is_due(&self, _: &Sessions) -> Result<bool, SessionError> {
        Ok(true)
    }

    async fn perform(&mut self, sessions: &Sessions) -> Result<(), SessionError> {
        let now_unix_ms = sessions.now_unix_ms();
        let pieces = sessions.storage().delete_due_pieces(now_unix_ms).await?;
        if pieces > 0 {
            tracing::info!(pieces, "recordings were deleted, as their study says");
        }
        Ok(())
    }

    async fn rest(&self, _: &Sessions) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Deletes typed words whose day has come.
pub(super) struct TextDeletion;

#[async_trait]
impl Duty for TextDeletion {
    fn name(&self) -> &'static str {
        "deletion of typed texts"
    }

    async fn is_due(&self, sessions: &Sessions) -> Result<bool, SessionError> {
        let due = sessions.storage().texts_due(sessions.now_unix_ms()).await?;
        Ok(!due.is_empty())
    }

    async fn perform(&mut self, sessions: &Sessions) -> Result<(), SessionError> {
        let sessions = sessions.delete_texts_due_now().await?;
        if sessions > 0 {
            tracing::info!(sessions, "typed texts were deleted, as their study says");
        }
        Ok(())
    }

    async fn rest(&self, _: &Sessions) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Deletes blobs that no row has named for a day.
pub(super) struct BlobDeletion;

#[async_trait]
impl Duty for BlobDeletion {
    fn name(&self) -> &'static str {
        "deletion of unnamed blobs"
    }

    async fn is_due(&self, _: &Sessions) -> Result<bool, SessionError> {
        Ok(true)
    }

    async fn perform(&mut self, sessions: &Sessions) -> Result<(), SessionError> {
        let now_unix_ms = sessions.now_unix_ms();
        let blobs = sessions.storage().delete_unnamed_blobs(now_unix_ms).await?;
        if blobs > 0 {
            tracing::info!(blobs, "blobs were deleted that nothing names");
        }
        Ok(())
    }

    async fn rest(&self, _: &Sessions) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

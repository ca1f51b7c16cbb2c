//! Sealing the logs of sessions that have ended.

use std::time::{Duration, Instant};

use async_trait::async_trait;

use super::Duty;
use crate::sessions::{SessionError, Sessions};

/// How often the server looks for logs to be sealed.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Seals logs an hour after their session has ended.
pub(super) struct Sealing;

#[async_trait]
impl Duty for Sealing {
    fn name(&self) -> &'static str {
        "sealing of logs"
    }

    async fn is_due(&self, sessions: &Sessions) -> Result<bool, SessionError> {
        let due = sessions.storage().logs_to_seal(sessions.now_unix_ms());
        Ok(!due.await?.is_empty())
    }

    async fn perform(&mut self, sessions: &Sessions) -> Result<(), SessionError> {
        let storage = sessions.storage();
        let now_unix_ms = sessions.now_unix_ms();
        for id in storage.logs_to_seal(now_unix_ms).await? {
            let began = Instant::now();
            match storage.seal_logs(&id, now_unix_ms).await {
                Err(error) if error.is_damage() => {
                    tracing::warn!(session = %id, %error, "a damaged log is not sealed");
                }
                done => done?,
            }
            // Participants come first, also where thousands of logs of an older version wait.
            tokio::time::sleep(began.elapsed()).await;
        }
        Ok(())
    }

    async fn rest(&self, _: &Sessions) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

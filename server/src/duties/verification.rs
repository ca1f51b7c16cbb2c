//! Verifying sessions as they end, beside the participants who are still at work.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use domain::session::event::SessionId;
use tokio::time::{Instant, sleep};

use super::Duty;
use crate::sessions::{SessionError, Sessions};
use crate::verification::Verifier;

/// How often we look for sessions to verify while none has ended here.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Verifies a sample of each session that has ended, one session at a time.
///
/// It rests as long as it has worked, so that it takes half a core at most.
#[derive(Default)]
pub(super) struct Verification {
    verifier: Verifier,
    /// Damaged, or at odds with themselves; the next start tries them again.
    failed: BTreeSet<SessionId>,
}

impl Verification {
    async fn waiting(&self, sessions: &Sessions) -> Result<Vec<SessionId>, SessionError> {
        let mut waiting = sessions.storage().unverified().await?;
        waiting.retain(|id| !self.failed.contains(id));
        Ok(waiting)
    }

    async fn verify(&mut self, sessions: &Sessions, id: SessionId) {
        let start = Instant::now();
        match sessions.verify(&id, &mut self.verifier).await {
            Ok(Some(report)) => {
                if let Some(first) = report.contradictions.first() {
                    tracing::warn!(session = %id, contradictions = report.contradictions.len(),
                        "numbers do not follow from their inputs, first at {first}");
                }
            }
            Ok(None) => {}
            Err(error) => {
                tracing::error!(session = %id, %error, "a session was not verified");
                self.failed.insert(id);
            }
        }
        sleep(start.elapsed()).await;
    }
}

#[async_trait]
impl Duty for Verification {
    fn name(&self) -> &'static str {
        "verification"
    }

    async fn is_due(&self, sessions: &Sessions) -> Result<bool, SessionError> {
        Ok(!self.waiting(sessions).await?.is_empty())
    }

    async fn perform(&mut self, sessions: &Sessions) -> Result<(), SessionError> {
        for id in self.waiting(sessions).await? {
            self.verify(sessions, id).await;
        }
        Ok(())
    }

    async fn rest(&self, sessions: &Sessions) {
        tokio::select! {
            () = sessions.one_has_ended() => {}
            () = sleep(LOOK_EVERY) => {}
        }
    }
}

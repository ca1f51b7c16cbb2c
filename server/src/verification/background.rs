//! Verifying sessions as they are completed, beside the participants who are still at work.

use std::sync::Arc;

use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::Verifier;
use crate::sessions::Sessions;
use domain::event::SessionId;

/// Verifies a sample of each completed session, one session at a time, until the server stops.
///
/// It rests as long as it has worked, so that it takes half a core at most. A session that waits
/// when the server stops stays unverified; `redial verify` verifies all of them.
pub async fn in_background(
    sessions: Arc<Sessions>,
    mut completed: Receiver<SessionId>,
    stopping: CancellationToken,
) {
    let mut verifier = Verifier::default();
    while let Some(Some(id)) = stopping.run_until_cancelled(completed.recv()).await {
        let start = Instant::now();
        match sessions.verify(&id, &mut verifier).await {
            Ok(Some(report)) => {
                if let Some(first) = report.contradictions.first() {
                    tracing::warn!(session = %id, contradictions = report.contradictions.len(),
                        "numbers do not follow from their inputs, first at {first}");
                }
            }
            Ok(None) => {}
            Err(error) => tracing::error!(session = %id, %error, "a session was not verified"),
        }
        let rest = sleep(start.elapsed());
        if stopping.run_until_cancelled(rest).await.is_none() {
            return;
        }
    }
}

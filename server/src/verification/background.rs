//! Verifying sessions as they end, beside the participants who are still at work.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use domain::event::SessionId;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::Verifier;
use crate::sessions::Sessions;

/// How often we look for sessions to verify while none has ended here.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Verifies a sample of each session that has ended, one session at a time, until the server stops.
/// Which ones wait is asked of the database: a restart forgets none.
///
/// It rests as long as it has worked, so that it takes half a core at most.
pub async fn in_background(sessions: Arc<Sessions>, stopping: CancellationToken) {
    let mut verifier = Verifier::default();
    // Damaged, or at odds with themselves; the next start tries them again.
    let mut failed = BTreeSet::new();
    let verifying = async {
        loop {
            match sessions.storage().unverified().await {
                Ok(waiting) => {
                    for id in waiting {
                        verify_one(&sessions, id, &mut verifier, &mut failed).await;
                    }
                }
                Err(error) => tracing::warn!(%error, "no session can be verified now"),
            }
            tokio::select! {
                () = sessions.one_has_ended() => {}
                () = sleep(LOOK_EVERY) => {}
            }
        }
    };
    stopping.run_until_cancelled(verifying).await;
}

async fn verify_one(
    sessions: &Sessions,
    id: SessionId,
    verifier: &mut Verifier,
    failed: &mut BTreeSet<SessionId>,
) {
    if failed.contains(&id) {
        return;
    }
    let start = Instant::now();
    match sessions.verify(&id, verifier).await {
        Ok(Some(report)) => {
            if let Some(first) = report.contradictions.first() {
                tracing::warn!(session = %id, contradictions = report.contradictions.len(),
                    "numbers do not follow from their inputs, first at {first}");
            }
        }
        Ok(None) => {}
        Err(error) => {
            tracing::error!(session = %id, %error, "a session was not verified");
            failed.insert(id);
        }
    }
    sleep(start.elapsed()).await;
}

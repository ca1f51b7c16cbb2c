//! Writing tables anew from which something was erased.

use std::time::{Duration, Instant};

use async_trait::async_trait;

use super::Duty;
use crate::sessions::{SessionError, Sessions};

/// How often the server looks whether it is night, and whether something is left to do.
const LOOK_EVERY: Duration = Duration::from_secs(15 * 60);

/// Hours of the day (UTC) at which it is done.
const NIGHT: std::ops::Range<u64> = 1..5;

const HOUR_MS: u64 = 60 * 60 * 1_000;

/// Writes tables and partitions anew at night, so that what was erased is gone from the files. One that somebody has is
/// tried again the next time.
pub(super) struct Rewriting;

/// Whether it is night.
fn is_night(now_unix_ms: u64) -> bool {
    NIGHT.contains(&(now_unix_ms / HOUR_MS % 24))
}

#[async_trait]
impl Duty for Rewriting {
    fn name(&self) -> &'static str {
        "rewriting of tables"
    }

    async fn is_due(&self, sessions: &Sessions) -> Result<bool, SessionError> {
        if !is_night(sessions.now_unix_ms()) {
            return Ok(false);
        }
        Ok(!sessions.storage().parts_to_rewrite().await?.is_empty())
    }

    async fn perform(&mut self, sessions: &Sessions) -> Result<(), SessionError> {
        let storage = sessions.storage();
        for part in storage.parts_to_rewrite().await? {
            let began = Instant::now();
            let done = storage.rewrite_part(&part).await?;
            tracing::debug!(part, done, "written anew without what was erased");
            // Participants come first.
            tokio::time::sleep(began.elapsed()).await;
        }
        Ok(())
    }

    async fn rest(&self, _: &Sessions) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_has_four_hours() {
        // date -u -d '2026-11-29 00:00' +%s
        let midnight_ms = 1_795_910_400_000;
        let night = (0..24).filter(|hour| is_night(midnight_ms + hour * HOUR_MS + 1));
        assert_eq!(night.collect::<Vec<_>>(), [1, 2, 3, 4]);
    }
}

//! The server's clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 (UTC).
#[must_use]
pub fn now_unix_ms() -> u64 {
    // A clock before 1970 is a broken one; 0 is as good an answer as any.
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

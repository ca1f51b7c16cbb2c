//! The time and randomness, which the server asks of the outside. Both are handed in, so that
//! a test can say what time it is and draw the same secrets again.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Says what time it is.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since 1970 (UTC).
    fn now_unix_ms(&self) -> u64;
}

/// Gives random bytes that nobody can guess.
pub trait Randomness: Send + Sync + 'static {
    /// Fills `bytes`.
    ///
    /// # Errors
    /// When there is no randomness to be had; then `bytes` must not be used.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness>;
}

/// There is no randomness to be had.
#[derive(Debug, thiserror::Error)]
#[error("no random bytes: {0}")]
pub struct NoRandomness(pub String);

/// The operating system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_unix_ms(&self) -> u64 {
        // A clock before 1970 is a broken one; 0 is as good an answer as any.
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// The operating system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        getrandom::fill(bytes).map_err(|error| NoRandomness(error.to_string()))
    }
}

/// The clock and the randomness that a server uses. Cloning shares them.
#[derive(Clone)]
pub struct System {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The randomness.
    pub randomness: Arc<dyn Randomness>,
}

impl Default for System {
    /// The operating system's.
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            randomness: Arc::new(SystemRandomness),
        }
    }
}

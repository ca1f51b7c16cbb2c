//! The clock and the randomness that simulated people bring along.

use std::sync::{Mutex, PoisonError};

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha20Rng;
use sha2::{Digest as _, Sha256};

use crate::system::{Clock, NoRandomness, Randomness};

/// A clock that is set.
pub(super) struct SetClock(Mutex<u64>);

impl SetClock {
    /// At a time, in milliseconds since 1970.
    pub(super) fn at(now_unix_ms: u64) -> Self {
        Self(Mutex::new(now_unix_ms))
    }

    pub(super) fn set(&self, now_unix_ms: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now_unix_ms;
    }
}

impl Clock for SetClock {
    fn now_unix_ms(&self) -> u64 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Randomness that anybody can repeat: good for people whom nobody has to be protected from.
pub(super) struct SeededRandomness(Mutex<ChaCha20Rng>);

impl SeededRandomness {
    pub(super) fn new(study: &str, seed: u64) -> Self {
        let digest = Sha256::digest(format!("simulated {study} {seed}"));
        Self(Mutex::new(ChaCha20Rng::from_seed(digest.into())))
    }
}

impl Randomness for SeededRandomness {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rng.fill_bytes(bytes);
        Ok(())
    }
}

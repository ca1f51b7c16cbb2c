//! Passwords, under Argon2id.

use std::collections::HashSet;
use std::sync::OnceLock;
#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering};

use api::research::{LONGEST_PASSWORD, SHORTEST_PASSWORD};
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};

use super::{AccessError, Result};
use crate::processor::Processor;
use crate::secrets::random;
use crate::system::System;

/// Hashes and verifies passwords, as many at once as there are cores: each takes 19 MiB, with the parameters that OWASP's
/// cheat sheet on password storage recommends (2 passes, one lane), which are the library's own.
pub(super) struct Passwords {
    system: System,
    processor: Processor,
    /// The hash of a password that nobody has: verifying it takes as long as verifying somebody's.
    nobodys: OnceLock<String>,
    /// How often a password was verified against a hash, whosever.
    #[cfg(test)]
    pub(super) verified: AtomicU64,
}

/// Whether a password can be one of somebody's.
///
/// # Errors
/// When it is too short, too long, or too simple.
pub(super) fn check(user: &str, password: &str) -> Result<()> {
    let found = password.chars().count();
    if !(SHORTEST_PASSWORD..=LONGEST_PASSWORD).contains(&found) {
        return Err(AccessError::PasswordLength { found });
    }
    let different: HashSet<char> = password.chars().collect();
    if different.len() < 4 || password.eq_ignore_ascii_case(user) {
        return Err(AccessError::PasswordTooSimple);
    }
    Ok(())
}

impl Passwords {
    pub(super) fn new(system: System, processor: Processor) -> Self {
        Self {
            system,
            processor,
            nobodys: OnceLock::new(),
            #[cfg(test)]
            verified: AtomicU64::new(0),
        }
    }

    /// A password's hash as a PHC string.
    pub(super) async fn hash(&self, password: String) -> Result<String> {
        let salt = random::<16>(&*self.system.randomness)?;
        self.processor.run(move || hash(&password, &salt)).await?
    }

    /// Whether a password is the one with a hash; no without a hash, after as much work.
    pub(super) async fn verify(&self, password: String, of: Option<String>) -> Result<bool> {
        // The first person who comes waits until it is made, whether they are known or not.
        let nobodys = self.nobodys().await?;
        let (of, counts) = match of {
            Some(of) => (of, true),
            None => (nobodys, false),
        };
        #[cfg(test)]
        self.verified.fetch_add(1, Ordering::Relaxed);
        // Longer than any: no work for what is sent to keep us busy.
        let password: String = password.chars().take(LONGEST_PASSWORD + 1).collect();
        let verified = move || -> Result<bool> {
            let of = PasswordHash::new(&of).map_err(failed)?;
            Ok(Argon2::default()
                .verify_password(password.as_bytes(), &of)
                .is_ok())
        };
        Ok(self.processor.run(verified).await?? && counts)
    }

    async fn nobodys(&self) -> Result<String> {
        if let Some(hash) = self.nobodys.get() {
            return Ok(hash.clone());
        }
        let salt = random::<16>(&*self.system.randomness)?;
        let secret = random::<32>(&*self.system.randomness)?;
        let password = crate::secrets::hex(&secret);
        let made = self.processor.run(move || hash(&password, &salt)).await??;
        Ok(self.nobodys.get_or_init(|| made).clone())
    }
}

fn hash(password: &str, salt: &[u8]) -> Result<String> {
    let hash: PasswordHash = Argon2::default()
        .hash_password_with_salt(password.as_bytes(), salt)
        .map_err(failed)?;
    Ok(hash.to_string())
}

fn failed(error: impl std::fmt::Display) -> AccessError {
    AccessError::Hashing(error.to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_long_and_not_too_simple() {
        let refused = |password: &str| check("ada", password).unwrap_err().to_string();
        assert!(refused("elevenchars").contains("this one has 11"));
        assert!(refused(&"ab c".repeat(33)).contains("this one has 132"));
        assert!(refused("aaaaaaaaaaaaaaa").contains("take another"));
        assert!(check("ada.of.lovelace", "Ada.Of.Lovelace").is_err());
        // Characters count, not bytes.
        assert!(check("ada", "zwölf Ünïçödé").is_ok());
        assert!(check("ada", &"ab c".repeat(32)).is_ok());
    }

    #[test]
    fn a_hash_is_argon2id_with_its_parameters() {
        // The reference implementation: echo -n "correct horse battery" | argon2 somesaltsomesalt -id -t 2 -m 14.25 …
        // takes powers of two alone, so the parameters are compared, and a hash of its own is verified below.
        let made = hash("correct horse battery", b"somesaltsomesalt").unwrap();
        assert!(
            made.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{made}"
        );
    }
}

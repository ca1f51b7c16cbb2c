//! Names and secrets, made from randomness that is handed in.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::session::event::SessionId;
use sha2::{Digest, Sha256};

use crate::system::{NoRandomness, Randomness};

/// Length of a session's name: 128 bits in hex.
pub const SESSION_ID_LENGTH: usize = 32;

/// Letters and digits that are not taken for each other, on paper or on the phone.
const CODE_ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// Length of a completion code: 50 bits.
const CODE_LENGTH: usize = 10;

/// Random bytes.
///
/// # Errors
/// When there are none.
pub fn random<const N: usize>(randomness: &dyn Randomness) -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    randomness.fill(&mut bytes)?;
    Ok(bytes)
}

/// A new name for a session.
///
/// # Errors
/// When there is no randomness.
pub fn session_id(randomness: &dyn Randomness) -> Result<SessionId, NoRandomness> {
    Ok(SessionId(hex(&random::<{ SESSION_ID_LENGTH / 2 }>(
        randomness,
    )?)))
}

/// A new completion code.
///
/// # Errors
/// When there is no randomness.
pub fn completion_code(randomness: &dyn Randomness) -> Result<String, NoRandomness> {
    let bytes = random::<CODE_LENGTH>(randomness)?;
    // 256 is a multiple of 32, so every letter is as likely.
    Ok(bytes
        .iter()
        .map(|byte| char::from(CODE_ALPHABET[usize::from(byte % 32)]))
        .collect())
}

/// A session's secret: 256 bits, shown to one browser and kept nowhere.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new token.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn new(randomness: &dyn Randomness) -> Result<Self, NoRandomness> {
        Ok(Self::of_bytes(&random::<32>(randomness)?))
    }

    /// A token of bytes that nobody can guess.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Its hash, which is kept in its place.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(&self.0)
    }

    /// The secret itself, for the one answer that carries it.
    #[must_use]
    pub fn reveal(self) -> String {
        self.0
    }
}

/// SHA-256 of a token. Tokens are long and random, so neither salt nor a slow
/// hash is called for, and the time a comparison takes tells nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenHash(pub [u8; 32]);

impl TokenHash {
    /// Hash of a token as a browser sends it.
    #[must_use]
    pub fn of(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }
}

/// Bytes in lower-case hex.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
            let _ = write!(text, "{byte:02x}"); // writing to a String cannot fail
            text
        })
}

/// Bytes from hex; `None` if it is not hex, or not as long.
#[must_use]
pub fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let (high, low) = (
            char::from(pair[0]).to_digit(16)?,
            char::from(pair[1]).to_digit(16)?,
        );
        *byte = u8::try_from(high * 16 + low).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::SystemRandomness;

    #[test]
    fn hex_goes_both_ways() {
        let bytes = random::<32>(&SystemRandomness).unwrap();
        assert_eq!(unhex(&hex(&bytes)), Some(bytes));
        assert_eq!(unhex::<2>("0aFf"), Some([10, 255]));
        for bad in ["0aF", "0aFg", "0aFf0", "+1+1"] {
            assert_eq!(unhex::<2>(bad), None, "{bad}");
        }
    }

    #[test]
    fn codes_and_names_are_of_the_right_form_and_new_each_time() {
        let code = completion_code(&SystemRandomness).unwrap();
        assert_eq!(code.len(), CODE_LENGTH);
        assert!(code.bytes().all(|b| CODE_ALPHABET.contains(&b)));
        assert_ne!(code, completion_code(&SystemRandomness).unwrap());
        assert_eq!(
            session_id(&SystemRandomness).unwrap().0.len(),
            SESSION_ID_LENGTH
        );
        assert_ne!(
            session_id(&SystemRandomness).unwrap(),
            session_id(&SystemRandomness).unwrap()
        );
        let token = Token::new(&SystemRandomness).unwrap();
        assert_eq!(token.hash(), TokenHash::of(&token.reveal()));
    }
}

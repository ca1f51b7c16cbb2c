//! Keys that are made from a secret of the database, which goes with it into every backup.

use ring::aead::{CHACHA20_POLY1305, LessSafeKey, UnboundKey};
use ring::hmac;

use super::{SessionError, Sessions};
use crate::secrets::{self, Token, hex, unhex};
use crate::storage::{StorageError, secret_names};

/// The keys.
pub(super) struct Keys {
    /// The key that receipts are sealed with.
    pub receipts: LessSafeKey,
    /// The key that tokens of attempts to start are made with.
    starts: hmac::Key,
}

impl Keys {
    fn of(secret: &str) -> Option<Self> {
        let secret: [u8; 32] = unhex(secret)?;
        let receipts = UnboundKey::new(&CHACHA20_POLY1305, &secret).ok()?;
        let starts = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &secret), b"starts");
        Some(Self {
            receipts: LessSafeKey::new(receipts),
            starts: hmac::Key::new(hmac::HMAC_SHA256, starts.as_ref()),
        })
    }

    /// The token of an attempt to start a study. It is the same each time: a request whose page has given it up, and which
    /// is carried out after the page's next one, leaves the page the token that it has.
    pub fn token_of(&self, study: &str, attempt: &str) -> Token {
        // A study's name has no space.
        let start = format!("{study} {attempt}");
        Token::of_bytes(hmac::sign(&self.starts, start.as_bytes()).as_ref())
    }
}

impl Sessions {
    /// Makes the secret that keys are made from, if there is none: from now on it is in every backup.
    ///
    /// # Errors
    /// When storage fails, or there is no randomness.
    pub async fn make_keys(&self) -> Result<(), SessionError> {
        self.own_keys().await.map(|_| ())
    }

    pub(super) async fn own_keys(&self) -> Result<&Keys, SessionError> {
        let made = async || {
            let proposed = hex(&secrets::random::<32>(&*self.system.randomness)?);
            let secret = self
                .storage
                .secret(secret_names::RECEIPTS, &proposed)
                .await?;
            Keys::of(&secret).ok_or_else(|| {
                StorageError::Corrupt {
                    what: "the secret that keys are made from".to_owned(),
                    why: "it is not 64 hexadecimal digits".to_owned(),
                }
                .into()
            })
        };
        self.own_keys.get_or_try_init(made).await
    }
}

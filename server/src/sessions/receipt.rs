//! Receipts: what a browser keeps of its session for the server, in case the server loses it.
//!
//! A receipt holds what the session was drawn with. It is sealed (ChaCha20-Poly1305) with a secret of the
//! database, which goes with it into every backup: no browser can read one, and none can make one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::recruitment::assignment::Purpose;
use domain::recruitment::platform::Parameters;
use domain::session::event::SessionId;
use ring::aead::{Aad, LessSafeKey, NONCE_LEN, Nonce};
use serde::{Deserialize, Serialize};

use super::{SessionError, Sessions};
use crate::secrets::{self, hex, unhex};
use crate::storage::{NewSession, StoredArrival};

/// Format version of what is sealed.
const FORMAT: u16 = 1;

/// Longest receipt that is looked at, in bytes. A link has a few thousand at most.
const LONGEST: usize = 64 * 1024;

/// The values that a session was drawn with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Receipt {
    format: u16,
    pub session: SessionId,
    pub study: String,
    /// SHA-256 of the study's definition in hex: with another one it would be drawn otherwise.
    pub study_sha256: String,
    pub ordinal: u64,
    /// Seed of everything that was drawn, in hex.
    seed: String,
    pub cell: String,
    pub row: u64,
    pub purpose: Purpose,
    pub language: String,
    pub participant_code: Option<String>,
    pub created_at_unix_ms: u64,
    arrival: Option<StoredLink>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StoredLink {
    platform: String,
    participant: Option<String>,
    submission: Option<String>,
    link: Parameters,
}

impl Receipt {
    /// Of a session that is about to be stored, in a cell.
    pub fn of(new: &NewSession, cell: &str, row: u64, purpose: Purpose) -> Self {
        let session = &new.session;
        let arrival = new.arrival.as_ref().map(|arrival| StoredLink {
            platform: arrival.platform.clone(),
            participant: arrival.participant.clone(),
            submission: arrival.submission.clone(),
            link: arrival.link.clone(),
        });
        Self {
            format: FORMAT,
            session: session.id.clone(),
            study: session.study.clone(),
            study_sha256: session.study_sha256.clone(),
            ordinal: session.ordinal,
            seed: hex(&session.seed),
            cell: cell.to_owned(),
            row,
            purpose,
            language: session.plan.language.clone(),
            participant_code: session.participant_code.clone(),
            created_at_unix_ms: session.created_at_unix_ms,
            arrival,
        }
    }

    /// The seed; none where it is no seed.
    pub fn seed(&self) -> Option<[u8; 32]> {
        unhex(&self.seed)
    }

    /// How the participant came from a platform, if they did.
    pub fn arrival(&self) -> Option<StoredArrival> {
        let arrival = self.arrival.clone()?;
        Some(StoredArrival {
            platform: arrival.platform,
            participant: arrival.participant,
            submission: arrival.submission,
            link: arrival.link,
        })
    }

    fn sealed(&self, key: &LessSafeKey, nonce: [u8; NONCE_LEN]) -> Option<String> {
        let mut bytes = serde_json::to_vec(self).ok()?;
        let unique = Nonce::assume_unique_for_key(nonce);
        key.seal_in_place_append_tag(unique, Aad::empty(), &mut bytes)
            .ok()?;
        Some(URL_SAFE_NO_PAD.encode([&nonce[..], &bytes].concat()))
    }

    /// None for a text that was not sealed with this key, or is of another format.
    fn opened(text: &str, key: &LessSafeKey) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut sealed = sealed.to_vec();
        let plain = key.open_in_place(nonce, Aad::empty(), &mut sealed).ok()?;
        let receipt: Self = serde_json::from_slice(plain).ok()?;
        (receipt.format == FORMAT).then_some(receipt)
    }
}

impl Sessions {
    /// The sealed receipt of a session. None where it cannot be sealed: the session can be taken all
    /// the same.
    pub(super) async fn seal(&self, receipt: &Receipt) -> Result<Option<String>, SessionError> {
        let nonce = secrets::random::<NONCE_LEN>(&*self.system.randomness)?;
        Ok(receipt.sealed(&self.own_keys().await?.receipts, nonce))
    }

    /// The receipt in a text; none where it was not sealed with this database's secret.
    pub(super) async fn unseal(&self, text: &str) -> Result<Option<Receipt>, SessionError> {
        Ok(Receipt::opened(text, &self.own_keys().await?.receipts))
    }
}

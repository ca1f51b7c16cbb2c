//! Links that Prolific has signed: a JSON Web Token in the link, checked against the keys that
//! Prolific publishes.

use std::time::Duration;

use domain::recruitment::platform::{NotArrived, Parameters, SignedLinks, signed_link};
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::Mutex;

use crate::outbound;

/// Where Prolific publishes its keys.
pub const KEYS_OF_PROLIFIC: &str = "https://api.prolific.com/.well-known/study/jwks.json";

/// Keys are fetched anew after a day.
const FRESH_MS: u64 = 24 * 60 * 60 * 1_000;

/// Keys that cannot be fetched anew are believed for a week.
const BELIEVED_MS: u64 = 7 * FRESH_MS;

/// A key that is not known makes us fetch them anew, but not more often than this.
const AGAIN_MS: u64 = 60 * 1_000;

/// After an attempt that failed, the next one is made this much later.
const AGAIN_AFTER_FAILURE_MS: u64 = 10 * 1_000;

/// For how long a start waits for keys. A start that comes meanwhile waits for the same answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// For how long after its end a signature still opens the study, in seconds: clocks differ, and who
/// has opened the page in time may read the consent form before they start.
const LEEWAY_S: f64 = 60.0 * 60.0;

/// For how long a signature may hold at most, from when it was made and from now, in seconds.
/// Prolific signs a link when somebody opens the study, and does not say for how long; no submission
/// lasts a week.
const LONGEST_S: f64 = 7.0 * 24.0 * 60.0 * 60.0;

/// How far the clock of who signed may be ahead of ours, in seconds.
const SKEW_S: f64 = 5.0 * 60.0;

/// The claims of a token. Times are in seconds since 1970, and may have fractions (RFC 7519, section 2).
#[derive(Deserialize)]
struct Claims {
    exp: f64,
    /// Not to be taken before.
    nbf: Option<f64>,
    /// When it was signed.
    iat: Option<f64>,
    aud: Audience,
    prolific: Map<String, Value>,
}

impl Claims {
    /// Why a token is not taken at a time, in words; none where it is.
    fn fault(&self, settings: &SignedLinks, now_s: f64) -> Option<&'static str> {
        let latest_s = now_s + SKEW_S;
        let begins = [self.nbf, self.iat];
        let begins = begins.into_iter().flatten();
        if self.exp + LEEWAY_S <= now_s {
            Some("this link was signed too long ago")
        } else if begins.clone().any(|from_s| from_s > latest_s) {
            Some("this link is signed for a time that has not come yet")
        } else if begins
            .chain([latest_s])
            .any(|from_s| self.exp - from_s > LONGEST_S)
        {
            Some("this link is signed for longer than any link is")
        } else if !self.aud.any(|audience| settings.is_meant(audience)) {
            Some("this link is signed for another server")
        } else {
            None
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Audience {
    fn any(&self, wanted: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::One(one) => wanted(one),
            Self::Several(several) => several.iter().any(|one| wanted(one)),
        }
    }
}

/// Why a link was not taken.
#[derive(Debug, thiserror::Error)]
pub enum NotSigned {
    /// There is something wrong with it.
    #[error("{0}")]
    Link(#[from] NotArrived),
    /// Nobody knows: the keys cannot be had.
    #[error(
        "whether Prolific signed this link cannot be found out now, since Prolific does not answer; \
         nothing was started. Please open the link again in a minute"
    )]
    NoKeys,
}

/// Keys that were fetched.
struct Fetched {
    at_unix_ms: u64,
    keys: JwkSet,
}

/// The keys, as far as they are known.
#[derive(Default)]
struct Known {
    /// Those that were fetched last.
    last: Option<Fetched>,
    /// When they are not to be asked for again before.
    not_before_unix_ms: u64,
}

/// The keys of Prolific.
pub struct ProlificKeys {
    url: String,
    known: Mutex<Known>,
}

impl ProlificKeys {
    /// The keys at an address. Nothing is fetched before they are needed.
    #[must_use]
    pub fn at(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            known: Mutex::default(),
        }
    }

    /// A link whose signature is right, with everything that was signed, and without the signature.
    ///
    /// # Errors
    /// When it is not signed, not by Prolific, for somebody else, or not any more; when the keys
    /// cannot be had.
    pub async fn checked(
        &self,
        settings: &SignedLinks,
        link: &Parameters,
        now_unix_ms: u64,
    ) -> Result<Parameters, NotSigned> {
        let again = |why: &str| {
            NotArrived::Faulty(format!(
                "{why}, so nothing was started. Please open the study from Prolific once more"
            ))
        };
        let token = link.get("prolific_token").map(|token| token.trim());
        let token = token.ok_or_else(|| again("this link is not signed by Prolific"))?;
        let forged = || again("the signature in this link is not Prolific's");
        let header = decode_header(token).map_err(|_| forged())?;
        let kid = header.kid.ok_or_else(forged)?;
        let key = self.key(&kid, now_unix_ms).await?.ok_or_else(forged)?;
        // By our own clock and rules, below.
        let mut rules = Validation::new(Algorithm::RS256);
        rules.validate_exp = false;
        rules.validate_nbf = false;
        rules.validate_aud = false;
        rules.set_required_spec_claims(&["exp", "aud"]);
        let claims = decode::<Claims>(token, &key, &rules).map_err(|_| forged())?;
        let claims = claims.claims;
        let now_s = now_unix_ms as f64 / 1_000.0;
        if let Some(why) = claims.fault(settings, now_s) {
            return Err(again(why).into());
        }
        let signed = |name: &str| claims.prolific.get(name)?.as_str().map(str::to_owned);
        signed_link(link, signed)
            .map_err(|name| again(&format!("'{name}' in this link is not what was signed")).into())
    }

    /// The key of that name, if there is one: of the keys as they are published now, or of those that
    /// were fetched last if there is no answer.
    async fn key(&self, kid: &str, now_unix_ms: u64) -> Result<Option<DecodingKey>, NotSigned> {
        let mut known = self.known.lock().await;
        let fresh = known.last.as_ref().is_some_and(|last| {
            let age = now_unix_ms.saturating_sub(last.at_unix_ms);
            age < FRESH_MS && last.keys.find(kid).is_some()
        });
        if !fresh && now_unix_ms >= known.not_before_unix_ms {
            // First: whoever waits for this lock must not ask again if this request is given up.
            known.not_before_unix_ms = now_unix_ms + AGAIN_AFTER_FAILURE_MS;
            match fetch(self.url.clone()).await {
                Ok(keys) => {
                    known.last = Some(Fetched {
                        at_unix_ms: now_unix_ms,
                        keys,
                    });
                    known.not_before_unix_ms = now_unix_ms + AGAIN_MS;
                }
                Err(why) => tracing::warn!(%why, "Prolific's keys cannot be fetched"),
            }
        }
        let last = known.last.as_ref();
        let believed =
            last.filter(|last| now_unix_ms.saturating_sub(last.at_unix_ms) < BELIEVED_MS);
        let keys = &believed.ok_or(NotSigned::NoKeys)?.keys;
        Ok(keys
            .find(kid)
            .and_then(|jwk| DecodingKey::from_jwk(jwk).ok()))
    }
}

async fn fetch(url: String) -> Result<JwkSet, String> {
    let answer = tokio::task::spawn_blocking(move || outbound::fetch(&url, PATIENCE));
    // The thread may not get its turn in time.
    let answer = tokio::time::timeout(PATIENCE, answer).await;
    let answer = answer.map_err(|_| "there was no answer in time".to_owned())?;
    let answer = answer.map_err(|error| error.to_string())?;
    let answer = answer.map_err(|error| error.to_string())?;
    if answer.status != 200 {
        return Err(format!("the answer has the status {}", answer.status));
    }
    serde_json::from_str(&answer.body)
        .map_err(|error| format!("the answer is no set of keys: {error}"))
}

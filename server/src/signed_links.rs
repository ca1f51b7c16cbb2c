//! Links that Prolific has signed: a JSON Web Token in the link, checked against the keys that
//! Prolific publishes.

use domain::platform::{NotArrived, Parameters, SignedLinks, signed_link};
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::Mutex;

use crate::outside;

/// Where Prolific publishes its keys.
pub const KEYS_OF_PROLIFIC: &str = "https://api.prolific.com/.well-known/study/jwks.json";

/// Keys are fetched anew after a day.
const FRESH_MS: u64 = 24 * 60 * 60 * 1_000;

/// Keys that cannot be fetched anew are believed for a week.
const BELIEVED_MS: u64 = 7 * FRESH_MS;

/// A key that is not known makes us fetch them anew, but not more often than this.
const AGAIN_MS: u64 = 60 * 1_000;

/// For how long after its end a signature still opens the study: clocks differ, and who has opened
/// the page in time may read the consent form before they start.
const LEEWAY_S: u64 = 60 * 60;

/// What a token says.
#[derive(Deserialize)]
struct Claims {
    exp: u64,
    aud: Audience,
    prolific: Map<String, Value>,
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
    #[error("Prolific's keys cannot be had, so nothing was started; please try again in a minute")]
    NoKeys,
}

struct Fetched {
    at_unix_ms: u64,
    tried_at_unix_ms: u64,
    keys: JwkSet,
}

/// The keys of Prolific.
pub struct Keys {
    url: String,
    fetched: Mutex<Option<Fetched>>,
}

impl Keys {
    /// The keys at an address. Nothing is fetched before they are needed.
    #[must_use]
    pub fn at(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            fetched: Mutex::default(),
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
        // By our own clock and rule, below.
        let mut rules = Validation::new(Algorithm::RS256);
        rules.validate_exp = false;
        rules.validate_aud = false;
        rules.set_required_spec_claims(&["exp", "aud"]);
        let claims = decode::<Claims>(token, &key, &rules).map_err(|_| forged())?;
        let claims = claims.claims;
        if now_unix_ms / 1_000 >= claims.exp.saturating_add(LEEWAY_S) {
            return Err(again("this link was signed too long ago").into());
        }
        if !claims.aud.any(|audience| settings.is_meant(audience)) {
            return Err(again("this link is signed for another server").into());
        }
        let signed = |name: &str| claims.prolific.get(name)?.as_str().map(str::to_owned);
        signed_link(link, signed)
            .map_err(|name| again(&format!("'{name}' in this link is not what was signed")).into())
    }

    /// The key of that name, if there is one.
    async fn key(&self, kid: &str, now_unix_ms: u64) -> Result<Option<DecodingKey>, NotSigned> {
        let mut fetched = self.fetched.lock().await;
        let fresh = fetched.as_ref().is_some_and(|keys| {
            let age = now_unix_ms.saturating_sub(keys.at_unix_ms);
            let tried = now_unix_ms.saturating_sub(keys.tried_at_unix_ms);
            tried < AGAIN_MS || (age < FRESH_MS && keys.keys.find(kid).is_some())
        });
        if !fresh {
            match fetch(self.url.clone()).await {
                Ok(keys) => {
                    *fetched = Some(Fetched {
                        at_unix_ms: now_unix_ms,
                        tried_at_unix_ms: now_unix_ms,
                        keys,
                    });
                }
                Err(why) => {
                    tracing::warn!(%why, "Prolific's keys cannot be fetched");
                    if let Some(keys) = fetched.as_mut() {
                        keys.tried_at_unix_ms = now_unix_ms;
                    }
                }
            }
        }
        let believed = fetched
            .as_ref()
            .filter(|keys| now_unix_ms.saturating_sub(keys.at_unix_ms) < BELIEVED_MS);
        let keys = &believed.ok_or(NotSigned::NoKeys)?.keys;
        Ok(keys
            .find(kid)
            .and_then(|jwk| DecodingKey::from_jwk(jwk).ok()))
    }
}

async fn fetch(url: String) -> Result<JwkSet, String> {
    let answer = tokio::task::spawn_blocking(move || outside::fetch(&url)).await;
    let answer = answer.map_err(|error| error.to_string())?;
    let answer = answer.map_err(|error| error.to_string())?;
    if answer.status != 200 {
        return Err(format!("the answer has the status {}", answer.status));
    }
    serde_json::from_str(&answer.body)
        .map_err(|error| format!("the answer is no set of keys: {error}"))
}

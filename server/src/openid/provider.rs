//! The provider, spoken to. The metadata that it publishes of itself is fetched when it is needed, and kept.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use openidconnect::core::{
    CoreAuthenticationFlow, CoreIdTokenClaims, CoreProviderMetadata, CoreTokenResponse,
    CoreUserInfoClaims,
};
use openidconnect::{
    AuthorizationCode, ClaimsVerificationError, ConfigurationError, CsrfToken, HttpRequest,
    HttpResponse, OAuth2TokenResponse as _, RequestTokenError, Scope, SignatureVerificationError,
    TokenResponse as _,
};
use tokio::sync::{Mutex, Semaphore};

use super::begun::Begun;
use super::published::{Published, SIGNATURES};
use super::settings::OpenIdSettings;
use super::{OpenIdError, Person};
use crate::outbound::{self, NoResponse};

/// How long the provider may take to answer one request. Somebody waits for it.
const PATIENCE: Duration = Duration::from_secs(8);

/// The metadata that it publishes of itself is fetched anew after a day.
const FRESH_MS: u64 = 24 * 60 * 60 * 1_000;

/// A key that is not known makes us fetch it anew, but not more often than this.
const AGAIN_MS: u64 = 60 * 1_000;

/// After an attempt that failed, the next one is made this much later.
const AGAIN_AFTER_FAILURE_MS: u64 = 10 * 1_000;

/// Most requests at once: each keeps a thread busy until it is answered.
const AT_ONCE: usize = 8;

/// The metadata that is known of the provider.
#[derive(Default)]
struct Known {
    last: Option<Published>,
    /// When it is not to be asked for again before.
    not_before_unix_ms: u64,
}

/// The provider.
pub(super) struct Provider {
    pub(super) settings: OpenIdSettings,
    known: Mutex<Known>,
    asking: Semaphore,
}

impl Provider {
    pub(super) fn new(settings: OpenIdSettings) -> Self {
        Self {
            settings,
            known: Mutex::default(),
            asking: Semaphore::new(AT_ONCE),
        }
    }

    /// The metadata that it publishes of itself, not older than a day.
    pub(super) async fn metadata(&self, now_unix_ms: u64) -> Result<Published, OpenIdError> {
        self.published(now_unix_ms, |age_ms| age_ms < FRESH_MS)
            .await
    }

    /// The same, of an age that is good enough.
    async fn published(
        &self,
        now_unix_ms: u64,
        good_enough: impl Fn(u64) -> bool,
    ) -> Result<Published, OpenIdError> {
        let mut known = self.known.lock().await;
        if let Some(last) = &known.last
            && good_enough(now_unix_ms.saturating_sub(last.at_unix_ms))
        {
            return Ok(last.clone());
        }
        if now_unix_ms < known.not_before_unix_ms {
            return Err(self.no_answer(&"it was asked just now"));
        }
        // First: whoever waits for this lock must not ask again if this request is given up.
        known.not_before_unix_ms = now_unix_ms + AGAIN_AFTER_FAILURE_MS;
        let issuer = self.settings.issuer.clone();
        let found = self
            .ask(move || CoreProviderMetadata::discover(&issuer, &send))
            .await?;
        let metadata = found.map_err(|error| self.no_answer(&chain(&error)))?;
        let published = Published {
            metadata: Arc::new(metadata),
            at_unix_ms: now_unix_ms,
        };
        known.not_before_unix_ms = 0;
        known.last = Some(published.clone());
        Ok(published)
    }

    /// The page at which somebody signs in there.
    pub(super) fn address(&self, at: &Published, begun: &Begun, state: CsrfToken) -> String {
        let challenge =
            openidconnect::PkceCodeChallenge::from_code_verifier_sha256(&begun.verifier);
        let client = at.client(&self.settings, begun);
        let nonce = begun.nonce.clone();
        let mut request = client
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                move || state,
                move || nonce,
            )
            .set_pkce_challenge(challenge);
        // Some providers refuse to begin where they are asked for something that they do not know.
        if at.has_emails() {
            request = request.add_scope(Scope::new("email".to_owned()));
        }
        request.url().0.to_string()
    }

    /// The person whom the provider names for a code.
    pub(super) async fn person(
        &self,
        begun: Begun,
        code: AuthorizationCode,
        now_unix_ms: u64,
    ) -> Result<Person, OpenIdError> {
        let mut at = self.metadata(now_unix_ms).await?;
        let answer = self.exchange(&at, &begun, code).await?;
        let mut claims = self.claims(&at, &begun, &answer, now_unix_ms);
        if let Err(ClaimsVerificationError::SignatureVerification(
            SignatureVerificationError::NoMatchingKey,
        )) = claims
        {
            // The provider may have a new key.
            at = self
                .published(now_unix_ms, |age_ms| age_ms < AGAIN_MS)
                .await?;
            claims = self.claims(&at, &begun, &answer, now_unix_ms);
        }
        let claims = claims.map_err(|error| untrusted(&chain(&error)))?;
        let confirmed = match claims.email() {
            Some(email) => {
                (claims.email_verified() == Some(true)).then(|| email.as_str().to_owned())
            }
            None if at.has_emails() => self.email(&at, &begun, &answer, &claims).await?,
            None => None,
        };
        Ok(Person {
            issuer: claims.issuer().as_str().to_owned(),
            subject: claims.subject().as_str().to_owned(),
            email: confirmed,
        })
    }

    /// Hands a code in.
    async fn exchange(
        &self,
        at: &Published,
        begun: &Begun,
        code: AuthorizationCode,
    ) -> Result<CoreTokenResponse, OpenIdError> {
        let client = at.client(&self.settings, begun);
        let verifier = openidconnect::PkceCodeVerifier::new(begun.verifier.secret().clone());
        let exchanged = self.ask(move || {
            let request = client.exchange_code(code)?;
            Ok(request.set_pkce_verifier(verifier).request(&send))
        });
        let exchanged: Result<_, ConfigurationError> = exchanged.await?;
        match exchanged.map_err(|error| untrusted(&error))? {
            Ok(answer) => Ok(answer),
            Err(RequestTokenError::Request(error)) => Err(self.no_answer(&error)),
            Err(error) => Err(untrusted(&chain(&error))),
        }
    }

    /// The claims that it signed, if they are from this provider, for this server and for this sign-in, and hold now.
    fn claims(
        &self,
        at: &Published,
        begun: &Begun,
        answer: &CoreTokenResponse,
        now_unix_ms: u64,
    ) -> Result<CoreIdTokenClaims, ClaimsVerificationError> {
        let missing = || ClaimsVerificationError::Other("it has no ID token".to_owned());
        let token = answer.id_token().ok_or_else(missing)?;
        let client = at.client(&self.settings, begun);
        let verifier = client
            .id_token_verifier()
            .set_allowed_algs(SIGNATURES)
            .set_time_fn(move || {
                let now = i64::try_from(now_unix_ms).ok();
                now.and_then(DateTime::from_timestamp_millis)
                    .unwrap_or(DateTime::<Utc>::MAX_UTC)
            });
        token.claims(&verifier, &begun.nonce).cloned()
    }

    /// A confirmed e-mail address that the provider tells beside the token, if it has one. Without an answer there is none.
    async fn email(
        &self,
        at: &Published,
        begun: &Begun,
        answer: &CoreTokenResponse,
        claims: &CoreIdTokenClaims,
    ) -> Result<Option<String>, OpenIdError> {
        let client = at.client(&self.settings, begun);
        let token = answer.access_token().clone();
        let subject = claims.subject().clone();
        let asked = self.ask(move || {
            // It has to be about the same person.
            let request = client.user_info(token, Some(subject)).ok()?;
            let found: Result<CoreUserInfoClaims, _> = request.request(&send);
            Some(found)
        });
        let Some(found) = asked.await? else {
            return Ok(None);
        };
        match found {
            Ok(found) if found.email_verified() == Some(true) => {
                Ok(found.email().map(|email| email.as_str().to_owned()))
            }
            Ok(_) => Ok(None),
            Err(error) => {
                tracing::warn!(
                    error = chain(&error),
                    "the provider tells no e-mail address"
                );
                Ok(None)
            }
        }
    }

    /// Does what waits for an answer on a thread that may.
    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, OpenIdError> {
        // It is never closed.
        let _permit = self.asking.acquire().await.ok();
        let done = tokio::task::spawn_blocking(work).await;
        // A panic of the library comes from something in the answer.
        done.map_err(|error| untrusted(&error))
    }

    fn no_answer(&self, why: &dyn std::fmt::Display) -> OpenIdError {
        tracing::warn!(issuer = %self.settings.issuer.as_str(), %why, "nobody can sign in through the provider now");
        OpenIdError::NoAnswer {
            name: self.settings.name.clone(),
        }
    }
}

fn untrusted(why: &dyn std::fmt::Display) -> OpenIdError {
    OpenIdError::Untrusted(why.to_string())
}

/// An error with those that led to it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut inner = error.source();
    while let Some(error) = inner {
        text = format!("{text}: {error}");
        inner = error.source();
    }
    text
}

fn send(request: HttpRequest) -> Result<HttpResponse, NoResponse> {
    let answer = outbound::send(request, PATIENCE)?;
    let mut response = HttpResponse::new(answer.body.into_bytes());
    if let Ok(status) = http::StatusCode::from_u16(answer.status) {
        *response.status_mut() = status;
    }
    Ok(response)
}

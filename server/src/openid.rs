//! Signing in through a provider of OpenID Connect: the code flow with PKCE, state and nonce.
//!
//! A sign-in begins here with a secret for the browser and a state for the provider, and ends here with what the provider
//! says of whoever it was. [`crate::access`] finds out which person of this server that is.

use std::sync::{Mutex, PoisonError};

use openidconnect::{AuthorizationCode, CsrfToken, Nonce, PkceCodeVerifier, RedirectUrl};

use crate::limits::Origin;
use crate::secrets::{Token, TokenHash, hex};
use crate::system::{NoRandomness, System};

mod begun;
mod provider;
mod published;
mod settings;

pub use settings::OpenIdSettings;

use begun::{Begun, BegunSignIns};
use provider::Provider;

/// A sign-in has to be done within this time, in milliseconds.
pub const LONGEST_MS: u64 = 10 * 60 * 1_000;

/// Why a provider vouches for nobody.
#[derive(Debug, thiserror::Error)]
pub enum OpenIdError {
    /// It cannot be reached, or fails.
    #[error("{name} does not answer; try it again later. Passwords work all the same")]
    NoAnswer {
        /// Its name.
        name: String,
    },
    /// The sign-in is not known, was used before, took too long, or began in another browser.
    #[error("this sign-in is over, or began in another browser")]
    Over,
    /// Its answer cannot be trusted.
    #[error("the provider's answer cannot be trusted: {0}")]
    Untrusted(String),
    /// The address that people come back to is none.
    #[error("the address of this server cannot be made out; behind a proxy, see docs/proxies.md")]
    Address,
    /// There is no randomness.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}

/// A person, as a provider describes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The provider, as it names itself.
    pub issuer: String,
    /// Its name for them, and for nobody else ever.
    pub subject: String,
    /// Their e-mail address, if it has confirmed it.
    pub email: Option<String>,
}

/// A sign-in that has begun.
pub struct BegunAt {
    /// The provider's page to go to.
    pub address: String,
    /// Name of the cookie that binds it to its browser. Each sign-in has one of its own, so that two tabs do not disturb
    /// each other.
    pub cookie: String,
    /// Its value.
    pub browser: Token,
}

/// The provider that people can sign in through, and sign-ins that have begun.
pub struct OpenId {
    provider: Provider,
    begun: Mutex<BegunSignIns>,
    system: System,
}

/// Name of the cookie of the sign-in with a state.
#[must_use]
pub fn cookie_of(state: &str) -> String {
    format!("redial_openid_{}", &hex(&TokenHash::of(state).0)[..16])
}

impl OpenId {
    /// A provider. Nothing is asked before somebody wants to sign in.
    #[must_use]
    pub fn new(settings: OpenIdSettings, system: System) -> Self {
        Self {
            provider: Provider::new(settings),
            begun: Mutex::default(),
            system,
        }
    }

    /// How it is set.
    #[must_use]
    pub fn settings(&self) -> &OpenIdSettings {
        &self.provider.settings
    }

    /// Begins a sign-in of somebody who comes back to `redirect` and wants to see the page `back` then.
    ///
    /// # Errors
    /// When the provider does not answer.
    pub async fn begin(
        &self,
        redirect: String,
        back: String,
        origin: Origin,
    ) -> Result<BegunAt, OpenIdError> {
        let now = self.now();
        let redirect = RedirectUrl::new(redirect).map_err(|_| OpenIdError::Address)?;
        let metadata = self.provider.metadata(now).await?;
        let new = || Token::new(&*self.system.randomness);
        let (state, browser) = (new()?.reveal(), new()?);
        let begun = Begun {
            browser: browser.hash(),
            nonce: Nonce::new(new()?.reveal()),
            verifier: PkceCodeVerifier::new(new()?.reveal()),
            redirect,
            back,
            origin,
            at_unix_ms: now,
        };
        let to = CsrfToken::new(state.clone());
        let address = self.provider.address(&metadata, &begun, to);
        self.begun().add(TokenHash::of(&state), begun);
        Ok(BegunAt {
            address,
            cookie: cookie_of(&state),
            browser,
        })
    }

    /// Ends a sign-in that has begun: whoever comes back with its state ends it, so that it is used once. Gives what goes on.
    ///
    /// # Errors
    /// When it is not known, was too long ago, or began in another browser.
    pub fn come_back(&self, state: &str, browser: Option<&str>) -> Result<Returned, OpenIdError> {
        let begun = self.begun().take(&TokenHash::of(state), self.now());
        let begun = begun
            .filter(|begun| browser.is_some_and(|browser| TokenHash::of(browser) == begun.browser));
        begun.map(Returned).ok_or(OpenIdError::Over)
    }

    /// The person whom the provider names, for the code that it has sent them back with.
    ///
    /// # Errors
    /// When the provider does not answer, or what it says cannot be trusted.
    pub async fn person(&self, returned: Returned, code: String) -> Result<Person, OpenIdError> {
        let now = self.now();
        let code = AuthorizationCode::new(code);
        self.provider.person(returned.0, code, now).await
    }

    fn now(&self) -> u64 {
        self.system.clock.now_unix_ms()
    }

    fn begun(&self) -> std::sync::MutexGuard<'_, BegunSignIns> {
        // Nothing done under this lock can leave it half done.
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A sign-in whose browser has come back.
pub struct Returned(Begun);

impl Returned {
    /// The page that they want to see.
    #[must_use]
    pub fn back(&self) -> &str {
        &self.0.back
    }
}

//! The people who may enter the researcher's area, and their rights there.
//!
//! People sign in with a name and a password or through a provider of OpenID Connect, and get a cookie; programs show a
//! token. The rights of both stand in one table ([`api::research::Role::may`]). Everything that is done here is noted
//! in the audit log, in the transaction that does it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api::research::Act;
use sha2::{Digest, Sha256};

use crate::limits::Origin;
use crate::processor::Processor;
use crate::secrets::{TokenHash, hex, random};
use crate::storage::{Audited, Storage, User, UserChange};
use crate::system::System;

mod audit;
mod entering;
mod error;
mod lab;
mod own_password;
mod password;
mod people;
mod sign_ins;
mod signed_in;
mod throttle;
mod tokens;
mod unstored;

pub use entering::Vouched;
pub use error::AccessError;
pub use people::{PasswordKey, user_name};
pub use signed_in::SignedIn;

use password::Passwords;
use signed_in::Shown;
use throttle::Throttle;
use unstored::Unstored;

type Result<T, E = AccessError> = std::result::Result<T, E>;

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;

/// A sign-in ends when it was not used for so long, in milliseconds.
pub const LONGEST_IDLE_MS: u64 = 12 * HOUR_MS;
/// A sign-in ends so long after it began, in milliseconds.
pub const LONGEST_SIGN_IN_MS: u64 = 7 * 24 * HOUR_MS;

/// Whose tokens and sign-ins something is done with.
#[derive(Debug, Clone, Copy)]
pub enum Whose<'a> {
    /// Their own: somebody who is signed in, and shows no token.
    Own(&'a SignedIn),
    /// Those of whoever has this name: a command on the server's machine asks.
    Of(&'a str),
}
/// A link to set a password with is of use for so long, in milliseconds.
pub const LINK_MS: u64 = HOUR_MS;

/// Sign-ins, tokens and the people they are of.
pub struct Access {
    storage: Arc<dyn Storage>,
    system: System,
    passwords: Passwords,
    throttle: Mutex<Throttle>,
    /// While the disk is full.
    unstored: Unstored,
}

/// Where a request comes from.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The origin that it counts for.
    pub origin: Origin,
    /// The name that the browser gives itself.
    pub browser: String,
}

impl Access {
    /// Over a storage. `processor` works passwords out.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, system: System, processor: Processor) -> Self {
        Self {
            storage,
            passwords: Passwords::new(system.clone(), processor),
            system,
            throttle: Mutex::default(),
            unstored: Unstored::default(),
        }
    }

    /// The person who shows the cookie of a sign-in.
    ///
    /// # Errors
    /// When there is no such sign-in, or it has ended.
    pub async fn of_cookie(&self, key: &str, caller: &Caller) -> Result<SignedIn> {
        let now = self.now();
        let sign_in = self.known_sign_in(TokenHash::of(key)).await?;
        let sign_in = sign_in
            .filter(|sign_in| sign_in.lives(now))
            .ok_or(AccessError::SignedOut)?;
        let user = self.user_of(&sign_in.user).await?;
        if now >= sign_in.used_at_unix_ms.saturating_add(MINUTE_MS) {
            let used = UserChange::UseSignIn {
                id: sign_in.id.clone(),
                at_unix_ms: now,
            };
            self.noted_if_possible(used).await;
        }
        Ok(SignedIn {
            user,
            origin: caller.origin,
            shown: Shown::Cookie {
                sign_in,
                change_key: change_key_of(key),
            },
        })
    }

    /// The person who shows a token.
    ///
    /// # Errors
    /// When there is no such token, or it is out of date.
    pub async fn of_token(&self, key: &str, caller: &Caller) -> Result<SignedIn> {
        let now = self.now();
        let token = self.storage.api_token(TokenHash::of(key)).await?;
        let token = token.filter(|token| now < token.ends_at_unix_ms);
        let token = token.ok_or(AccessError::NoToken)?;
        let user = self.user_of(&token.user).await?;
        let used_at = token.used_at_unix_ms.unwrap_or(0);
        if now >= used_at.saturating_add(MINUTE_MS) {
            let used = UserChange::UseToken {
                id: token.id.clone(),
                at_unix_ms: now,
            };
            self.noted_if_possible(used).await;
        }
        Ok(SignedIn {
            user,
            origin: caller.origin,
            shown: Shown::Token(token),
        })
    }

    /// The person who has shown who they are, as they are now. It is no use of their sign-in.
    ///
    /// # Errors
    /// When the sign-in or token has ended, or they may not enter any more.
    pub async fn still(&self, who: &SignedIn) -> Result<SignedIn> {
        let now = self.now();
        match &who.shown {
            Shown::Cookie { sign_in, .. } => {
                let sign_in = self.known_sign_in(sign_in.key).await?;
                let sign_in = sign_in.filter(|sign_in| sign_in.lives(now));
                sign_in.ok_or(AccessError::SignedOut)?;
            }
            Shown::Token(token) => {
                let token = self.storage.api_token(token.key).await?;
                let token = token.filter(|token| now < token.ends_at_unix_ms);
                token.ok_or(AccessError::NoToken)?;
            }
            Shown::LabKey => return Err(AccessError::SignedOut),
        }
        Ok(SignedIn {
            user: self.user_of(who.name()).await?,
            ..who.clone()
        })
    }

    async fn user_behind(&self, whose: Whose<'_>) -> Result<User> {
        match whose {
            Whose::Own(who) => {
                who.sign_in()?;
                Ok(who.user.clone())
            }
            Whose::Of(name) => self.named(name).await,
        }
    }

    /// An entry of the audit log about something of somebody's own. Of a command it says whose it is.
    fn noted_of(&self, whose: Whose<'_>, act: Act, user: &str, about: &str) -> Audited {
        match whose {
            Whose::Own(who) => who.audited(act, self.now()).about(about),
            Whose::Of(_) => self.audited(None, act).about(format!("{user}: {about}")),
        }
    }

    async fn user_of(&self, name: &str) -> Result<User> {
        let user = self.storage.user(name).await?;
        user.filter(User::may_enter).ok_or(AccessError::SignedOut)
    }

    /// Makes a change that takes place only where there is something of a kind.
    async fn found(&self, change: UserChange, noted: Audited, what: &'static str) -> Result<()> {
        let done = self.storage.change_user(change, Some(noted)).await?;
        done.then_some(()).ok_or(AccessError::NotFound(what))
    }

    /// The time of the last use is good to know. A person who reads while the disk is full is not kept from it.
    async fn noted_if_possible(&self, used: UserChange) {
        if let Err(error) = self.storage.change_user(used, None).await {
            tracing::warn!(%error, "the last use of a sign-in or token was not noted");
        }
    }

    fn now(&self) -> u64 {
        self.system.clock.now_unix_ms()
    }

    /// A name that opens nothing.
    fn new_id(&self) -> Result<String> {
        Ok(hex(&random::<16>(&*self.system.randomness)?))
    }

    fn throttle(&self) -> MutexGuard<'_, Throttle> {
        // Nothing done under this lock can leave it half done.
        self.throttle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key that a page has to know to change something, beside the cookie that the browser sends by itself. Scripts
/// of other pages can neither read the cookie nor this.
fn change_key_of(key: &str) -> String {
    hex(&Sha256::digest(format!("redial change {key}")))
}

//! Signing in: with a password, or through a provider of OpenID Connect.

use api::research::Act;

use super::unstored::Beginning;
use super::{
    Access, AccessError, Caller, LONGEST_IDLE_MS, LONGEST_SIGN_IN_MS, Result, Shown, SignedIn,
    change_key_of, user_name,
};
use crate::secrets::{Token, TokenHash, hex};
use crate::storage::{Audited, Identity, SignIn, StorageError, User, UserChange};

/// Most characters that are kept of what a browser calls itself.
const BROWSER_CHARACTERS: usize = 200;

/// Most people who wait to be let in. With some providers, anybody can be one of them.
const MOST_WAITING: usize = 100;

/// Somebody for whom a provider of OpenID Connect vouches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vouched {
    /// Their identity there.
    pub identity: Identity,
    /// Their e-mail address, if the provider has confirmed it.
    pub email: Option<String>,
}

impl Access {
    /// Signs somebody in: what their browser shows from now on, and who they are. It is new each time.
    ///
    /// # Errors
    /// When name or password is wrong, which of them is not said; or there were too many wrong ones.
    pub async fn sign_in(
        &self,
        name: &str,
        password: String,
        caller: &Caller,
    ) -> Result<(Token, SignedIn)> {
        let now = self.now();
        // A name that nobody can have needs no look into the database, but takes as long.
        let name = user_name(name).unwrap_or_default();
        let last = self.throttle().begin(&name, caller.origin, now)?;
        let user = self.storage.user(&name).await?;
        let user = user.filter(User::may_enter);
        let hash = user.as_ref().and_then(|user| user.password.clone());
        let right = self.passwords.verify(password, hash).await?;
        let Some(user) = user.filter(|_| right) else {
            if last {
                let refused = Audited::by_command(Act::SignInRefused, now).about(name);
                let refused = Audited {
                    address: Some(caller.origin.to_string()),
                    ..refused
                };
                self.note(refused).await?;
            }
            return Err(AccessError::WrongPassword);
        };
        let entered = self.begin(user, "password", caller).await?;
        // Disabled just now.
        let (key, signed_in) = entered.ok_or(AccessError::WrongPassword)?;
        self.throttle()
            .succeeded(&signed_in.user.name, caller.origin);
        Ok((key, signed_in))
    }

    /// Somebody tries to sign in through a provider. It counts as one that fails until [`Self::did_not_fail`].
    ///
    /// # Errors
    /// When too many have failed from their address.
    pub fn tries(&self, caller: &Caller) -> Result<()> {
        self.throttle().begin_nameless(caller.origin, self.now())
    }

    /// Somebody's try was none that failed by their own doing.
    pub fn did_not_fail(&self, caller: &Caller) {
        self.throttle().take_back(caller.origin);
    }

    /// Signs somebody in for whom a provider vouches, as whoever they are known as; the first time, as whoever has their
    /// confirmed e-mail address as a name. Somebody unknown is entered as one who waits, without any right, where
    /// `strangers_wait`.
    ///
    /// # Errors
    /// When nobody is known by this identity, they wait or are disabled, or too many wait.
    pub async fn sign_in_vouched(
        &self,
        vouched: &Vouched,
        strangers_wait: bool,
        caller: &Caller,
    ) -> Result<(Token, SignedIn)> {
        let identity = &vouched.identity;
        let known = match self.storage.user_of_identity(identity).await? {
            Some(user) => Some(user),
            None => self.named_like(vouched, caller).await?,
        };
        let user = match known {
            Some(user) => user,
            None if strangers_wait => {
                self.let_wait(vouched, caller).await?;
                return Err(AccessError::Waits);
            }
            None => return Err(AccessError::NotKnown),
        };
        if user.disabled {
            return Err(AccessError::ShutOut);
        }
        if user.waits {
            return Err(AccessError::Waits);
        }
        let how = format!("OpenID Connect: {}", identity.issuer);
        let entered = self.begin(user, &how, caller).await?;
        // Disabled just now.
        entered.ok_or(AccessError::ShutOut)
    }

    /// The user with a confirmed e-mail address as a name. They are linked with the identity, unless they are disabled,
    /// wait, or are somebody else at this provider: an address may have been given to another person since.
    async fn named_like(&self, vouched: &Vouched, caller: &Caller) -> Result<Option<User>> {
        let Some(name) = vouched.email.as_deref().and_then(user_name) else {
            return Ok(None);
        };
        let issuer = &vouched.identity.issuer;
        let user = self.storage.user(&name).await?;
        let Some(user) = user
            .filter(|user| !user.waits && user.identities.iter().all(|it| it.issuer != *issuer))
        else {
            return Ok(None);
        };
        if user.disabled {
            return Ok(Some(user));
        }
        let at_unix_ms = self.now();
        let link = UserChange::Link {
            user: user.name.clone(),
            identity: vouched.identity.clone(),
            at_unix_ms,
        };
        let noted = Audited {
            by: Some(user.name.clone()),
            address: Some(caller.origin.to_string()),
            ..Audited::by_command(Act::AccountLinked, at_unix_ms)
        };
        self.storage
            .change_user(link, Some(noted.about(issuer)))
            .await?;
        // Somebody else may have been quicker.
        Ok(self.storage.user_of_identity(&vouched.identity).await?)
    }

    /// Enters somebody unknown as one who waits.
    async fn let_wait(&self, vouched: &Vouched, caller: &Caller) -> Result<()> {
        let identity = &vouched.identity;
        let by_hash = TokenHash::of(&format!("{} {}", identity.issuer, identity.subject));
        let by_hash = format!("person-{}", &hex(&by_hash.0)[..12]);
        let names = [vouched.email.as_deref(), Some(&identity.subject)];
        let mut name = by_hash;
        for wanted in names.into_iter().flatten().filter_map(user_name) {
            if self.storage.user(&wanted).await?.is_none() {
                name = wanted;
                break;
            }
        }
        let now = self.now();
        let noted = Audited {
            address: Some(caller.origin.to_string()),
            ..Audited::by_command(Act::EntryAsked, now)
                .about(format!("{name}: {}", identity.issuer))
        };
        let user = User {
            name,
            admin: false,
            disabled: false,
            waits: true,
            password: None,
            added_at_unix_ms: now,
            memberships: Vec::new(),
            identities: vec![identity.clone()],
        };
        let add = UserChange::AddWaiting {
            user,
            most: MOST_WAITING,
        };
        let added = self.storage.change_user(add, Some(noted)).await?;
        // Another tab of theirs may have been quicker.
        if added || self.storage.user_of_identity(identity).await?.is_some() {
            Ok(())
        } else {
            Err(AccessError::TooManyWait)
        }
    }

    /// Begins a sign-in of somebody who has shown who they are in some way; nothing if they may not enter any more.
    async fn begin(
        &self,
        user: User,
        how: &str,
        caller: &Caller,
    ) -> Result<Option<(Token, SignedIn)>> {
        let now = self.now();
        let key = Token::new(&*self.system.randomness)?;
        let sign_in = SignIn {
            id: self.new_id()?,
            key: key.hash(),
            user: user.name.clone(),
            address: caller.origin.to_string(),
            browser: caller.browser.chars().take(BROWSER_CHARACTERS).collect(),
            began_at_unix_ms: now,
            used_at_unix_ms: now,
        };
        let signed_in = SignedIn {
            user,
            origin: caller.origin,
            shown: Shown::Cookie {
                sign_in: sign_in.clone(),
                change_key: change_key_of(&key.clone().reveal()),
            },
        };
        let beginning = Beginning {
            sign_in,
            used_before_unix_ms: now.saturating_sub(LONGEST_IDLE_MS),
            began_before_unix_ms: now.saturating_sub(LONGEST_SIGN_IN_MS),
            noted: signed_in.audited(Act::SignedIn, now).about(how),
        };
        let begun = match beginning.store(&*self.storage).await {
            Err(error @ StorageError::Full) => {
                if !self.unstored.keep(beginning) {
                    return Err(error.into());
                }
                tracing::warn!(
                    "somebody signs in while the disk is full: it is noted once there is room"
                );
                true
            }
            begun => begun?,
        };
        Ok(begun.then_some((key, signed_in)))
    }
}

#[cfg(test)]
mod tests;

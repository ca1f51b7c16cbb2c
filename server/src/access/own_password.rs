//! Setting one's own password: with a link, or with the one until now.

use api::research::Act;

use super::{Access, AccessError, Caller, Result, SignedIn, password};
use crate::secrets::TokenHash;
use crate::storage::{Audited, UserChange};

impl Access {
    /// Sets a password with what a link holds.
    ///
    /// # Errors
    /// When the link is of no use, or the password cannot be one.
    pub async fn set_password_by_link(
        &self,
        key: &str,
        password: String,
        caller: &Caller,
    ) -> Result<()> {
        let key = TokenHash::of(key);
        let now = self.now();
        let link = self.storage.password_link(key).await?;
        let link = link.filter(|link| now < link.ends_at_unix_ms);
        // Before the work of a password is done for whoever asks.
        let link = link.ok_or(AccessError::LinkOver)?;
        password::check(&link.user, &password)?;
        let change = UserChange::SetPasswordByLink {
            key,
            password: self.passwords.hash(password).await?,
            now_unix_ms: now,
        };
        let user = link.user.clone();
        let noted = Audited {
            by: Some(link.user),
            address: Some(caller.origin.to_string()),
            ..Audited::by_command(Act::PasswordSet, now)
        };
        let done = self.storage.change_user(change, Some(noted)).await?;
        self.unstored.end_all(&user, None);
        done.then_some(()).ok_or(AccessError::LinkOver)
    }

    /// Changes the password of somebody who is signed in, and ends all their other sign-ins.
    ///
    /// # Errors
    /// When the old one is wrong, or the new one cannot be one.
    pub async fn change_password(&self, who: &SignedIn, old: String, new: String) -> Result<()> {
        let sign_in = who.sign_in()?;
        // A person who finds an open browser guesses no more often than others.
        let origin = who.origin;
        self.throttle().begin(who.name(), origin, self.now())?;
        let hash = who.user.password.clone();
        if !self.passwords.verify(old, hash).await? {
            return Err(AccessError::WrongPassword);
        }
        self.throttle().succeeded(who.name(), origin);
        password::check(who.name(), &new)?;
        let change = UserChange::SetPassword {
            user: who.name().to_owned(),
            password: self.passwords.hash(new).await?,
            but: sign_in.id.clone(),
        };
        let noted = who.audited(Act::PasswordSet, self.now());
        self.changed(who.name(), change, noted).await?;
        self.unstored.end_all(who.name(), Some(&sign_in.id));
        Ok(())
    }
}

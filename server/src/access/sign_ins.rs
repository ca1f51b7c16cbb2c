//! Where somebody is signed in.

use api::research::{Act, SignInInfo};

use super::{Access, LONGEST_IDLE_MS, LONGEST_SIGN_IN_MS, Result, SignedIn, Whose};
use crate::secrets::TokenHash;
use crate::storage::{SignIn, UserChange};

impl SignIn {
    /// Whether it has not ended by itself.
    #[must_use]
    pub fn lives(&self, now_unix_ms: u64) -> bool {
        now_unix_ms < self.used_at_unix_ms.saturating_add(LONGEST_IDLE_MS)
            && now_unix_ms < self.began_at_unix_ms.saturating_add(LONGEST_SIGN_IN_MS)
    }

    /// The facts that may be known of it; `this` says that it is the one that asks.
    #[must_use]
    pub fn info(self, this: bool) -> SignInInfo {
        SignInInfo {
            id: self.id,
            this,
            address: self.address,
            browser: self.browser,
            began_at_unix_ms: self.began_at_unix_ms,
            used_at_unix_ms: self.used_at_unix_ms,
        }
    }
}

impl Access {
    /// The places where somebody is signed in, the newest first.
    ///
    /// # Errors
    /// When the storage fails, or a token was shown.
    pub async fn sign_ins(&self, who: &SignedIn) -> Result<Vec<SignInInfo>> {
        let this = who.sign_in()?;
        let now = self.now();
        let stored = self.storage.sign_ins(who.name()).await?.into_iter();
        let stored = stored.filter(|sign_in| sign_in.lives(now));
        let all = self
            .unstored
            .of_user(who.name(), now)
            .into_iter()
            .chain(stored);
        let info = |sign_in: SignIn| {
            let is_this = sign_in.id == this.id;
            sign_in.info(is_this)
        };
        Ok(all.map(info).collect())
    }

    /// Ends a sign-in of somebody's, by its name.
    ///
    /// # Errors
    /// When they have none of this name.
    pub async fn end_sign_in(&self, whose: Whose<'_>, id: &str) -> Result<()> {
        let user = self.user_behind(whose).await?.name;
        if self.unstored.end(&user, id) {
            return Ok(());
        }
        let noted = self.noted_of(whose, Act::SignedOut, &user, id);
        let id = id.to_owned();
        self.found(UserChange::EndSignIn { user, id }, noted, "sign-in")
            .await
    }

    /// Ends the sign-in that asks.
    ///
    /// # Errors
    /// When a token was shown, or the storage fails.
    pub async fn sign_out(&self, who: &SignedIn) -> Result<()> {
        let id = who.sign_in()?.id.clone();
        self.end_sign_in(Whose::Own(who), &id).await
    }

    /// The sign-in of what a browser shows, stored or not; it may have ended.
    pub(super) async fn known_sign_in(&self, key: TokenHash) -> Result<Option<SignIn>> {
        let (now, storage) = (self.now(), &*self.storage);
        if let Some(unstored) = self.unstored.find(key, now, storage).await? {
            return Ok(Some(unstored));
        }
        Ok(storage.sign_in(key).await?)
    }
}

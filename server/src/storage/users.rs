//! People who have an account in the researcher's area, as they are handed in and out.

use api::research::{Act, Membership, Scope};
use async_trait::async_trait;

use super::Result;
use crate::secrets::TokenHash;

/// The identity of somebody at a provider of OpenID Connect.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The provider.
    pub issuer: String,
    /// The provider's name for them, and for nobody else ever.
    pub subject: String,
}

/// Somebody who has an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The name that they sign in with.
    pub name: String,
    /// Whether they look after accounts.
    pub admin: bool,
    /// Whether they may not sign in.
    pub disabled: bool,
    /// Whether they have come by themselves, and nobody has let them in yet.
    pub waits: bool,
    /// Their password under Argon2id, as a PHC string; none until they have set one.
    pub password: Option<String>,
    /// When they were added, in milliseconds since 1970.
    pub added_at_unix_ms: u64,
    /// Their memberships in studies, by study.
    pub memberships: Vec<Membership>,
    /// Their identities at providers of OpenID Connect, by issuer: one for each.
    pub identities: Vec<Identity>,
}

impl User {
    /// Whether they may sign in.
    #[must_use]
    pub fn may_enter(&self) -> bool {
        !self.disabled && !self.waits
    }
}

/// A link to set a password with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordLink {
    /// Whose password.
    pub user: String,
    /// Hash of what stands in the link.
    pub key: TokenHash,
    /// Until when it is of use, in milliseconds since 1970.
    pub ends_at_unix_ms: u64,
}

/// A place where somebody is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignIn {
    /// Its name, which opens nothing.
    pub id: String,
    /// Hash of what its browser shows.
    pub key: TokenHash,
    /// Who.
    pub user: String,
    /// Address that it came from.
    pub address: String,
    /// The browser's name for itself.
    pub browser: String,
    /// When it began, in milliseconds since 1970.
    pub began_at_unix_ms: u64,
    /// When it was last used, in milliseconds since 1970.
    pub used_at_unix_ms: u64,
}

/// A token for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    /// Its name, which opens nothing.
    pub id: String,
    /// Hash of what is shown.
    pub key: TokenHash,
    /// Whose it is.
    pub user: String,
    /// The label that says what it is for.
    pub label: String,
    /// The scopes that it may be used for.
    pub scopes: Vec<Scope>,
    /// In which studies.
    pub studies: Vec<String>,
    /// When it was made, in milliseconds since 1970.
    pub made_at_unix_ms: u64,
    /// From when on it is of no use, in milliseconds since 1970.
    pub ends_at_unix_ms: u64,
    /// When it was last used, in milliseconds since 1970.
    pub used_at_unix_ms: Option<u64>,
}

/// Something that is to be noted in the audit log; it gets its number there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audited {
    /// When, in milliseconds since 1970.
    pub at_unix_ms: u64,
    /// Who: somebody's name. Nothing for a command on the server's own machine, and, with an address, for
    /// somebody who could not sign in.
    pub by: Option<String>,
    /// The act.
    pub act: Act,
    /// In which study.
    pub study: Option<String>,
    /// With which session.
    pub session: Option<String>,
    /// With what else.
    pub about: Option<String>,
    /// Address that it came from.
    pub address: Option<String>,
    /// The sign-in or token with which it was done.
    pub with: Option<String>,
}

/// A change of what is known about somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserChange {
    /// Add somebody. It does not take place where there is somebody of this name.
    Add(User),
    /// Add somebody who has come by themselves. It does not take place where there is somebody of this name, or so many
    /// wait that are not disabled.
    AddWaiting {
        /// They, with who they are at a provider.
        user: User,
        /// So many.
        most: usize,
    },
    /// Let somebody in who waits. It does not take place where they do not.
    Admit {
        /// Who.
        user: String,
    },
    /// Somebody is who a provider vouches for, from now on. It does not take place where they are somebody else there, or
    /// somebody else is that, or there is nobody of this name.
    Link {
        /// Who.
        user: String,
        /// Their identity there.
        identity: Identity,
        /// Now, in milliseconds since 1970.
        at_unix_ms: u64,
    },
    /// Make them somebody who looks after accounts, or take that from them.
    SetAdmin {
        /// Who.
        user: String,
        /// Whether they do from now on.
        admin: bool,
    },
    /// Take the right to sign in, which ends all sign-ins and tokens, or give it back.
    SetDisabled {
        /// Who.
        user: String,
        /// Whether they may not sign in from now on.
        disabled: bool,
    },
    /// Give somebody a role in a study in the place of the one that they have.
    Join {
        /// Who.
        user: String,
        /// Their membership from now on.
        membership: Membership,
    },
    /// Take somebody's role in a study. It does not take place where they have none.
    Leave {
        /// Who.
        user: String,
        /// The study.
        study: String,
    },
    /// Take the password away, end all sign-ins, and let a link set a new one; no earlier link does.
    Reset(PasswordLink),
    /// Set the password with a link. It does not take place where the link is not known or out of date, or its
    /// person is disabled.
    SetPasswordByLink {
        /// Hash of what stands in the link.
        key: TokenHash,
        /// The password, as a PHC string.
        password: String,
        /// Now, in milliseconds since 1970.
        now_unix_ms: u64,
    },
    /// Set the password, and end all sign-ins but one.
    SetPassword {
        /// Who.
        user: String,
        /// The password, as a PHC string.
        password: String,
        /// The sign-in that stays, by its name.
        but: String,
    },
    /// Begin a sign-in. It does not take place where its person may not enter. Those that nobody can use any more are forgotten.
    BeginSignIn {
        /// The sign-in.
        sign_in: SignIn,
        /// Those that were last used before this time, or began before the other, are forgotten, in
        /// milliseconds since 1970.
        used_before_unix_ms: u64,
        /// As above.
        began_before_unix_ms: u64,
    },
    /// Note when a sign-in was used.
    UseSignIn {
        /// Its name.
        id: String,
        /// When, in milliseconds since 1970.
        at_unix_ms: u64,
    },
    /// End a sign-in of somebody. It does not take place where they have none of this name.
    EndSignIn {
        /// Who.
        user: String,
        /// Its name.
        id: String,
    },
    /// Make a token. It does not take place where its person has so many that are not out of date.
    AddToken {
        /// The token.
        token: ApiToken,
        /// So many.
        most: usize,
    },
    /// Note when a token was used.
    UseToken {
        /// Its name.
        id: String,
        /// When, in milliseconds since 1970.
        at_unix_ms: u64,
    },
    /// End a token of somebody. It does not take place where they have none of this name.
    EndToken {
        /// Who.
        user: String,
        /// Its name.
        id: String,
    },
    /// Nothing but what is noted in the audit log.
    Nothing,
}

/// People who have an account, and what they did.
#[async_trait]
pub trait Users: Send + Sync + 'static {
    /// Makes a change and notes what is to be noted, in one transaction; whether it took place. If not,
    /// nothing is noted.
    async fn change_user(&self, change: UserChange, noted: Option<Audited>) -> Result<bool>;

    /// Somebody, if there is somebody of this name.
    async fn user(&self, name: &str) -> Result<Option<User>>;

    /// The user whom a provider vouches for, if it is known.
    async fn user_of_identity(&self, identity: &Identity) -> Result<Option<User>>;

    /// Whose password a link sets, if it is known; it may be out of date.
    async fn password_link(&self, key: TokenHash) -> Result<Option<PasswordLink>>;

    /// The sign-in of what a browser shows, if it is known; it may have ended.
    async fn sign_in(&self, key: TokenHash) -> Result<Option<SignIn>>;

    /// A token, if it is known; it may be out of date.
    async fn api_token(&self, key: TokenHash) -> Result<Option<ApiToken>>;
}

//! Changes to accounts.

use api::research::{Membership, NewApiToken};
use serde::{Deserialize, Serialize};

use super::super::Outcome;
use crate::access::{Access, AccessError, SignedIn, Whose};
use crate::secrets::Token;

/// A change to somebody's account in the researcher's area.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum UserRequest {
    /// Make one. The answer holds the key of the link to set a password with.
    Add {
        /// Their name.
        name: String,
        /// Whether they look after accounts.
        admin: bool,
    },
    /// Take the password away. The answer holds the key of the link to set a new one with.
    Reset {
        /// Their name.
        name: String,
    },
    /// Take the right to sign in, or give it back.
    Disable {
        /// Their name.
        name: String,
        /// Whether they may not sign in from now on.
        disabled: bool,
    },
    /// Let them in, who have come by themselves and wait.
    Admit {
        /// Their name.
        name: String,
    },
    /// Make them look after accounts, or take that from them.
    Admin {
        /// Their name.
        name: String,
        /// Whether they do from now on.
        admin: bool,
    },
    /// Give them a role in a study.
    Join {
        /// Their name.
        name: String,
        /// Their membership from now on.
        membership: Membership,
    },
    /// Take their role in a study.
    Leave {
        /// Their name.
        name: String,
        /// The study.
        study: String,
    },
    /// Make a token of theirs. The answer holds it.
    MakeToken {
        /// Their name.
        name: String,
        /// The token that is wanted, and what it is for.
        wanted: NewApiToken,
    },
    /// End a token of theirs.
    EndToken {
        /// Their name.
        name: String,
        /// The token's name.
        id: String,
    },
    /// End a sign-in of theirs.
    EndSignIn {
        /// Their name.
        name: String,
        /// The sign-in's name.
        id: String,
    },
}

impl UserRequest {
    pub(super) async fn carry_out(
        &self,
        access: &Access,
        by: Option<&SignedIn>,
    ) -> Result<Outcome, AccessError> {
        let key = match self {
            Self::Add { name, admin } => Some(access.add(by, name, *admin).await?),
            Self::Reset { name } => Some(access.reset(by, name).await?),
            Self::Disable { name, disabled } => {
                access.set_disabled(by, name, *disabled).await?;
                None
            }
            Self::Admit { name } => {
                access.admit(by, name).await?;
                None
            }
            Self::Admin { name, admin } => {
                access.set_admin(by, name, *admin).await?;
                None
            }
            Self::Join { name, membership } => {
                access.join(by, name, membership.clone()).await?;
                None
            }
            Self::Leave { name, study } => {
                access.leave(by, name, study).await?;
                None
            }
            Self::MakeToken { name, wanted } => {
                let (token, _) = access.make_token(Whose::Of(name), wanted.clone()).await?;
                return Ok(Outcome {
                    changed: 1,
                    token: Some(token.reveal()),
                    ..Outcome::default()
                });
            }
            Self::EndToken { name, id } => {
                access.end_token(Whose::Of(name), id).await?;
                None
            }
            Self::EndSignIn { name, id } => {
                access.end_sign_in(Whose::Of(name), id).await?;
                None
            }
        };
        Ok(Outcome {
            changed: 1,
            password_key: key.map(Token::reveal),
            ..Outcome::default()
        })
    }
}

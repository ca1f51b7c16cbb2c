//! Somebody who has shown who they are.

use api::research::{Act, Me, Membership, Permission, Right, Role};

use super::{AccessError, Result};
use crate::limits::Origin;
use crate::storage::{ApiToken, Audited, SignIn, User};

/// With what somebody has shown who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shown {
    Cookie {
        sign_in: SignIn,
        change_key: String,
    },
    Token(ApiToken),
    /// The key of the lab: all lab sessions are its own.
    LabKey,
}

/// The name of whoever shows the key of the lab. No account has it: there is a space in it.
const LAB: &str = "lab key";

/// Somebody who has shown who they are.
#[derive(Debug, Clone)]
pub struct SignedIn {
    pub(super) user: User,
    pub(super) shown: Shown,
    pub(super) origin: Origin,
}

impl SignedIn {
    /// Their name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.user.name
    }

    /// Somebody who has shown the key of the lab.
    pub(super) fn with_lab_key(origin: Origin) -> Self {
        Self {
            user: User {
                name: LAB.to_owned(),
                admin: false,
                disabled: false,
                waits: false,
                password: None,
                added_at_unix_ms: 0,
                memberships: Vec::new(),
                identities: Vec::new(),
            },
            shown: Shown::LabKey,
            origin,
        }
    }

    /// Whether they have shown the key of the lab, and are nobody in particular.
    #[must_use]
    pub fn is_lab(&self) -> bool {
        self.shown == Shown::LabKey
    }

    /// Whether they look after people's accounts. No token does.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.user.admin && matches!(self.shown, Shown::Cookie { .. })
    }

    /// The key in the header of a request that changes something; nothing where it needs none.
    #[must_use]
    pub fn change_key(&self) -> Option<&str> {
        match &self.shown {
            Shown::Cookie { change_key, .. } => Some(change_key),
            Shown::Token(_) | Shown::LabKey => None,
        }
    }

    /// Their membership in a study, if they have one and their token, if they showed one, is for the study.
    #[must_use]
    pub fn membership(&self, study: &str) -> Option<&Membership> {
        let memberships = self.user.memberships.iter();
        let found = memberships.clone().find(|it| it.study == study)?;
        match &self.shown {
            Shown::Cookie { .. } | Shown::LabKey => Some(found),
            Shown::Token(token) => token.studies.iter().any(|it| it == study).then_some(found),
        }
    }

    /// Whether they have a right in a study: for a session, or, where `own` is false, for the study as a whole.
    /// `own` says that it is a lab session that they have run.
    #[must_use]
    pub fn may(&self, right: Right, study: &str, own: bool) -> bool {
        let in_scope = match &self.shown {
            Shown::Cookie { .. } => true,
            Shown::Token(token) => token.scopes.contains(&right.scope()),
            Shown::LabKey => {
                return own && Role::Experimenter.may(right) == Permission::OwnSessions;
            }
        };
        in_scope
            && self
                .membership(study)
                .is_some_and(|membership| membership.may(right, own))
    }

    /// The facts that they may know of themselves.
    #[must_use]
    pub fn me(&self) -> Me {
        let studies = self.user.memberships.iter();
        Me {
            name: self.user.name.clone(),
            admin: self.is_admin(),
            studies: studies
                .filter(|it| self.membership(&it.study).is_some())
                .cloned()
                .collect(),
            change_key: self.change_key().map(str::to_owned),
        }
    }

    /// They have signed in themselves, and show no token or key.
    ///
    /// # Errors
    /// [`AccessError::NotWithToken`].
    pub fn is_in_person(&self) -> Result<()> {
        self.sign_in().map(|_| ())
    }

    /// The sign-in, of somebody who has one.
    pub(super) fn sign_in(&self) -> Result<&SignIn> {
        match &self.shown {
            Shown::Cookie { sign_in, .. } => Ok(sign_in),
            Shown::Token(_) | Shown::LabKey => Err(AccessError::NotWithToken),
        }
    }

    /// An entry of the audit log about something that they do.
    #[must_use]
    pub fn audited(&self, act: Act, at_unix_ms: u64) -> Audited {
        Audited {
            by: Some(self.user.name.clone()),
            address: Some(self.origin.to_string()),
            with: match &self.shown {
                Shown::Cookie { sign_in, .. } => Some(sign_in.id.clone()),
                Shown::Token(token) => Some(token.id.clone()),
                Shown::LabKey => None,
            },
            ..Audited::by_command(act, at_unix_ms)
        }
    }
}

impl Audited {
    /// An entry about something that a command on the server's own machine does.
    #[must_use]
    pub fn by_command(act: Act, at_unix_ms: u64) -> Self {
        Self {
            at_unix_ms,
            by: None,
            act,
            study: None,
            session: None,
            about: None,
            address: None,
            with: None,
        }
    }

    pub(super) fn about(self, about: impl Into<String>) -> Self {
        Self {
            about: Some(about.into()),
            ..self
        }
    }
}

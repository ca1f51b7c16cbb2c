//! People's accounts: who has one, and how their passwords are set.

use api::research::{Act, Membership, Person};
use domain::session::event::MAX_ACCOUNT_NAME;

use super::{Access, AccessError, LINK_MS, Result, SignedIn};
use crate::secrets::Token;
use crate::storage::{Audited, PasswordLink, User, UserChange};

/// The key in a link to set a password. It is shown once.
pub type PasswordKey = Token;

/// A name as it is kept: in small letters. `None` if it is none.
#[must_use]
pub fn user_name(text: &str) -> Option<String> {
    let name = text.trim().to_ascii_lowercase();
    let fits = |c: u8| c.is_ascii_alphanumeric() || b"._-@+".contains(&c);
    ((1..=MAX_ACCOUNT_NAME).contains(&name.len()) && name.bytes().all(fits)).then_some(name)
}

impl Access {
    /// Everybody who has an account, by name.
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn people(&self) -> Result<Vec<Person>> {
        let users = self.storage.users().await?.into_iter();
        let person = |user: User| Person {
            name: user.name,
            admin: user.admin,
            disabled: user.disabled,
            waits: user.waits,
            has_password: user.password.is_some(),
            vouched_for_by: user.identities.into_iter().map(|it| it.issuer).collect(),
            studies: user.memberships,
        };
        Ok(users.map(person).collect())
    }

    /// The name of somebody who has a role in a study.
    ///
    /// # Errors
    /// When nobody is called so, or they have none; or the storage fails.
    pub async fn member(&self, name: &str, study: &str) -> Result<String> {
        let named = user_name(name).ok_or_else(|| AccessError::Name(name.to_owned()))?;
        let user = self.storage.user(&named).await?;
        let user = user.ok_or_else(|| AccessError::Nobody(named.clone()))?;
        let member = user.memberships.iter().any(|it| it.study == study);
        member.then_some(named).ok_or(AccessError::NoRole {
            name: user.name,
            study: study.to_owned(),
        })
    }

    /// Makes an account; gives what the link holds to set its password with. `by` is nobody for a command.
    ///
    /// # Errors
    /// When the name cannot be one, or somebody has it.
    pub async fn add(&self, by: Option<&SignedIn>, name: &str, admin: bool) -> Result<PasswordKey> {
        let name = user_name(name).ok_or_else(|| AccessError::Name(name.to_owned()))?;
        let user = User {
            name: name.clone(),
            admin,
            disabled: false,
            waits: false,
            password: None,
            added_at_unix_ms: self.now(),
            memberships: Vec::new(),
            identities: Vec::new(),
        };
        let noted = self.audited(by, Act::AccountAdded).about(&name);
        if !self
            .storage
            .change_user(UserChange::Add(user), Some(noted))
            .await?
        {
            return Err(AccessError::NameTaken(name));
        }
        let (key, link) = self.new_link(&name)?;
        self.storage
            .change_user(UserChange::Reset(link), None)
            .await?;
        Ok(key)
    }

    /// Takes somebody's password away and ends their sign-ins; gives what the link holds to set a new one with.
    ///
    /// # Errors
    /// When there is nobody of this name.
    pub async fn reset(&self, by: Option<&SignedIn>, name: &str) -> Result<PasswordKey> {
        let user = self.named(name).await?;
        let (key, link) = self.new_link(&user.name)?;
        let noted = self.audited(by, Act::AccountReset);
        self.changed(&user.name, UserChange::Reset(link), noted)
            .await?;
        self.unstored.end_all(&user.name, None);
        Ok(key)
    }

    /// Takes the right to sign in from somebody, with all their sign-ins and tokens, or gives it back.
    ///
    /// # Errors
    /// When there is nobody of this name, or nobody else looks after accounts.
    pub async fn set_disabled(
        &self,
        by: Option<&SignedIn>,
        name: &str,
        disabled: bool,
    ) -> Result<()> {
        let user = self.named(name).await?;
        if disabled {
            self.not_the_last_admin(&user).await?;
        }
        let change = UserChange::SetDisabled {
            user: user.name.clone(),
            disabled,
        };
        let act = if disabled {
            Act::AccountDisabled
        } else {
            Act::AccountEnabled
        };
        self.changed(&user.name, change, self.audited(by, act))
            .await?;
        self.unstored.end_all(&user.name, None);
        Ok(())
    }

    /// Lets somebody in who waits. It gives them no right.
    ///
    /// # Errors
    /// When there is nobody of this name, or they do not wait.
    pub async fn admit(&self, by: Option<&SignedIn>, name: &str) -> Result<()> {
        let user = self.named(name).await?.name;
        let noted = self.audited(by, Act::AccountAdmitted).about(&user);
        let admit = UserChange::Admit { user: user.clone() };
        let done = self.storage.change_user(admit, Some(noted)).await?;
        done.then_some(()).ok_or(AccessError::WaitsNot(user))
    }

    /// Makes somebody look after accounts, or takes that from them.
    ///
    /// # Errors
    /// When there is nobody of this name, or nobody else does.
    pub async fn set_admin(&self, by: Option<&SignedIn>, name: &str, admin: bool) -> Result<()> {
        let user = self.named(name).await?;
        if !admin {
            self.not_the_last_admin(&user).await?;
        }
        let change = UserChange::SetAdmin {
            user: user.name.clone(),
            admin,
        };
        let what = if admin { "admin" } else { "no admin" };
        let noted = self
            .audited(by, Act::RoleChanged)
            .about(format!("{}: {what}", user.name));
        self.changed(&user.name, change, noted).await
    }

    /// Gives somebody a role in a study.
    ///
    /// # Errors
    /// When there is nobody of this name.
    pub async fn join(
        &self,
        by: Option<&SignedIn>,
        name: &str,
        membership: Membership,
    ) -> Result<()> {
        let user = self.named(name).await?;
        let granted = if membership.identifying {
            ", identifying"
        } else {
            ""
        };
        let what = format!("{}: {}{granted}", user.name, membership.role.name());
        let noted = Audited {
            study: Some(membership.study.clone()),
            ..self.audited(by, Act::RoleChanged).about(what)
        };
        let change = UserChange::Join {
            user: user.name.clone(),
            membership,
        };
        self.changed(&user.name, change, noted).await
    }

    /// Takes somebody's role in a study.
    ///
    /// # Errors
    /// When there is nobody of this name, or they have no role there.
    pub async fn leave(&self, by: Option<&SignedIn>, name: &str, study: &str) -> Result<()> {
        let user = self.named(name).await?;
        let noted = Audited {
            study: Some(study.to_owned()),
            ..self
                .audited(by, Act::RoleChanged)
                .about(format!("{}: no role", user.name))
        };
        let change = UserChange::Leave {
            user: user.name,
            study: study.to_owned(),
        };
        self.found(change, noted, "role").await
    }

    pub(super) async fn named(&self, name: &str) -> Result<User> {
        let nobody = || AccessError::Nobody(name.to_owned());
        let known = user_name(name).ok_or_else(nobody)?;
        self.storage.user(&known).await?.ok_or_else(nobody)
    }

    async fn not_the_last_admin(&self, user: &User) -> Result<()> {
        let users = self.storage.users().await?;
        let others = users
            .iter()
            .any(|other| other.admin && !other.disabled && other.name != user.name);
        if user.admin && !user.disabled && !others {
            return Err(AccessError::LastAdmin(user.name.clone()));
        }
        Ok(())
    }

    fn new_link(&self, user: &str) -> Result<(PasswordKey, PasswordLink)> {
        let key = Token::new(&*self.system.randomness)?;
        let link = PasswordLink {
            user: user.to_owned(),
            key: key.hash(),
            ends_at_unix_ms: self.now().saturating_add(LINK_MS),
        };
        Ok((key, link))
    }

    /// Makes a change of somebody who was there just now.
    pub(super) async fn changed(
        &self,
        user: &str,
        change: UserChange,
        noted: Audited,
    ) -> Result<()> {
        let noted = if noted.about.is_some() {
            noted
        } else {
            noted.about(user)
        };
        let done = self.storage.change_user(change, Some(noted)).await?;
        done.then_some(())
            .ok_or_else(|| AccessError::Nobody(user.to_owned()))
    }
}

//! People who have an account, and the audit log.

use api::research::{Act, AuditEntry, Membership, Role, Scope};
use async_trait::async_trait;
use serde::de::DeserializeOwned;

use super::super::{
    ApiToken, Audited, Identity, PasswordLink, Result, SignIn, User, UserChange, Users,
};
use super::connection::{Connection, list_of_parameters, query};
use super::row::Row;
mod change;

use super::SqlStorage;
use super::error::corrupt;
use super::read::{bytes, signed, unsigned};
use crate::secrets::{TokenHash, hex};
use change::ChangeUser;

async fn read_user(connection: &mut dyn Connection, name: &str) -> Result<Option<User>> {
    let users = read(connection, Some(name)).await?;
    Ok(users.into_iter().next())
}

/// Those of a name, or all.
pub(super) async fn read(connection: &mut dyn Connection, name: Option<&str>) -> Result<Vec<User>> {
    let rows = query("SELECT * FROM users WHERE ?1 IS NULL OR name = ?1 ORDER BY name")
        .bind(name)
        .fetch_all(&mut *connection)
        .await?;
    let identities = query(
        "SELECT * FROM identities WHERE ?1 IS NULL OR \"user\" = ?1 ORDER BY \"user\", issuer",
    )
    .bind(name)
    .fetch_all(&mut *connection)
    .await?;
    let memberships = query(
        "SELECT * FROM memberships WHERE ?1 IS NULL OR \"user\" = ?1 ORDER BY \"user\", study",
    )
    .bind(name)
    .fetch_all(connection)
    .await?;
    let mut users: Vec<User> = rows.iter().map(user_of).collect::<Result<_>>()?;
    for row in &memberships {
        let of: String = row.try_get("user")?;
        if let Some(user) = users.iter_mut().find(|user| user.name == of) {
            user.memberships.push(membership_of(row)?);
        }
    }
    for row in &identities {
        let of: String = row.try_get("user")?;
        if let Some(user) = users.iter_mut().find(|user| user.name == of) {
            user.identities.push(identity_of(row)?);
        }
    }
    Ok(users)
}

fn identity_of(row: &Row) -> Result<Identity> {
    Ok(Identity {
        issuer: row.try_get("issuer")?,
        subject: row.try_get("subject")?,
    })
}

fn user_of(row: &Row) -> Result<User> {
    Ok(User {
        name: row.try_get("name")?,
        admin: row.try_get("admin")?,
        disabled: row.try_get("disabled")?,
        waits: row.try_get("waits")?,
        password: row.try_get("password")?,
        added_at_unix_ms: unsigned(row, "added_at")?,
        memberships: Vec::new(),
        identities: Vec::new(),
    })
}

fn membership_of(row: &Row) -> Result<Membership> {
    let role: String = row.try_get("role")?;
    Ok(Membership {
        study: row.try_get("study")?,
        role: Role::of_name(&role)
            .ok_or_else(|| corrupt("somebody's role", format!("it is '{role}'")))?,
        identifying: row.try_get("identifying")?,
    })
}

fn sign_in_of(row: &Row) -> Result<SignIn> {
    Ok(SignIn {
        id: row.try_get("id")?,
        key: TokenHash(bytes(row, "key_sha256")?),
        user: row.try_get("user")?,
        address: row.try_get("address")?,
        browser: row.try_get("browser")?,
        began_at_unix_ms: unsigned(row, "began_at")?,
        used_at_unix_ms: unsigned(row, "used_at")?,
    })
}

fn token_of(row: &Row) -> Result<ApiToken> {
    let used_at: Option<i64> = row.try_get("used_at")?;
    Ok(ApiToken {
        id: row.try_get("id")?,
        key: TokenHash(bytes(row, "key_sha256")?),
        user: row.try_get("user")?,
        label: row.try_get("label")?,
        scopes: list::<Scope>(row, "scopes")?,
        studies: list(row, "studies")?,
        made_at_unix_ms: unsigned(row, "made_at")?,
        ends_at_unix_ms: unsigned(row, "ends_at")?,
        used_at_unix_ms: used_at.and_then(|ms| u64::try_from(ms).ok()),
    })
}

fn list<T: DeserializeOwned>(row: &Row, column: &str) -> Result<Vec<T>> {
    let text: String = row.try_get(column)?;
    serde_json::from_str(&text).map_err(|error| corrupt("a token", error))
}

fn entry_of(row: &Row) -> Result<AuditEntry> {
    let act: String = row.try_get("act")?;
    Ok(AuditEntry {
        number: unsigned(row, "number")?,
        at_unix_ms: unsigned(row, "at")?,
        by: row.try_get("user")?,
        act: Act::of_name(&act)
            .ok_or_else(|| corrupt("the audit log", format!("an act is '{act}'")))?,
        study: row.try_get("study")?,
        session: row.try_get("session")?,
        about: row.try_get("about")?,
        address: row.try_get("address")?,
        with: row.try_get("used")?,
    })
}

pub(super) async fn audit_log(
    connection: &mut dyn Connection,
    studies: Option<&[String]>,
    before: Option<u64>,
    limit: u32,
) -> Result<Vec<AuditEntry>> {
    let of_studies = match studies {
        None => String::new(),
        // No list may be empty.
        Some([]) => return Ok(Vec::new()),
        Some(studies) => format!("AND study IN ({})", list_of_parameters(studies.len())),
    };
    let rows = query(format!(
        "SELECT * FROM audit_log WHERE number < ? {of_studies} ORDER BY number DESC LIMIT ?"
    ))
    .bind(signed(before.unwrap_or(u64::MAX)))
    .bind_all(studies.unwrap_or_default())
    .bind(limit)
    .fetch_all(connection)
    .await?;
    rows.iter().map(entry_of).collect()
}

pub(super) async fn sign_ins(connection: &mut dyn Connection, user: &str) -> Result<Vec<SignIn>> {
    let rows = query("SELECT * FROM sign_ins WHERE \"user\" = ? ORDER BY began_at DESC, id")
        .bind(user)
        .fetch_all(connection)
        .await?;
    rows.iter().map(sign_in_of).collect()
}

pub(super) async fn api_tokens(
    connection: &mut dyn Connection,
    user: &str,
) -> Result<Vec<ApiToken>> {
    let rows = query("SELECT * FROM api_tokens WHERE \"user\" = ? ORDER BY made_at DESC, id")
        .bind(user)
        .fetch_all(connection)
        .await?;
    rows.iter().map(token_of).collect()
}

#[async_trait]
impl Users for SqlStorage {
    async fn change_user(&self, change: UserChange, noted: Option<Audited>) -> Result<bool> {
        self.ask(ChangeUser { change, noted }).await
    }

    async fn user(&self, name: &str) -> Result<Option<User>> {
        read_user(&mut *self.readers.requests.acquire().await?, name).await
    }

    async fn user_of_identity(&self, identity: &Identity) -> Result<Option<User>> {
        let mut connection = self.readers.requests.acquire().await?;
        let row = query("SELECT \"user\" FROM identities WHERE issuer = ? AND subject = ?")
            .bind(&identity.issuer)
            .bind(&identity.subject)
            .fetch_optional(&mut *connection)
            .await?;
        match row {
            Some(row) => read_user(&mut *connection, &row.try_get::<String>("user")?).await,
            None => Ok(None),
        }
    }

    async fn password_link(&self, key: TokenHash) -> Result<Option<PasswordLink>> {
        let row = query("SELECT \"user\", ends_at FROM password_links WHERE key_sha256 = ?")
            .bind(hex(&key.0))
            .fetch_optional(&mut *self.readers.requests.acquire().await?)
            .await?;
        let link = |row: &Row| -> Result<PasswordLink> {
            Ok(PasswordLink {
                user: row.try_get("user")?,
                key,
                ends_at_unix_ms: unsigned(row, "ends_at")?,
            })
        };
        row.as_ref().map(link).transpose()
    }

    async fn sign_in(&self, key: TokenHash) -> Result<Option<SignIn>> {
        let row = query("SELECT * FROM sign_ins WHERE key_sha256 = ?")
            .bind(hex(&key.0))
            .fetch_optional(&mut *self.readers.requests.acquire().await?)
            .await?;
        row.as_ref().map(sign_in_of).transpose()
    }

    async fn api_token(&self, key: TokenHash) -> Result<Option<ApiToken>> {
        let row = query("SELECT * FROM api_tokens WHERE key_sha256 = ?")
            .bind(hex(&key.0))
            .fetch_optional(&mut *self.readers.requests.acquire().await?)
            .await?;
        row.as_ref().map(token_of).transpose()
    }
}

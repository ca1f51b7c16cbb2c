//! Changes of people's accounts, each with its entry in the audit log.

use api::research::Membership;
use async_trait::async_trait;

use super::super::super::{
    ApiToken, Audited, Identity, PasswordLink, Result, SignIn, User, UserChange,
};
use super::super::connection::{Connection, Query, query};
use super::super::error::json;
use super::super::job::{Job, WriteTransaction};
use super::super::locks::Lock;
use super::super::read::signed;
use crate::secrets::hex;

/// The place of accounts.
const USERS: &str = "users";

/// A change with what is noted of it.
pub(in super::super) struct ChangeUser {
    pub change: UserChange,
    pub noted: Option<Audited>,
}

#[async_trait]
impl Job for ChangeUser {
    type Answer = bool;

    fn place(&self) -> &str {
        USERS
    }

    async fn lock(&self, _: &mut dyn Connection) -> Result<Option<Lock>> {
        Ok(Some(Lock::Users))
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<bool> {
        let done = make(to.connection, &self.change).await?;
        if let Some(noted) = self.noted.as_ref().filter(|_| done) {
            note(to.connection, noted).await?;
        }
        Ok(done)
    }
}

/// Runs a statement; whether it changed anything.
async fn run(connection: &mut dyn Connection, statement: Query<'_>) -> Result<bool> {
    Ok(statement.execute(connection).await? > 0)
}

async fn make(to: &mut dyn Connection, change: &UserChange) -> Result<bool> {
    match change {
        UserChange::Add(user) => add(to, user).await,
        UserChange::AddWaiting { user, most } => {
            let waiting = query("SELECT count(*) FROM users WHERE waits = 1 AND disabled = 0")
                .fetch_one(&mut *to)
                .await?;
            let number: i64 = waiting.try_get(0)?;
            Ok(usize::try_from(number).is_ok_and(|number| number < *most) && add(to, user).await?)
        }
        UserChange::Admit { user } => {
            let set = query("UPDATE users SET waits = 0 WHERE name = ? AND waits = 1");
            run(to, set.bind(user)).await
        }
        UserChange::Link {
            user,
            identity,
            at_unix_ms,
        } => link(to, user, identity, *at_unix_ms).await,
        UserChange::SetAdmin { user, admin } => {
            let set = query("UPDATE users SET admin = ? WHERE name = ?");
            run(to, set.bind(admin).bind(user)).await
        }
        UserChange::SetDisabled { user, disabled } => {
            let set = query("UPDATE users SET disabled = ? WHERE name = ?");
            let there = run(to, set.bind(disabled).bind(user)).await?;
            if *disabled {
                shut_out(to, user).await?;
                run(
                    to,
                    query("DELETE FROM api_tokens WHERE \"user\" = ?").bind(user),
                )
                .await?;
            }
            Ok(there)
        }
        UserChange::Join { user, membership } => {
            if super::read(to, Some(user)).await?.is_empty() {
                return Ok(false);
            }
            join(to, user, membership).await
        }
        UserChange::Leave { user, study } => {
            let leave = query("DELETE FROM memberships WHERE \"user\" = ? AND study = ?");
            run(to, leave.bind(user).bind(study)).await
        }
        UserChange::Reset(link) => {
            let set = query("UPDATE users SET password = NULL WHERE name = ?");
            if !run(to, set.bind(&link.user)).await? {
                return Ok(false);
            }
            shut_out(to, &link.user).await?;
            add_link(to, link).await
        }
        UserChange::SetPasswordByLink {
            key,
            password,
            now_unix_ms,
        } => {
            let set = query(
                "UPDATE users SET password = ? WHERE disabled = 0 AND name IN \
                 (SELECT \"user\" FROM password_links WHERE key_sha256 = ? AND ends_at > ?)",
            );
            let set = set
                .bind(password)
                .bind(hex(&key.0))
                .bind(signed(*now_unix_ms));
            let done = run(to, set).await?;
            if done {
                let used = query("DELETE FROM password_links WHERE key_sha256 = ?");
                run(to, used.bind(hex(&key.0))).await?;
            }
            Ok(done)
        }
        UserChange::SetPassword {
            user,
            password,
            but,
        } => {
            let end = query("DELETE FROM sign_ins WHERE \"user\" = ? AND id <> ?");
            run(to, end.bind(user).bind(but)).await?;
            let set = query("UPDATE users SET password = ? WHERE name = ?");
            run(to, set.bind(password).bind(user)).await
        }
        UserChange::BeginSignIn {
            sign_in,
            used_before_unix_ms,
            began_before_unix_ms,
        } => {
            let forget = query("DELETE FROM sign_ins WHERE used_at < ? OR began_at < ?")
                .bind(signed(*used_before_unix_ms))
                .bind(signed(*began_before_unix_ms));
            run(to, forget).await?;
            begin(to, sign_in).await
        }
        UserChange::UseSignIn { id, at_unix_ms } => {
            let set = query("UPDATE sign_ins SET used_at = ? WHERE id = ?");
            run(to, set.bind(signed(*at_unix_ms)).bind(id)).await
        }
        UserChange::EndSignIn { user, id } => {
            let end = query("DELETE FROM sign_ins WHERE \"user\" = ? AND id = ?");
            run(to, end.bind(user).bind(id)).await
        }
        UserChange::AddToken { token, most } => add_token(to, token, *most).await,
        UserChange::UseToken { id, at_unix_ms } => {
            let set = query("UPDATE api_tokens SET used_at = ? WHERE id = ?");
            run(to, set.bind(signed(*at_unix_ms)).bind(id)).await
        }
        UserChange::EndToken { user, id } => {
            let end = query("DELETE FROM api_tokens WHERE \"user\" = ? AND id = ?");
            run(to, end.bind(user).bind(id)).await
        }
        UserChange::Nothing => Ok(true),
    }
}

async fn add(to: &mut dyn Connection, user: &User) -> Result<bool> {
    let insert = query(
        "INSERT INTO users (name, admin, disabled, waits, password, added_at) \
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    )
    .bind(&user.name)
    .bind(user.admin)
    .bind(user.disabled)
    .bind(user.waits)
    .bind(&user.password)
    .bind(signed(user.added_at_unix_ms));
    let is_new = run(to, insert).await?;
    if is_new {
        for membership in &user.memberships {
            join(to, &user.name, membership).await?;
        }
        for identity in &user.identities {
            link(to, &user.name, identity, user.added_at_unix_ms).await?;
        }
    }
    Ok(is_new)
}

async fn link(
    to: &mut dyn Connection,
    user: &str,
    identity: &Identity,
    at_unix_ms: u64,
) -> Result<bool> {
    let insert = query(
        "INSERT INTO identities (issuer, subject, \"user\", linked_at) \
         SELECT ?1, ?2, name, ?4 FROM users WHERE name = ?3 ON CONFLICT DO NOTHING",
    );
    let insert = insert
        .bind(&identity.issuer)
        .bind(&identity.subject)
        .bind(user)
        .bind(signed(at_unix_ms));
    run(to, insert).await
}

async fn join(to: &mut dyn Connection, user: &str, membership: &Membership) -> Result<bool> {
    let insert = query(
        "INSERT INTO memberships (\"user\", study, role, identifying) VALUES (?, ?, ?, ?) \
         ON CONFLICT (\"user\", study) DO UPDATE \
         SET role = excluded.role, identifying = excluded.identifying",
    );
    let insert = insert
        .bind(user)
        .bind(&membership.study)
        .bind(membership.role.name())
        .bind(membership.identifying);
    run(to, insert).await
}

/// Ends all sign-ins of somebody, and the link to set their password.
async fn shut_out(to: &mut dyn Connection, user: &str) -> Result<()> {
    for statement in [
        "DELETE FROM sign_ins WHERE \"user\" = ?",
        "DELETE FROM password_links WHERE \"user\" = ?",
    ] {
        run(to, query(statement).bind(user)).await?;
    }
    Ok(())
}

async fn add_link(to: &mut dyn Connection, link: &PasswordLink) -> Result<bool> {
    let insert =
        query("INSERT INTO password_links (\"user\", key_sha256, ends_at) VALUES (?, ?, ?)");
    let insert = insert
        .bind(&link.user)
        .bind(hex(&link.key.0))
        .bind(signed(link.ends_at_unix_ms));
    run(to, insert).await
}

async fn begin(to: &mut dyn Connection, sign_in: &SignIn) -> Result<bool> {
    let insert = query(
        "INSERT INTO sign_ins (id, key_sha256, \"user\", address, browser, began_at, used_at) \
         SELECT ?1, ?2, name, ?4, ?5, ?6, ?7 FROM users WHERE name = ?3 AND disabled = 0 AND waits = 0",
    )
    .bind(&sign_in.id)
    .bind(hex(&sign_in.key.0))
    .bind(&sign_in.user)
    .bind(&sign_in.address)
    .bind(&sign_in.browser)
    .bind(signed(sign_in.began_at_unix_ms))
    .bind(signed(sign_in.used_at_unix_ms));
    run(to, insert).await
}

async fn add_token(to: &mut dyn Connection, token: &ApiToken, most: usize) -> Result<bool> {
    let old = query("DELETE FROM api_tokens WHERE \"user\" = ? AND ends_at <= ?");
    run(
        to,
        old.bind(&token.user).bind(signed(token.made_at_unix_ms)),
    )
    .await?;
    let insert = query(
        "INSERT INTO api_tokens (id, key_sha256, \"user\", label, scopes, studies, made_at, ends_at) \
         SELECT ?1, ?2, name, ?4, ?5, ?6, ?7, ?8 FROM users WHERE name = ?3 AND disabled = 0 AND waits = 0 \
         AND (SELECT count(*) FROM api_tokens WHERE \"user\" = ?3) < ?9",
    )
    .bind(&token.id)
    .bind(hex(&token.key.0))
    .bind(&token.user)
    .bind(&token.label)
    .bind(json(&token.scopes)?)
    .bind(json(&token.studies)?)
    .bind(signed(token.made_at_unix_ms))
    .bind(signed(token.ends_at_unix_ms))
    .bind(signed(most as u64));
    run(to, insert).await
}

async fn note(to: &mut dyn Connection, noted: &Audited) -> Result<()> {
    let insert = query(
        "INSERT INTO audit_log (at, \"user\", act, study, session, about, address, used) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(signed(noted.at_unix_ms))
    .bind(&noted.by)
    .bind(noted.act.name())
    .bind(&noted.study)
    .bind(&noted.session)
    .bind(&noted.about)
    .bind(&noted.address)
    .bind(&noted.with);
    run(to, insert).await.map(|_| ())
}

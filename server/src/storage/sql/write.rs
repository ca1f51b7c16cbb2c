//! Records to rows: sessions, with what they refer to, and what is noted of them but their logs.

use async_trait::async_trait;
use domain::session::event::SessionId;

use super::super::{
    Created, NewSession, Result, StorageError, StoredBundle, StoredInstance, StoredSession,
};
use super::connection::{Connection, query};
use super::error::json;
use super::job::{Job, WriteTransaction};
use super::locks::Lock;
use super::plan::PinnedModel;
use super::read::{self, signed};
use super::{arrivals, study_texts};
use crate::secrets::{TokenHash, hex};

#[async_trait]
impl Job for NewSession {
    type Answer = Created;

    fn place(&self) -> &str {
        &self.session.study
    }

    async fn lock(&self, _: &mut dyn Connection) -> Result<Option<Lock>> {
        Ok(Some(Lock::Study(self.session.study.clone())))
    }

    async fn sessions(&self, connection: &mut dyn Connection) -> Result<Vec<String>> {
        let existing = existing(connection, self).await?;
        Ok(existing.into_iter().map(|session| session.id.0).collect())
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<Created> {
        create(to.connection, self).await
    }
}

/// Instances, of which those are stored that are not yet.
pub(super) struct StoreInstances(pub Vec<StoredInstance>);

#[async_trait]
impl Job for StoreInstances {
    type Answer = ();

    fn place(&self) -> &str {
        self.0.first().map_or("", |first| &first.sha256)
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        insert_instances(to.connection, &self.0).await
    }
}

/// A session whose token is another one from now on.
pub(super) struct ReplaceToken(pub SessionId, pub TokenHash);

#[async_trait]
impl Job for ReplaceToken {
    type Answer = ();

    fn place(&self) -> &str {
        &self.0.0
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        replace_token(to.connection, &self.0, self.1).await
    }
}

/// A session whose attempt no longer opens it: no browser has its name, and the assignment is its own
/// still.
pub(super) struct SpendAttempt(pub SessionId);

#[async_trait]
impl Job for SpendAttempt {
    type Answer = ();

    fn place(&self) -> &str {
        &self.0.0
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        let spent = format!("spent {}", self.0);
        query(
            "UPDATE assignments SET attempt = ?1 WHERE (study, ordinal) = \
             (SELECT study, ordinal FROM sessions WHERE id = ?2)",
        )
        .bind(&spent)
        .bind(&self.0.0)
        .execute(&mut *to.connection)
        .await?;
        query("UPDATE sessions SET attempt = ?1, attempt_spent = 1 WHERE id = ?2")
            .bind(&spent)
            .bind(&self.0.0)
            .execute(&mut *to.connection)
            .await?;
        Ok(())
    }
}

/// A session that needs a completion code, and what it is to be if there is none.
pub(super) struct StoreCompletionCode {
    pub session: SessionId,
    pub proposed: String,
}

#[async_trait]
impl Job for StoreCompletionCode {
    type Answer = String;

    fn place(&self) -> &str {
        &self.session.0
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<String> {
        let row = query(
            "UPDATE sessions SET completion_code = COALESCE(completion_code, ?) WHERE id = ? \
             RETURNING completion_code",
        )
        .bind(&self.proposed)
        .bind(&self.session.0)
        .fetch_optional(&mut *to.connection)
        .await?;
        match row {
            Some(row) => Ok(row.try_get(0)?),
            None => Err(StorageError::NoSession(self.session.clone())),
        }
    }
}

/// The place of what is written to see whether that works.
const PROBE: &str = "probe";

/// A row that nobody reads.
pub(super) struct Probe;

#[async_trait]
impl Job for Probe {
    type Answer = ();

    fn place(&self) -> &str {
        PROBE
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        query(
            "INSERT INTO probes (id, writes) VALUES (1, 1) \
             ON CONFLICT (id) DO UPDATE SET writes = probes.writes + 1",
        )
        .execute(&mut *to.connection)
        .await?;
        Ok(())
    }
}

/// The session that is there already, of the same attempt or code.
async fn existing(
    connection: &mut dyn Connection,
    new: &NewSession,
) -> Result<Option<StoredSession>> {
    let NewSession {
        session: new,
        one_per_code,
        ..
    } = new;
    let of_attempt = read::session_of_attempt(connection, &new.study, &new.attempt).await?;
    match &new.participant_code {
        Some(code) if *one_per_code && of_attempt.is_none() => {
            read::session_of_code(connection, &new.study, code).await
        }
        _ => Ok(of_attempt),
    }
}

pub(super) async fn create(connection: &mut dyn Connection, new: &NewSession) -> Result<Created> {
    let existing = existing(connection, new).await?;
    let NewSession {
        session: new,
        study_json,
        texts,
        instances,
        bundles,
        arrival,
        delete_text_at_unix_ms,
        ..
    } = new;
    if let Some(mut existing) = existing {
        replace_token(connection, &existing.id, new.token).await?;
        existing.token = new.token;
        return Ok(Created::Existing(Box::new(existing)));
    }
    query(
        "INSERT INTO study_versions (sha256, study, json) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    )
    .bind(&new.study_sha256)
    .bind(&new.study)
    .bind(&**study_json)
    .execute(&mut *connection)
    .await?;
    study_texts::insert(connection, &new.study_sha256, texts).await?;
    query(
        "INSERT INTO sessions (id, study, study_sha256, ordinal, seed, attempt, token_sha256, \
         participant_code, created_at, phase, log_len, completed_at, completion_code, \
         delete_text_at, seal_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&new.id.0)
    .bind(&new.study)
    .bind(&new.study_sha256)
    .bind(signed(new.ordinal))
    .bind(hex(&new.seed))
    .bind(&new.attempt)
    .bind(hex(&new.token.0))
    .bind(&new.participant_code)
    .bind(signed(new.created_at_unix_ms))
    .bind(&new.phase)
    .bind(signed(new.log_len))
    .bind(new.completed_at_unix_ms.map(signed))
    .bind(&new.completion_code)
    .bind(delete_text_at_unix_ms.map(signed))
    // One that is made again has ended long ago.
    .bind(new.has_ended().then_some(signed(new.created_at_unix_ms)))
    .execute(&mut *connection)
    .await?;
    let models: Vec<PinnedModel> = new.plan.models().into_iter().map(PinnedModel::of).collect();
    query(
        "INSERT INTO plans (session, format, plan, targets, models, keys) VALUES (?, ?, ?, '[]', ?, ?)",
    )
    .bind(&new.id.0)
    .bind(new.plan.format)
    .bind(json(&*new.plan)?)
    .bind(json(&models)?)
    .bind(json(&*new.keys)?)
    .execute(&mut *connection)
    .await?;
    if let Some(arrival) = arrival {
        arrivals::insert(connection, &new.id, arrival).await?;
    }
    insert_instances(connection, instances).await?;
    for bundle in bundles {
        insert_bundle(connection, bundle).await?;
    }
    Ok(Created::New)
}

/// Adds instances that are not stored yet.
async fn insert_instances(
    connection: &mut dyn Connection,
    instances: &[StoredInstance],
) -> Result<()> {
    for StoredInstance { sha256, bytes } in instances {
        query("INSERT INTO instances (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .bind(sha256)
            .bind(&**bytes)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Adds a bundle that is not stored yet; its blob is there.
async fn insert_bundle(connection: &mut dyn Connection, bundle: &StoredBundle) -> Result<()> {
    query("INSERT INTO bundles (sha256, name) VALUES (?, ?) ON CONFLICT DO NOTHING")
        .bind(&bundle.sha256)
        .bind(&bundle.name)
        .execute(connection)
        .await?;
    Ok(())
}

async fn replace_token(
    connection: &mut dyn Connection,
    session: &SessionId,
    token: TokenHash,
) -> Result<()> {
    let done = query("UPDATE sessions SET token_sha256 = ? WHERE id = ?")
        .bind(hex(&token.0))
        .bind(&session.0)
        .execute(connection)
        .await?;
    match done {
        0 => Err(StorageError::NoSession(session.clone())),
        _ => Ok(()),
    }
}

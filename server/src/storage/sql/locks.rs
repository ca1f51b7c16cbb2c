//! What transactions must not decide about at the same time.

use domain::session::event::SessionId;

use super::super::Result;
use super::connection::{Connection, Dialect, query};

/// What one transaction at a time decides about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lock {
    /// What is published.
    Published,
    /// Who has an account, and what they may.
    Users,
    /// A study: who is put where, whether that counts, what is paid.
    Study(String),
}

impl Lock {
    /// Of the study that a session belongs to; none where there is no such session.
    pub(super) async fn of_session(
        connection: &mut dyn Connection,
        session: &SessionId,
    ) -> Result<Option<Self>> {
        let row = query("SELECT study FROM sessions WHERE id = ?")
            .bind(&session.0)
            .fetch_optional(connection)
            .await?;
        row.map(|row| Ok(Self::Study(row.try_get(0)?))).transpose()
    }

    /// Its name among all locks.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Published => "published".to_owned(),
            Self::Users => "users".to_owned(),
            Self::Study(study) => format!("study {study}"),
        }
    }
}

/// Keeps others from adding to a session, or erasing it, until the end of the transaction. Where several write to the
/// database, whoever adds to a session changes its row first.
pub(super) async fn session_row(
    connection: &mut dyn Connection,
    session: &SessionId,
) -> Result<()> {
    if connection.dialect() == Dialect::Postgres {
        query("SELECT 1 FROM sessions WHERE id = ? FOR UPDATE")
            .bind(&session.0)
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Takes locks until the end of the transaction, each once and in order, so that no two transactions wait
/// for each other.
pub(super) async fn take(connection: &mut dyn Connection, mut locks: Vec<Lock>) -> Result<()> {
    locks.sort();
    locks.dedup();
    for lock in locks {
        query("SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(?, 0))")
            .bind(lock.name())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

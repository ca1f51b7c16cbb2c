//! Locks on matters that transactions must not decide about at the same time.

use domain::session::event::SessionId;

use super::super::Result;
use super::connection::{Connection, ROWS_PER_STATEMENT, list_of_parameters, query};

/// A matter that one transaction at a time decides about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lock {
    /// The published items.
    Published,
    /// The people who have an account, and what they may.
    Users,
    /// A study: who is put where, whether that counts, what is paid.
    Study(String),
    /// The skeletons that plans are packed with.
    Skeletons,
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
            Self::Skeletons => "skeletons".to_owned(),
        }
    }
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

/// Keeps others from changing sessions, or erasing them, until the end of the transaction. Their rows are locked before
/// anything is written, each once and in order, for the same reason. Names of nothing are passed over.
pub(super) async fn session_rows(
    connection: &mut dyn Connection,
    mut sessions: Vec<String>,
) -> Result<()> {
    sessions.sort();
    sessions.dedup();
    for some in sessions.chunks(ROWS_PER_STATEMENT) {
        let list = list_of_parameters(some.len());
        let statement =
            format!("SELECT 1 FROM sessions WHERE id IN ({list}) ORDER BY id FOR UPDATE");
        let mut rows = query(statement);
        for session in some {
            rows = rows.bind(session);
        }
        rows.execute(&mut *connection).await?;
    }
    Ok(())
}

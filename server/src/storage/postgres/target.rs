//! How a writer writes to PostgreSQL, where others write at the same time and connections break.
//!
//! Each transaction notes its number in the writer's own row of `commits`. If the connection breaks while it
//! is committed, nobody knows whether it was: the row tells, once it can be locked, since until then the old
//! transaction may still be under way.

use std::time::Duration;

use super::super::sql::{Connection, Target, query};
use super::super::{Result, StorageError};
use super::address::Address;
use crate::monitoring;
use async_trait::async_trait;

/// For how long a transaction is tried again while the database is away.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a transaction may take: where a network has been cut, nobody says so.
const LONGEST: Duration = Duration::from_secs(15);

/// Settings of each transaction: how long it waits for a lock, and how long its locks stay when this
/// process has gone without a word.
const LIMITS: &str = "SELECT set_config('lock_timeout', '10s', true), \
     set_config('idle_in_transaction_session_timeout', '10s', true), \
     set_config('statement_timeout', '60s', true)";

/// A writer's own part of the database.
pub(super) struct PostgresTarget {
    address: Address,
    /// Its name among all writers of all servers, ever.
    writer: String,
    /// Number of its last transaction.
    number: i64,
    /// Whether the last one was sent to be committed, and there was no answer.
    in_doubt: bool,
}

impl PostgresTarget {
    /// A writer of this name.
    pub(super) fn new(address: Address, writer: String) -> Self {
        Self {
            address,
            writer,
            number: 0,
            in_doubt: false,
        }
    }
}

#[async_trait]
impl Target for PostgresTarget {
    async fn connect(&mut self) -> Result<Box<dyn Connection>> {
        Ok(Box::new(self.address.connection().await?))
    }

    fn forget_doubt(&mut self) {
        self.in_doubt = false;
    }

    fn begin(&self) -> &'static str {
        "BEGIN"
    }

    fn look(&mut self, _: bool) -> Result<()> {
        Ok(()) // a server's files are its own
    }

    fn is_shared(&self) -> bool {
        true
    }

    async fn prepare(&mut self, connection: &mut dyn Connection) -> Result<()> {
        query(LIMITS).execute(connection).await?;
        Ok(())
    }

    async fn commit(&mut self, connection: &mut dyn Connection) -> Result<()> {
        self.number += 1;
        query(
            "INSERT INTO commits (writer, number, committed) VALUES (?, ?, now()) \
             ON CONFLICT (writer) DO UPDATE SET number = excluded.number, committed = now()",
        )
        .bind(&self.writer)
        .bind(self.number)
        .execute(&mut *connection)
        .await?;
        self.in_doubt = true;
        let done = query("COMMIT").execute(connection).await;
        // An answer of the server, good or bad, is one.
        if !matches!(&done, Err(error) if !matches!(error, sqlx::Error::Database(_))) {
            self.in_doubt = false;
        }
        done?;
        Ok(())
    }

    async fn was_committed(&mut self, connection: &mut dyn Connection) -> Result<bool> {
        if !self.in_doubt {
            return Ok(false);
        }
        query("BEGIN").execute(&mut *connection).await?;
        query(LIMITS).execute(&mut *connection).await?;
        let row = query("SELECT number FROM commits WHERE writer = ? FOR UPDATE")
            .bind(&self.writer)
            .fetch_optional(&mut *connection)
            .await?;
        let number: Option<i64> = row.map(|row| row.try_get(0)).transpose()?;
        query("ROLLBACK").execute(&mut *connection).await?;
        self.in_doubt = false;
        let was_committed = number == Some(self.number);
        monitoring::answer_lost(was_committed);
        Ok(was_committed)
    }

    fn longest(&self) -> Option<Duration> {
        Some(LONGEST)
    }

    fn patience(&self, error: &StorageError) -> Duration {
        match error {
            StorageError::Unreachable(_) | StorageError::Locked => PATIENCE,
            _ => Duration::ZERO,
        }
    }

    async fn clear_erased(&mut self, _: &mut dyn Connection) -> Result<bool> {
        Ok(true) // what was erased from is noted, and written anew at night
    }
}

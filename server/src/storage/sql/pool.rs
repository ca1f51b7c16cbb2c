//! Connections that are used in turn, to read.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, Transaction};

use super::connection::{Connection, OnServer, query};
use super::row::SqlResult;

/// Connections that are used in turn.
#[derive(Clone)]
pub(in super::super) enum Pool {
    /// To a file of SQLite.
    Sqlite(sqlx::SqlitePool),
    /// To PostgreSQL, and whether a pool of others is on the way.
    Postgres(sqlx::PgPool, bool),
}

impl Pool {
    /// A connection; it goes back when dropped.
    pub(in super::super) async fn acquire(&self) -> SqlResult<Lent> {
        Ok(match self {
            Self::Sqlite(pool) => Lent(Box::new(pool.acquire().await?)),
            Self::Postgres(pool, is_pooled) => {
                let connection = pool.acquire().await?;
                Lent(Box::new(OnServer::new(connection, *is_pooled)))
            }
        })
    }

    /// A connection in a transaction that sees the database as it is now, whatever is written later.
    pub(in super::super) async fn snapshot(&self) -> SqlResult<Lent> {
        Ok(match self {
            Self::Sqlite(pool) => {
                let mut transaction = pool.begin().await?;
                // SQLite fixes what a transaction sees at its first read, not at BEGIN.
                let first = query("SELECT COUNT(*) FROM sqlite_schema");
                first.fetch_one(&mut *transaction).await?;
                Lent(Box::new(transaction))
            }
            Self::Postgres(pool, is_pooled) => {
                let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
                let transaction = pool.begin_with(begin).await?;
                let mut transaction = OnServer::new(transaction, *is_pooled);
                // Nor does PostgreSQL.
                query("SELECT 1").fetch_one(&mut transaction).await?;
                Lent(Box::new(transaction))
            }
        })
    }

    /// Ends all connections once they are back.
    pub(in super::super) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool, _) => pool.close().await,
        }
    }
}

/// A connection that belongs to a pool.
trait Held: Send {
    fn connection(&self) -> &(dyn Connection + 'static);
    fn connection_mut(&mut self) -> &mut (dyn Connection + 'static);
}

impl Held for PoolConnection<Sqlite> {
    fn connection(&self) -> &(dyn Connection + 'static) {
        &**self
    }

    fn connection_mut(&mut self) -> &mut (dyn Connection + 'static) {
        &mut **self
    }
}

impl Held for Transaction<'static, Sqlite> {
    fn connection(&self) -> &(dyn Connection + 'static) {
        &**self
    }

    fn connection_mut(&mut self) -> &mut (dyn Connection + 'static) {
        &mut **self
    }
}

impl<C> Held for OnServer<C>
where
    Self: Connection + 'static,
{
    fn connection(&self) -> &(dyn Connection + 'static) {
        self
    }

    fn connection_mut(&mut self) -> &mut (dyn Connection + 'static) {
        self
    }
}

/// A connection that goes back to its pool when dropped; a transaction on it is rolled back.
pub(in super::super) struct Lent(Box<dyn Held>);

impl Deref for Lent {
    type Target = dyn Connection;

    fn deref(&self) -> &Self::Target {
        self.0.connection()
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.connection_mut()
    }
}

//! Connections to PostgreSQL: to the server itself, or through a pool of connections such as PgBouncer, which gives
//! each transaction any of the server's connections.

use std::ops::DerefMut;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgArguments;
use sqlx::{
    Arguments as _, AssertSqlSafe, Connection as _, PgConnection, Postgres, SqlSafeStr as _,
    SqlStr, Transaction,
};

use super::super::row::{Row, SqlResult};
use super::{Connection, Dialect, Query, Value};

/// A connection to PostgreSQL.
///
/// Behind a pool nothing outlives a transaction: so statements have no names there, and one that is sent as more than
/// one message has a transaction of its own. A statement that needs no values is one message, wherever it goes.
pub(in super::super::super) struct OnServer<C> {
    connection: C,
    is_pooled: bool,
    /// Whether a statement has begun a transaction: sqlx counts only those that it has begun itself.
    has_begun: bool,
}

impl<C: Held> OnServer<C> {
    /// A connection; `is_pooled` says whether a pool of others is on the way.
    pub(in super::super::super) fn new(connection: C, is_pooled: bool) -> Self {
        Self {
            connection,
            is_pooled,
            has_begun: false,
        }
    }

    /// Runs a statement without values, as one message.
    async fn run(&mut self, sql: String) -> SqlResult<u64> {
        let begins = sql.starts_with("BEGIN");
        let ends = sql == "COMMIT" || sql == "ROLLBACK";
        let done = sqlx::raw_sql(AssertSqlSafe(sql));
        let done = done.execute(&mut *self.connection).await;
        if begins || ends {
            self.has_begun = begins && done.is_ok();
        }
        Ok(done?.rows_affected())
    }

    /// Whether a statement needs a transaction of its own.
    fn needs_one(&self) -> bool {
        self.is_pooled && !self.has_begun && !self.connection.is_in_transaction()
    }
}

#[async_trait]
impl<C: Held> Connection for OnServer<C> {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    async fn execute(&mut self, query: Query<'_>) -> SqlResult<u64> {
        if query.values.is_empty() {
            return self.run(query.sql.into_owned()).await;
        }
        let (sql, arguments) = for_postgres(query)?;
        let statement = sqlx::query_with(sql, arguments).persistent(!self.is_pooled);
        if !self.needs_one() {
            let done = statement.execute(&mut *self.connection).await?;
            return Ok(done.rows_affected());
        }
        // Dropped on the way, it is rolled back.
        let mut own = self.connection.begin().await?;
        let done = statement.execute(&mut *own).await?;
        own.commit().await?;
        Ok(done.rows_affected())
    }

    fn fetch<'c>(&'c mut self, query: Query<'c>) -> BoxStream<'c, SqlResult<Row>> {
        let (sql, arguments) = match for_postgres(query) {
            Ok(prepared) => prepared,
            Err(error) => return stream::iter([Err(error)]).boxed(),
        };
        let statement = sqlx::query_with(sql, arguments).persistent(!self.is_pooled);
        if !self.needs_one() {
            let rows = statement.fetch(&mut *self.connection);
            return rows.map(|row| row.map(Row::Postgres)).boxed();
        }
        let all = async move {
            let mut own = self.connection.begin().await?;
            let rows = statement.fetch_all(&mut *own).await?;
            own.commit().await?;
            Ok(rows)
        };
        let rows = |all: SqlResult<Vec<_>>| match all {
            Ok(rows) => stream::iter(rows.into_iter().map(|row| Ok(Row::Postgres(row)))).boxed(),
            Err(error) => stream::iter([Err(error)]).boxed(),
        };
        stream::once(all).flat_map(rows).boxed()
    }

    async fn fetch_optional(&mut self, query: Query<'_>) -> SqlResult<Option<Row>> {
        let (sql, arguments) = for_postgres(query)?;
        let statement = sqlx::query_with(sql, arguments).persistent(!self.is_pooled);
        let row = if self.needs_one() {
            let mut own = self.connection.begin().await?;
            let row = statement.fetch_optional(&mut *own).await?;
            own.commit().await?;
            row
        } else {
            statement.fetch_optional(&mut *self.connection).await?
        };
        Ok(row.map(Row::Postgres))
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, SqlResult<()>> {
        self.connection.end()
    }
}

/// The holder of a connection.
pub(in super::super::super) trait Held:
    DerefMut<Target = PgConnection> + Send + 'static
{
    /// Ends the holding in good order.
    fn end(self) -> BoxFuture<'static, SqlResult<()>>;
}

impl Held for Box<PgConnection> {
    fn end(self) -> BoxFuture<'static, SqlResult<()>> {
        Box::pin((*self).close())
    }
}

impl Held for PoolConnection<Postgres> {
    fn end(self) -> BoxFuture<'static, SqlResult<()>> {
        Box::pin(async move {
            drop(self); // it goes back
            Ok(())
        })
    }
}

impl Held for Transaction<'static, Postgres> {
    fn end(self) -> BoxFuture<'static, SqlResult<()>> {
        Box::pin(self.rollback())
    }
}

fn for_postgres(query: Query<'_>) -> SqlResult<(SqlStr, PgArguments)> {
    let mut arguments = PgArguments::default();
    for value in query.values {
        let added = match value {
            Value::Integer(value) => arguments.add(value),
            Value::Text(value) => arguments.add(value.as_deref()),
            Value::Bytes(value) => arguments.add(value),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    let sql = with_numbered_parameters(&query.sql);
    Ok((AssertSqlSafe(sql).into_sql_str(), arguments))
}

/// PostgreSQL calls the parameters `$1`, `$2` …; a `?` without a number is the next one.
fn with_numbered_parameters(sql: &str) -> String {
    let mut pieces = sql.split('?');
    let mut numbered = pieces.next().unwrap_or_default().to_owned();
    for (before, piece) in pieces.enumerate() {
        numbered.push('$');
        if !piece.starts_with(|first: char| first.is_ascii_digit()) {
            numbered.push_str(&(before + 1).to_string());
        }
        numbered.push_str(piece);
    }
    numbered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_as_postgresql_counts_them() {
        let numbered = with_numbered_parameters;
        assert_eq!(numbered("SELECT 1"), "SELECT 1");
        assert_eq!(numbered("a = ? AND b = ?"), "a = $1 AND b = $2");
        assert_eq!(numbered("(?2, ?1) <> ?2"), "($2, $1) <> $2");
    }
}

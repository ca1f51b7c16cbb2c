//! Statements that every SQL database understands, and the connections that they run on.
//!
//! Statements are written once. They keep to what SQLite and PostgreSQL have in common, with
//! parameters as `?` or `?1`; where the two differ, [`Connection::dialect`] says which one it is. Values
//! are whole numbers, texts and bytes, in columns of the same meaning in both; yes and no are 1 and 0.

use std::borrow::Cow;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments as _, AssertSqlSafe, SqlSafeStr as _, SqlStr, SqliteConnection};

use super::row::{Row, SqlResult};

mod on_server;

pub(in super::super) use on_server::OnServer;

/// Which SQL a database speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Dialect {
    /// SQLite's.
    Sqlite,
    /// PostgreSQL's.
    Postgres,
}

/// A value for a parameter of a statement; NULL where there is none.
#[derive(Debug, Clone)]
pub(in super::super) enum Value<'q> {
    /// A whole number, or 1 for yes and 0 for no.
    Integer(Option<i64>),
    /// A text.
    Text(Option<Cow<'q, str>>),
    /// Bytes.
    Bytes(Option<&'q [u8]>),
}

/// The types that can be bound to a parameter.
macro_rules! values {
    ($($type:ty, $value:ident => $made:expr;)*) => {
        $(impl<'q> From<$type> for Value<'q> {
            fn from($value: $type) -> Self {
                $made
            }
        })*
    };
}

values! {
    i64, value => Self::Integer(Some(value));
    bool, value => Self::Integer(Some(value.into()));
    &'q bool, value => Self::Integer(Some((*value).into()));
    u16, value => Self::Integer(Some(value.into()));
    u32, value => Self::Integer(Some(value.into()));
    Option<i64>, value => Self::Integer(value);
    &'q str, value => Self::Text(Some(Cow::Borrowed(value)));
    &'q String, value => Self::Text(Some(Cow::Borrowed(value)));
    String, value => Self::Text(Some(Cow::Owned(value)));
    Option<&'q str>, value => Self::Text(value.map(Cow::Borrowed));
    &'q Option<String>, value => Self::Text(value.as_deref().map(Cow::Borrowed));
    Option<String>, value => Self::Text(value.map(Cow::Owned));
    &'q [u8], value => Self::Bytes(Some(value));
    Option<&'q [u8]>, value => Self::Bytes(value);
}

/// A statement with its values.
pub(in super::super) struct Query<'q> {
    sql: Cow<'static, str>,
    values: Vec<Value<'q>>,
}

/// A statement, to which values can be bound.
pub(in super::super) fn query<'q>(sql: impl Into<Cow<'static, str>>) -> Query<'q> {
    Query {
        sql: sql.into(),
        values: Vec::new(),
    }
}

impl<'q> Query<'q> {
    /// Binds the next parameter.
    pub(in super::super) fn bind(mut self, value: impl Into<Value<'q>>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Binds as many parameters as there are values.
    pub(in super::super) fn bind_all(
        mut self,
        values: impl IntoIterator<Item = impl Into<Value<'q>>>,
    ) -> Self {
        self.values.extend(values.into_iter().map(Into::into));
        self
    }

    /// Runs it; gives the number of rows that it changed.
    pub(in super::super) async fn execute(self, on: &mut dyn Connection) -> SqlResult<u64> {
        on.execute(self).await
    }

    /// Its rows, as they come.
    pub(in super::super) fn fetch<'c>(
        self,
        on: &'c mut dyn Connection,
    ) -> BoxStream<'c, SqlResult<Row>>
    where
        'q: 'c,
    {
        on.fetch(self)
    }

    /// All its rows.
    pub(in super::super) async fn fetch_all(self, on: &mut dyn Connection) -> SqlResult<Vec<Row>> {
        let mut rows = on.fetch(self);
        let mut all = Vec::new();
        while let Some(row) = rows.next().await {
            all.push(row?);
        }
        Ok(all)
    }

    /// Its first row, if there is one.
    pub(in super::super) async fn fetch_optional(
        self,
        on: &mut dyn Connection,
    ) -> SqlResult<Option<Row>> {
        on.fetch_optional(self).await
    }

    /// Its first row.
    pub(in super::super) async fn fetch_one(self, on: &mut dyn Connection) -> SqlResult<Row> {
        let row = on.fetch_optional(self).await?;
        row.ok_or(sqlx::Error::RowNotFound)
    }

    fn for_sqlite(self) -> SqlResult<(SqlStr, SqliteArguments)> {
        let mut arguments = SqliteArguments::default();
        for value in self.values {
            let added = match value {
                Value::Integer(value) => arguments.add(value),
                Value::Text(value) => arguments.add(value),
                Value::Bytes(value) => arguments.add(value),
            };
            added.map_err(sqlx::Error::Encode)?;
        }
        let sql = match self.sql {
            Cow::Borrowed(sql) => sql.into_sql_str(),
            Cow::Owned(sql) => AssertSqlSafe(sql).into_sql_str(),
        };
        Ok((sql, arguments))
    }
}

/// Rows in one statement. There is a prepared one for each number of rows up to this.
pub(in super::super) const ROWS_PER_STATEMENT: usize = 50;

/// So many rows of so many parameters, for `VALUES`.
pub(in super::super) fn rows_of_parameters(rows: usize, columns: usize) -> String {
    let row = format!("({})", vec!["?"; columns].join(", "));
    vec![row; rows].join(", ")
}

/// So many parameters, for `IN`.
pub(in super::super) fn list_of_parameters(count: usize) -> String {
    vec!["?"; count].join(", ")
}

/// A connection to a database.
#[async_trait]
pub(in super::super) trait Connection: Send {
    /// Which SQL it takes.
    fn dialect(&self) -> Dialect;

    /// Runs a statement; gives the number of rows that it changed.
    async fn execute(&mut self, query: Query<'_>) -> SqlResult<u64>;

    /// The rows of a statement, as they come.
    fn fetch<'c>(&'c mut self, query: Query<'c>) -> BoxStream<'c, SqlResult<Row>>;

    /// The first row of a statement, if there is one.
    async fn fetch_optional(&mut self, query: Query<'_>) -> SqlResult<Option<Row>>;

    /// Ends it in good order.
    fn close(self: Box<Self>) -> BoxFuture<'static, SqlResult<()>>;
}

#[async_trait]
impl Connection for SqliteConnection {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    async fn execute(&mut self, query: Query<'_>) -> SqlResult<u64> {
        let (sql, arguments) = query.for_sqlite()?;
        let done = sqlx::query_with(sql, arguments).execute(self).await?;
        Ok(done.rows_affected())
    }

    fn fetch<'c>(&'c mut self, query: Query<'c>) -> BoxStream<'c, SqlResult<Row>> {
        match query.for_sqlite() {
            Ok((sql, arguments)) => {
                let rows = sqlx::query_with(sql, arguments).fetch(self);
                rows.map(|row| row.map(Row::Sqlite)).boxed()
            }
            Err(error) => futures_util::stream::iter([Err(error)]).boxed(),
        }
    }

    async fn fetch_optional(&mut self, query: Query<'_>) -> SqlResult<Option<Row>> {
        let (sql, arguments) = query.for_sqlite()?;
        let row = sqlx::query_with(sql, arguments)
            .fetch_optional(self)
            .await?;
        Ok(row.map(Row::Sqlite))
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, SqlResult<()>> {
        Box::pin(sqlx::Connection::close(*self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_as_many_parameters_as_columns() {
        assert_eq!(rows_of_parameters(2, 3), "(?, ?, ?), (?, ?, ?)");
    }
}

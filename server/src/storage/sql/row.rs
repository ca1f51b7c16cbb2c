//! Rows of what was found, and what is read from them.

use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{ColumnIndex, Row as _};

use super::super::Result;
use super::error::corrupt;

/// The failure of a statement.
pub(in super::super) type SqlResult<T> = std::result::Result<T, sqlx::Error>;

/// A row of what a statement has found.
pub(in super::super) enum Row {
    /// From SQLite.
    Sqlite(SqliteRow),
    /// From PostgreSQL.
    Postgres(PgRow),
}

/// Name or number of a column.
pub(in super::super) trait Column:
    ColumnIndex<SqliteRow> + ColumnIndex<PgRow>
{
}

impl<C: ColumnIndex<SqliteRow> + ColumnIndex<PgRow>> Column for C {}

/// A value that can be read from a column.
pub(in super::super) trait Stored<'r>: Sized {
    /// Reads it.
    fn read(row: &'r Row, column: impl Column) -> SqlResult<Self>;
}

impl Row {
    /// The value in a column.
    pub(in super::super) fn try_get<'r, T: Stored<'r>>(
        &'r self,
        column: impl Column,
    ) -> SqlResult<T> {
        T::read(self, column)
    }
}

/// Types that both databases know.
macro_rules! stored {
    ($($type:ty),*) => {
        $(impl<'r> Stored<'r> for $type {
            fn read(row: &'r Row, column: impl Column) -> SqlResult<Self> {
                match row {
                    Row::Sqlite(row) => row.try_get(column),
                    Row::Postgres(row) => row.try_get(column),
                }
            }
        })*
    };
}

stored!(
    i64,
    Option<i64>,
    String,
    Option<String>,
    Vec<u8>,
    Option<Vec<u8>>,
    &'r [u8]
);

impl<'r> Stored<'r> for bool {
    fn read(row: &'r Row, column: impl Column) -> SqlResult<Self> {
        i64::read(row, column).map(|value| value != 0)
    }
}

impl<'r> Stored<'r> for Option<bool> {
    fn read(row: &'r Row, column: impl Column) -> SqlResult<Self> {
        let value = Option::<i64>::read(row, column)?;
        Ok(value.map(|value| value != 0))
    }
}

impl<'r> Stored<'r> for u32 {
    fn read(row: &'r Row, column: impl Column) -> SqlResult<Self> {
        let value = i64::read(row, column)?;
        Self::try_from(value).map_err(|error| sqlx::Error::Decode(error.into()))
    }
}

/// SQLite's integers are signed; ours are not.
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(row: &Row, column: impl Column) -> Result<u64> {
    let value: i64 = row.try_get(column)?;
    u64::try_from(value).map_err(|_| corrupt("a count or a time", "it is negative"))
}

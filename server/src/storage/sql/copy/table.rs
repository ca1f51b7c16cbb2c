//! A table as both databases have it.

use futures_util::TryStreamExt as _;
use futures_util::stream::BoxStream;
use sha2::{Digest as _, Sha256};

use super::super::super::Result;
use super::super::connection::{Connection, Dialect, Query, query, rows_of_parameters};
use super::super::row::{Row, SqlResult};
use super::cell::{Cell, Kind};
use super::part::{OfStudy, Part};

/// Most parameters of one statement: SQLite takes 32,766, PostgreSQL 65,535.
const MOST_PARAMETERS: usize = 2_000;

/// A table: what its rows are told apart by comes first.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: Vec<(String, Kind)>,
    /// Number of columns that tell rows apart, and by which they are ordered.
    keys: usize,
    of_study: OfStudy,
}

/// Rows as they come, with the first that was not taken.
pub(super) struct Rows<'c> {
    table: &'c Table,
    kinds: usize,
    rows: BoxStream<'c, SqlResult<Row>>,
    next: Option<Vec<Cell>>,
}

impl Table {
    /// The table of this name, whose rows are told apart by these columns.
    pub(super) async fn of(
        connection: &mut dyn Connection,
        (name, order, of_study): (&'static str, &'static str, OfStudy),
    ) -> Result<Self> {
        let columns = query(match connection.dialect() {
            Dialect::Sqlite => "SELECT name, type FROM pragma_table_info(?) ORDER BY name",
            Dialect::Postgres => {
                "SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT) \
                 FROM information_schema.columns \
                 WHERE table_schema = current_schema() AND table_name = ? \
                 ORDER BY CAST(column_name AS TEXT) COLLATE \"C\""
            }
        });
        let rows = columns.bind(name).fetch_all(connection).await?;
        let keys: Vec<&str> = order.split(", ").map(|key| key.trim_matches('"')).collect();
        let mut columns = Vec::new();
        for row in &rows {
            let (column, kind): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            let kind = match &*kind.to_ascii_lowercase() {
                "integer" | "bigint" => Kind::Integer,
                "blob" | "bytea" => Kind::Bytes,
                _ => Kind::Text,
            };
            columns.push((column, kind));
        }
        let place = |column: &str| keys.iter().position(|key| *key == column);
        columns.sort_by_key(|(column, _)| place(column).unwrap_or(keys.len()));
        Ok(Self {
            name,
            columns,
            keys: keys.len(),
            of_study,
        })
    }

    /// How many rows one statement takes.
    pub(super) fn at_once(&self) -> usize {
        MOST_PARAMETERS / self.columns.len().max(1)
    }

    /// The cells that tell a row from all others.
    pub(super) fn key<'r>(&self, row: &'r [Cell]) -> &'r [Cell] {
        row.get(..self.keys).unwrap_or(row)
    }

    fn names(&self, count: usize, suffix: &str) -> Vec<String> {
        let columns = self.columns.iter().take(count);
        columns
            .map(|(name, _)| format!("\"{name}\"{suffix}"))
            .collect()
    }

    /// Its rows, or what tells them apart, in their order.
    pub(super) fn rows<'c>(
        &'c self,
        connection: &'c mut dyn Connection,
        part: &'c Part,
        only_keys: bool,
    ) -> Rows<'c> {
        let kinds = if only_keys {
            self.keys
        } else {
            self.columns.len()
        };
        let columns = self.names(kinds, "").join(", ");
        let order = format!("ORDER BY {}", self.names(self.keys, "").join(", "));
        let select = format!("SELECT {columns} FROM {}", self.name);
        let query = part.select(connection.dialect(), self.of_study, [&select, &order]);
        Rows {
            table: self,
            kinds,
            rows: query.fetch(connection),
            next: None,
        }
    }

    /// Adds rows.
    pub(super) async fn insert(&self, to: &mut dyn Connection, rows: &[Vec<Cell>]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let values = rows_of_parameters(rows.len(), self.columns.len());
        let names = self.names(self.columns.len(), "").join(", ");
        query(format!(
            "INSERT INTO {} ({names}) VALUES {values}",
            self.name
        ))
        .bind_all(rows.iter().flatten().map(Cell::value))
        .execute(to)
        .await?;
        Ok(())
    }

    /// Puts a row in the place of the one that has the same key.
    pub(super) async fn replace(&self, to: &mut dyn Connection, row: &[Cell]) -> Result<()> {
        let set = self.names(self.columns.len(), " = ?").join(", ");
        let statement = query(format!(
            "UPDATE {} SET {set} WHERE {}",
            self.name,
            self.is_row()
        ));
        let values = row.iter().chain(self.key(row)).map(Cell::value);
        statement.bind_all(values).execute(to).await?;
        Ok(())
    }

    /// Deletes a row.
    pub(super) async fn delete(&self, to: &mut dyn Connection, key: &[Cell]) -> Result<()> {
        let statement: Query<'_> =
            query(format!("DELETE FROM {} WHERE {}", self.name, self.is_row()));
        statement
            .bind_all(key.iter().map(Cell::value))
            .execute(to)
            .await?;
        Ok(())
    }

    fn is_row(&self) -> String {
        self.names(self.keys, " = ?").join(" AND ")
    }

    /// Whether it has no rows.
    pub(super) async fn is_empty(&self, connection: &mut dyn Connection) -> Result<bool> {
        let any = query(format!("SELECT 1 FROM {} LIMIT 1", self.name));
        Ok(any.fetch_optional(connection).await?.is_none())
    }

    /// The hash over all rows, and their number.
    pub(super) async fn hash(&self, connection: &mut dyn Connection) -> Result<([u8; 32], u64)> {
        let mut rows = self.rows(connection, &Part::Whole, false);
        let (mut hash, mut count) = (Sha256::new(), 0);
        while let Some(row) = rows.take().await? {
            row.iter().for_each(|cell| cell.add_to(&mut hash));
            count += 1;
        }
        Ok((hash.finalize().into(), count))
    }
}

impl Rows<'_> {
    /// The next row, which stays the next one.
    pub(super) async fn peek(&mut self) -> Result<Option<&[Cell]>> {
        if self.next.is_none()
            && let Some(row) = self.rows.try_next().await?
        {
            let kinds = self.table.columns.iter().take(self.kinds);
            let cells = kinds
                .enumerate()
                .map(|(at, (_, kind))| Cell::of(&row, at, *kind));
            self.next = Some(cells.collect::<SqlResult<_>>()?);
        }
        Ok(self.next.as_deref())
    }

    /// The next row.
    pub(super) async fn take(&mut self) -> Result<Option<Vec<Cell>>> {
        self.peek().await?;
        Ok(self.next.take())
    }

    /// The row of this key, where there is one. Rows before it are passed over.
    pub(super) async fn at(&mut self, key: &[Cell]) -> Result<Option<Vec<Cell>>> {
        let table = self.table;
        loop {
            match self.peek().await?.map(|row| table.key(row).cmp(key)) {
                Some(std::cmp::Ordering::Less) => drop(self.take().await?),
                Some(std::cmp::Ordering::Equal) => return self.take().await,
                Some(std::cmp::Ordering::Greater) | None => return Ok(None),
            }
        }
    }
}

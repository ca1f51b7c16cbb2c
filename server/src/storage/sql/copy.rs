//! All that a database holds, written into another one, whatever the two are.
//!
//! Everything is read from one view of the source, and written in one transaction: a copy that breaks off has
//! written nothing. Before it ends, the rows of both sides are compared, table by table, by their hash.

use futures_util::TryStreamExt as _;
use sha2::{Digest as _, Sha256};

use super::super::{CopyError, Result, StorageError};
use super::connection::{Connection, Dialect, Value, query, rows_of_parameters};
use super::row::{Row, SqlResult};

/// Every table with what its rows are ordered by, those first that others refer to. Claims and probes are of no use to
/// another server; versions and changes of ledgers begin anew.
const TABLES: [(&str, &str); 28] = [
    ("study_versions", "sha256"),
    ("study_texts", "study_sha256, file, sha256"),
    ("study_statuses", "study"),
    ("instances", "sha256"),
    ("blobs", "sha256"),
    ("bundles", "sha256"),
    ("sessions", "id"),
    ("plans", "session"),
    ("events", "session, author, seq"),
    ("sealed_events", "session, author, first"),
    ("assignments", "study, ordinal"),
    ("paused_cells", "study, cell"),
    ("arrivals", "session"),
    ("secrets", "name"),
    ("acme", "name"),
    ("erasures", "session"),
    ("payments", "number"),
    ("credits", "session"),
    ("recording_pieces", "session, recording, piece"),
    ("transcripts", "session, recording"),
    ("users", "name"),
    ("memberships", "\"user\", study"),
    ("password_links", "\"user\""),
    ("sign_ins", "id"),
    ("api_tokens", "id"),
    ("identities", "issuer, subject"),
    ("audit_log", "number"),
    ("outbox", "number"),
];

/// Tables whose rows are numbered by the database.
const NUMBERED: [&str; 3] = ["audit_log", "outbox", "payments"];

/// Most parameters of one statement: SQLite takes 32,766, PostgreSQL 65,535.
const MOST_PARAMETERS: usize = 2_000;

/// At so many bytes a statement has enough rows.
const ENOUGH_BYTES: usize = 1024 * 1024;

/// The number of rows, or why nothing was copied.
type Copied = std::result::Result<u64, CopyError>;

/// What is in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Text,
    Bytes,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cell {
    Integer(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

impl Cell {
    fn of(row: &Row, at: usize, kind: Kind) -> SqlResult<Self> {
        Ok(match kind {
            Kind::Integer => Self::Integer(row.try_get(at)?),
            Kind::Text => Self::Text(row.try_get(at)?),
            Kind::Bytes => Self::Bytes(row.try_get(at)?),
        })
    }

    fn value(&self) -> Value<'_> {
        match self {
            Self::Integer(value) => (*value).into(),
            Self::Text(value) => value.into(),
            Self::Bytes(value) => value.as_deref().into(),
        }
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Integer(value) => value.map(|value| value.to_le_bytes().to_vec()),
            Self::Text(value) => value.as_ref().map(|text| text.clone().into_bytes()),
            Self::Bytes(value) => value.clone(),
        }
    }
}

/// A table as both databases have it.
struct Table {
    name: &'static str,
    order: &'static str,
    columns: Vec<(String, Kind)>,
}

impl Table {
    async fn of(
        connection: &mut dyn Connection,
        (name, order): (&'static str, &'static str),
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
        Ok(Self {
            name,
            order,
            columns,
        })
    }

    fn names(&self) -> String {
        let quoted = self.columns.iter().map(|(name, _)| format!("\"{name}\""));
        quoted.collect::<Vec<_>>().join(", ")
    }

    fn selection(&self) -> String {
        format!(
            "SELECT {} FROM {} ORDER BY {}",
            self.names(),
            self.name,
            self.order
        )
    }

    fn cells(&self, row: &Row) -> SqlResult<Vec<Cell>> {
        let kinds = self.columns.iter().map(|(_, kind)| *kind);
        kinds
            .enumerate()
            .map(|(at, kind)| Cell::of(row, at, kind))
            .collect()
    }

    async fn insert(&self, to: &mut dyn Connection, rows: &[Vec<Cell>]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let values = rows_of_parameters(rows.len(), self.columns.len());
        query(format!(
            "INSERT INTO {} ({}) VALUES {values}",
            self.name,
            self.names()
        ))
        .bind_all(rows.iter().flatten().map(Cell::value))
        .execute(to)
        .await?;
        Ok(())
    }

    /// The hash over all rows, and their number.
    async fn hash(&self, connection: &mut dyn Connection) -> Result<([u8; 32], u64)> {
        let mut rows = query(self.selection()).fetch(connection);
        let (mut hash, mut count) = (Sha256::new(), 0);
        while let Some(row) = rows.try_next().await? {
            add(&mut hash, &self.cells(&row)?);
            count += 1;
        }
        Ok((hash.finalize().into(), count))
    }
}

/// Adds a row to a hash, so that no two rows add the same.
fn add(hash: &mut Sha256, cells: &[Cell]) {
    for cell in cells {
        match cell.bytes() {
            None => hash.update([0]),
            Some(bytes) => {
                hash.update([1]);
                hash.update((bytes.len() as u64).to_le_bytes());
                hash.update(bytes);
            }
        }
    }
}

/// Copies all rows of `from`, which is in a transaction that sees one state, into `to`, whose tables are empty. `tell` is
/// told the number of rows so far. Gives the number of rows.
pub(in super::super) async fn copy(
    from: &mut dyn Connection,
    to: &mut dyn Connection,
    tell: &(dyn Fn(u64) + Sync),
) -> Copied {
    let begin = match to.dialect() {
        Dialect::Sqlite => "BEGIN IMMEDIATE",
        Dialect::Postgres => "BEGIN",
    };
    query(begin)
        .execute(&mut *to)
        .await
        .map_err(StorageError::from)?;
    let mut all = 0;
    for named in TABLES {
        let before = all;
        all += copy_table(&mut *from, &mut *to, named, &|rows| tell(before + rows)).await?;
    }
    if to.dialect() == Dialect::Postgres {
        // Rows that are made from now on are numbered after those that came.
        for table in NUMBERED {
            query(format!(
                "SELECT setval(pg_get_serial_sequence('{table}', 'number'), \
                 COALESCE(MAX(number), 1), MAX(number) IS NOT NULL) FROM {table}"
            ))
            .execute(&mut *to)
            .await
            .map_err(StorageError::from)?;
        }
    }
    query("COMMIT")
        .execute(to)
        .await
        .map_err(StorageError::from)?;
    Ok(all)
}

async fn copy_table(
    from: &mut dyn Connection,
    to: &mut dyn Connection,
    named: (&'static str, &'static str),
    tell: &(dyn Fn(u64) + Sync),
) -> Copied {
    let table = Table::of(&mut *from, named).await?;
    if Table::of(&mut *to, named).await?.columns != table.columns {
        return Err(CopyError::Columns(table.name));
    }
    if table.hash(&mut *to).await?.1 > 0 {
        return Err(CopyError::NotEmpty(table.name));
    }
    let at_once = MOST_PARAMETERS / table.columns.len().max(1);
    let (mut hash, mut count) = (Sha256::new(), 0);
    let mut waiting = Vec::new();
    let mut bytes = 0;
    let mut rows = query(table.selection()).fetch(from);
    while let Some(row) = rows.try_next().await.map_err(StorageError::from)? {
        let cells = table.cells(&row).map_err(StorageError::from)?;
        add(&mut hash, &cells);
        bytes += cells
            .iter()
            .filter_map(Cell::bytes)
            .map(|it| it.len())
            .sum::<usize>();
        waiting.push(cells);
        count += 1;
        if waiting.len() >= at_once || bytes >= ENOUGH_BYTES {
            table.insert(&mut *to, &waiting).await?;
            waiting.clear();
            bytes = 0;
            tell(count);
        }
    }
    drop(rows);
    table.insert(&mut *to, &waiting).await?;
    tell(count);
    let read: [u8; 32] = hash.finalize().into();
    if table.hash(to).await? != (read, count) {
        return Err(CopyError::Differs(table.name));
    }
    Ok(count)
}

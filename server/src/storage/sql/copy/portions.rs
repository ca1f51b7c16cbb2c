//! Writing in portions, each on disk before the next one.

use domain::session::event::SessionId;

use super::super::super::{CopyError, Result, StorageError};
use super::super::connection::{Connection, Dialect, query};
use super::super::rewriting::{self, From};
use super::cell::Cell;
use super::record::Record;
use super::table::Table;

/// So many bytes are committed at once.
const PORTION: usize = 16 * 1024 * 1024;

/// At so many bytes a statement has enough rows.
const ENOUGH_BYTES: usize = 1024 * 1024;

/// The result of a step of a copy.
type Done = std::result::Result<(), CopyError>;

/// The database that is written.
pub(super) struct Portions<'c> {
    to: &'c mut dyn Connection,
    record: &'c Record,
    /// Bytes that are written and not committed; none outside of a transaction.
    written: Option<usize>,
    /// Rows that are not written yet, all of one table.
    waiting: Vec<Vec<Cell>>,
    bytes: usize,
}

impl<'c> Portions<'c> {
    /// Writes into a database in which this copy is noted.
    pub(super) fn new(to: &'c mut dyn Connection, record: &'c Record) -> Self {
        Self {
            to,
            record,
            written: None,
            waiting: Vec::new(),
            bytes: 0,
        }
    }

    /// Deletes a row.
    pub(super) async fn delete(&mut self, table: &Table, key: &[Cell]) -> Done {
        self.begin().await?;
        table.delete(&mut *self.to, key).await?;
        note(&mut *self.to, table, key).await?;
        self.add(key.iter().map(Cell::len).sum()).await
    }

    /// Puts a row in the place of the one with the same key.
    pub(super) async fn replace(&mut self, table: &Table, row: &[Cell]) -> Done {
        self.begin().await?;
        table.replace(&mut *self.to, row).await?;
        note(&mut *self.to, table, table.key(row)).await?;
        self.add(row.iter().map(Cell::len).sum()).await
    }

    /// Adds a row, together with the next ones of its table; whether it is written now.
    pub(super) async fn insert(
        &mut self,
        table: &Table,
        row: Vec<Cell>,
    ) -> std::result::Result<bool, CopyError> {
        self.bytes += row.iter().map(Cell::len).sum::<usize>();
        self.waiting.push(row);
        let is_enough = self.waiting.len() >= table.at_once() || self.bytes >= ENOUGH_BYTES;
        if is_enough {
            self.write(table).await?;
        }
        Ok(is_enough)
    }

    /// Writes what waits.
    pub(super) async fn write(&mut self, table: &Table) -> Done {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.begin().await?;
        table.insert(&mut *self.to, &self.waiting).await?;
        self.waiting.clear();
        let bytes = std::mem::take(&mut self.bytes);
        self.add(bytes).await
    }

    /// Commits what is written.
    pub(super) async fn commit(&mut self) -> Done {
        if self.written.take().is_some() {
            let done = query("COMMIT").execute(&mut *self.to).await;
            done.map_err(StorageError::from)?;
        }
        Ok(())
    }

    async fn begin(&mut self) -> Done {
        if self.written.is_some() {
            return Ok(());
        }
        begin(&mut *self.to).await?;
        self.written = Some(0);
        // Another process may have gone on with the same copy.
        if self.record.hold(&mut *self.to).await? {
            Ok(())
        } else {
            Err(CopyError::Ended)
        }
    }

    async fn add(&mut self, bytes: usize) -> Done {
        let written = self.written.unwrap_or(0) + bytes;
        self.written = Some(written);
        if written >= PORTION {
            self.commit().await?;
        }
        Ok(())
    }
}

/// Notes that a row was erased which the source no longer has as it was.
async fn note(to: &mut dyn Connection, table: &Table, key: &[Cell]) -> Result<()> {
    match key {
        [Cell::Text(Some(session)), ..] if table.name == "events" => {
            rewriting::note(to, From::EventsOf(&SessionId(session.clone()))).await
        }
        _ => rewriting::note(to, From::Tables(&[table.name])).await,
    }
}

/// Begins a transaction that writes.
pub(super) async fn begin(to: &mut dyn Connection) -> Result<()> {
    let begin = match to.dialect() {
        Dialect::Sqlite => "BEGIN IMMEDIATE",
        Dialect::Postgres => "BEGIN",
    };
    query(begin).execute(to).await?;
    Ok(())
}

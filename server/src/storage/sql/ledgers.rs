//! The studies' ledgers as a writer knows them, so that *Start* need not read them.
//!
//! A ledger is made of all rows when it is first needed, and changed with each row after that; it
//! is derived, and stored nowhere. Changes of a transaction are taken back if it is rolled back.
//!
//! Writes of others: SQLite says whether another process has written to the file; then all is
//! forgotten and read anew. In PostgreSQL, where several write as a rule, each study has a version,
//! and its last changes are kept by version: whoever is behind takes in what it has missed. A study
//! is locked by the transaction that looks at its ledger.

use std::collections::{BTreeMap, HashMap};

use domain::recruitment::assignment::{AssignedSession, Ledger, Purpose};
use serde::{Deserialize, Serialize};

use super::super::{Result, StorageError};
use super::connection::{Connection, Dialect, query};
use super::error::json;
use super::ledger_lines;
use super::read::{signed, unsigned};

/// So many changes of a study are kept. A writer that has missed more reads all rows.
const KEPT: u64 = 10_000;

/// A study, and what sessions are for.
type Key = (String, Purpose);

/// A session's entry before and after: none where it was not there, or is not any more.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Change {
    purpose: Purpose,
    before: Option<AssignedSession>,
    after: Option<AssignedSession>,
}

/// A ledger, and the version of its study that it is of.
#[derive(Default)]
struct Known {
    ledger: Ledger,
    version: u64,
}

impl Known {
    fn apply(&mut self, before: Option<&AssignedSession>, after: Option<&AssignedSession>) {
        if let Some(before) = before {
            self.ledger.remove(before);
        }
        if let Some(after) = after {
            self.ledger.add(after);
        }
    }
}

/// The ledgers that are known.
#[derive(Default)]
pub(super) struct Ledgers {
    known: HashMap<Key, Known>,
    /// SQLite's number of the file's state, as far as others have changed it.
    data_version: Option<i64>,
    /// The changes of the transaction under way, by study; what it has read.
    changes: Vec<(String, Change)>,
    read: Vec<Key>,
    /// The versions that studies have once the transaction is on disk.
    versions: BTreeMap<String, u64>,
}

impl Ledgers {
    /// The ledger of a study's sessions of one purpose, inside a transaction that writes.
    pub(super) async fn of(
        &mut self,
        connection: &mut dyn Connection,
        study: &str,
        purpose: Purpose,
    ) -> Result<&mut Ledger> {
        let key = (study.to_owned(), purpose);
        self.catch_up(connection, &key).await?;
        if !self.known.contains_key(&key) {
            let ledger = ledger_lines::counted(connection, study, purpose).await?;
            let version = match connection.dialect() {
                Dialect::Sqlite => 0,
                Dialect::Postgres => version_of(connection, study).await?,
            };
            self.known.insert(key.clone(), Known { ledger, version });
            self.read.push(key.clone());
        }
        Ok(&mut self.known.entry(key).or_default().ledger)
    }

    /// A session's row has changed in the transaction under way.
    pub(super) async fn change(
        &mut self,
        connection: &mut dyn Connection,
        study: &str,
        purpose: Purpose,
        before: Option<AssignedSession>,
        after: Option<AssignedSession>,
    ) -> Result<()> {
        let key = (study.to_owned(), purpose);
        self.catch_up(connection, &key).await?;
        if let Some(known) = self.known.get_mut(&key) {
            known.apply(before.as_ref(), after.as_ref());
        }
        let change = Change {
            purpose,
            before,
            after,
        };
        self.changes.push((key.0, change));
        Ok(())
    }

    /// Takes in what others have written of a ledger that is known, or forgets it.
    async fn catch_up(&mut self, connection: &mut dyn Connection, key: &Key) -> Result<()> {
        let (study, purpose) = key;
        if connection.dialect() == Dialect::Sqlite {
            let row = query("PRAGMA data_version").fetch_one(connection).await?;
            let version: i64 = row.try_get(0)?;
            if self.data_version != Some(version) {
                self.known.clear();
                self.data_version = Some(version);
            }
            return Ok(());
        }
        let Some(known) = self.known.get_mut(key) else {
            return Ok(());
        };
        let version = version_of(connection, study).await?;
        if known.version == version {
            return Ok(());
        }
        let rows = query(
            "SELECT change FROM ledger_changes WHERE study = ? AND version > ? ORDER BY version",
        )
        .bind(study)
        .bind(signed(known.version))
        .fetch_all(connection)
        .await?;
        // A change of the transaction under way is in no version yet, and stays as it is.
        if known.version + rows.len() as u64 != version {
            let is_changed =
                |(of, change): &(String, Change)| of == study && change.purpose == *purpose;
            if self.changes.iter().any(is_changed) {
                return Err(StorageError::Locked);
            }
            self.known.remove(key);
            return Ok(());
        }
        for row in rows {
            let text: String = row.try_get(0)?;
            let missed: Change = serde_json::from_str(&text)
                .map_err(|error| StorageError::damaged_text("a change of a ledger", &error))?;
            if missed.purpose == *purpose {
                known.apply(missed.before.as_ref(), missed.after.as_ref());
            }
        }
        known.version = version;
        Ok(())
    }

    /// Notes for others what the transaction under way has changed, at its end.
    pub(super) async fn note_changes(&mut self, connection: &mut dyn Connection) -> Result<()> {
        if connection.dialect() == Dialect::Sqlite {
            return Ok(());
        }
        for (study, change) in &self.changes {
            let row = query(
                "INSERT INTO ledger_versions (study, version) VALUES (?, 1) ON CONFLICT (study) \
                 DO UPDATE SET version = ledger_versions.version + 1 RETURNING version",
            )
            .bind(study)
            .fetch_one(&mut *connection)
            .await?;
            let version = unsigned(&row, 0)?;
            query("INSERT INTO ledger_changes (study, version, change) VALUES (?, ?, ?)")
                .bind(study)
                .bind(signed(version))
                .bind(json(change)?)
                .execute(&mut *connection)
                .await?;
            if version.is_multiple_of(KEPT) {
                query("DELETE FROM ledger_changes WHERE study = ? AND version <= ?")
                    .bind(study)
                    .bind(signed(version - KEPT))
                    .execute(&mut *connection)
                    .await?;
            }
            self.versions.insert(study.clone(), version);
        }
        Ok(())
    }

    /// The transaction is on disk.
    pub(super) fn committed(&mut self) {
        for ((study, _), known) in &mut self.known {
            if let Some(version) = self.versions.get(study) {
                known.version = *version;
            }
        }
        self.end();
    }

    /// The transaction has changed nothing.
    pub(super) fn rolled_back(&mut self) {
        // A ledger that was read in it may hold what it had changed.
        for key in self.read.drain(..) {
            self.known.remove(&key);
        }
        for (study, change) in std::mem::take(&mut self.changes).into_iter().rev() {
            if let Some(known) = self.known.get_mut(&(study, change.purpose)) {
                known.apply(change.after.as_ref(), change.before.as_ref());
            }
        }
        self.end();
    }

    fn end(&mut self) {
        self.changes.clear();
        self.read.clear();
        self.versions.clear();
    }

    /// Nothing is known any more: the connection is another one.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// The number of changes of a study's ledger.
async fn version_of(connection: &mut dyn Connection, study: &str) -> Result<u64> {
    let row = query("SELECT version FROM ledger_versions WHERE study = ?")
        .bind(study)
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| unsigned(&row, 0)).transpose()?.unwrap_or(0))
}

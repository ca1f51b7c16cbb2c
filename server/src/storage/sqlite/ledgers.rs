//! The studies' ledgers as the writer knows them, so that *Start* need not read them.
//!
//! A ledger is made of all rows when it is first needed, and changed with each row after that; it
//! is derived, and stored nowhere. Changes of a transaction are taken back if it is rolled back.
//! When another process has written to the file, all is forgotten and read anew.

use std::collections::HashMap;

use domain::recruitment::assignment::{AssignedSession, Ledger, Purpose};
use sqlx::{Row as _, SqliteConnection};

use super::super::Result;
use super::ledger_lines;

/// A study, and what sessions are for.
type Key = (String, Purpose);

/// A session's entry before and after: none where it was not there, or is not any more.
type Change = (Key, Option<AssignedSession>, Option<AssignedSession>);

/// The ledgers that are known.
#[derive(Default)]
pub(super) struct Ledgers {
    known: HashMap<Key, Ledger>,
    /// SQLite's number of the file's state, as far as others have changed it.
    version: Option<i64>,
    /// What the transaction under way has changed, and what it has read.
    changes: Vec<Change>,
    read: Vec<Key>,
}

impl Ledgers {
    /// The ledger of a study's sessions of one purpose, inside a transaction that writes.
    pub(super) async fn of(
        &mut self,
        connection: &mut SqliteConnection,
        study: &str,
        purpose: Purpose,
    ) -> Result<&mut Ledger> {
        let row = sqlx::query("PRAGMA data_version")
            .fetch_one(&mut *connection)
            .await?;
        let version: i64 = row.try_get(0)?;
        if self.version != Some(version) {
            self.known.clear();
            self.version = Some(version);
        }
        let key = (study.to_owned(), purpose);
        if !self.known.contains_key(&key) {
            let ledger = ledger_lines::counted(connection, study, purpose).await?;
            self.known.insert(key.clone(), ledger);
            self.read.push(key.clone());
        }
        Ok(self.known.entry(key).or_default())
    }

    /// A session's row has changed in the transaction under way.
    pub(super) fn change(
        &mut self,
        study: &str,
        purpose: Purpose,
        before: Option<AssignedSession>,
        after: Option<AssignedSession>,
    ) {
        let key = (study.to_owned(), purpose);
        self.apply(&key, before.as_ref(), after.as_ref());
        self.changes.push((key, before, after));
    }

    fn apply(
        &mut self,
        key: &Key,
        before: Option<&AssignedSession>,
        after: Option<&AssignedSession>,
    ) {
        let Some(ledger) = self.known.get_mut(key) else {
            return;
        };
        if let Some(before) = before {
            ledger.remove(before);
        }
        if let Some(after) = after {
            ledger.add(after);
        }
    }

    /// The transaction is on disk.
    pub(super) fn committed(&mut self) {
        self.changes.clear();
        self.read.clear();
    }

    /// The transaction has changed nothing.
    pub(super) fn rolled_back(&mut self) {
        // What was read in it may hold what it had changed.
        for key in self.read.drain(..) {
            self.known.remove(&key);
        }
        for (key, before, after) in std::mem::take(&mut self.changes).into_iter().rev() {
            self.apply(&key, after.as_ref(), before.as_ref());
        }
    }

    /// Nothing is known any more: the connection is another one.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

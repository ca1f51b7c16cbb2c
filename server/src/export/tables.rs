//! The exported tables and what each of their columns means.
//!
//! `dictionary.csv` beside this file is the one place where columns are named,
//! ordered and explained; it is also what a researcher gets. Column names are
//! stable: analyses depend on them. Units are in the names.

use anyhow::Context;
use serde::{Deserialize, Serialize};

/// The data dictionary, as it is written beside every export.
pub const DICTIONARY: &str = include_str!("dictionary.csv");

/// One column of the data dictionary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Table it belongs to.
    #[serde(skip_serializing)]
    pub table: String,
    /// Name in the files.
    pub column: String,
    /// `text`, `integer`, `number`, `boolean` or `json`.
    pub r#type: String,
    /// Unit, empty where there is none.
    pub unit: String,
    /// Allowed values, in words.
    pub allowed: String,
    /// What it means, and when it is empty.
    pub meaning: String,
}

/// One table, written as CSV and as JSON Lines with the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Name of the files, without ending.
    pub name: &'static str,
    /// What one row is.
    pub row: &'static str,
}

/// One row for each session.
pub const SESSIONS: Table = Table {
    name: "sessions",
    row: "one session, complete or not",
};
/// One row for each question begun.
pub const QUESTIONS: Table = Table {
    name: "questions",
    row: "one question that was begun; an unended one counts up to its last event",
};
/// One row for each dial of each question begun.
pub const DIMENSIONS: Table = Table {
    name: "dimensions",
    row: "one dimension of one question that was begun",
};
/// One row for each snapshot.
pub const SNAPSHOTS: Table = Table {
    name: "snapshots",
    row: "one stored state of a question",
};
/// One row for each answer.
pub const ANSWERS: Table = Table {
    name: "answers",
    row: "one answer to one item of a questionnaire",
};
/// One row for each event.
pub const EVENTS: Table = Table {
    name: "events",
    row: "one event of the log; the JSON Lines file holds the events exactly as stored",
};
/// All tables.
pub const TABLES: [Table; 6] = [SESSIONS, QUESTIONS, DIMENSIONS, SNAPSHOTS, ANSWERS, EVENTS];

impl Table {
    /// The table's columns, in order.
    ///
    /// # Errors
    /// When the dictionary inside the program is broken: a fault of the build.
    pub fn columns(&self) -> anyhow::Result<Vec<Column>> {
        let mut reader = csv::Reader::from_reader(DICTIONARY.as_bytes());
        let mut columns = Vec::new();
        for column in reader.deserialize::<Column>() {
            let column = column.context("the data dictionary inside the program")?;
            if column.table == self.name {
                columns.push(column);
            }
        }
        Ok(columns)
    }
}

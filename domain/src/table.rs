//! Tables of an export: each column is declared beside the code that fills it.

use serde_json::Value;

mod question;

pub use question::{QuestionCells, place_fields, question_fields};

use crate::plan::SessionPlan;
use crate::session::Session;
use crate::task::{AnswerKey, QuestionRecord};

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Words.
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A JSON value, such as a list.
    Json,
}

impl ColumnType {
    /// The name in the data dictionary.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Json => "json",
        }
    }
}

/// What a researcher needs to know of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name in the files. Stable: analyses depend on it.
    pub name: &'static str,
    /// What its cells hold.
    pub column_type: ColumnType,
    /// Unit; empty where there is none.
    pub unit: &'static str,
    /// Allowed values, in words; empty where the type says enough.
    pub allowed: &'static str,
    /// What it means, and when it is empty.
    pub meaning: &'static str,
}

/// A column of a table whose rows are made from `R`.
pub struct Field<R: ?Sized> {
    /// What a researcher needs to know of it.
    pub column: Column,
    /// Fills a cell; null gives an empty one.
    pub value: fn(&R) -> Value,
}

/// A column and the code that fills it.
#[must_use]
pub const fn field<R: ?Sized>(
    name: &'static str,
    column_type: ColumnType,
    unit: &'static str,
    allowed: &'static str,
    meaning: &'static str,
    value: fn(&R) -> Value,
) -> Field<R> {
    Field {
        column: Column {
            name,
            column_type,
            unit,
            allowed,
            meaning,
        },
        value,
    }
}

/// One question that was begun, with all that a row about it may need.
pub struct QuestionRow<'a> {
    /// What the session was started with.
    pub plan: &'a SessionPlan,
    /// The state that the session's log leads to.
    pub session: &'a Session,
    /// The question's record, measured with its key.
    pub record: &'a QuestionRecord,
    /// The question's answer key, where there is one.
    pub key: Option<&'a AnswerKey>,
    /// The question's events in order, each with its number in the log.
    pub events: &'a [(u64, &'a crate::task::TaskEvent)],
}

/// A table of a task: its columns, and how a question becomes rows.
pub struct Table {
    /// Name of the files, without ending.
    pub name: &'static str,
    /// What one row is.
    pub row: &'static str,
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// The rows of one question; each has one cell for each column.
    #[allow(clippy::type_complexity)] // a function, named where it is used
    pub rows: Box<dyn Fn(&QuestionRow<'_>) -> Vec<Vec<Value>> + Send + Sync>,
}

impl Table {
    /// A table of which each question gives any number of rows: `rows` splits a
    /// question into what one row is made from.
    #[must_use]
    pub fn new<R: 'static>(
        name: &'static str,
        row: &'static str,
        fields: Vec<Field<R>>,
        rows: fn(&QuestionRow<'_>) -> Vec<R>,
    ) -> Self {
        let columns = fields.iter().map(|field| field.column).collect();
        Self {
            name,
            row,
            columns,
            rows: Box::new(move |question| {
                let cells = |row: &R| fields.iter().map(|field| (field.value)(row)).collect();
                rows(question).iter().map(cells).collect()
            }),
        }
    }
}

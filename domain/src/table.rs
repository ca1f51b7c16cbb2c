//! Tables of an export: each column is declared beside the code that fills it.

use std::sync::Arc;

use serde_json::Value;

mod question;

pub use question::{QuestionCells, place_fields, question_fields};

use crate::plan::SessionPlan;
use crate::session::Session;
use crate::task::{AnswerKey, QuestionRecord, TaskEvent};

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
    /// A moment, as RFC 3339.
    Time,
    /// A list of numbers, as JSON.
    Numbers,
    /// Another JSON value, such as an object.
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
            Self::Time => "time",
            Self::Numbers => "numbers",
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
    /// Whether a cell can say who somebody is. It is left out unless it is asked for.
    pub identifying: bool,
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
            identifying: false,
        },
        value,
    }
}

impl<R: ?Sized> Field<R> {
    /// The same column, whose cells can say who somebody is.
    #[must_use]
    pub fn identifying(mut self) -> Self {
        self.column.identifying = true;
        self
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
}

/// The cells of a row, one for each column.
pub type Cells = Vec<Value>;

/// Makes the rows of one question, event by event, so that a question of any length needs no more
/// memory than a short one.
pub trait QuestionRows {
    /// The row that an event of the question gives, if it gives one. `seq` is the event's number in
    /// the participant's log. The question's record is already that of all its events.
    fn event(&mut self, question: &QuestionRow<'_>, seq: u64, event: &TaskEvent) -> Option<Cells>;

    /// The rows that follow once all events have passed.
    fn end(&mut self, question: &QuestionRow<'_>) -> Vec<Cells>;
}

/// A table of a task: its columns, and how a question becomes rows.
pub struct Table {
    /// Name of the table.
    pub name: &'static str,
    /// What one row is.
    pub row: &'static str,
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// Begins the rows of one question.
    #[allow(clippy::type_complexity)] // a function, named where it is used
    pub begin: Box<dyn Fn() -> Box<dyn QuestionRows + Send> + Send + Sync>,
}

impl Table {
    /// A table whose rows follow from the question's record: `rows` splits a question into what
    /// one row is made from.
    #[must_use]
    pub fn new<R: 'static>(
        name: &'static str,
        row: &'static str,
        fields: Vec<Field<R>>,
        rows: fn(&QuestionRow<'_>) -> Vec<R>,
    ) -> Self {
        Self::folded::<(), R>(
            name,
            row,
            fields,
            |_, _, _, _| None,
            move |_, question| rows(question),
        )
    }

    /// A table whose rows need the question's events, too. `event` folds each into a state of the
    /// question's own, and says what the row is made from that it gives, if it gives one; `end`
    /// says the same for the rows that follow from the whole.
    #[must_use]
    pub fn folded<S: Default + Send + 'static, R: 'static>(
        name: &'static str,
        row: &'static str,
        fields: Vec<Field<R>>,
        event: fn(&mut S, &QuestionRow<'_>, u64, &TaskEvent) -> Option<R>,
        end: impl Fn(&S, &QuestionRow<'_>) -> Vec<R> + Send + Sync + 'static,
    ) -> Self {
        let columns = fields.iter().map(|field| field.column).collect();
        let how: Arc<Fold<S, R>> = Arc::new(Fold {
            fields,
            event,
            end: Box::new(end),
        });
        Self {
            name,
            row,
            columns,
            begin: Box::new(move || {
                Box::new(Folding {
                    how: Arc::clone(&how),
                    state: S::default(),
                })
            }),
        }
    }
}

/// How a table folds the events of a question.
struct Fold<S, R> {
    fields: Vec<Field<R>>,
    event: fn(&mut S, &QuestionRow<'_>, u64, &TaskEvent) -> Option<R>,
    #[allow(clippy::type_complexity)] // a function, named where it is used
    end: Box<dyn Fn(&S, &QuestionRow<'_>) -> Vec<R> + Send + Sync>,
}

impl<S, R> Fold<S, R> {
    fn cells(&self, row: &R) -> Cells {
        self.fields.iter().map(|field| (field.value)(row)).collect()
    }
}

/// One question of it.
struct Folding<S, R> {
    how: Arc<Fold<S, R>>,
    state: S,
}

impl<S, R> QuestionRows for Folding<S, R> {
    fn event(&mut self, question: &QuestionRow<'_>, seq: u64, event: &TaskEvent) -> Option<Cells> {
        let row = (self.how.event)(&mut self.state, question, seq, event)?;
        Some(self.how.cells(&row))
    }

    fn end(&mut self, question: &QuestionRow<'_>) -> Vec<Cells> {
        let rows = (self.how.end)(&self.state, question);
        rows.iter().map(|row| self.how.cells(row)).collect()
    }
}

//! The tables of an export that a task declares, and what their rows are made from.

use std::sync::Arc;

use super::{AnswerKey, QuestionRecord, TaskEvent, TaskPlan, TaskState};
use crate::common::identifiers::SessionId;
use crate::common::table::Cells;
use crate::common::table::{Column, Field};
use crate::design::Levels;

mod question;

pub use question::{QuestionCells, place_fields, question_fields, replay_fields};

/// One question that was begun, with all that a row about it may need.
pub struct QuestionRow<'a> {
    /// Name of the session.
    pub session: &'a SessionId,
    /// SHA-256 of the study's definition.
    pub study_sha256: &'a str,
    /// The levels of the session's cell, and those of the stage.
    pub levels: [&'a Levels; 2],
    /// The plan that was drawn for the question's stage.
    pub task: &'a TaskPlan,
    /// The state of the stage's last question so far, which has the names of the dials.
    pub last_state: Option<&'a TaskState>,
    /// The question's record, measured with its key.
    pub record: &'a QuestionRecord,
    /// The question's answer key, where there is one.
    pub key: Option<&'a AnswerKey>,
}

impl QuestionRow<'_> {
    /// The name that the participant gave to a dial.
    #[must_use]
    pub fn dial_name(&self, dimension: usize) -> Option<&str> {
        self.last_state?.dial_name(dimension)
    }
}

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
    /// The meaning of one row, in words.
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

//! The tables of one task.

use std::collections::BTreeMap;

use domain::event::{Event, QuestionRef};
use domain::table::{QuestionRow, Table};
use domain::task::{TaskEvent, TaskKind};

use super::error::ExportError;
use super::files::{TableWriter, TablesFolder, Written};
use super::replay::ReplayedSession;

/// The tables being written.
pub(super) struct TaskTables {
    task: TaskKind,
    tables: Vec<(Table, TableWriter)>,
}

impl TaskTables {
    /// Starts the files of a task's tables.
    pub(super) fn create(to: &TablesFolder<'_>, task: TaskKind) -> Result<Self, ExportError> {
        let tables = task
            .tables()
            .into_iter()
            .map(|table| {
                let columns = table.columns.clone();
                let out = TableWriter::create(to, table.name, table.row, columns)?;
                Ok((table, out))
            })
            .collect::<Result<_, ExportError>>()?;
        Ok(Self { task, tables })
    }

    /// Writes the rows of a session's questions of this task.
    pub(super) fn session(&mut self, replayed: &ReplayedSession) -> Result<(), ExportError> {
        let session = &replayed.session;
        let mine: Vec<_> = session
            .records()
            .into_iter()
            .filter(|record| record.measures.task() == self.task)
            .collect();
        if mine.is_empty() {
            return Ok(());
        }
        let events = by_question(replayed);
        for record in &mine {
            let row = QuestionRow {
                plan: session.plan(),
                session,
                record,
                key: session.key(record.at),
                events: events.get(&record.at).map_or(&[], Vec::as_slice),
            };
            for (table, out) in &mut self.tables {
                for cells in (table.rows)(&row) {
                    out.row(cells)?;
                }
            }
        }
        Ok(())
    }

    /// Closes the files.
    pub(super) fn finish(self) -> Result<Vec<Written>, ExportError> {
        self.tables
            .into_iter()
            .map(|(_, out)| out.finish())
            .collect()
    }
}

/// What happened in each question, in order, with the events' numbers in their log.
fn by_question(replayed: &ReplayedSession) -> BTreeMap<QuestionRef, Vec<(u64, &TaskEvent)>> {
    let mut events: BTreeMap<QuestionRef, Vec<(u64, &TaskEvent)>> = BTreeMap::new();
    let mut current = None;
    for logged in &replayed.events {
        match &logged.envelope.event {
            Event::QuestionStarted { at } => current = Some(*at),
            Event::Task(event) => {
                if let Some(at) = current {
                    let of_question = events.entry(at).or_default();
                    of_question.push((logged.envelope.seq, event));
                }
            }
            _ => {}
        }
    }
    events
}

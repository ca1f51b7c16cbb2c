//! The tables of the tasks, written while a session's log passes by.

use std::collections::BTreeMap;

use domain::session::event::{Event, QuestionRef};
use domain::task::tables::{QuestionRows, Table};
use domain::task::{QuestionRecord, TaskKind};

use super::error::ExportError;
use super::files::ExportTarget;
use super::log::LoggedEvent;
use super::replay::ReplayedSession;
use super::table_writer::{TableWriter, WrittenTable};

/// The tables being written.
pub(super) struct TaskTables {
    tables: Vec<(TaskKind, Table, TableWriter)>,
}

impl TaskTables {
    /// Starts the files of all tables of all tasks.
    pub(super) fn create(to: &ExportTarget<'_>) -> Result<Self, ExportError> {
        let mut tables = Vec::new();
        for task in TaskKind::ALL {
            for table in task.tables() {
                let columns = table.columns.clone();
                let out = TableWriter::create(to, table.name, table.row, columns)?;
                tables.push((*task, table, out));
            }
        }
        Ok(Self { tables })
    }

    /// Begins the rows of a session.
    pub(super) fn session<'a>(
        &'a mut self,
        replayed: &'a ReplayedSession,
        counts: bool,
    ) -> SessionRows<'a> {
        let records = replayed.session.records().into_iter();
        SessionRows {
            records: records.map(|record| (record.at, record)).collect(),
            tables: &mut self.tables,
            replayed,
            counts,
            current: None,
        }
    }

    /// Closes the files.
    pub(super) fn finish(self) -> Result<Vec<WrittenTable>, ExportError> {
        let tables = self.tables.into_iter();
        tables.map(|(_, _, out)| out.finish()).collect()
    }
}

/// The rows of one session, question by question.
pub(super) struct SessionRows<'a> {
    tables: &'a mut [(TaskKind, Table, TableWriter)],
    replayed: &'a ReplayedSession,
    counts: bool,
    records: BTreeMap<QuestionRef, QuestionRecord>,
    current: Option<Current>,
}

/// The question that events belong to.
struct Current {
    record: QuestionRecord,
    /// The rows of each table, by its index.
    rows: Vec<(usize, Box<dyn QuestionRows + Send>)>,
}

impl SessionRows<'_> {
    /// Takes in the next event of the session's log.
    pub(super) fn event(&mut self, logged: &LoggedEvent) -> Result<(), ExportError> {
        match &logged.envelope.event {
            Event::QuestionStarted { at } => self.question(*at),
            Event::Task(event) => {
                let Some(Current { record, rows }) = &mut self.current else {
                    return Ok(());
                };
                let Some(question) = self.replayed.session.question_row(record) else {
                    return Ok(());
                };
                for (index, rows) in rows {
                    let cells = rows.event(&question, logged.envelope.seq, event);
                    if let (Some(cells), Some((_, _, out))) = (cells, self.tables.get_mut(*index)) {
                        out.row(cells, None, self.counts)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn question(&mut self, at: QuestionRef) -> Result<(), ExportError> {
        let current = self.current.as_ref();
        if current.is_some_and(|current| current.record.at == at) {
            // A page that was opened anew begins it once more.
            return Ok(());
        }
        self.end_question()?;
        let Some(record) = self.records.remove(&at) else {
            return Ok(());
        };
        let task = record.measures.task();
        let mine = self.tables.iter().enumerate();
        let mine = mine.filter(|(_, (of, _, _))| *of == task);
        let rows = mine
            .map(|(index, (_, table, _))| (index, (table.begin)()))
            .collect();
        self.current = Some(Current { record, rows });
        Ok(())
    }

    fn end_question(&mut self) -> Result<(), ExportError> {
        let Some(Current { record, rows }) = self.current.take() else {
            return Ok(());
        };
        let Some(question) = self.replayed.session.question_row(&record) else {
            return Ok(());
        };
        for (index, mut rows) in rows {
            let Some((_, _, out)) = self.tables.get_mut(index) else {
                continue;
            };
            for cells in rows.end(&question) {
                out.row(cells, None, self.counts)?;
            }
        }
        Ok(())
    }

    /// Writes what follows from the log as a whole.
    pub(super) fn end(mut self) -> Result<(), ExportError> {
        self.end_question()?;
        for (_, _, out) in &mut *self.tables {
            out.session_ended(self.counts)?;
        }
        Ok(())
    }
}

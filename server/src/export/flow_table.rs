//! A table of the flow, whose rows are made from one kind of value.

use domain::common::table::{Cells, Column, Field};

use super::error::ExportError;
use super::files::ExportTarget;
use super::table_writer::{TableWriter, WrittenTable};

/// The table being written.
pub(super) struct FlowTable<R> {
    fields: Vec<Field<R>>,
    out: TableWriter,
}

impl<R> FlowTable<R> {
    /// Starts a table's files; `row` says what one row is.
    pub(super) fn create(
        to: &ExportTarget<'_>,
        name: &'static str,
        row: &'static str,
        fields: Vec<Field<R>>,
    ) -> Result<Self, ExportError> {
        let columns: Vec<Column> = fields.iter().map(|field| field.column).collect();
        let out = TableWriter::create(to, name, row, columns)?;
        Ok(Self { fields, out })
    }

    /// Writes a row of a session that counts or not.
    pub(super) fn row(&mut self, of: &R, counts: bool) -> Result<(), ExportError> {
        self.out.row(self.cells(of), None, counts)
    }

    /// Writes a row with a JSON line of its own.
    pub(super) fn row_with_line(
        &mut self,
        of: &R,
        line: &str,
        counts: bool,
    ) -> Result<(), ExportError> {
        self.out.row(self.cells(of), Some(line), counts)
    }

    fn cells(&self, of: &R) -> Cells {
        self.fields.iter().map(|field| (field.value)(of)).collect()
    }

    /// Says that the rows of a session are complete.
    pub(super) fn session_ended(&mut self, counts: bool) -> Result<(), ExportError> {
        self.out.session_ended(counts)
    }

    /// Closes the files.
    pub(super) fn finish(self) -> Result<WrittenTable, ExportError> {
        self.out.finish()
    }
}

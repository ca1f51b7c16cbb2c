//! A table of the flow, whose rows are made from one kind of value.

use domain::table::{Column, Field};

use super::error::ExportError;
use super::files::{TableWriter, TablesFolder, Written};

/// The table being written.
pub(super) struct FlowTable<R> {
    fields: Vec<Field<R>>,
    out: TableWriter,
}

impl<R> FlowTable<R> {
    /// Starts a table's files; `row` says what one row is.
    pub(super) fn create(
        to: &TablesFolder<'_>,
        name: &'static str,
        row: &'static str,
        fields: Vec<Field<R>>,
    ) -> Result<Self, ExportError> {
        let columns: Vec<Column> = fields.iter().map(|field| field.column).collect();
        let out = TableWriter::create(to, name, row, columns)?;
        Ok(Self { fields, out })
    }

    /// Writes a row.
    pub(super) fn row(&mut self, of: &R) -> Result<(), ExportError> {
        let cells = self.fields.iter().map(|field| (field.value)(of)).collect();
        self.out.row(cells)
    }

    /// Writes a row with a JSON line of its own.
    pub(super) fn row_with_line(&mut self, of: &R, line: &str) -> Result<(), ExportError> {
        let cells = self.fields.iter().map(|field| (field.value)(of)).collect();
        self.out.row_with_line(cells, line)
    }

    /// Closes the files.
    pub(super) fn finish(self) -> Result<Written, ExportError> {
        self.out.finish()
    }
}

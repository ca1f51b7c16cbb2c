//! Writing tables: CSV, JSON Lines and Parquet side by side, for everybody and for those who count.

use domain::common::table::{Cells, Column};
use domain::questionnaire::WITHHELD;
use serde_json::{Map, Value, json};

use super::error::ExportError;
use super::files::{ExportTarget, HashedFile};
use super::layout::{self, ExportHalf};
use super::links::Links;
use super::parquet::ParquetFile;
use crate::unseen::is_unseen;

/// A table that was written.
pub(super) struct WrittenTable {
    /// Its name.
    pub(super) name: &'static str,
    /// The meaning of one row, in words.
    pub(super) row: &'static str,
    /// Its columns, in order.
    pub(super) columns: Vec<Column>,
    /// Entries of the manifest for its files.
    pub(super) files: Vec<Value>,
    /// Number of rows of everybody.
    pub(super) rows: u64,
    /// Number of rows of those who count.
    pub(super) included_rows: u64,
}

impl WrittenTable {
    /// The table's entry in the manifest.
    pub(super) fn summary(&self) -> Value {
        json!({
            "table": self.name,
            "row": self.row,
            "rows": self.rows,
            "included_rows": self.included_rows,
        })
    }
}

/// One table being written.
pub(super) struct TableWriter {
    name: &'static str,
    row: &'static str,
    columns: Vec<Column>,
    spreadsheet_safe: bool,
    identifying: bool,
    links: Links,
    raw: Files,
    included: Files,
}

impl TableWriter {
    /// Starts a table's files.
    pub(super) fn create(
        to: &ExportTarget<'_>,
        name: &'static str,
        row: &'static str,
        columns: Vec<Column>,
    ) -> Result<Self, ExportError> {
        Ok(Self {
            name,
            row,
            raw: Files::create(to, ExportHalf::Raw, name, &columns)?,
            included: Files::create(to, ExportHalf::Included, name, &columns)?,
            links: Links::new(to, &columns),
            columns,
            spreadsheet_safe: to.spreadsheet_safe,
            identifying: to.identifying,
        })
    }

    /// Writes a row; into both parts if its session counts. A row whose JSON line is not made of
    /// its cells has one of its own.
    pub(super) fn row(
        &mut self,
        mut cells: Cells,
        line: Option<&str>,
        counts: bool,
    ) -> Result<(), ExportError> {
        if cells.len() != self.columns.len() {
            return Err(ExportError::Cells {
                table: self.name,
                expected: self.columns.len(),
                found: cells.len(),
            });
        }
        self.links.fill(&mut cells);
        if !self.identifying {
            for (cell, column) in cells.iter_mut().zip(&self.columns) {
                if column.identifying && !cell.is_null() {
                    *cell = WITHHELD.into();
                }
            }
        }
        let made;
        let line = match line {
            Some(line) => line,
            None => {
                let names = self.columns.iter().map(|column| column.name.to_owned());
                let object: Map<String, Value> = names.zip(cells.iter().cloned()).collect();
                made = Value::Object(object).to_string();
                &made
            }
        };
        let texts: Vec<String> = cells
            .iter()
            .map(|cell| cell_text(cell, self.spreadsheet_safe))
            .collect();
        self.raw.row(&texts, line, &cells)?;
        if counts {
            self.included.row(&texts, line, &cells)?;
        }
        Ok(())
    }

    /// Says that the rows of a session are complete.
    pub(super) fn session_ended(&mut self, counts: bool) -> Result<(), ExportError> {
        self.raw.parquet.session_ended()?;
        if counts {
            self.included.parquet.session_ended()?;
        }
        Ok(())
    }

    /// Closes the files.
    pub(super) fn finish(self) -> Result<WrittenTable, ExportError> {
        let (rows, included_rows) = (self.raw.rows, self.included.rows);
        let mut files = self.raw.finish()?;
        files.extend(self.included.finish()?);
        Ok(WrittenTable {
            name: self.name,
            row: self.row,
            columns: self.columns,
            files,
            rows,
            included_rows,
        })
    }
}

/// The files of one part of a table.
struct Files {
    rows: u64,
    csv: csv::Writer<HashedFile>,
    lines: HashedFile,
    parquet: ParquetFile,
}

impl Files {
    fn create(
        to: &ExportTarget<'_>,
        part: ExportHalf,
        table: &'static str,
        columns: &[Column],
    ) -> Result<Self, ExportError> {
        let out = HashedFile::create(to.path, layout::csv(to.study, part, table))?;
        let path = out.path().to_owned();
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(columns.iter().map(|column| column.name))
            .map_err(|error| ExportError::file(&path, error))?;
        let parquet = HashedFile::create(to.path, layout::parquet(part, table))?;
        Ok(Self {
            rows: 0,
            csv,
            lines: HashedFile::create(to.path, layout::jsonl(part, table))?,
            parquet: ParquetFile::create(table, columns, parquet)?,
        })
    }

    fn row(&mut self, texts: &[String], line: &str, cells: &Cells) -> Result<(), ExportError> {
        self.rows += 1;
        self.csv
            .write_record(texts)
            .map_err(|error| ExportError::file(self.csv.get_ref().path(), error))?;
        self.lines.line(line)?;
        self.parquet.row(cells)
    }

    fn finish(self) -> Result<Vec<Value>, ExportError> {
        let path = self.lines.path().to_owned();
        let csv = self.csv.into_inner();
        let csv = csv.map_err(|error| ExportError::file(&path, error.into_error()))?;
        Ok(vec![
            csv.finish(self.rows)?,
            self.lines.finish(self.rows)?,
            self.parquet.finish()?.finish(self.rows)?,
        ])
    }
}

/// A cell of a CSV file: nothing for null, text as it is, everything else as JSON.
pub(super) fn cell_text(value: &Value, spreadsheet_safe: bool) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if spreadsheet_safe => harmless(text),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A text that no spreadsheet takes for a formula, and all of which is seen.
fn harmless(text: &str) -> String {
    let seen = text.chars().map(|c| match c {
        '\n' => c,
        c if is_unseen(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    });
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    formula.then_some('\'').into_iter().chain(seen).collect()
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn no_text_is_a_formula_or_unseen() {
        // OWASP's list of characters that begin a formula.
        for (text, expected) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\u{fffd}x"),
            ("a=b", "a=b"),
            ("\u{202e}abc\0", "\u{fffd}abc\u{fffd}"),
            ("two\nlines", "two\nlines"),
            ("", ""),
        ] {
            assert_eq!(harmless(text), expected, "{text:?}");
        }
    }
}

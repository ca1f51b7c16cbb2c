//! Writing tables: CSV and JSON Lines side by side, counted and hashed.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use domain::table::Column;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::error::ExportError;
use crate::secrets::hex;
use crate::unseen::is_unseen;

/// Writes a whole file.
pub(super) fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), ExportError> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).map_err(|error| ExportError::file(&path, error))
}

/// Writes a whole file of indented JSON.
pub(super) fn write_json(folder: &Path, name: &str, value: &Value) -> Result<(), ExportError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| ExportError::file(&folder.join(name), error))?;
    write(folder, name, (text + "\n").as_bytes())
}

/// A file that counts its rows and hashes its bytes while it is written.
struct HashedFile {
    path: PathBuf,
    name: String,
    rows: u64,
    bytes: u64,
    hash: Sha256,
    out: BufWriter<File>,
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

impl HashedFile {
    fn create(folder: &Path, name: String) -> Result<Self, ExportError> {
        let path = folder.join(&name);
        let file = File::create(&path).map_err(|error| ExportError::file(&path, error))?;
        Ok(Self {
            path,
            name,
            rows: 0,
            bytes: 0,
            hash: Sha256::new(),
            out: BufWriter::new(file),
        })
    }

    fn line(&mut self, line: &str) -> Result<(), ExportError> {
        writeln!(self, "{line}").map_err(|error| ExportError::file(&self.path, error))?;
        self.rows += 1;
        Ok(())
    }

    /// Flushes to disk and says what was written.
    fn finish(mut self) -> Result<Value, ExportError> {
        self.out
            .flush()
            .and_then(|()| self.out.get_ref().sync_all())
            .map_err(|error| ExportError::file(&self.path, error))?;
        Ok(json!({
            "file": self.name,
            "rows": self.rows,
            "bytes": self.bytes,
            "sha256": hex(&self.hash.finalize()),
        }))
    }
}

/// A table that was written.
pub(super) struct Written {
    /// Name of its files, without ending.
    pub(super) name: &'static str,
    /// What one row is.
    pub(super) row: &'static str,
    /// Its columns, in order.
    pub(super) columns: Vec<Column>,
    /// Entries of the manifest for its files.
    pub(super) files: Vec<Value>,
    rows: u64,
}

impl Written {
    /// The table's entry in the manifest.
    pub(super) fn summary(&self) -> Value {
        json!({ "table": self.name, "row": self.row, "rows": self.rows })
    }
}

/// Where tables are written to, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct TablesFolder<'a> {
    pub(super) path: &'a Path,
    /// See [`super::ExportOptions::spreadsheet_safe`].
    pub(super) spreadsheet_safe: bool,
}

/// One table being written.
pub(super) struct TableWriter {
    name: &'static str,
    row: &'static str,
    columns: Vec<Column>,
    csv: csv::Writer<HashedFile>,
    lines: HashedFile,
    spreadsheet_safe: bool,
}

impl TableWriter {
    /// Starts a table's two files.
    pub(super) fn create(
        to: &TablesFolder<'_>,
        name: &'static str,
        row: &'static str,
        columns: Vec<Column>,
    ) -> Result<Self, ExportError> {
        let out = HashedFile::create(to.path, format!("{name}.csv"))?;
        let path = out.path.clone();
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(columns.iter().map(|column| column.name))
            .map_err(|error| ExportError::file(&path, error))?;
        let lines = HashedFile::create(to.path, format!("{name}.jsonl"))?;
        Ok(Self {
            name,
            row,
            columns,
            csv,
            lines,
            spreadsheet_safe: to.spreadsheet_safe,
        })
    }

    /// Writes a row whose JSON line is made of its cells.
    pub(super) fn row(&mut self, cells: Vec<Value>) -> Result<(), ExportError> {
        let names = self.columns.iter().map(|column| column.name.to_owned());
        let object: Map<String, Value> = names.zip(cells.iter().cloned()).collect();
        self.row_with_line(cells, &Value::Object(object).to_string())
    }

    /// Writes a row with a JSON line of its own.
    pub(super) fn row_with_line(
        &mut self,
        cells: Vec<Value>,
        line: &str,
    ) -> Result<(), ExportError> {
        if cells.len() != self.columns.len() {
            return Err(ExportError::Cells {
                table: self.name,
                expected: self.columns.len(),
                found: cells.len(),
            });
        }
        self.csv
            .write_record(
                cells
                    .iter()
                    .map(|cell| cell_text(cell, self.spreadsheet_safe)),
            )
            .map_err(|error| ExportError::file(&self.lines.path, error))?;
        self.lines.line(line)
    }

    /// Closes both files.
    pub(super) fn finish(self) -> Result<Written, ExportError> {
        let path = self.lines.path.clone();
        let rows = self.lines.rows;
        let mut csv = self
            .csv
            .into_inner()
            .map_err(|error| ExportError::file(&path, error.into_error()))?;
        csv.rows = rows;
        Ok(Written {
            name: self.name,
            row: self.row,
            columns: self.columns,
            files: vec![csv.finish()?, self.lines.finish()?],
            rows,
        })
    }
}

/// A cell of a CSV file: nothing for null, text as it is, everything else as JSON.
fn cell_text(value: &Value, spreadsheet_safe: bool) -> String {
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

/// One file of JSON lines without a CSV beside it.
pub(super) struct JsonLines(HashedFile);

impl JsonLines {
    /// Starts the file.
    pub(super) fn create(folder: &Path, name: &str) -> Result<Self, ExportError> {
        Ok(Self(HashedFile::create(folder, name.to_owned())?))
    }

    /// Writes one line.
    pub(super) fn line(&mut self, value: &impl serde::Serialize) -> Result<(), ExportError> {
        let text =
            serde_json::to_string(value).map_err(|error| ExportError::file(&self.0.path, error))?;
        self.0.line(&text)
    }

    /// Closes the file; returns its entry of the manifest.
    pub(super) fn finish(self) -> Result<Value, ExportError> {
        self.0.finish()
    }
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

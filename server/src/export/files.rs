//! Writing tables: CSV and JSON Lines side by side, counted and hashed.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::tables::Table;
use crate::secrets::hex;

/// A file that counts its rows and hashes its bytes while it is written.
struct Counted {
    name: String,
    rows: u64,
    bytes: u64,
    hash: Sha256,
    out: BufWriter<File>,
}

impl Write for Counted {
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

impl Counted {
    fn create(folder: &Path, name: String) -> anyhow::Result<Self> {
        let path = folder.join(&name);
        let file =
            File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self {
            name,
            rows: 0,
            bytes: 0,
            hash: Sha256::new(),
            out: BufWriter::new(file),
        })
    }

    /// Flushes to disk and says what was written.
    fn finish(mut self) -> anyhow::Result<Value> {
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        Ok(json!({
            "file": self.name,
            "rows": self.rows,
            "bytes": self.bytes,
            "sha256": hex(&self.hash.finalize()),
        }))
    }
}

/// One table being written.
pub struct TableWriter {
    name: &'static str,
    columns: Vec<String>,
    csv: csv::Writer<Counted>,
    lines: Counted,
    rows: u64,
}

impl TableWriter {
    /// Starts a table's two files in `folder`.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn create(folder: &Path, table: Table) -> anyhow::Result<Self> {
        let columns: Vec<String> = table.columns()?.into_iter().map(|c| c.column).collect();
        let out = Counted::create(folder, format!("{}.csv", table.name))?;
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(&columns)?;
        let lines = Counted::create(folder, format!("{}.jsonl", table.name))?;
        Ok(Self {
            name: table.name,
            columns,
            csv,
            lines,
            rows: 0,
        })
    }

    /// Writes a row whose JSON line is made of its cells.
    ///
    /// # Errors
    /// When the row does not have one cell for each column, or cannot be written.
    pub fn row(&mut self, cells: Vec<Value>) -> anyhow::Result<()> {
        let names = self.columns.iter().cloned();
        let object: Map<String, Value> = names.zip(cells.iter().cloned()).collect();
        self.row_with_line(cells, &Value::Object(object).to_string())
    }

    /// Writes a row with a JSON line of its own.
    ///
    /// # Errors
    /// As [`row`](Self::row).
    pub fn row_with_line(&mut self, cells: Vec<Value>, line: &str) -> anyhow::Result<()> {
        ensure!(
            cells.len() == self.columns.len(),
            "table {}: {} cells for {} columns",
            self.name,
            cells.len(),
            self.columns.len()
        );
        self.csv.write_record(cells.iter().map(cell_text))?;
        writeln!(self.lines, "{line}")?;
        self.lines.rows += 1;
        self.rows += 1;
        Ok(())
    }

    /// Closes both files; returns an entry of the manifest for each.
    ///
    /// # Errors
    /// When something could not be written to disk.
    pub fn finish(self) -> anyhow::Result<Vec<Value>> {
        let mut csv = self
            .csv
            .into_inner()
            .map_err(|error| anyhow::anyhow!("{error}"))?;
        csv.rows = self.rows;
        Ok(vec![csv.finish()?, self.lines.finish()?])
    }
}

/// A cell of a CSV file: nothing for null, text as it is, everything else as JSON.
fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// One file of JSON lines without a CSV beside it.
pub struct Lines(Counted);

impl Lines {
    /// Starts the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(folder: &Path, name: &str) -> anyhow::Result<Self> {
        Ok(Self(Counted::create(folder, name.to_owned())?))
    }

    /// Writes one line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn line(&mut self, value: &impl serde::Serialize) -> anyhow::Result<()> {
        serde_json::to_writer(&mut self.0, value)?;
        writeln!(self.0)?;
        self.0.rows += 1;
        Ok(())
    }

    /// Closes the file; returns its entry of the manifest.
    ///
    /// # Errors
    /// When something could not be written to disk.
    pub fn finish(self) -> anyhow::Result<Value> {
        self.0.finish()
    }
}

/// A folder that appears under its name only once everything in it is written.
pub struct Staging {
    target: PathBuf,
    staging: PathBuf,
}

impl Staging {
    /// Makes a fresh folder beside `target`.
    ///
    /// # Errors
    /// When `target` exists and holds something, or nothing can be written there.
    pub fn new(target: &Path) -> anyhow::Result<Self> {
        if target.exists() {
            let empty = std::fs::read_dir(target)
                .with_context(|| format!("cannot read {}", target.display()))?
                .next()
                .is_none();
            ensure!(
                empty,
                "{} is not empty; name a new folder",
                target.display()
            );
        }
        let name = target
            .file_name()
            .context("the output folder needs a name")?;
        let staging = target.with_file_name(format!(".{}.unfinished", name.to_string_lossy()));
        if staging.exists() {
            std::fs::remove_dir_all(&staging).with_context(|| {
                format!(
                    "cannot remove {}, left by an earlier export",
                    staging.display()
                )
            })?;
        }
        std::fs::create_dir_all(&staging)
            .with_context(|| format!("cannot make {}", staging.display()))?;
        Ok(Self {
            target: target.to_owned(),
            staging,
        })
    }

    /// Where to write.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.staging
    }

    /// Gives the folder its name.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub fn publish(self) -> anyhow::Result<()> {
        if self.target.exists() {
            std::fs::remove_dir(&self.target)?;
        }
        std::fs::rename(&self.staging, &self.target)
            .with_context(|| format!("cannot move the export to {}", self.target.display()))
    }
}

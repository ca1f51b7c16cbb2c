//! Writing files, counted and hashed.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::error::ExportError;
use crate::private_files;
use crate::secrets::hex;

/// Where an export is written to, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExportTarget<'a> {
    pub(super) path: &'a Path,
    /// Name of the study.
    pub(super) study: &'a str,
    /// See [`super::ExportOptions::address`].
    pub(super) address: &'a str,
    /// See [`super::ExportOptions::spreadsheet_safe`].
    pub(super) spreadsheet_safe: bool,
    /// See [`super::ExportOptions::identifying`].
    pub(super) identifying: bool,
}

/// The path of a file, whose folder is made if it is not there.
fn path_of(folder: &Path, name: &str) -> Result<PathBuf, ExportError> {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        private_files::create_folder(parent).map_err(|error| ExportError::file(parent, error))?;
    }
    Ok(path)
}

/// Writes a whole file. `name` is its place in the folder, with `/` between folders.
pub(super) fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), ExportError> {
    let path = path_of(folder, name)?;
    private_files::write(&path, bytes).map_err(|error| ExportError::file(&path, error))
}

/// Writes a whole file of indented JSON.
pub(super) fn write_json(folder: &Path, name: &str, value: &Value) -> Result<(), ExportError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| ExportError::file(&folder.join(name), error))?;
    write(folder, name, (text + "\n").as_bytes())
}

/// A file that hashes its bytes while it is written.
pub(super) struct HashedFile {
    path: PathBuf,
    name: String,
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
    /// Starts a file. `name` is its place in the folder, with `/` between folders.
    pub(super) fn create(folder: &Path, name: String) -> Result<Self, ExportError> {
        let path = path_of(folder, &name)?;
        let file = private_files::create(&path).map_err(|error| ExportError::file(&path, error))?;
        Ok(Self {
            path,
            name,
            bytes: 0,
            hash: Sha256::new(),
            out: BufWriter::new(file),
        })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a line.
    pub(super) fn line(&mut self, line: &str) -> Result<(), ExportError> {
        writeln!(self, "{line}").map_err(|error| ExportError::file(&self.path, error))
    }

    /// Flushes to disk; returns its entry of the manifest.
    pub(super) fn finish(mut self, rows: u64) -> Result<Value, ExportError> {
        self.out
            .flush()
            .and_then(|()| self.out.get_ref().sync_all())
            .map_err(|error| ExportError::file(&self.path, error))?;
        Ok(json!({
            "file": self.name,
            "rows": rows,
            "bytes": self.bytes,
            "sha256": hex(&self.hash.finalize()),
        }))
    }
}

/// One file of JSON lines without a table.
pub(super) struct JsonLines {
    out: HashedFile,
    rows: u64,
}

impl JsonLines {
    /// Starts the file.
    pub(super) fn create(folder: &Path, name: String) -> Result<Self, ExportError> {
        let out = HashedFile::create(folder, name)?;
        Ok(Self { out, rows: 0 })
    }

    /// Writes one line.
    pub(super) fn line(&mut self, value: &impl serde::Serialize) -> Result<(), ExportError> {
        let text = serde_json::to_string(value);
        let text = text.map_err(|error| ExportError::file(&self.out.path, error))?;
        self.rows += 1;
        self.out.line(&text)
    }

    /// Closes the file; returns its entry of the manifest.
    pub(super) fn finish(self) -> Result<Value, ExportError> {
        self.out.finish(self.rows)
    }
}

//! The list of exports: a file beside the database, `DATABASE-exports`, with a line of JSON for each
//! export. It says where a session still is after it was erased. It names sessions, which say
//! nothing about people.

use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind, Result, Write as _};
use std::path::{Path, PathBuf};

use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

use crate::private_files;
use crate::storage::with_suffix;

/// Format version of the list's lines.
const FORMAT: u16 = 1;

/// An export that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedExport {
    format: u16,
    /// The study.
    pub study: String,
    /// The folder, as it was called on the machine that the export was made on.
    pub folder: PathBuf,
    /// When, as RFC 3339.
    pub exported_at_utc: String,
    /// The sessions that something was written of.
    pub sessions: Vec<SessionId>,
}

impl ListedExport {
    /// A new line of the list.
    #[must_use]
    pub fn new(
        study: &str,
        folder: &Path,
        exported_at_utc: &str,
        sessions: Vec<SessionId>,
    ) -> Self {
        Self {
            format: FORMAT,
            study: study.to_owned(),
            folder: std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()),
            exported_at_utc: exported_at_utc.to_owned(),
            sessions,
        }
    }

    /// Adds it to the list of the database at `database`.
    ///
    /// # Errors
    /// When the list cannot be written, as where the database cannot be written either.
    pub fn add(&self, database: &Path) -> Result<()> {
        let path = with_suffix(database, "-exports");
        let mut file = private_files::append(&path)?;
        // On a line of its own, even where the one before was cut off.
        let line = format!("\n{}\n", serde_json::to_string(self)?);
        file.write_all(line.as_bytes())?;
        file.sync_all()
    }
}

/// The exports from the database at `database` that have something of a session. Lines that make no
/// sense are passed over.
///
/// # Errors
/// When the list is there and cannot be read.
pub fn exports_with(database: &Path, session: &SessionId) -> Result<Vec<ListedExport>> {
    let file = match File::open(with_suffix(database, "-exports")) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for line in BufReader::new(file).split(b'\n') {
        match serde_json::from_slice::<ListedExport>(&line?) {
            Ok(export) if export.sessions.contains(session) => found.push(export),
            _ => {}
        }
    }
    Ok(found)
}

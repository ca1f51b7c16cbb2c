//! The list of erasures: a file beside the database, `DATABASE-erasures`, with a line of JSON for
//! each session that was erased. It is no part of a backup, so a backup that is restored is cleaned
//! by it. It names sessions, which say nothing about people. Of a database behind a server, each of our servers keeps
//! such a list ([`ErasureKeeper`](crate::erasure_keeper::ErasureKeeper)).

use std::io::{ErrorKind, Write as _};
use std::path::Path;

use domain::recruitment::platform::Ended;
use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

use super::{Erase, Result, StorageError, with_suffix};
use crate::private_files;

/// Format version of the list's lines.
const FORMAT: u16 = 1;

#[derive(Serialize, Deserialize)]
struct Line {
    format: u16,
    session: SessionId,
    ended: Ended,
    keeps_code: bool,
    erased_at_unix_ms: u64,
}

fn failed(action: &str, path: &Path, error: &std::io::Error) -> StorageError {
    match error.kind() {
        ErrorKind::StorageFull => StorageError::Full,
        _ => StorageError::Beside(format!(
            "the list of erasures {} cannot be {action}: {error}",
            path.display()
        )),
    }
}

/// Whether the database at `database` has a list.
pub fn exists(database: &Path) -> bool {
    with_suffix(database, "-erasures").exists()
}

/// Adds a session to the list of the database at `database`; on disk when this returns.
///
/// # Errors
/// When the list cannot be written.
pub fn add(database: &Path, erase: &Erase) -> Result<()> {
    let path = with_suffix(database, "-erasures");
    let line = Line {
        format: FORMAT,
        session: erase.session.clone(),
        ended: erase.ended,
        keeps_code: erase.keeps_code,
        erased_at_unix_ms: erase.erased_at_unix_ms,
    };
    let text = serde_json::to_string(&line).map_err(|e| StorageError::Rejected(e.to_string()))?;
    let write = || {
        let mut file = private_files::append(&path)?;
        // On a line of its own, even where the one before was cut off.
        file.write_all(format!("\n{text}\n").as_bytes())?;
        file.sync_all()
    };
    write().map_err(|error| failed("written", &path, &error))
}

/// The sessions in the list of the database at `database`; none where there is no list. A line that
/// was cut off when the machine went down is passed over: its session was not erased yet.
///
/// # Errors
/// When the list cannot be read, or is of a later version.
pub fn read(database: &Path) -> Result<Vec<Erase>> {
    let path = with_suffix(database, "-erasures");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed("read", &path, &error)),
    };
    let mut list = Vec::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        match serde_json::from_str::<Line>(line) {
            Ok(line) if line.format == FORMAT => list.push(Erase {
                session: line.session,
                ended: line.ended,
                keeps_code: line.keeps_code,
                erased_at_unix_ms: line.erased_at_unix_ms,
            }),
            Ok(line) => {
                return Err(StorageError::Beside(format!(
                    "{}, line {}: a line of format {}; this version of Redial reads format {FORMAT}",
                    path.display(),
                    number + 1,
                    line.format
                )));
            }
            Err(error) => {
                let (path, line) = (path.display(), number + 1);
                tracing::warn!(%path, line, %error, "a line of the list of erasures cannot be read");
            }
        }
    }
    Ok(list)
}

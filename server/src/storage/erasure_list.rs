//! The list of erasures: a line of JSON for each session that was erased. It is no part of a backup, so a backup that is
//! restored is cleaned by it. It names sessions, which say nothing about people.
//!
//! Of a file of SQLite it is a file beside it, `DATABASE-erasures`. Of a database behind a server it lies where blobs do,
//! an object for each session; where these are in the database, each of our servers has such a file
//! ([`ErasureKeeper`](crate::erasure_keeper::ErasureKeeper)).

use std::collections::HashSet;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use domain::recruitment::platform::Ended;
use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

use super::{Erase, Result, StorageError, with_suffix};
use crate::private_files;

/// A list of erasures that no dump of the database takes along.
#[async_trait]
pub trait ErasureList: Send + Sync {
    /// The sessions in it.
    async fn sessions(&self) -> Result<HashSet<SessionId>>;

    /// Its entries about those of these sessions that it has.
    async fn of_sessions(&self, sessions: &HashSet<SessionId>) -> Result<Vec<Erase>>;

    /// Adds a session; it outlives a crash when this returns.
    async fn add(&self, erase: &Erase) -> Result<()>;
}

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

/// A session as a line of a list.
///
/// # Errors
/// None that is known of.
pub(super) fn line(erase: &Erase) -> Result<String> {
    let line = Line {
        format: FORMAT,
        session: erase.session.clone(),
        ended: erase.ended,
        keeps_code: erase.keeps_code,
        erased_at_unix_ms: erase.erased_at_unix_ms,
    };
    serde_json::to_string(&line).map_err(|error| StorageError::Rejected(error.to_string()))
}

/// The session of a line that is in `place`; none where the line was cut off when the machine went down: its session was
/// not erased yet.
///
/// # Errors
/// When the line is of a later version.
pub(super) fn of_line(line: &str, place: &str) -> Result<Option<Erase>> {
    match serde_json::from_str::<Line>(line) {
        Ok(line) if line.format == FORMAT => Ok(Some(Erase {
            session: line.session,
            ended: line.ended,
            keeps_code: line.keeps_code,
            erased_at_unix_ms: line.erased_at_unix_ms,
        })),
        Ok(line) => Err(StorageError::Beside(format!(
            "{place}: a line of format {}; this version of Redial reads format {FORMAT}",
            line.format
        ))),
        Err(error) => {
            tracing::warn!(%place, %error, "a line of the list of erasures cannot be read");
            Ok(None)
        }
    }
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
    let text = line(erase)?;
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
        let place = format!("{}, line {}", path.display(), number + 1);
        list.extend(of_line(line, &place)?);
    }
    Ok(list)
}

/// The list in a file.
pub struct ErasureFile {
    /// The path that it lies beside.
    beside: PathBuf,
}

impl ErasureFile {
    /// The list beside a path.
    #[must_use]
    pub fn beside(path: &Path) -> Self {
        let beside = path.to_owned();
        Self { beside }
    }

    /// All that is in it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn all(&self) -> Result<Vec<Erase>> {
        self.in_thread(read).await
    }

    async fn in_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let beside = self.beside.clone();
        let done = tokio::task::spawn_blocking(move || work(&beside)).await;
        done.map_err(StorageError::backend)?
    }
}

#[async_trait]
impl ErasureList for ErasureFile {
    async fn sessions(&self) -> Result<HashSet<SessionId>> {
        let all = self.all().await?;
        Ok(all.into_iter().map(|erase| erase.session).collect())
    }

    async fn of_sessions(&self, sessions: &HashSet<SessionId>) -> Result<Vec<Erase>> {
        let mut all = self.all().await?;
        all.retain(|erase| sessions.contains(&erase.session));
        Ok(all)
    }

    async fn add(&self, erase: &Erase) -> Result<()> {
        let erase = erase.clone();
        self.in_thread(move |beside| add(beside, &erase)).await
    }
}

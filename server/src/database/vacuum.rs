//! Giving room back to the disk.

use super::lock::Lock;
use super::{DatabaseError, existing};
use crate::storage::{self, StorageError};

/// How large a database was and is, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vacuumed {
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

/// Writes a database anew, without the room that deleted rows have left. One behind a server goes on serving: each of
/// its tables is closed for as long as it is written.
///
/// # Errors
/// When somebody has it open, a page cannot be read, or there is no room for a second copy beside
/// it; the database is then as before.
pub async fn vacuum(url: &str) -> Result<Vacuumed, DatabaseError> {
    if storage::is_server(url) {
        let (before, after) = storage::vacuum_server(url).await?;
        return Ok(Vacuumed { before, after });
    }
    let file = existing(url)?;
    let path = file.path();
    file.recognise().await?;
    let size = || {
        let metadata = path.metadata().map_err(DatabaseError::file(path))?;
        Ok::<_, DatabaseError>(metadata.len())
    };
    let in_use = |error| match error {
        StorageError::Locked => DatabaseError::InUse(path.to_owned()),
        error => error.into(),
    };
    let _lock = Lock::take(url)?;
    let mut alone = file.alone().await.map_err(in_use)?;
    let before = size()?;
    let done = alone.vacuum().await;
    alone.release().await?;
    done.map_err(in_use)?;
    let after = size()?;
    Ok(Vacuumed { before, after })
}

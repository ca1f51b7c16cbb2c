//! A copy of a database while it is in use.

use std::path::Path;

use super::check::{CheckReport, check_file};
use super::{DatabaseError, existing, staged, sync_folder};
use crate::storage::{self, Copying, DatabaseAddress};

/// Writes a database, as it is now, into a new file, also one behind PostgreSQL; a server may go on writing. The copy is read
/// back and checked before it gets its name, and is on disk then. Damage in the database is
/// in the copy, too: the report says it. Blobs outside of the database are not copied, only looked at.
///
/// # Errors
/// When `to` exists, there is no database, a page of it cannot be read, or the copy cannot be written;
/// then there is no copy.
pub async fn backup(
    at: impl Into<DatabaseAddress>,
    to: &Path,
) -> Result<CheckReport, DatabaseError> {
    let DatabaseAddress { url, blobs } = at.into();
    let url = &*url;
    let exists = || DatabaseError::Exists {
        path: to.to_owned(),
        hint: "name a new file for the backup",
    };
    if to.exists() {
        return Err(exists());
    }
    let copy = staged(to)?;
    if storage::is_server(url) {
        storage::copy(
            url,
            &storage::url_of(copy.path()),
            Copying::default(),
            &|_| {},
        )
        .await?;
    } else {
        existing(url)?.copy(copy.path()).await?;
    }
    let report = check_file(&*storage::file_at(copy.path()), &blobs).await?;
    let failed = DatabaseError::file(to);
    copy.as_file().sync_all().map_err(&failed)?;
    copy.persist_noclobber(to)
        .map_err(|error| match error.error.kind() {
            std::io::ErrorKind::AlreadyExists => exists(),
            _ => failed(error.error),
        })?;
    sync_folder(to).map_err(failed)?;
    Ok(report)
}

//! Putting a backup in the place of a database.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::check::{CheckReport, check_file};
use super::lock::Lock;
use super::{DatabaseError, staged, sync_folder};
use crate::private_files;
use crate::storage::{self, DatabaseAddress, DatabaseFile, ExclusiveAccess, StorageError};
use crate::system::System;

/// The database that was put in place.
#[derive(Debug)]
pub struct Restored {
    /// The report of the backup's records.
    pub report: CheckReport,
    /// Number of sessions that its list of erasures names, and that were erased from the backup's
    /// copy.
    pub erased: u64,
    /// Number of decisions for platforms that may have been sent after the backup was made. Somebody has to settle
    /// them.
    pub doubted: u64,
    /// Where the database that was there before is kept, if there was one.
    pub kept: Option<PathBuf>,
}

/// Puts a copy of a backup in the place of a database. A database that is there is kept under another
/// name, and only if `replace` says so. At no moment is there less than before: the name goes from the
/// old file to the new one in one step, once the new one has been checked and is on disk.
///
/// # Errors
/// When the backup is damaged, the database exists and `replace` does not say so, somebody has it
/// open, or a file cannot be written; then the database is as before.
pub async fn restore(
    at: impl Into<DatabaseAddress>,
    from: &Path,
    replace: bool,
) -> Result<Restored, DatabaseError> {
    let DatabaseAddress { url, blobs } = at.into();
    let url = &*url;
    let database = storage::file(url)?;
    let target = database.path().to_owned();
    let exists = || DatabaseError::Exists {
        path: target.clone(),
        hint: "with --replace it is kept under another name",
    };
    if target.exists() && !replace {
        return Err(exists());
    }
    let failed = DatabaseError::file(&target);
    if let Some(folder) = target.parent() {
        private_files::create_folder(folder).map_err(&failed)?;
    }
    let copy = staged(&target)?;
    storage::file_at(from).copy(copy.path()).await?;
    let copied = storage::file_at(copy.path());
    let report = check_file(&*copied, &blobs).await?;
    if !report.problems.is_empty() {
        return Err(DatabaseError::Unsound {
            path: from.to_owned(),
            report: Box::new(report),
        });
    }
    let erased = copied.erase_again(&target).await?;
    let now_unix_ms = System::default().clock.now_unix_ms();
    let doubted = copied.doubt_restored(now_unix_ms).await?;
    let _lock = Lock::take(url)?;
    copy.as_file().sync_all().map_err(&failed)?;

    // Held until the new file has the name, so that no server starts on the old one meanwhile.
    let hold = if target.exists() {
        hold(&*database).await?
    } else {
        None
    };
    let kept = keep_under_another_name(&target).map_err(&failed)?;
    let placed = if target.exists() {
        copy.persist(&target)
    } else {
        copy.persist_noclobber(&target)
    };
    placed.map_err(|error| failed(error.error))?;
    sync_folder(&target).map_err(failed)?;
    if let Some(hold) = hold {
        hold.release().await?;
    }
    Ok(Restored {
        report,
        erased,
        doubted,
        kept,
    })
}

/// Takes the database that is to go. One that is too damaged for that is nobody's.
async fn hold(
    target: &dyn DatabaseFile,
) -> Result<Option<Box<dyn ExclusiveAccess>>, DatabaseError> {
    match target.alone().await {
        Ok(alone) => Ok(Some(alone)),
        Err(StorageError::Locked) => Err(DatabaseError::InUse(target.path().to_owned())),
        Err(error) if error.is_damage() => match target.side_files().into_iter().next() {
            Some((_, side_file)) => Err(DatabaseError::PerhapsInUse {
                path: target.path().to_owned(),
                side_file,
            }),
            None => Ok(None),
        },
        Err(error) => Err(error.into()),
    }
}

/// Gives the file a second name, if there is one, and what is left beside it that name alone: a log of
/// changes would be taken into the new file.
fn keep_under_another_name(target: &Path) -> std::io::Result<Option<PathBuf>> {
    let side_files = storage::file_at(target).side_files();
    private_files::narrow(target);
    for (_, file) in &side_files {
        private_files::narrow(file);
    }
    if !target.exists() && side_files.is_empty() {
        return Ok(None);
    }
    let named = |number: u32| {
        let mut name = OsString::from(target);
        name.push(format!(".replaced-{number}"));
        PathBuf::from(name)
    };
    let mut names = (1..).map(named);
    let Some(kept) =
        names.find(|name| !name.exists() && storage::file_at(name).side_files().is_empty())
    else {
        return Err(std::io::ErrorKind::AlreadyExists.into());
    };
    let with_end = |end: &str| {
        let mut name = kept.clone().into_os_string();
        name.push(end);
        PathBuf::from(name)
    };
    if target.exists() && std::fs::hard_link(target, &kept).is_err() {
        // This file system knows no second names.
        std::fs::rename(target, &kept)?;
    }
    for (end, file) in side_files {
        std::fs::rename(file, with_end(end))?;
    }
    Ok(Some(kept))
}

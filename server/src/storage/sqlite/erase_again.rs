//! Records that were erased and must not be found any more: in a backup that came back, in the log
//! of changes, in what was made of the sessions.

use std::io::ErrorKind;
use std::path::Path;

use sqlx::SqliteConnection;

use super::super::sql::{Connection, erase, query};
use super::super::{Result, StorageError, erasure_list, summaries_of};

/// Erases again what is in the list of erasures of the database at `path` and has come back with a
/// backup. Gives the number of sessions.
pub(super) async fn erase_again(connection: &mut SqliteConnection, path: &Path) -> Result<u64> {
    let list = erasure_list::read(path)?;
    if list.is_empty() {
        return Ok(0);
    }
    let mut again = 0;
    let mut transaction = sqlx::Connection::begin_with(connection, "BEGIN IMMEDIATE").await?;
    for listed in &list {
        let erased = erase(&mut *transaction, listed).await?;
        again += u64::from(erased.is_some());
    }
    transaction.commit().await?;
    // In any case: the server may have been killed before it could.
    if !clear_log_of_changes(connection).await? {
        tracing::warn!(
            "another program reads the database; what was erased is still in its log of changes"
        );
    }
    Ok(again)
}

/// Empties the log of changes (`-wal`), which still holds what was erased. Whether that was
/// possible: not while somebody reads what was there before.
pub(super) async fn clear_log_of_changes(connection: &mut dyn Connection) -> Result<bool> {
    let patience = query("PRAGMA busy_timeout")
        .fetch_one(&mut *connection)
        .await?;
    let patience: i64 = patience.try_get(0)?;
    // Those who write must not wait for those who read.
    query("PRAGMA busy_timeout = 0")
        .execute(&mut *connection)
        .await?;
    let cleared = query("PRAGMA wal_checkpoint(TRUNCATE)")
        .fetch_one(&mut *connection)
        .await;
    let patience = format!("PRAGMA busy_timeout = {patience}");
    query(patience).execute(connection).await?;
    let busy: i64 = cleared?.try_get(0)?;
    Ok(busy == 0)
}

/// Throws the summaries of a database's sessions away: one of them was erased.
pub(super) fn forget_summaries(database: &Path) -> Result<()> {
    let folder = summaries_of(database);
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StorageError::Beside(format!(
            "the summaries in {} cannot be removed: {error}",
            folder.display()
        ))),
        _ => Ok(()),
    }
}

//! How the writer writes to a file of SQLite: alone, while the file is still the one of its name.

use std::time::Duration;

use async_trait::async_trait;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

use super::super::sql::{Connection, Target, query};
use super::super::{Result, StorageError};
use super::erase_again;
use super::open_files::OpenFiles;

/// A file, with how connections to it are opened.
pub(super) struct SqliteTarget {
    options: SqliteConnectOptions,
    files: OpenFiles,
}

impl SqliteTarget {
    /// The file of a database that has just been opened.
    pub(super) fn new(options: SqliteConnectOptions, files: OpenFiles) -> Self {
        Self { options, files }
    }
}

#[async_trait]
impl Target for SqliteTarget {
    async fn connect(&mut self) -> Result<Box<dyn Connection>> {
        Ok(Box::new(self.options.connect().await?))
    }

    fn forget_doubt(&mut self) {}

    fn begin(&self) -> &'static str {
        "BEGIN IMMEDIATE"
    }

    fn look(&mut self, is_connected: bool) -> Result<()> {
        self.files.look(is_connected)
    }

    fn is_shared(&self) -> bool {
        false // nobody else writes between BEGIN IMMEDIATE and COMMIT
    }

    async fn prepare(&mut self, _: &mut dyn Connection) -> Result<()> {
        Ok(())
    }

    async fn commit(&mut self, connection: &mut dyn Connection) -> Result<()> {
        query("COMMIT").execute(connection).await?;
        Ok(())
    }

    async fn was_committed(&mut self, _: &mut dyn Connection) -> Result<bool> {
        Ok(false) // no answer gets lost on the way to a file
    }

    fn longest(&self) -> Option<Duration> {
        None
    }

    fn patience(&self, _: &StorageError) -> Duration {
        Duration::ZERO
    }

    async fn clear_erased(&mut self, connection: &mut dyn Connection) -> Result<bool> {
        erase_again::clear_log_of_changes(connection).await
    }
}

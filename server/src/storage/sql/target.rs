//! The functions that the writer needs of a kind of database.

use std::time::Duration;

use async_trait::async_trait;

use super::super::{Result, StorageError};
use super::connection::Connection;

/// How a kind of database is written to.
#[async_trait]
pub(in super::super) trait Target: Send + 'static {
    /// Opens a connection.
    async fn connect(&mut self) -> Result<Box<dyn Connection>>;

    /// A transaction that was given up before is not asked about any more.
    fn forget_doubt(&mut self);

    /// The statement that begins a transaction.
    fn begin(&self) -> &'static str;

    /// Looks whether what is written would still be where it belongs.
    fn look(&mut self, is_connected: bool) -> Result<()>;

    /// Whether others write at the same time, so that jobs need their locks.
    fn is_shared(&self) -> bool;

    /// Before anything else is done in a transaction.
    async fn prepare(&mut self, connection: &mut dyn Connection) -> Result<()>;

    /// Ends a transaction; it is on disk then.
    async fn commit(&mut self, connection: &mut dyn Connection) -> Result<()>;

    /// Whether a transaction that was given up is on disk all the same: its connection broke while it was
    /// committed. Asked of a new connection.
    async fn was_committed(&mut self, connection: &mut dyn Connection) -> Result<bool>;

    /// How long a transaction may take at most; nothing where its end is certain to come.
    fn longest(&self) -> Option<Duration>;

    /// For how long a transaction that failed in this way is tried again.
    fn patience(&self, error: &StorageError) -> Duration;

    /// Clears what a transaction has erased from where it still lies beside the tables. Whether that was
    /// possible now.
    async fn clear_erased(&mut self, connection: &mut dyn Connection) -> Result<bool>;
}

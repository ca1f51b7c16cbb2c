//! The list of erasures of a database that is behind a server of its own.
//!
//! A dump that is put back brings sessions back that were erased after it was made. So each of our servers keeps a list
//! of what was erased, by whichever of them, in its own folder, where no dump of the database takes it along or
//! overwrites it. When a server starts, what is in its list and in the database again is erased again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use domain::session::event::SessionId;
use tokio_util::sync::CancellationToken;

use crate::storage::{Erase, Result, Storage, StorageError, erasure_list};

/// How often the server looks for what others have erased.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// How far clocks of servers and the time of a transaction may part, in milliseconds.
const OVERLAP_MS: u64 = 60 * 60 * 1_000;

/// Keeps the list.
pub struct ErasureKeeper {
    storage: Arc<dyn Storage>,
    /// What the list lies beside.
    beside: PathBuf,
    listed: HashSet<SessionId>,
    /// Until when the list is complete.
    until_unix_ms: u64,
}

impl ErasureKeeper {
    /// Reads the list beside a path, and erases what is in it and has come back. Gives the number of sessions, too.
    ///
    /// # Errors
    /// When the list cannot be read, or the database fails.
    pub async fn begin(storage: Arc<dyn Storage>, beside: &Path) -> Result<(Self, u64)> {
        let mut keeper = Self {
            storage,
            beside: beside.to_owned(),
            listed: HashSet::new(),
            until_unix_ms: 0,
        };
        let list = keeper.in_thread(erasure_list::read).await?;
        let mut again = 0;
        for erase in list {
            if !keeper.listed.insert(erase.session.clone()) {
                continue;
            }
            again += u64::from(keeper.storage.erase(erase).await?);
        }
        keeper.note().await?;
        Ok((keeper, again))
    }

    /// Adds to the list what was erased since; gives the number of sessions.
    ///
    /// # Errors
    /// When the database fails, or the list cannot be written.
    pub async fn note(&mut self) -> Result<u64> {
        let since = self.until_unix_ms.saturating_sub(OVERLAP_MS);
        let mut noted = 0;
        for erase in self.storage.erased_since(since).await? {
            let (session, erased_at) = (erase.session.clone(), erase.erased_at_unix_ms);
            if !self.listed.contains(&session) {
                self.add(erase).await?;
                self.listed.insert(session);
                noted += 1;
            }
            self.until_unix_ms = self.until_unix_ms.max(erased_at);
        }
        Ok(noted)
    }

    async fn add(&self, erase: Erase) -> Result<()> {
        self.in_thread(move |beside| erasure_list::add(beside, &erase))
            .await
    }

    async fn in_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let beside = self.beside.clone();
        let done = tokio::task::spawn_blocking(move || work(&beside)).await;
        done.map_err(StorageError::backend)?
    }

    /// Keeps the list until told to stop, and once more then.
    pub async fn keep(mut self, stopping: CancellationToken) {
        loop {
            let is_over = tokio::select! {
                () = stopping.cancelled() => true,
                () = tokio::time::sleep(LOOK_EVERY) => false,
            };
            if let Err(error) = self.note().await {
                tracing::warn!(%error, "the list of erasures is not complete; it is tried again in a minute, or when the server starts");
            }
            if is_over {
                return;
            }
        }
    }
}

//! The list of erasures of a database that is behind a server of its own.
//!
//! A dump that is put back brings sessions back that were erased after it was made. So our servers keep a list of what was
//! erased, by whichever of them, where no dump of the database takes it along or overwrites it: where blobs lie, if that
//! is outside of the database, and else each in its own folder. When a server starts, what is in the list and in the
//! database again is erased again.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use domain::session::event::SessionId;
use tokio_util::sync::CancellationToken;

use crate::storage::{BlobPlace, ErasureFile, ErasureList, Result, Storage};

/// How often the server looks for what others have erased.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// How far clocks of servers and the time of a transaction may part, in milliseconds.
const OVERLAP_MS: u64 = 60 * 60 * 1_000;

/// Keeps the list.
pub struct ErasureKeeper {
    storage: Arc<dyn Storage>,
    list: Box<dyn ErasureList>,
    /// The server's own list, of before there was another.
    before: Option<ErasureFile>,
    /// The sessions in the list; nothing until it was read.
    listed: Option<HashSet<SessionId>>,
    /// Until when the list is complete.
    until_unix_ms: u64,
}

impl ErasureKeeper {
    /// Keeps the list where blobs are, or beside a path where these are in the database.
    ///
    /// # Errors
    /// When the settings of the place of blobs are of no use.
    pub fn new(storage: Arc<dyn Storage>, beside: &Path, blobs: &BlobPlace) -> Result<Self> {
        let file = ErasureFile::beside(beside);
        let (list, before): (Box<dyn ErasureList>, _) = match blobs.erasure_list()? {
            Some(outside) => (outside, Some(file)),
            None => (Box::new(file), None),
        };
        Ok(Self {
            storage,
            list,
            before,
            listed: None,
            until_unix_ms: 0,
        })
    }

    /// Reads the list and erases what is in it and has come back, then adds to it what was erased since the last time.
    /// Gives the number of sessions that had come back.
    ///
    /// # Errors
    /// When the list cannot be read or written, or the database fails. It begins where it was when it is called again.
    pub async fn catch_up(&mut self) -> Result<u64> {
        let (again, mut listed) = match self.listed.take() {
            Some(listed) => (0, listed),
            None => self.erase_again().await?,
        };
        if again > 0 {
            tracing::info!(
                sessions = again,
                "sessions were erased again, by the list of erasures"
            );
        }
        let added = self.add_new(&mut listed).await;
        self.listed = Some(listed);
        added.map(|()| again)
    }

    async fn erase_again(&self) -> Result<(u64, HashSet<SessionId>)> {
        let mut listed = self.list.sessions().await?;
        if let Some(before) = &self.before {
            for erase in before.all().await? {
                if listed.insert(erase.session.clone()) {
                    self.list.add(&erase).await?;
                }
            }
        }
        let erased = self.storage.erased_since(0).await?;
        let erased: HashSet<SessionId> = erased.into_iter().map(|erase| erase.session).collect();
        let back = listed.difference(&erased).cloned().collect();
        let mut again = 0;
        for erase in self.list.of_sessions(&back).await? {
            again += u64::from(self.storage.erase(erase).await?);
        }
        Ok((again, listed))
    }

    async fn add_new(&mut self, listed: &mut HashSet<SessionId>) -> Result<()> {
        let since = self.until_unix_ms.saturating_sub(OVERLAP_MS);
        for erase in self.storage.erased_since(since).await? {
            if !listed.contains(&erase.session) {
                self.list.add(&erase).await?;
                listed.insert(erase.session);
            }
            self.until_unix_ms = self.until_unix_ms.max(erase.erased_at_unix_ms);
        }
        Ok(())
    }

    /// Keeps the list until told to stop, and once more then.
    pub async fn keep(mut self, stopping: CancellationToken) {
        loop {
            let is_over = tokio::select! {
                () = stopping.cancelled() => true,
                () = tokio::time::sleep(LOOK_EVERY) => false,
            };
            if let Err(error) = self.catch_up().await {
                tracing::warn!(%error, "the list of erasures is not complete; it is tried again in a minute, or when the server starts");
            }
            if is_over {
                return;
            }
        }
    }
}

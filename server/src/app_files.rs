//! Files of the browser app, of whatever version, from any server on a shared database.
//!
//! While servers are updated one after the other, a page of one version may ask a server of another for a file. Names of
//! files change with their contents, so each server stores its own, and any of them finds what it does not have.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use tokio_util::sync::CancellationToken;

use crate::assets::{Asset, Assets};
use crate::sessions::Sessions;
use crate::storage::{AppFiles, Result, Storage};

/// How often a server says that it still offers its files.
const EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// A server that could not say so tries again after this time.
const AGAIN: Duration = Duration::from_secs(60);

/// Files are kept for so long after the last server has offered them, in milliseconds.
const KEPT_MS: u64 = 30 * 24 * 60 * 60 * 1_000;

/// Most bytes of a file's name: longer ones are not looked for.
const LONGEST_NAME: usize = 200;

/// Most bytes of files of other versions that a server keeps in memory.
const MOST_KEPT_BYTES: usize = 64 << 20;

/// Files of other versions that were asked for.
#[derive(Debug, Default)]
pub struct OtherVersions {
    kept: Mutex<HashMap<String, Bytes>>,
}

impl OtherVersions {
    /// The file at a path, in a form that `accept_encoding` allows, if a server on this database has offered it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn negotiate(
        &self,
        storage: &dyn Storage,
        path: &str,
        accept_encoding: &str,
    ) -> Result<Option<Asset>> {
        if !storage.is_shared() || path.len() > LONGEST_NAME {
            return Ok(None);
        }
        for (name, encoding) in Assets::forms(path, accept_encoding) {
            if let Some(bytes) = self.file(storage, &name).await? {
                return Ok(Some(Asset { bytes, encoding }));
            }
        }
        Ok(None)
    }

    async fn file(&self, storage: &dyn Storage, name: &str) -> Result<Option<Bytes>> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = kept().get(name) {
            return Ok(Some(bytes.clone()));
        }
        let Some(bytes) = storage.app_file(name).await?.map(Bytes::from) else {
            return Ok(None);
        };
        // All who download a file share one copy.
        let mut kept = kept();
        if kept.values().map(Bytes::len).sum::<usize>() + bytes.len() > MOST_KEPT_BYTES {
            kept.clear();
        }
        kept.insert(name.to_owned(), bytes.clone());
        Ok(Some(bytes))
    }
}

/// Stores the files that this server offers, and says that it offers them; deletes those that none has offered for 30
/// days.
///
/// # Errors
/// When the database fails.
pub async fn offer(assets: &Assets, storage: &dyn Storage, now_unix_ms: u64) -> Result<()> {
    let names = assets.lasting();
    let stored: HashSet<String> = storage.app_files().await?.into_iter().collect();
    let new = names.iter().filter(|name| !stored.contains(*name));
    let new = new.filter_map(|name| Some((name.clone(), assets.get(name)?.as_ref().into())));
    let files = AppFiles {
        new: new.collect(),
        names,
        now_unix_ms,
        delete_before_unix_ms: now_unix_ms.saturating_sub(KEPT_MS),
    };
    storage.offer_app_files(files).await
}

/// Does so now and each day, until the server stops.
pub async fn keep_offered(
    assets: Arc<Assets>,
    sessions: Arc<Sessions>,
    stopping: CancellationToken,
) {
    loop {
        let rest = match offer(&assets, sessions.storage(), sessions.now_unix_ms()).await {
            Ok(()) => EVERY,
            Err(error) => {
                tracing::warn!(%error, "files of the app could not be stored for servers of other versions");
                AGAIN
            }
        };
        let rest = tokio::time::sleep(rest);
        if stopping.run_until_cancelled(rest).await.is_none() {
            return;
        }
    }
}

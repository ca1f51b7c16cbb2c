//! The list of erasures where blobs lie: an object for each session, with its name.

use std::collections::HashSet;

use async_trait::async_trait;
use domain::session::event::SessionId;

use super::super::erasure_list::{self, ErasureList};
use super::super::{Erase, Result, StorageError};

/// Where the list is, below what all blobs are in.
pub(super) const FOLDER: &str = "erasures";

/// Small objects with names that are written once. An object that is written again is the same.
#[async_trait]
pub(super) trait Notes: Send + Sync {
    /// Stores one; it outlives a crash when this returns.
    async fn add(&self, name: &str, text: String) -> Result<()>;

    /// The text of one, if it is there.
    async fn read(&self, name: &str) -> Result<Option<String>>;

    /// The names of all.
    async fn names(&self) -> Result<Vec<String>>;
}

/// A list of erasures in such objects.
pub(super) struct ErasureNotes(pub Box<dyn Notes>);

#[async_trait]
impl ErasureList for ErasureNotes {
    async fn sessions(&self) -> Result<HashSet<SessionId>> {
        let names = self.0.names().await?;
        let ours = names.into_iter().filter(|name| is_name(name));
        Ok(ours.map(SessionId).collect())
    }

    async fn of_sessions(&self, sessions: &HashSet<SessionId>) -> Result<Vec<Erase>> {
        let mut all = Vec::new();
        for session in sessions {
            if let Some(text) = self.0.read(&session.0).await? {
                let place = format!("{FOLDER}/{session}");
                all.extend(erasure_list::of_line(&text, &place)?);
            }
        }
        Ok(all)
    }

    async fn add(&self, erase: &Erase) -> Result<()> {
        let name = &erase.session.0;
        if !is_name(name) {
            let why = format!("session '{name}' cannot be the name of an object");
            return Err(StorageError::Rejected(why));
        }
        self.0.add(name, erasure_list::line(erase)?).await
    }
}

/// Whether a text can be the name of a session, and is safe as that of a file.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric())
}

//! Sign-ins that could not be stored, since the disk is full.
//!
//! A person who comes to see what is wrong has to get in. So sign-ins are kept in memory, and stored with their
//! entries of the audit log once there is room again. A restart forgets them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{MINUTE_MS, Result};
use crate::secrets::TokenHash;
use crate::storage::{Audited, SignIn, Storage, StorageError, UserChange};

/// Most of them.
const MOST: usize = 100;

/// A sign-in as it is to be stored.
#[derive(Debug, Clone)]
pub(super) struct Beginning {
    pub(super) sign_in: SignIn,
    pub(super) used_before_unix_ms: u64,
    pub(super) began_before_unix_ms: u64,
    pub(super) noted: Audited,
}

impl Beginning {
    /// Stores it; whether their person may enter.
    pub(super) async fn store(&self, storage: &dyn Storage) -> Result<bool, StorageError> {
        let began = UserChange::BeginSignIn {
            sign_in: self.sign_in.clone(),
            used_before_unix_ms: self.used_before_unix_ms,
            began_before_unix_ms: self.began_before_unix_ms,
        };
        storage.change_user(began, Some(self.noted.clone())).await
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Unstored(Mutex<HashMap<[u8; 32], Beginning>>);

impl Unstored {
    /// Keeps one; whether there is a place for it.
    pub(super) fn keep(&self, beginning: Beginning) -> bool {
        let mut all = self.all();
        let now_unix_ms = beginning.sign_in.began_at_unix_ms;
        all.retain(|_, it| it.sign_in.lives(now_unix_ms));
        let has_place = all.len() < MOST;
        if has_place {
            all.insert(beginning.sign_in.key.0, beginning);
        }
        has_place
    }

    /// The one of what a browser shows. Once a minute it is tried to store it, and that it is used is noted.
    pub(super) async fn find(
        &self,
        key: TokenHash,
        now_unix_ms: u64,
        storage: &dyn Storage,
    ) -> Result<Option<SignIn>, StorageError> {
        let Some(beginning) = self.all().get(&key.0).cloned() else {
            return Ok(None);
        };
        let used_at_unix_ms = beginning.sign_in.used_at_unix_ms;
        if !beginning.sign_in.lives(now_unix_ms) {
            self.all().remove(&key.0);
            return Ok(None);
        }
        if now_unix_ms < used_at_unix_ms.saturating_add(MINUTE_MS) {
            return Ok(Some(beginning.sign_in));
        }
        let sign_in = SignIn {
            used_at_unix_ms: now_unix_ms,
            ..beginning.sign_in
        };
        let beginning = Beginning {
            sign_in: sign_in.clone(),
            ..beginning
        };
        match beginning.store(storage).await {
            Ok(may_enter) => {
                self.all().remove(&key.0);
                Ok(may_enter.then_some(sign_in))
            }
            Err(StorageError::Full) => {
                // It may have been ended meanwhile.
                if let Some(kept) = self.all().get_mut(&key.0) {
                    kept.sign_in.used_at_unix_ms = now_unix_ms;
                }
                Ok(Some(sign_in))
            }
            Err(error) => Err(error),
        }
    }

    /// Those of somebody that have not ended.
    pub(super) fn of_user(&self, user: &str, now_unix_ms: u64) -> Vec<SignIn> {
        let all = self.all();
        let all = all.values().map(|it| &it.sign_in);
        all.filter(|it| it.user == user && it.lives(now_unix_ms))
            .cloned()
            .collect()
    }

    /// Ends one of somebody's, by its name; whether there was one.
    pub(super) fn end(&self, user: &str, id: &str) -> bool {
        let mut all = self.all();
        let before = all.len();
        all.retain(|_, it| it.sign_in.user != user || it.sign_in.id != id);
        all.len() < before
    }

    /// Ends all of somebody's, but the one of this name.
    pub(super) fn end_all(&self, user: &str, but: Option<&str>) {
        self.all()
            .retain(|_, it| it.sign_in.user != user || Some(&*it.sign_in.id) == but);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<[u8; 32], Beginning>> {
        // Nothing done under this lock can leave it half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

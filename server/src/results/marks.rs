//! The marks of a study, which are the same as long as nothing is written about it.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use crate::storage::{Archive, ListedSessions, Result};

/// The marks of all sessions of a study, as one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StudyMarks {
    /// None where damage keeps a mark from being read: then nobody can say whether anything has changed.
    hash: Option<[u8; 32]>,
    ordinals: BTreeSet<u64>,
}

impl StudyMarks {
    /// Those of a study at this moment.
    ///
    /// # Errors
    /// When the database fails. Damage is none.
    pub async fn of(archive: &dyn Archive, study: &str) -> Result<Self> {
        let mut snapshot = archive.study_snapshot(study).await?;
        let listed = ListedSessions::of(&mut *snapshot).await?;
        Ok(Self::of_listed(&listed))
    }

    /// Those of something that no session is part of: it never changes.
    #[must_use]
    pub fn of_nobody() -> Self {
        Self::of_listed(&ListedSessions::default())
    }

    fn of_listed(listed: &ListedSessions) -> Self {
        let mut hash = listed.problem.is_none().then(Sha256::new);
        for (ordinal, mark) in &listed.marks {
            hash = hash.zip(mark.as_ref()).map(|(hash, mark)| {
                hash.chain_update(ordinal.to_le_bytes())
                    .chain_update(mark.0)
            });
        }
        Self {
            hash: hash.map(|hash| hash.finalize().into()),
            ordinals: listed.marks.keys().copied().collect(),
        }
    }

    /// Whether nothing was written between these and others.
    pub(super) fn are_those_of(&self, now: &Self) -> bool {
        self.hash.is_some() && self.hash == now.hash
    }

    /// Whether all sessions of others are still there.
    pub(super) fn has_all_of(&self, before: &Self) -> bool {
        self.ordinals.is_superset(&before.ordinals)
    }
}

#[cfg(test)]
impl StudyMarks {
    /// Marks of sessions with these ordinals; another `version` says that something was written.
    pub(super) fn made_up(version: Option<u8>, ordinals: &[u64]) -> Self {
        Self {
            hash: version.map(|version| [version; 32]),
            ordinals: ordinals.iter().copied().collect(),
        }
    }
}

//! The audit log.

use api::research::{Act, AuditEntry, Right};

use super::{Access, Result, SignedIn};
use crate::storage::{Audited, UserChange};

/// Most entries in one answer.
const AUDIT_PAGE: u32 = 200;

impl Access {
    /// Entries of the audit log that somebody may see, the newest first: those of the studies that they run, and all for those
    /// who look after accounts.
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn audit_log(
        &self,
        who: &SignedIn,
        before: Option<u64>,
    ) -> Result<(Vec<AuditEntry>, Option<u64>)> {
        let studies = who.user.memberships.iter().map(|it| &it.study);
        let studies: Vec<String> = studies
            .filter(|study| who.may(Right::Manage, study, false))
            .cloned()
            .collect();
        let of = (!who.is_admin()).then_some(&*studies);
        let entries = self.storage.audit_log(of, before, AUDIT_PAGE).await?;
        let more = entries.len() == AUDIT_PAGE as usize;
        let before = entries.last().filter(|_| more).map(|entry| entry.number);
        Ok((entries, before))
    }

    /// An entry of the audit log about something that is done now; `by` is nobody for a command.
    #[must_use]
    pub fn audited(&self, by: Option<&SignedIn>, act: Act) -> Audited {
        match by {
            Some(who) => who.audited(act, self.now()),
            None => Audited::by_command(act, self.now()),
        }
    }

    /// Notes something in the audit log.
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn note(&self, noted: Audited) -> Result<()> {
        self.storage
            .change_user(UserChange::Nothing, Some(noted))
            .await?;
        Ok(())
    }
}

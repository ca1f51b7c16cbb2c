//! The key of a lab in which nobody has an account.

use super::{Access, AccessError, Caller, Result, SignedIn};

impl Access {
    /// The person who shows the key of the lab. It is for labs without accounts, and opens nothing once there is one.
    ///
    /// # Errors
    /// When there are accounts, or the storage fails.
    pub async fn of_lab_key(&self, caller: &Caller) -> Result<SignedIn> {
        if self.has_accounts().await? {
            return Err(AccessError::LabKeyOver);
        }
        Ok(SignedIn::with_lab_key(caller.origin))
    }

    /// Whether anybody has an account. Those who have come by themselves and wait to be let in have none yet.
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn has_accounts(&self) -> Result<bool> {
        Ok(self.storage.users().await?.iter().any(|user| !user.waits))
    }
}

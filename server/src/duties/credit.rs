//! Asking SONA for credit, until it has answered.

use std::time::Duration;

use async_trait::async_trait;

use super::Duty;
use crate::sessions::{SessionError, Sessions};

/// How often we look for somebody who waits for credit.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Asks for the credit of everybody who is to get some.
pub(super) struct CreditDuty;

#[async_trait]
impl Duty for CreditDuty {
    fn name(&self) -> &'static str {
        "credit"
    }

    async fn is_due(&self, sessions: &Sessions) -> Result<bool, SessionError> {
        sessions.credit_is_due().await
    }

    async fn perform(&mut self, sessions: &Sessions) -> Result<(), SessionError> {
        sessions.ask_for_credit().await.map(|_| ())
    }

    async fn rest(&self, _: &Sessions) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

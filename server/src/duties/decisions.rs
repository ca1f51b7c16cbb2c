//! Sending decisions to platforms, once their time to be taken back is over.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::Duty;
use crate::sessions::{SessionError, Sessions};

/// How often we look for decisions that are due.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Sends the decisions that are due.
pub(super) struct DecisionDuty(pub Arc<Sessions>);

#[async_trait]
impl Duty for DecisionDuty {
    fn name(&self) -> &'static str {
        "decisions"
    }

    async fn is_due(&self, sessions: &Sessions) -> Result<bool, SessionError> {
        sessions.decisions_are_due().await
    }

    async fn perform(&mut self, _: &Sessions) -> Result<(), SessionError> {
        self.0.send_decisions().await.map(|_| ())
    }

    async fn rest(&self, _: &Sessions) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

//! The page before a stage.

use anyhow::Result;

use crate::browser::Browser;

/// What is coming, and Start.
pub struct StageIntro<'b>(pub &'b Browser);

impl StageIntro<'_> {
    /// Goes on.
    pub async fn begin(self) -> Result<()> {
        self.0.press("stage-begin").await?;
        self.0.await_change("stage-intro").await
    }
}

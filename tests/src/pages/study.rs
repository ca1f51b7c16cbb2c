//! The study's first page.

use anyhow::Result;

use crate::browser::Browser;

/// Title, consent, Start.
pub struct Study<'b>(&'b Browser);

impl<'b> Study<'b> {
    /// Opens a study's link.
    ///
    /// # Errors
    /// When it does not appear.
    pub async fn open(browser: &'b Browser, address: &str, study: &str) -> Result<Self> {
        browser
            .goto(&format!("http://{address}/study/{study}"))
            .await?;
        browser.await_screen("study").await?;
        Ok(Self(browser))
    }

    /// Agrees and starts, with the keyboard alone.
    ///
    /// # Errors
    /// When the next screen does not appear.
    pub async fn start(self) -> Result<()> {
        self.0.press("start").await?;
        self.0.await_change("study").await
    }
}

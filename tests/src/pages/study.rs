//! The study's first page.

use anyhow::Result;

use crate::browser::{Browser, Hand};

/// Title, consent, Start.
pub struct StudyPage<'b>(&'b Browser);

impl<'b> StudyPage<'b> {
    /// Opens a study's link.
    pub async fn open(browser: &'b Browser, address: &str, study: &str) -> Result<Self> {
        browser
            .goto(&format!("http://{address}/study/{study}"))
            .await?;
        browser.await_screen("study").await?;
        Ok(Self(browser))
    }

    /// Opens a study's link, agrees, and starts.
    pub async fn begin(browser: &'b Browser, address: &str, study: &str) -> Result<()> {
        Self::open(browser, address, study).await?.start().await
    }

    /// The first page that is shown already, in a frame perhaps.
    #[must_use]
    pub fn on_screen(browser: &'b Browser) -> Self {
        Self(browser)
    }

    /// Agrees, in the way that the form asks for, and starts.
    pub async fn start(self) -> Result<()> {
        let hand = self.0.only().unwrap_or(Hand::Keyboard);
        if self.0.visible("agree").await?.is_some() {
            self.0.tick(hand, "agree").await?;
        }
        if self.0.visible("signature").await?.is_some() {
            self.0.write(hand, "signature", "Ada Example").await?;
        }
        self.0.press("start").await?;
        self.0.await_change("study").await
    }
}

//! A page of items.

use anyhow::{Context, Result};

use crate::browser::Browser;

/// Scales, texts and choices.
pub struct Questionnaire<'b>(pub &'b Browser);

/// Groups of radio buttons, text fields and menus, each by the `data-testid` to act on.
const ITEMS: &str = "
    const form = document.querySelector('[data-screen=questionnaire]');
    if (!form) return null;
    const radios = {};
    for (const radio of form.querySelectorAll('input[type=radio]'))
      (radios[radio.name] ??= []).push(radio.dataset.testid);
    const ids = css => [...form.querySelectorAll(css)].map(e => e.dataset.testid);
    return { radios: Object.values(radios), texts: ids('textarea'), menus: ids('select') };";

impl Questionnaire<'_> {
    /// A name for it: that of its first item.
    ///
    /// # Errors
    /// When the browser does not answer.
    pub async fn name(&self) -> Result<String> {
        let first = "return document.querySelector('[data-item]')?.dataset.item ?? ''";
        let name = self.0.look(first, vec![]).await?;
        Ok(name.as_str().unwrap_or_default().to_owned())
    }

    /// Answers every item, scales with the mouse and texts with the keyboard, and goes on.
    ///
    /// # Errors
    /// When an item cannot be answered or the page does not go.
    pub async fn fill_in(self) -> Result<()> {
        let browser = self.0;
        let items = browser.look(ITEMS, vec![]).await?;
        let list = |key: &str| items[key].as_array().cloned().unwrap_or_default();
        for points in list("radios") {
            let points = points.as_array().context("a scale has points")?;
            let middle = points[points.len() / 2]
                .as_str()
                .context("a point has a name")?;
            browser.click_label(middle).await?;
        }
        for text in list("texts") {
            browser
                .click(text.as_str().context("a text has a name")?)
                .await?;
            let words: Vec<char> = "It was fun, and the dials turn.".chars().collect();
            browser.keys(&words).await?;
        }
        for menu in list("menus") {
            browser
                .tab_to(menu.as_str().context("a menu has a name")?)
                .await?;
            browser.keys(&[fantoccini::key::Key::Down.into()]).await?;
        }
        browser.click("questionnaire-submit").await?;
        // The next questionnaire may look the same but for its items.
        let limit = crate::browser::PATIENCE;
        crate::wait::until("the questionnaire to go", limit, async || {
            let gone = browser.screen().await? != "questionnaire"
                || browser.look(ITEMS, vec![]).await? != items;
            Ok(gone.then_some(()))
        })
        .await
    }
}

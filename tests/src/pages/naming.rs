//! A question in which a concept is named.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::session::event::QuestionRef;
use fantoccini::key::Key;
use serde_json::json;

use super::Hand;
use crate::browser::{Browser, PATIENCE};
use crate::browser_engine::BrowserEngine;
use crate::wait;

/// Nobody reads what they have opened sooner.
const READING: Duration = Duration::from_millis(300);

/// Samples, groups of terms, an explanation.
pub struct NamingPage<'b> {
    browser: &'b Browser,
    /// Which question.
    pub at: QuestionRef,
    hand: Hand,
}

impl<'b> NamingPage<'b> {
    /// The question on screen, once its samples are painted.
    pub async fn on_screen(browser: &'b Browser, hand: Hand) -> Result<Self> {
        let shown = "const first = document.querySelector('[data-testid=sample-0] canvas');
            if (!first) return false;
            const pixels = first.getContext('2d').getImageData(0, 0, first.width, first.height).data;
            return pixels.some(value => value !== 0 && value !== 255)";
        wait::until("samples", PATIENCE, async || {
            Ok((browser.look(shown, vec![]).await? == json!(true)).then_some(()))
        })
        .await?;
        let script = "return {...document.querySelector('[data-screen=question]').dataset}";
        let data = browser.look(script, vec![]).await?;
        let index = |key: &str| -> Result<usize> {
            let text = data[key].as_str().with_context(|| format!("no {key}"))?;
            Ok(text.parse()?)
        };
        Ok(Self {
            browser,
            at: QuestionRef::new(index("stage")?, index("question")?),
            hand,
        })
    }

    /// Enlarges a sample and closes it again.
    pub async fn enlarge(&self, sample: usize) -> Result<()> {
        self.press(&format!("sample-{sample}")).await?;
        let open = "return !!document.querySelector('[data-testid=enlarged] canvas')";
        let is_open = async |wanted: bool| {
            wait::until("the enlarged sample", PATIENCE, async || {
                let found = self.browser.look(open, vec![]).await? == json!(wanted);
                Ok(found.then_some(()))
            })
            .await
        };
        is_open(true).await?;
        self.press("close-sample").await?;
        is_open(false).await
    }

    /// Opens the worked example and the definitions of a group of terms, and closes them again.
    pub async fn read_help(&self) -> Result<()> {
        for help in ["example", "definitions"] {
            for open in [true, false] {
                self.press(help).await?;
                let script = "return document.querySelector(`[data-testid=${arguments[0]}]`).parentElement.open";
                wait::until(help, PATIENCE, async || {
                    let found = self.browser.look(script, vec![json!(help)]).await?;
                    Ok((found == json!(open)).then_some(()))
                })
                .await?;
                // The browser tells the page of it in a while, and of what was opened and closed in one, nothing.
                tokio::time::sleep(READING).await;
            }
        }
        Ok(())
    }

    /// Says that no term fits.
    pub async fn choose_none(&self) -> Result<()> {
        self.browser.tick(self.hand, "none-of-them").await?;
        self.is_checked("none-of-them").await
    }

    /// Begins a second set of terms.
    pub async fn begin_second_set(&self) -> Result<()> {
        self.press("second-set").await
    }

    /// Tries to go on; the page must not, and says what is missing.
    pub async fn is_not_complete(&self) -> Result<()> {
        self.press("done").await?;
        let script = "return document.querySelectorAll('[data-task=concept-naming] [aria-invalid=true]').length";
        wait::until("what is missing", PATIENCE, async || {
            let found = self.browser.look(script, vec![]).await?;
            Ok((found.as_u64() > Some(0)).then_some(()))
        })
        .await
    }

    /// Chooses a term of a group in a set, all from 0.
    pub async fn choose(&self, set: usize, group: usize, term: usize) -> Result<()> {
        let wanted = format!("term-{set}-{group}-{term}");
        match self.hand {
            Hand::Pointer => self.browser.click_label(&wanted).await?,
            Hand::Finger => self.browser.tap_label(&wanted).await?,
            // Whether all can be reached by keyboard is tested in Chromium; in Firefox Tab leads out of the page at its end.
            Hand::Keyboard if self.browser.engine() != BrowserEngine::Chromium => {
                self.browser.click_label(&wanted).await?;
            }
            Hand::Keyboard => {
                // Tab reaches the group's first button, arrows go on from there.
                self.browser
                    .tab_to(&format!("term-{set}-{group}-0"))
                    .await?;
                self.browser.keys(&[' ']).await?;
                for _ in 0..term {
                    self.browser.keys(&[Key::Down.into()]).await?;
                }
            }
        }
        self.is_checked(&wanted).await
    }

    async fn is_checked(&self, test_id: &str) -> Result<()> {
        let script = "return document.querySelector(`[data-testid=\"${arguments[0]}\"]`).checked";
        let checked = self.browser.look(script, vec![json!(test_id)]).await?;
        ensure!(checked == json!(true), "'{test_id}' is not chosen");
        Ok(())
    }

    /// Writes the explanation.
    pub async fn explain(&self, text: &str) -> Result<()> {
        self.browser.write(self.hand, "explanation", text).await
    }

    /// Hands the answer in.
    pub async fn hand_in(&self) -> Result<()> {
        self.press("done").await
    }

    async fn press(&self, test_id: &str) -> Result<()> {
        self.browser.press_with(self.hand, test_id).await
    }
}

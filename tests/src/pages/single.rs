//! A question of the single-dimension task.

use anyhow::{Context, Result, ensure};
use domain::session::event::QuestionRef;
use fantoccini::key::Key;
use serde_json::json;

use super::Hand;
use crate::browser::{Browser, PATIENCE};
use crate::wait;

/// Examples, a choice, and two items.
pub struct SingleDimensionPage<'b> {
    browser: &'b Browser,
    /// Which question.
    pub at: QuestionRef,
    hand: Hand,
}

impl<'b> SingleDimensionPage<'b> {
    /// The question on screen, once its examples are there.
    pub async fn on_screen(browser: &'b Browser, hand: Hand) -> Result<Self> {
        let shown = "return !!document.querySelector('[data-testid=examples] .thumbnail')";
        wait::until("examples", PATIENCE, async || {
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

    /// Asks for another set of examples, which must be another.
    pub async fn more_examples(&self) -> Result<()> {
        let before = self.pictures().await?;
        self.press("more-examples").await?;
        wait::until("other examples", PATIENCE, async || {
            Ok((self.pictures().await? != before).then_some(()))
        })
        .await
    }

    /// The examples' pixels or paths, in one text.
    async fn pictures(&self) -> Result<String> {
        let script = "return [...document.querySelectorAll('[data-testid=examples] .thumbnail')]
            .map(it => it.toDataURL ? it.toDataURL() : it.innerHTML).join()";
        let pictures = self.browser.look(script, vec![]).await?;
        Ok(pictures.as_str().unwrap_or_default().to_owned())
    }

    /// Chooses an option and a point of both items.
    pub async fn fill(&self, option: usize) -> Result<()> {
        self.choose("option", option).await?;
        // Points of an item are numbered from 1.
        self.choose("item-confidence", 4).await?;
        self.choose("item-understanding", 3).await
    }

    /// Hands the answer in.
    pub async fn hand_in(&self) -> Result<()> {
        self.press("answer").await
    }

    /// Whether the answer was right, as the page says once the server has told it; `None` where
    /// the stage shows no right answers and another question is on screen.
    pub async fn verdict(&self) -> Result<Option<bool>> {
        let script = "const root = document.querySelector('[data-screen]');
            if (!root) return null;
            if (root.dataset.stage !== arguments[0] || root.dataset.question !== arguments[1]) return 'gone';
            return document.querySelector('[data-testid=verdict]')?.dataset.right ?? null";
        let place = vec![
            json!(self.at.stage.to_string()),
            json!(self.at.question.to_string()),
        ];
        wait::until("the right answer", PATIENCE, async || {
            let seen = self.browser.look(script, place.clone()).await?;
            Ok(match seen.as_str() {
                Some("true") => Some(Some(true)),
                Some("false") => Some(Some(false)),
                Some("gone") => Some(None),
                _ => None,
            })
        })
        .await
    }

    /// Goes on from the right answer.
    pub async fn move_on(&self) -> Result<()> {
        self.press("move-on").await
    }

    async fn press(&self, test_id: &str) -> Result<()> {
        self.browser.press_with(self.hand, test_id).await
    }

    async fn choose(&self, group: &str, option: usize) -> Result<()> {
        let wanted = format!("{group}-{option}");
        match self.hand {
            Hand::Pointer => self.browser.click_label(&wanted).await?,
            Hand::Finger => self.browser.tap_label(&wanted).await?,
            Hand::Keyboard => {
                // Tab reaches the group's first button, arrows go on from there.
                let first = usize::from(group.starts_with("item"));
                self.browser.tab_to(&format!("{group}-{first}")).await?;
                self.browser.keys(&[' ']).await?;
                for _ in first..option {
                    self.browser.keys(&[Key::Down.into()]).await?;
                }
            }
        }
        let script = "return document.querySelector(`[data-testid=\"${arguments[0]}\"]`).checked";
        let checked = self.browser.look(script, vec![json!(wanted)]).await?;
        ensure!(checked == json!(true), "'{wanted}' is not chosen");
        Ok(())
    }
}

//! A page of items.

use anyhow::{Context, Result, bail, ensure};
use fantoccini::key::Key;
use serde_json::Value;

use super::Hand;
use crate::browser::Browser;

/// Items of every kind.
pub struct QuestionnairePage<'b>(pub &'b Browser);

/// The items on the page: name, kind, and the `data-testid`s of their radio buttons by group, and
/// of everything else that is acted on.
const ITEMS: &str = "
    const form = document.querySelector('[data-screen=questionnaire]');
    if (!form) return null;
    return [...form.querySelectorAll('[data-item]')].map(item => {
      const radios = {};
      for (const radio of item.querySelectorAll('input[type=radio]'))
        (radios[radio.name] ??= []).push(radio.dataset.testid);
      const css = '.rank-option, input:not([type=radio]), textarea, select';
      const rest = [...item.querySelectorAll(css)].filter(e => !e.closest('.refusal'));
      return { id: item.dataset.item, kind: item.dataset.kind, radios: Object.values(radios),
               controls: rest.map(e => e.dataset.testid) };
    });";

const CHOSEN: &str = "
    const first = document.querySelector(`[data-testid=\"${arguments[0]}\"]`);
    return [...document.getElementsByName(first.name)].some(radio => radio.checked);";

const SAID: &str = "return document.querySelector('.note[role=alert]')?.textContent ?? ''";

/// A text that fits wherever text is asked for.
const WORDS: &str = "It was fun, and the dials turn.";

impl QuestionnairePage<'_> {
    /// A name for it: that of its first item.
    pub async fn name(&self) -> Result<String> {
        let first = "return document.querySelector('[data-item]')?.dataset.item ?? ''";
        let name = self.0.look(first, vec![]).await?;
        Ok(name.as_str().unwrap_or_default().to_owned())
    }

    /// Answers every item, points and options with the mouse and all else with the keyboard, and
    /// goes on.
    pub async fn fill_in(self) -> Result<()> {
        self.fill(Hand::Pointer).await?;
        self.hand_in().await
    }

    /// The names of the items on the page, in order.
    pub async fn items(&self) -> Result<Vec<String>> {
        let items = self.0.look(ITEMS, vec![]).await?;
        let items = items.as_array().cloned().unwrap_or_default();
        let id = |item: &Value| item["id"].as_str().unwrap_or_default().to_owned();
        Ok(items.iter().map(id).collect())
    }

    /// Answers every item, those too that appear while others are answered.
    pub async fn fill(&self, hand: Hand) -> Result<()> {
        let mut done: Vec<Value> = Vec::new();
        loop {
            let items = self.0.look(ITEMS, vec![]).await?;
            let items = items.as_array().context("no questionnaire is shown")?;
            let Some(item) = items.iter().find(|item| !done.contains(&item["id"])) else {
                return Ok(());
            };
            let id = item["id"].as_str().unwrap_or_default();
            self.answer(item, hand)
                .await
                .with_context(|| format!("answering '{id}'"))?;
            done.push(item["id"].clone());
        }
    }

    async fn answer(&self, item: &Value, hand: Hand) -> Result<()> {
        let browser = self.0;
        for group in list(&item["radios"]) {
            let group = list(&group);
            let middle = group.len() / 2;
            if hand != Hand::Keyboard {
                browser.tick(hand, name(&group[middle])?).await?;
                continue;
            }
            // At another attempt it has an answer, and Tab leads to that one.
            let chosen = browser.look(CHOSEN, vec![group[0].clone()]).await?;
            if chosen == Value::Bool(true) {
                continue;
            }
            browser.tick(hand, name(&group[0])?).await?;
            browser.keys(&vec![Key::Down.into(); middle]).await?;
        }
        let controls = list(&item["controls"]);
        let Some(first) = controls.first() else {
            return Ok(());
        };
        let first = name(first)?;
        let by_finger = hand == Hand::Finger;
        let keys: Vec<char> = match item["kind"].as_str().unwrap_or_default() {
            "choice" => {
                if item["radios"] == Value::Array(vec![]) {
                    browser.tick(hand, first).await?;
                }
                return Ok(());
            }
            "ranking" => {
                for option in &controls {
                    browser.press(name(option)?).await?;
                }
                return Ok(());
            }
            "motion_letters" => {
                browser.press(&format!("{first}-play")).await?;
                return browser.tick(hand, &format!("{first}-cannot_see")).await;
            }
            // On the line, wherever the finger lands.
            "slider" | "gradations" if by_finger => return browser.tap(first).await,
            "dropdown" if by_finger => return browser.pick(first, "").await,
            "date" if by_finger => return browser.pick(first, "2026-01-02").await,
            "number" if by_finger => return browser.write(hand, first, "3").await,
            "text" => return browser.write(hand, first, WORDS).await,
            "dropdown" => vec![Key::Down.into()],
            "slider" | "gradations" => vec![Key::Right.into(); 3],
            "number" => vec!['3'],
            // Month, day and year, as this browser asks for them.
            "date" => "01022026".chars().collect(),
            other => bail!("there is no such kind of item: '{other}'"),
        };
        browser.tab_to(first).await?;
        browser.keys(&keys).await
    }

    /// Presses *Continue* and waits until the page goes.
    pub async fn hand_in(&self) -> Result<()> {
        let browser = self.0;
        let items = browser.look(ITEMS, vec![]).await?;
        let said = browser.look(SAID, vec![]).await?;
        browser.press("questionnaire-submit").await?;
        // The next questionnaire may look the same but for its items, and the same one at another
        // attempt but for what is said of it.
        let limit = crate::browser::PATIENCE;
        crate::wait::until("the questionnaire to go", limit, async || {
            let gone = browser.screen().await? != "questionnaire"
                || browser.look(ITEMS, vec![]).await? != items
                || browser.look(SAID, vec![]).await? != said;
            Ok(gone.then_some(()))
        })
        .await
    }

    /// Presses *Continue* on a page that lacks something: the messages that show, by item. The
    /// focus must be on the first of these items.
    pub async fn refused(&self) -> Result<Value> {
        self.0.press("questionnaire-submit").await?;
        let said = self.0.look(PROBLEMS, vec![]).await?;
        let first = &list(&said["problems"])[0][0];
        ensure!(
            said["focused"] == *first,
            "the focus is on {}, not on {first}",
            said["focused"]
        );
        Ok(said["problems"].clone())
    }
}

const PROBLEMS: &str = "
    const items = [...document.querySelectorAll('[data-item]')];
    const said = items.map(i => [i.dataset.item, i.querySelector('.item-problem').textContent]);
    return { problems: said.filter(([, words]) => words),
             focused: document.activeElement?.closest('[data-item]')?.dataset.item ?? '' };";

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn name(value: &Value) -> Result<&str> {
    value.as_str().context("a control has a name")
}

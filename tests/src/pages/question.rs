//! The question screen: dials, pictures, alignment.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use domain::session::event::QuestionRef;
use fantoccini::key::Key;
use serde_json::{Value, json};

use super::number;
use crate::browser::{Browser, Hand, PATIENCE};
use crate::solver::{AlignmentSample, DialControl, solve};
use crate::wait;

mod dial_moves;
mod scripts;

use scripts::LOOK;

/// One question on screen.
pub struct QuestionPage<'b> {
    browser: &'b Browser,
    /// Which question.
    pub at: QuestionRef,
    hand: Hand,
    deadline: Instant,
    dials: Vec<Dial>,
    solved: bool,
    can_skip: bool,
}

/// A dial as it was last seen.
#[derive(Debug, Clone, Copy)]
enum Dial {
    Slider { min: f64, max: f64, value: f64 },
    Choice { options: u32, chosen: f64 },
}

impl<'b> QuestionPage<'b> {
    /// The question on screen, which the person gives at most `patience`.
    ///
    /// # Errors
    /// When there is none, or its first picture does not appear.
    pub async fn on_screen(browser: &'b Browser, hand: Hand, patience: Duration) -> Result<Self> {
        browser.await_screen("question").await?;
        let ready = "return !!document.querySelector('[data-screen=question]') &&
            !document.querySelector('[data-testid^=dial-]:disabled, [data-testid=move-on]') &&
            Number.isFinite(parseFloat(
              document.querySelector('[data-testid=alignment]').dataset.alignment))";
        wait::until("live controls", PATIENCE, async || {
            Ok((browser.look(ready, vec![]).await? == json!(true)).then_some(()))
        })
        .await?;
        let mut question = Self {
            browser,
            at: QuestionRef::new(0, 0),
            hand,
            deadline: Instant::now() + patience,
            dials: Vec::new(),
            solved: false,
            can_skip: false,
        };
        let state = question.refresh().await?;
        question.at = place(&state)?;
        ensure!(!question.dials.is_empty(), "there are no dials: {state}");
        Ok(question)
    }

    /// Turns the dials until the question is solved, or patience is at an end; whether it was solved.
    pub async fn solve(&mut self) -> Result<bool> {
        solve(self).await
    }

    /// Gives a dial a name, by keyboard.
    pub async fn rename(&self, dial: usize, name: &str) -> Result<()> {
        let button = format!("dial-{dial}-name");
        self.browser.tab_to(&button).await?;
        self.browser.keys(&[Key::Enter.into()]).await?;
        self.browser.element(&format!("{button}-field")).await?;
        // What is in the field is selected; typing replaces it.
        let typed: Vec<char> = name.chars().chain([Key::Enter.into()]).collect();
        self.browser.keys(&typed).await?;
        let shown = self.browser.element(&button).await?.text().await?;
        ensure!(shown == name, "dial {dial} is called {shown}");
        let focus = "return document.activeElement?.dataset.testid ?? null";
        let focus = self.browser.look(focus, vec![]).await?;
        ensure!(focus == button, "the focus went to {focus}");
        Ok(())
    }

    /// Goes to the next page: on from a solved question, or past an unsolved one.
    pub async fn leave(self) -> Result<()> {
        let (at, button) = (self.at, if self.solved { "move-on" } else { "skip" });
        let left = self.browser.press_with(self.hand, button).await;
        left.with_context(|| format!("leaving {at:?}"))?;
        let gone = "const root = document.querySelector('[data-screen]');
            return !root || root.dataset.screen !== 'question' ||
              +root.dataset.stage !== arguments[0] || +root.dataset.question !== arguments[1]";
        wait::until("the question to go", PATIENCE, async || {
            let place = vec![json!(at.stage), json!(at.question)];
            Ok((self.browser.look(gone, place).await? == json!(true)).then_some(()))
        })
        .await
    }

    /// Values of the dials, as the page has them.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        let value = |dial: &Dial| match *dial {
            Dial::Slider { value, .. } => value,
            Dial::Choice { chosen, .. } => chosen,
        };
        self.dials.iter().map(value).collect()
    }

    /// Which of the dials are sliders, the first first; the others are choices.
    pub fn sliders(&self) -> impl Iterator<Item = usize> + '_ {
        let numbered = self.dials.iter().enumerate();
        numbered.filter_map(|(dial, kind)| matches!(kind, Dial::Slider { .. }).then_some(dial))
    }

    /// Reads the page anew.
    ///
    /// # Errors
    /// When it is not this question's any more.
    pub async fn refresh(&mut self) -> Result<Value> {
        let state = self.browser.look(LOOK, vec![]).await?;
        let dials = state["dials"].as_array().context("dials were expected")?;
        self.dials = dials.iter().map(dial).collect::<Result<_>>()?;
        self.solved = state["solved"] == json!(true);
        self.can_skip = state["canSkip"] == json!(true);
        Ok(state)
    }

    /// The alignment once it stands still.
    async fn alignment_at_rest(&mut self) -> Result<f64> {
        let settle = "
            const meter = document.querySelector('[data-testid=alignment]');
            const frame = () => new Promise(done => requestAnimationFrame(done));
            for (let still = 0, last = null; still < 3; ) {
              await frame();
              still = meter.dataset.alignment === last ? still + 1 : 0;
              last = meter.dataset.alignment;
            }";
        self.browser.look_async(settle, vec![]).await?;
        let state = self.refresh().await?;
        let text = state["alignment"].as_str().context("no alignment")?;
        Ok(text.parse()?)
    }
}

impl DialControl for QuestionPage<'_> {
    fn positions(&self) -> Vec<f64> {
        let position = |dial: &Dial| match *dial {
            Dial::Slider { min, max, value } => (value - min) / (max - min),
            Dial::Choice { options, chosen } => chosen / f64::from(options - 1),
        };
        self.dials.iter().map(position).collect()
    }

    fn choices(&self, dial: usize) -> Vec<f64> {
        match self.dials[dial] {
            Dial::Slider { .. } => Vec::new(),
            Dial::Choice { options, .. } => (0..options)
                .map(|k| f64::from(k) / f64::from(options - 1))
                .collect(),
        }
    }

    async fn slide(&mut self, dial: usize, through: &[f64]) -> Result<Vec<AlignmentSample>> {
        if matches!(self.dials[dial], Dial::Choice { .. }) {
            let mut seen = Vec::new();
            for &position in through {
                if self.solved {
                    break;
                }
                seen.push(AlignmentSample {
                    position,
                    alignment: self.choose(dial, position).await?,
                });
            }
            return Ok(seen);
        }
        match self.hand {
            Hand::Pointer => self.slide_by_pointer(dial, through).await,
            Hand::Finger => self.slide_by_finger(dial, through).await,
            Hand::Keyboard => self.slide_by_keys(dial, through).await,
        }
    }

    async fn set(&mut self, dial: usize, position: f64) -> Result<f64> {
        if matches!(self.dials[dial], Dial::Choice { .. }) {
            return self.choose(dial, position).await;
        }
        self.put(dial, position).await
    }

    fn solved(&self) -> bool {
        self.solved
    }

    fn given_up(&self) -> bool {
        Instant::now() > self.deadline && self.can_skip
    }
}
fn place(state: &Value) -> Result<QuestionRef> {
    let index = |key: &str| -> Result<usize> {
        Ok(usize::try_from(
            state[key].as_u64().context("an index was expected")?,
        )?)
    };
    Ok(QuestionRef::new(index("stage")?, index("question")?))
}

fn dial(value: &Value) -> Result<Dial> {
    if let Some(options) = value["options"].as_u64() {
        let chosen = number(&value["chosen"])?;
        return Ok(Dial::Choice {
            options: u32::try_from(options)?,
            chosen,
        });
    }
    Ok(Dial::Slider {
        min: number(&value["min"])?,
        max: number(&value["max"])?,
        value: number(&value["value"])?,
    })
}

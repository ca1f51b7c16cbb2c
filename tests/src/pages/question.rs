//! The question screen: dials, pictures, alignment.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use domain::event::QuestionRef;
use fantoccini::actions::{MOUSE_BUTTON_LEFT, PointerAction};
use fantoccini::key::Key;
use serde_json::{Value, json};

use super::number;
use crate::browser::{Browser, Held, PATIENCE};
use crate::solver::{Dials, Seen, solve};
use crate::wait;

/// How long the pointer rests at each position of a slide: a few pictures.
const REST: Duration = Duration::from_millis(40);
/// A difference in position that keys are not used to make good.
const CLOSE_ENOUGH: f64 = 0.004;

/// What a person moves dials with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    /// The mouse, with a few arrow keys to be exact.
    Pointer,
    /// The keyboard alone.
    Keyboard,
}

/// One question on screen.
pub struct Question<'b> {
    browser: &'b Browser,
    /// Which question.
    pub at: QuestionRef,
    /// Name of the model.
    pub model: String,
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

const LOOK: &str = "
    const root = document.querySelector('[data-screen=question]');
    const find = id => root.querySelector(`[data-testid=\"${id}\"]`);
    const dials = [];
    for (let i = 0; ; i++) {
      const slider = find(`dial-${i}`);
      if (slider) {
        dials.push({ min: +slider.min, max: +slider.max, value: +slider.value });
        continue;
      }
      const options = [...root.querySelectorAll(`[data-testid^=\"dial-${i}-option-\"]`)];
      if (options.length === 0) break;
      dials.push({ options: options.length, chosen: options.findIndex(o => o.checked) });
    }
    return {
      stage: +root.dataset.stage, question: +root.dataset.question, model: root.dataset.model,
      dials, alignment: find('alignment').dataset.alignment,
      solved: !!find('move-on'), canSkip: !!find('skip'),
    };";

/// Notes value and alignment at every picture until `window.redialWatch` is called.
const WATCH: &str = "
    const [dial] = arguments;
    const root = document.querySelector('[data-screen=question]');
    const slider = root.querySelector(`[data-testid=\"dial-${dial}\"]`);
    const meter = root.querySelector('[data-testid=alignment]');
    const seen = [];
    let on = true;
    const note = () => {
      const now = [+slider.value, +meter.dataset.alignment];
      const last = seen[seen.length - 1];
      if (last && last[0] === now[0]) last[1] = now[1]; else seen.push(now);
      if (on) requestAnimationFrame(note);
    };
    note();
    window.redialWatch = () => { on = false; return seen; };";

impl<'b> Question<'b> {
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
            at: QuestionRef {
                stage: 0,
                question: 0,
            },
            model: String::new(),
            hand,
            deadline: Instant::now() + patience,
            dials: Vec::new(),
            solved: false,
            can_skip: false,
        };
        let state = question.refresh().await?;
        question.at = place(&state)?;
        question.model = state["model"].as_str().unwrap_or_default().to_owned();
        ensure!(!question.dials.is_empty(), "there are no dials: {state}");
        Ok(question)
    }

    /// Turns the dials until the question is solved, or patience is at an end; whether it was solved.
    ///
    /// # Errors
    /// When a dial does not follow.
    pub async fn solve(&mut self) -> Result<bool> {
        solve(self).await
    }

    /// Goes to the next page: on from a solved question, or past an unsolved one.
    ///
    /// # Errors
    /// When that is not possible.
    pub async fn leave(self) -> Result<()> {
        let (at, button) = (self.at, if self.solved { "move-on" } else { "skip" });
        self.browser
            .click(button)
            .await
            .with_context(|| format!("leaving {at:?}"))?;
        let gone = "const root = document.querySelector('[data-screen]');
            return !root || root.dataset.screen !== 'question' ||
              +root.dataset.stage !== arguments[0] || +root.dataset.question !== arguments[1]";
        wait::until("the question to go", PATIENCE, async || {
            let place = vec![json!(at.stage), json!(at.question)];
            Ok((self.browser.look(gone, place).await? == json!(true)).then_some(()))
        })
        .await
    }

    /// Takes a slider with the mouse and holds it.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub async fn grab(&self, dial: usize) -> Result<()> {
        let (x, y) = self.place_of(dial, self.positions()[dial]).await?;
        self.browser.held_mouse(Held::Press, x, y).await
    }

    /// Moves the slider that is held through positions, and rests at each; the
    /// mouse stays down.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub async fn drag(&self, dial: usize, through: &[f64], rest: Duration) -> Result<()> {
        for &position in through {
            let (x, y) = self.place_of(dial, position).await?;
            self.browser.held_mouse(Held::Move, x, y).await?;
            tokio::time::sleep(rest).await;
        }
        Ok(())
    }

    /// Lets the slider go where it is.
    ///
    /// # Errors
    /// When the browser does not answer.
    pub async fn release(&mut self, dial: usize) -> Result<()> {
        self.refresh().await?;
        let (x, y) = self.place_of(dial, self.positions()[dial]).await?;
        self.browser.held_mouse(Held::Release, x, y).await
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

    /// Where a position of a slider is on the screen.
    async fn place_of(&self, dial: usize, position: f64) -> Result<(f64, f64)> {
        let script = "
            const slider = document.querySelector(`[data-testid=\"dial-${arguments[0]}\"]`);
            let box = slider.getBoundingClientRect();
            if (box.top < 0 || box.bottom > innerHeight) {
              slider.scrollIntoView({ block: 'center', behavior: 'instant' });
              box = slider.getBoundingClientRect();
            }
            return [box.left, box.width, box.top + box.height / 2];";
        let place = self.browser.look(script, vec![json!(dial)]).await?;
        let (left, width) = (number(&place[0])?, number(&place[1])?);
        // The thumb's centre goes from half a thumb to half a thumb; about 20 px each.
        let thumb = width.min(20.0);
        let x = left + thumb / 2.0 + position * (width - thumb);
        Ok((x.clamp(left + 1.0, left + width - 1.0), number(&place[2])?))
    }

    /// Takes a slider that has the focus to a position by keys; returns the alignment there.
    async fn correct(&mut self, dial: usize, position: f64) -> Result<f64> {
        for _ in 0..4 {
            let alignment = self.alignment_at_rest().await?;
            let off = position - self.positions()[dial];
            let keys = if off.abs() >= 0.095 {
                presses(off / 0.1, Key::PageUp, Key::PageDown)
            } else {
                presses(off / 0.01, Key::Right, Key::Left)
            };
            if self.solved || off.abs() <= CLOSE_ENOUGH || keys.is_empty() {
                return Ok(alignment);
            }
            self.browser.keys(&keys).await?;
        }
        self.alignment_at_rest().await
    }

    async fn choose(&mut self, dial: usize, position: f64) -> Result<f64> {
        let Dial::Choice { options, chosen } = self.dials[dial] else {
            bail!("dial {dial} is a slider");
        };
        let wanted = (position * f64::from(options - 1)).round();
        if wanted != chosen {
            self.browser
                .click_label(&format!("dial-{dial}-option-{wanted}"))
                .await?;
        }
        self.alignment_at_rest().await
    }

    async fn slide_by_pointer(&mut self, dial: usize, through: &[f64]) -> Result<Vec<Seen>> {
        let start = self
            .place_of(dial, through.first().copied().unwrap_or(0.0))
            .await?;
        let end = self
            .place_of(dial, through.last().copied().unwrap_or(1.0))
            .await?;
        self.browser.look(WATCH, vec![json!(dial)]).await?;
        let mut actions = vec![to(start.0, start.1)];
        actions.push(PointerAction::Down {
            button: MOUSE_BUTTON_LEFT,
        });
        actions.push(PointerAction::Pause { duration: REST });
        for (k, _) in through.iter().enumerate().skip(1) {
            let share = k as f64 / (through.len() - 1) as f64;
            actions.push(to(start.0 + share * (end.0 - start.0), start.1));
            actions.push(PointerAction::Pause { duration: REST });
        }
        actions.push(PointerAction::Up {
            button: MOUSE_BUTTON_LEFT,
        });
        self.browser.mouse(actions).await?;
        self.seen(dial).await
    }

    async fn slide_by_keys(&mut self, dial: usize, through: &[f64]) -> Result<Vec<Seen>> {
        self.browser.tab_to(&format!("dial-{dial}")).await?;
        self.correct(dial, through.first().copied().unwrap_or(0.0))
            .await?;
        let mut seen = Vec::new();
        for &position in through {
            if self.solved {
                break;
            }
            let alignment = self.correct(dial, position).await?;
            seen.push(Seen {
                position: self.positions()[dial],
                alignment,
            });
        }
        Ok(seen)
    }

    /// What was seen since the last look, as positions.
    async fn seen(&mut self, dial: usize) -> Result<Vec<Seen>> {
        self.alignment_at_rest().await?;
        let seen = self
            .browser
            .look("return window.redialWatch()", vec![])
            .await?;
        let Dial::Slider { min, max, .. } = self.dials[dial] else {
            bail!("dial {dial} is a choice");
        };
        let entries = seen.as_array().context("a list was expected")?;
        entries
            .iter()
            .map(|entry| {
                Ok(Seen {
                    position: (number(&entry[0])? - min) / (max - min),
                    alignment: number(&entry[1])?,
                })
            })
            .collect()
    }
}

impl Dials for Question<'_> {
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

    async fn slide(&mut self, dial: usize, through: &[f64]) -> Result<Vec<Seen>> {
        if matches!(self.dials[dial], Dial::Choice { .. }) {
            let mut seen = Vec::new();
            for &position in through {
                if self.solved {
                    break;
                }
                seen.push(Seen {
                    position,
                    alignment: self.choose(dial, position).await?,
                });
            }
            return Ok(seen);
        }
        match self.hand {
            Hand::Pointer => self.slide_by_pointer(dial, through).await,
            Hand::Keyboard => self.slide_by_keys(dial, through).await,
        }
    }

    async fn set(&mut self, dial: usize, position: f64) -> Result<f64> {
        if matches!(self.dials[dial], Dial::Choice { .. }) {
            return self.choose(dial, position).await;
        }
        let far = (self.positions()[dial] - position).abs() > CLOSE_ENOUGH;
        if far && self.hand == Hand::Pointer {
            let (x, y) = self.place_of(dial, position).await?;
            let (down, up) = (
                PointerAction::Down {
                    button: MOUSE_BUTTON_LEFT,
                },
                PointerAction::Up {
                    button: MOUSE_BUTTON_LEFT,
                },
            );
            self.browser.mouse([to(x, y), down, up]).await?;
        } else if far {
            self.browser.tab_to(&format!("dial-{dial}")).await?;
        }
        self.correct(dial, position).await
    }

    fn solved(&self) -> bool {
        self.solved
    }

    fn given_up(&self) -> bool {
        Instant::now() > self.deadline && self.can_skip
    }
}

fn to(x: f64, y: f64) -> PointerAction {
    PointerAction::MoveTo {
        duration: None,
        x: x.round(),
        y: y.round(),
    }
}

/// As many presses of one of two keys as a signed number says.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few presses
fn presses(times: f64, up: Key, down: Key) -> Vec<char> {
    let key = if times > 0.0 { up } else { down };
    vec![key.into(); times.abs().round() as usize]
}

fn place(state: &Value) -> Result<QuestionRef> {
    let index = |key: &str| -> Result<usize> {
        Ok(usize::try_from(
            state[key].as_u64().context("an index was expected")?,
        )?)
    };
    Ok(QuestionRef {
        stage: index("stage")?,
        question: index("question")?,
    })
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

//! Moving a dial by mouse or keyboard.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use fantoccini::actions::{MOUSE_BUTTON_LEFT, PointerAction};
use fantoccini::key::Key;
use serde_json::json;

use super::scripts::WATCH;
use super::{Dial, Hand, QuestionPage};
use crate::pages::{Slider, number};
use crate::solver::{AlignmentSample, DialControl};

/// How long the pointer rests at each position of a slide: a few pictures.
const REST: Duration = Duration::from_millis(40);
/// How far an arrow key moves a slider, as a share of its range; *Page up* and *Page down* move it by ten such steps.
const STEP: f64 = 0.01;
/// A difference in position that keys are not used to make good.
const CLOSE_ENOUGH: f64 = 0.004;

impl QuestionPage<'_> {
    /// The slider of a dial.
    #[must_use]
    pub fn slider(&self, dial: usize) -> Slider<'_> {
        Slider::new(self.browser, dial)
    }

    /// Takes a slider that has the focus to a position in small steps, by keys or by the buttons
    /// beside it; returns the alignment there.
    async fn correct(&mut self, dial: usize, position: f64) -> Result<f64> {
        for _ in 0..4 {
            let alignment = self.alignment_at_rest().await?;
            let off = position - self.positions()[dial];
            if self.hand == Hand::Finger {
                let side = if off > 0.0 { "plus" } else { "minus" };
                if self.solved || off.abs() <= CLOSE_ENOUGH {
                    return Ok(alignment);
                }
                for _ in 0..whole(off / STEP) {
                    self.browser.tap(&format!("dial-{dial}-{side}")).await?;
                }
                continue;
            }
            let keys = if off.abs() >= 9.5 * STEP {
                presses(off / (10.0 * STEP), Key::PageUp, Key::PageDown)
            } else {
                presses(off / STEP, Key::Right, Key::Left)
            };
            if self.solved || off.abs() <= CLOSE_ENOUGH || keys.is_empty() {
                return Ok(alignment);
            }
            self.browser.keys(&keys).await?;
        }
        self.alignment_at_rest().await
    }

    /// Sets a slider; returns the alignment there.
    pub(super) async fn put(&mut self, dial: usize, position: f64) -> Result<f64> {
        let off = (self.positions()[dial] - position).abs();
        let far = off > CLOSE_ENOUGH;
        if self.hand == Hand::Finger {
            // A tap on the thumb itself moves nothing.
            if off > 0.1 {
                let place = self.slider(dial).place_of(position).await?;
                self.browser.touch(&[place], REST).await?;
            }
        } else if far && self.hand == Hand::Pointer {
            let (x, y) = self.slider(dial).place_of(position).await?;
            self.browser.click_at(x, y).await?;
        } else if far {
            self.browser.tab_to(&format!("dial-{dial}")).await?;
        }
        self.correct(dial, position).await
    }

    pub(super) async fn choose(&mut self, dial: usize, position: f64) -> Result<f64> {
        let Dial::Choice { options, chosen } = self.dials[dial] else {
            bail!("dial {dial} is a slider");
        };
        let wanted = (position * f64::from(options - 1)).round();
        if wanted != chosen {
            let option = format!("dial-{dial}-option-{wanted}");
            match self.hand {
                Hand::Finger => self.browser.tap_label(&option).await?,
                _ => self.browser.click_label(&option).await?,
            }
        }
        self.alignment_at_rest().await
    }

    pub(super) async fn slide_by_pointer(
        &mut self,
        dial: usize,
        through: &[f64],
    ) -> Result<Vec<AlignmentSample>> {
        let start = self
            .slider(dial)
            .place_of(through.first().copied().unwrap_or(0.0))
            .await?;
        let end = self
            .slider(dial)
            .place_of(through.last().copied().unwrap_or(1.0))
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

    /// A finger takes the slider where it stands, goes sideways, and lets go.
    pub(super) async fn slide_by_finger(
        &mut self,
        dial: usize,
        through: &[f64],
    ) -> Result<Vec<AlignmentSample>> {
        let mut places = Vec::new();
        for position in [self.positions()[dial]].iter().chain(through) {
            places.push(self.slider(dial).place_of(*position).await?);
        }
        self.browser.look(WATCH, vec![json!(dial)]).await?;
        self.browser.touch(&places, REST).await?;
        self.seen(dial).await
    }

    pub(super) async fn slide_by_keys(
        &mut self,
        dial: usize,
        through: &[f64],
    ) -> Result<Vec<AlignmentSample>> {
        self.browser.tab_to(&format!("dial-{dial}")).await?;
        let start = through.first().copied().unwrap_or(0.0);
        self.correct(dial, start).await?;
        self.browser.look(WATCH, vec![json!(dial)]).await?;
        let mut before = 0.0;
        let groups: Vec<Vec<char>> = through
            .iter()
            .map(|position| {
                // In whole steps from the first position, so that nothing adds up.
                let steps = ((position - start) / STEP).round();
                let [far, near] = [((steps - before) / 10.0).trunc(), (steps - before) % 10.0];
                before = steps;
                let mut keys = presses(far, Key::PageUp, Key::PageDown);
                keys.extend(presses(near, Key::Right, Key::Left));
                keys
            })
            .collect();
        self.browser.keys_with_rests(&groups, REST).await?;
        self.seen(dial).await
    }

    /// What was seen since the last look, as positions.
    async fn seen(&mut self, dial: usize) -> Result<Vec<AlignmentSample>> {
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
                Ok(AlignmentSample {
                    position: (number(&entry[0])? - min) / (max - min),
                    alignment: number(&entry[1])?,
                })
            })
            .collect()
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
fn presses(times: f64, up: Key, down: Key) -> Vec<char> {
    let key = if times > 0.0 { up } else { down };
    vec![key.into(); whole(times)]
}

/// How many that is, without its sign.
fn whole(times: f64) -> usize {
    times.abs().round() as usize
}

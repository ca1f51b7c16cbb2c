//! A slider, under the mouse.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use super::number;
use crate::browser::{Browser, Held};

/// A slider on screen. Positions are shares of its range, in [0, 1].
#[derive(Clone, Copy)]
pub struct Slider<'b> {
    browser: &'b Browser,
    dial: usize,
}

impl<'b> Slider<'b> {
    /// The slider of a dial, which is numbered from 0.
    #[must_use]
    pub fn new(browser: &'b Browser, dial: usize) -> Self {
        Self { browser, dial }
    }

    /// Takes it with the mouse and holds it.
    pub async fn grab(&self) -> Result<()> {
        let (x, y) = self.thumb().await?;
        self.browser.held_mouse(Held::Press, x, y).await
    }

    /// Moves it, while it is held, through positions, and rests at each; the mouse stays down.
    pub async fn drag(&self, through: &[f64], rest: Duration) -> Result<()> {
        for &position in through {
            let (x, y) = self.place_of(position).await?;
            self.browser.held_mouse(Held::Move, x, y).await?;
            tokio::time::sleep(rest).await;
        }
        Ok(())
    }

    /// Lets it go where it is.
    pub async fn release(&self) -> Result<()> {
        let (x, y) = self.thumb().await?;
        self.browser.held_mouse(Held::Release, x, y).await
    }

    /// Where its thumb is on the screen.
    async fn thumb(&self) -> Result<(f64, f64)> {
        let script = "
            const slider = document.querySelector(`[data-testid=\"dial-${arguments[0]}\"]`);
            return (slider.value - slider.min) / (slider.max - slider.min);";
        let position = self.browser.look(script, vec![json!(self.dial)]).await?;
        self.place_of(number(&position)?).await
    }

    /// Where a position is on the screen, to which the page is scrolled.
    pub async fn place_of(&self, position: f64) -> Result<(f64, f64)> {
        let script = "
            const slider = document.querySelector(`[data-testid=\"dial-${arguments[0]}\"]`);
            let box = slider.getBoundingClientRect();
            if (box.top < 0 || box.bottom > innerHeight) {
              slider.scrollIntoView({ block: 'center', behavior: 'instant' });
              box = slider.getBoundingClientRect();
            }
            return [box.left, box.width, box.top + box.height / 2];";
        let place = self.browser.look(script, vec![json!(self.dial)]).await?;
        let (left, width) = (number(&place[0])?, number(&place[1])?);
        // The thumb's centre goes from half a thumb to half a thumb; about 20 px each.
        let thumb = width.min(20.0);
        let x = left + thumb / 2.0 + position * (width - thumb);
        Ok((x.clamp(left + 1.0, left + width - 1.0), number(&place[2])?))
    }
}

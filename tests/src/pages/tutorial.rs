//! The tutorial.

use anyhow::{Result, bail};

use crate::browser::Browser;

/// More steps than any tutorial has.
const STEPS: usize = 20;

/// A few steps with something to play with.
pub struct TutorialPage<'b>(pub &'b Browser);

impl TutorialPage<'_> {
    /// Reads to the end; `on_step` is called on every step.
    pub async fn read(self, mut on_step: impl AsyncFnMut(usize) -> Result<()>) -> Result<()> {
        for step in 0..STEPS {
            on_step(step).await?;
            if self.0.visible("tutorial-next").await?.is_some() {
                self.0.press("tutorial-next").await?;
            } else {
                self.0.press("tutorial-finish").await?;
                return self.0.await_change("tutorial").await;
            }
        }
        bail!("the tutorial has more than {STEPS} steps")
    }
}

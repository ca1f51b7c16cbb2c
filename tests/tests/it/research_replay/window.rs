//! The participant's window within the replay: its size, and keys that are pressed in it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::session::event::Event;
use tests::wait;

use super::Page;

impl Page<'_> {
    /// The screen's document has the size that the log says, whatever the size of this column.
    pub(super) async fn the_window_is_the_participant_s(&self) -> Result<()> {
        let inside = "const { contentWindow } = document.querySelector('.replay-window iframe');
            return [contentWindow.innerWidth, contentWindow.innerHeight]";
        let opened = self.log.iter().rev().find_map(|it| match &it.event {
            Event::PageOpened { page } => Some(page),
            _ => None,
        });
        let page = opened.context("no page was opened")?;
        let (width, height) = (page.viewport_width_px, page.viewport_height_px);
        if width == 0 {
            return self.says("window-size", "does not say how large").await;
        }
        self.says("window-size", &format!("{width} × {height} px"))
            .await?;
        wait::until("the window's size", Duration::from_secs(10), async || {
            let found = self.numbers(inside).await?;
            Ok((found == [f64::from(width), f64::from(height)]).then_some(()))
        })
        .await
    }

    /// Whoever has clicked on the screen goes on by keyboard.
    pub(super) async fn keys_count_on_the_screen(&self) -> Result<()> {
        let press = "const { contentDocument } = document.querySelector('.replay-window iframe');
            const pressed = { key: arguments[0], bubbles: true, cancelable: true };
            return contentDocument.body.dispatchEvent(new KeyboardEvent('keydown', pressed))";
        for (key, count) in [("Home", 0), ("End", self.ended())] {
            let free = self.browser.look(press, vec![key.into()]).await?;
            ensure!(free == false, "{key} scrolls the screen, too");
            self.at(count).await?;
        }
        Ok(())
    }
}

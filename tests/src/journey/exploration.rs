//! Free play, on the way through a study.

use anyhow::Result;
use fantoccini::key::Key;

use super::{Answered, gone, on_screen};
use crate::browser::Browser;
use crate::pages::Hand;

/// Turns a dial by one step and writes a note.
pub(super) async fn explore(
    browser: &Browser,
    only: Option<Hand>,
    look_around: &mut impl AsyncFnMut(&Browser, &str) -> Result<()>,
) -> Result<Answered> {
    let at = on_screen(browser).await?;
    look_around(browser, &format!("exploration-{}", at.stage)).await?;
    // A dial is turned, too, by one step: the first that is a slider. Some start at their end.
    let slider = "const dial = document.querySelector('.dials input[type=range]');
        return [dial.dataset.testid, +dial.value < +dial.max]";
    let slider = browser.look(slider, vec![]).await?;
    let has_room = slider[1] == true;
    let slider = slider[0].as_str().unwrap_or_default();
    let writing = if only == Some(Hand::Finger) {
        let button = if has_room { "plus" } else { "minus" };
        browser.tap(&format!("{slider}-{button}")).await?;
        Hand::Finger
    } else {
        let key = if has_room { Key::Right } else { Key::Left };
        browser.tab_to(slider).await?;
        browser.keys(&[key.into()]).await?;
        Hand::Keyboard
    };
    browser.write(writing, "notes", "size").await?;
    look_around(browser, &format!("filled-exploration-{}", at.stage)).await?;
    browser
        .press_with(only.unwrap_or(Hand::Pointer), "done")
        .await?;
    gone(browser, at).await?;
    Ok(Answered { at, solved: true })
}

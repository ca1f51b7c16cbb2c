//! A session is started once, however often *Start* is pressed.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use domain::session::event::{Envelope, Event};
use serde_json::json;
use tempfile::TempDir;
use tests::browser::{Browser, PATIENCE};
use tests::client::KeptSession;
use tests::server::{Server, add};
use tests::wait;

const STUDY: &str = "started-once";

/// Presses *Start* as often as can be, from when the server has answered until the page has gone on.
const PRESS_WHILE_THE_ANSWER_IS_STORED: &str = "
    const ask = window.fetch;
    window.pressed = 0;
    window.fetch = async (...args) => {
      const answer = await ask(...args);
      const url = typeof args[0] === 'string' ? args[0] : args[0].url;
      if (url.endsWith('/sessions')) {
        const press = setInterval(() => {
          const start = document.querySelector('[data-testid=start]');
          if (!start) return clearInterval(press);
          window.pressed += 1;
          start.click();
        }, 0);
      }
      return answer;
    };";

#[tokio::test]
async fn start_starts_once_however_often_it_is_pressed() -> Result<()> {
    wait::at_most(Duration::from_secs(120), press_start_often()).await
}

async fn press_start_often() -> Result<()> {
    let server = Server::start_with(prepare).await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    let result = async {
        let address = format!("http://{}/study/{STUDY}", server.address());
        browser.goto(&address).await?;
        browser.settled_screen().await?;
        browser
            .look(PRESS_WHILE_THE_ANSWER_IS_STORED, vec![])
            .await?;
        browser.press("start").await?;
        wait::until("instructions", PATIENCE, async || {
            let screen = browser.settled_screen().await?;
            Ok((screen == "instructions").then_some(()))
        })
        .await?;
        let pressed = browser.look("return window.pressed;", vec![]).await?;
        ensure!(pressed.as_u64() > Some(0), "nothing was pressed: {pressed}");
        // What the page sends from here on is taken.
        browser.press("instructions-read").await?;
        let kept = KeptSession::of(&browser, server.address()).await?;
        wait::until("what was read, on the server", PATIENCE, async || {
            browser.settled_screen().await?;
            let log = kept.log().await?;
            let is_read = |it: &Envelope| matches!(it.event, Event::InstructionsRead { .. });
            Ok(log.iter().any(is_read).then_some(()))
        })
        .await
    }
    .await;
    browser.finish("start-once", result).await
}

/// A consent form, something to read, and a stage.
fn prepare(studies: &Path) -> Result<()> {
    let study = json!({
        "format": 2, "id": STUDY, "title": "Started once",
        "parts": [
            { "kind": "consent", "file": "read.md", "investigator": "I", "contact": "c@example.org",
              "duration_minutes": 5 },
            { "kind": "instructions", "id": "one", "file": "read.md" },
            { "kind": "stage", "id": "curves",
              "task": { "kind": "reconstruction", "model": "sinelines-gt5", "questions": 1 } },
        ]
    });
    add(studies, &study)?;
    let file = studies.join(STUDY).join("read.md");
    Ok(std::fs::write(file, "Read this.\n")?)
}

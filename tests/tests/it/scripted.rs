//! A script in the page that sets the dials: it can solve a question, and what it did is in the log and
//! raises a flag. A hand does not.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::movement::Modality;
use domain::session::event::Event;
use serde_json::Value;
use tests::browser::{Browser, PATIENCE};
use tests::client::KeptSession;
use tests::journey;
use tests::pages::{Hand, QuestionPage};
use tests::scene::in_browser;
use tests::server::Server;
use tests::solver::DialControl;
use tests::wait;

const STUDY: &str = "quickstart";

/// Sets the first dial to a number of values, one in each frame.
const SCRIPT: &str = "
    const dial = document.querySelector('[data-testid=dial-0]');
    const frame = () => new Promise(done => requestAnimationFrame(done));
    for (let n = 0; n < 30; n++) {
      dial.value = +dial.min + (dial.max - dial.min) * (n % 10) / 10;
      dial.dispatchEvent(new Event('input', { bubbles: true }));
      await frame();
    }";

#[tokio::test]
async fn a_script_in_the_page_is_seen_and_a_hand_is_not_taken_for_one() -> Result<()> {
    in_browser("scripted", 300, Server::start(), take).await
}

async fn take(server: &Server, browser: &Browser) -> Result<()> {
    journey::to_first_stage(browser, server.address(), STUDY).await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    let kept = KeptSession::of(browser, server.address()).await?;

    // A person looks first.
    tokio::time::sleep(Duration::from_millis(600)).await;
    question.slide(0, &[0.2, 0.5]).await?;
    question.slide(1, &[0.8]).await?;
    let gestures = wait::until("the gestures", PATIENCE, async || {
        let events = kept.log().await?;
        let gestures = events
            .into_iter()
            .filter_map(|envelope| match envelope.event {
                Event::GestureMade(gesture) => Some((envelope.at_ms, gesture)),
                _ => None,
            });
        let gestures: Vec<_> = gestures.collect();
        Ok((gestures.len() >= 2).then_some(gestures))
    })
    .await?;
    for (at_ms, gesture) in &gestures {
        ensure!(
            gesture.trusted && gesture.by == Modality::Mouse,
            "{gesture:?}"
        );
        ensure!(gesture.problem(*at_ms).is_none(), "{gesture:?} at {at_ms}");
    }
    ensure!(
        gestures
            .iter()
            .any(|(_, it)| it.path_px > 10.0 && it.sub_movements > 0),
        "{gestures:?}"
    );
    ensure!(
        flags(server)?.is_empty(),
        "a hand has flags: {:?}",
        flags(server)?
    );

    browser.look_async(SCRIPT, vec![]).await?;
    wait::until("the script's inputs in the log", PATIENCE, async || {
        let events = kept.log().await?;
        let scripted = events.iter().map(|envelope| match envelope.event {
            Event::ScriptedInput { events } => events,
            _ => 0,
        });
        Ok((scripted.sum::<u32>() == 30).then_some(()))
    })
    .await?;
    let flags = flags(server)?;
    ensure!(flags.contains(&"scripted_share".to_owned()), "{flags:?}");
    Ok(())
}

/// The flags of the only session, by the command for researchers.
fn flags(server: &Server) -> Result<Vec<String>> {
    let output = server
        .command(&["study", "automation", STUDY, "--json"])?
        .stdin(Stdio::null())
        .output()?;
    let why = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {why}", output.status);
    let found: Value = serde_json::from_slice(&output.stdout)?;
    let flags = found["sessions"][0]["flags"].as_array().context("flags")?;
    let names = flags.iter().filter_map(Value::as_str).map(str::to_owned);
    Ok(names.collect())
}

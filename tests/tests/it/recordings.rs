//! The participant's voice in a lab session: agreed to, tried, recorded across a reload and a dead
//! network, and exported with times that fit the log.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::session::event::Event;
use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::audit::Audit;
use tests::browser::Browser;
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, StageIntro, StudyPage};
use tests::scene::in_engine;
use tests::server::{Server, add};
use tests::tools;
use tests::wait;

mod heard_again;

use heard_again::{heard_again, length_s};

const STUDY: &str = "aloud";

/// How long the network is away.
const OUTAGE: Duration = Duration::from_secs(20);

/// Length of a piece in `static/recorder.js`.
const PIECE_MS: f64 = 4_000.0;

fn prepare(studies: &Path, recording: &Value) -> Result<()> {
    let study = json!({ "format": 2, "id": STUDY, "title": "Aloud", "mode": "lab",
        "lab": { "recording": recording },
        "parts": [{ "kind": "stage", "id": "first", "task": {
            "kind": "reconstruction", "model": "circles", "questions": 2,
            "target_alignment_percent": 100 } }]
    });
    add(studies, &study)
}

/// What happens in a browser with a microphone.
async fn taken(
    recording: Value,
    name: &str,
    what: impl AsyncFn(&Server, &Browser) -> Result<()>,
) -> Result<()> {
    let server = Server::start_with(|studies| prepare(studies, &recording));
    let microphone = (BrowserEngine::Chromium, BrowserSetup::with_microphone());
    in_engine(name, 400, microphone, server, async |server, browser| {
        what(server, browser).await
    })
    .await
}

#[tokio::test]
async fn a_recording_outlives_a_reload_and_a_dead_network() -> Result<()> {
    taken(json!({}), "recording", interrupted).await
}

#[tokio::test]
async fn who_says_no_takes_the_study_without_being_recorded() -> Result<()> {
    taken(json!({}), "not-recorded", declined).await
}

#[tokio::test]
async fn what_is_said_while_the_button_is_held_is_in_the_log() -> Result<()> {
    taken(json!({ "press_to_talk": true }), "press-to-talk", held).await
}

/// To the first stage, recorded.
async fn agree(server: &Server, browser: &Browser, audit: &mut Audit) -> Result<()> {
    StudyPage::begin(browser, server.address(), STUDY).await?;
    browser.await_screen("microphone").await?;
    audit.look(browser, "microphone-asked").await?;
    browser.press("try-microphone").await?;
    let open = "return document.querySelector('[data-testid=record]')?.disabled === false";
    wait::until(
        "the microphone to be heard",
        Duration::from_secs(30),
        async || Ok((browser.look(open, vec![]).await? == json!(true)).then_some(())),
    )
    .await?;
    audit.look(browser, "microphone-heard").await?;
    browser.press("record").await?;
    browser.await_screen("stage-intro").await
}

async fn sound(browser: &Browser, state: &str) -> Result<()> {
    let said = "return document.querySelector('[data-testid=sound-state]')?.dataset.state ?? ''";
    wait::until(
        &format!("the sound to be '{state}'"),
        Duration::from_secs(30),
        async || Ok((browser.look(said, vec![]).await? == json!(state)).then_some(())),
    )
    .await
}

async fn interrupted(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    agree(server, browser, &mut audit).await?;
    sound(browser, "on").await?;
    StageIntro(browser).begin().await?;
    audit.look(browser, "recording-question").await?;
    tokio::time::sleep(Duration::from_secs(6)).await;
    browser.reload().await?;
    browser.await_screen("question").await?;
    sound(browser, "on").await?;
    browser.set_offline(true).await?;
    tokio::time::sleep(OUTAGE).await;
    browser.set_offline(false).await?;
    journey::finish(browser, Duration::from_secs(2), async |_, _| Ok(())).await?;
    Complete(browser).code().await?;
    audit.verdict()?;

    let export = Export::of(server, STUDY)?;
    let rows = export.table("recordings")?;
    ensure!(rows.len() == 2, "{rows:?}");
    let number = |row: &Value, name: &str| row[name].as_f64().context("a number");
    for row in &rows {
        ensure!(
            row["pieces"] == row["pieces_in_file"],
            "something is missing: {row}"
        );
        let seconds = length_s(browser, &export, row).await?;
        let logged = (number(row, "ended_at_ms")? - number(row, "started_at_ms")?) / 1_000.0;
        println!("a recording of {seconds:.3} s, {logged:.3} s by the log: {row}");
        // The page's clock is read when its handler runs. On a busy machine that is late: only a long run,
        // which has the machine for itself, can tell 0.1 s.
        let farthest = if tools::long() { 0.1 } else { 0.5 };
        ensure!(
            (seconds - logged).abs() <= farthest,
            "{seconds} s of sound, {logged} s in the log"
        );
    }
    // What lies between the two: the page's absence, and one piece at most.
    let log = export.only_log()?;
    let hidden = log
        .iter()
        .find(|it| it.event == Event::PageHidden)
        .context("hidden")?;
    let opened =
        |it: &&domain::session::event::Envelope| matches!(it.event, Event::PageOpened { .. });
    let opened = log.iter().filter(opened).nth(1).context("opened again")?;
    let absence_ms = opened.at_ms.saturating_sub(hidden.at_ms) as f64;
    let gap_ms = number(&rows[1], "started_at_ms")? - number(&rows[0], "ended_at_ms")?;
    println!("a gap of {gap_ms} ms; the page was away for {absence_ms} ms");
    // The microphone is asked for again, which takes a moment of its own.
    ensure!(
        gap_ms <= absence_ms + PIECE_MS + 1_500.0,
        "{gap_ms} ms, away for {absence_ms} ms"
    );
    ensure!(number(&rows[1], "ended_at_ms")? - number(&rows[1], "started_at_ms")? > 20_000.0);

    heard_again(server, browser, &export).await?;

    // Without --identifying no sound leaves the server.
    let folder = server.folder().join("pseudonymous");
    let output = server
        .command(&["export", STUDY])?
        .arg("--out")
        .arg(&folder)
        .output()?;
    ensure!(output.status.success(), "{output:?}");
    ensure!(!folder.join("recordings").exists());
    Export::verify(server, STUDY)
}

async fn declined(server: &Server, browser: &Browser) -> Result<()> {
    StudyPage::begin(browser, server.address(), STUDY).await?;
    browser.await_screen("microphone").await?;
    browser.press("not-recorded").await?;
    browser.await_screen("stage-intro").await?;
    // The answer stands after a reload.
    browser.reload().await?;
    browser.await_screen("stage-intro").await?;
    journey::finish(browser, Duration::from_secs(2), async |_, _| Ok(())).await?;
    Complete(browser).code().await?;
    let export = Export::of(server, STUDY)?;
    ensure!(export.table("recordings")?.is_empty());
    let log = export.only_log()?;
    ensure!(
        log.iter()
            .any(|it| it.event == Event::RecordingAnswered { agreed: false })
    );
    Ok(())
}

async fn held(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    agree(server, browser, &mut audit).await?;
    sound(browser, "muted").await?;
    audit.look(browser, "press-to-talk").await?;
    browser.tab_to("talk").await?;
    browser.keys(&[Key::Enter.into()]).await?;
    sound(browser, "muted").await?;
    journey::finish(browser, Duration::from_secs(2), async |_, _| Ok(())).await?;
    Complete(browser).code().await?;
    audit.verdict()?;
    let log = Export::of(server, STUDY)?.only_log()?;
    let talks: Vec<&str> = log
        .iter()
        .map(|it| it.event.kind())
        .filter(|kind| kind.starts_with("talk_"))
        .collect();
    ensure!(talks == ["talk_started", "talk_ended"], "{talks:?}");
    Ok(())
}

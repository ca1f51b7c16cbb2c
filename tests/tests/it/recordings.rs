//! The participant's voice in a lab session: agreed to, tried, recorded across a reload and a dead
//! network, and exported with times that fit the log.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::session::event::Event;
use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::area;
use tests::audit::Audit;
use tests::browser::Browser;
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, StageIntro, StudyPage};
use tests::scene::in_engine;
use tests::server::{Server, add};
use tests::wait;

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
        ensure!(
            (seconds - logged).abs() <= 0.1,
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

/// A researcher hears the recordings in the session's replay, and reads what was said.
async fn heard_again(server: &Server, browser: &Browser, export: &Export) -> Result<()> {
    let session = export.table("sessions")?[0]["session"].clone();
    let session = session.as_str().context("a session")?;
    let said = server.folder().join("said.vtt");
    std::fs::write(
        &said,
        "WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ada>It gets rounder\n",
    )?;
    let file = said.to_str().context("a path")?;
    area::said(
        server,
        &["session", "transcript", session, file, "--recording", "1"],
    )?;
    area::sign_in(server, browser, STUDY).await?;
    browser
        .goto(&area::address(
            server,
            &format!("/studies/{STUDY}/replay/{session}"),
        ))
        .await?;
    browser.await_screen("replay").await?;
    let watch = "window.played = new Set();
        const { play } = HTMLMediaElement.prototype;
        HTMLMediaElement.prototype.play = function () { window.played.add(this); return play.call(this) };";
    browser.look(watch, vec![]).await?;
    browser.click("sound").await?;
    area::says(browser, "recordings", "Recording 2").await?;
    area::says(browser, "transcript", "Ada: It gets rounder").await?;
    // The waveform: some column of the lane is higher than a line.
    let wave = "const canvas = document.querySelector('[data-testid=sound-lane] canvas');
        const { width, height } = canvas;
        const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
        const at = (x, y) => data.slice((y * width + x) * 4, (y * width + x) * 4 + 3).join();
        const behind = at(width - 40, 1);
        let highest = 0;
        for (let x = Math.round(width * 0.3); x < width - 20; x++) {
            let here = 0;
            for (let y = 0; y < height * 0.75; y++) here += at(x, y) !== behind;
            highest = Math.max(highest, here);
        }
        return highest";
    wait::until("the waveform", Duration::from_secs(60), async || {
        let highest = browser.look(wave, vec![]).await?;
        Ok((highest.as_f64() > Some(2.0)).then_some(()))
    })
    .await?;
    area::look(browser, "replay-sound").await?;
    let line = "document.querySelector('[data-testid=transcript] button').click()";
    browser.look(line, vec![]).await?;
    // The screen stands in a window as large as the participant's.
    let log = export.only_log()?;
    let opened = log.iter().rev().find_map(|it| match &it.event {
        Event::PageOpened { page } => Some(page),
        _ => None,
    });
    let page = opened.context("no page was opened")?;
    let size = "const { contentWindow } = document.querySelector('.replay-window iframe');
        return [contentWindow.innerWidth, contentWindow.innerHeight]";
    let logged = json!([page.viewport_width_px, page.viewport_height_px]);
    wait::until("the window", Duration::from_secs(10), async || {
        Ok((browser.look(size, vec![]).await? == logged).then_some(()))
    })
    .await?;
    browser.click("play").await?;
    let heard = "return [...window.played].some(it => !it.paused && it.currentTime > 0.5)";
    wait::until("the sound", Duration::from_secs(30), async || {
        Ok((browser.look(heard, vec![]).await? == json!(true)).then_some(()))
    })
    .await?;
    browser.click("play").await?;
    let silent = "return [...window.played].every(it => it.paused)";
    wait::until("silence", Duration::from_secs(10), async || {
        Ok((browser.look(silent, vec![]).await? == json!(true)).then_some(()))
    })
    .await?;
    let audit = area::said(server, &["user", "audit", "--study", STUDY])?;
    ensure!(audit.contains(session), "{audit}");
    Ok(())
}

/// Length of a recording in seconds, as the browser's own decoder finds it.
async fn length_s(browser: &Browser, export: &Export, row: &Value) -> Result<f64> {
    let file = row["file"].as_str().context("a file")?;
    let bytes = std::fs::read(export.folder().join(file))?;
    let decoded = "
        const bytes = Uint8Array.from(atob(arguments[0]), c => c.charCodeAt(0));
        const sound = await new OfflineAudioContext(1, 1, 48000).decodeAudioData(bytes.buffer);
        const loudest = sound.getChannelData(0).reduce((most, it) => Math.max(most, Math.abs(it)), 0);
        return [sound.duration, loudest];";
    let found = browser
        .look_async(decoded, vec![json!(STANDARD.encode(bytes))])
        .await?;
    let loudest = found[1].as_f64().context("loudest")?;
    ensure!(loudest > 0.05, "the recording is silent: {loudest}");
    found[0].as_f64().context("duration")
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

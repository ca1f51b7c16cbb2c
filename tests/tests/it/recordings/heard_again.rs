//! A researcher hears a session's recordings in its replay.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::session::event::Event;
use serde_json::{Value, json};
use tests::area;
use tests::browser::Browser;
use tests::export::Export;
use tests::server::Server;
use tests::wait;

use super::STUDY;

/// A researcher hears the recordings in the session's replay, and reads what was said.
pub async fn heard_again(server: &Server, browser: &Browser, export: &Export) -> Result<()> {
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
    browser.click_by(line, vec![]).await?;
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
pub async fn length_s(browser: &Browser, export: &Export, row: &Value) -> Result<f64> {
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

//! Participants who come from recruitment platforms, from their arrival to the way back.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::browser::{Browser, PATIENCE};
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::export::Export;
use tests::journey;
use tests::pages::Complete;
use tests::platform::PlatformStandIn;
use tests::scene::{in_browser, in_engine};
use tests::server::{Server, add};
use tests::{tools, wait};

pub(crate) const STUDY: &str = "play";

/// Free play after a consent form, for those who come from platforms.
pub(crate) fn prepare(studies: &Path, recruitment: &Value) -> Result<()> {
    let study = json!({ "format": 2, "id": STUDY, "title": "Play", "recruitment": recruitment,
        "parts": [
            { "kind": "consent", "file": "consent.md", "investigator": "I", "contact": "C",
              "duration_minutes": 1 },
            { "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "circles" } },
            { "kind": "difficulty" },
        ]
    });
    add(studies, &study)?;
    std::fs::write(studies.join(STUDY).join("consent.md"), "Please read.")?;
    Ok(())
}

/// The address of the way back, which is there to be seen.
pub(crate) async fn way_back(browser: &Browser) -> Result<String> {
    let element = browser.element("go-back").await?;
    let address = element.attr("href").await?;
    address.context("the way back is no link")
}

/// MTurk shows a study in a frame of its own site, where browsers may keep nothing.
#[tokio::test]
async fn a_worker_of_mechanical_turk_looks_accepts_and_hands_in() -> Result<()> {
    let turk = PlatformStandIn::start().await?;
    let recruitment = json!([{ "platform": "mturk" }]);
    let server = Server::start_for(Some(turk.origin()), |studies| {
        prepare(studies, &recruitment)
    });
    let blocked = (
        BrowserEngine::Chromium,
        BrowserSetup::keeping_nothing(BrowserEngine::Chromium),
    );
    in_engine("mturk", 400, blocked, server, async |server, browser| {
        at_mechanical_turk(&turk, server, browser).await
    })
    .await
}

async fn at_mechanical_turk(
    turk: &PlatformStandIn,
    server: &Server,
    browser: &Browser,
) -> Result<()> {
    let study = format!("http://{}/study/{STUDY}", server.address());
    let look = "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H";
    browser.goto(&turk.show(&format!("{study}?{look}"))).await?;
    browser.enter_frame().await?;
    browser.await_screen("study").await?;
    let note = browser.element("door").await?.text().await?;
    ensure!(note.contains("Mechanical Turk"), "it says '{note}'");
    let start = browser.element("start").await?;
    ensure!(
        start.attr("disabled").await?.is_some(),
        "a preview can be started"
    );
    ensure!(
        Export::of(server, STUDY).is_err(),
        "a preview has made a session"
    );

    let submit_to = turk.origin();
    let accepted = format!("assignmentId=A1&hitId=H&workerId=W1&turkSubmitTo={submit_to}");
    browser
        .goto(&turk.show(&format!("{study}?{accepted}")))
        .await?;
    browser.enter_frame().await?;
    browser.await_screen("study").await?;
    browser.click("start").await?;
    browser.await_screen("stage-intro").await?;
    // Nothing is kept in this browser: the code that MTurk gave for the worker opens the session.
    browser
        .goto(&turk.show(&format!("{study}?{accepted}")))
        .await?;
    browser.enter_frame().await?;
    browser.await_screen("study").await?;
    browser.click("start").await?;
    browser.await_screen("stage-intro").await?;
    journey::finish(browser, PATIENCE, async |_, _| Ok(())).await?;
    let code = Complete(browser).code().await?;
    browser.click("go-back").await?;
    let form = wait::until("the form", PATIENCE, async || Ok(turk.forms().pop())).await?;
    ensure!(form["assignmentId"] == "A1", "{form:?}");
    ensure!(
        form["completionCode"] == code,
        "{form:?}, the page showed {code}"
    );
    let export = Export::of(server, STUDY)?;
    export.only_log()?;
    Ok(())
}

#[tokio::test]
async fn who_comes_from_prolific_finds_the_way_back_whatever_they_decide() -> Result<()> {
    let codes = json!({ "COMPLETED": "DONE1", "NO_CONSENT": "NOCO2" });
    let recruitment = json!([{ "platform": "prolific", "codes": codes }]);
    let server = Server::start_with(|studies| prepare(studies, &recruitment));
    in_browser("prolific", 300, server, at_prolific).await
}

async fn at_prolific(server: &Server, browser: &Browser) -> Result<()> {
    let study = format!("http://{}/study/{STUDY}", server.address());
    browser.goto(&study).await?;
    browser.await_screen("study").await?;
    let note = browser.element("door").await?.text().await?;
    ensure!(note.contains("Prolific"), "it says '{note}'");

    // Links that were not set up say so above the consent form, and whom to write to.
    for name in [
        "{{%PROLIFIC_PID%}}",
        "undefined",
        "%E2%80%8B5f0a",
        "-5f0a",
        "",
    ] {
        browser
            .goto(&format!("{study}?PROLIFIC_PID={name}"))
            .await?;
        browser.await_screen("study").await?;
        let note = browser.element("door").await?.text().await?;
        ensure!(note.contains("link is wrong"), "{name}: it says '{note}'");
        ensure!(!note.contains("load this page"), "{name}: it says '{note}'");
        let start = browser.element("start").await?;
        ensure!(start.attr("disabled").await?.is_some(), "{name} can start");
    }

    let arrival = format!("{study}?PROLIFIC_PID=5f0a&STUDY_ID=S&SESSION_ID=X");
    browser.goto(&arrival).await?;
    browser.await_screen("study").await?;
    browser.click("decline").await?;
    browser.await_screen("declined").await?;
    let complete = "https://app.prolific.com/submissions/complete?cc=";
    ensure!(way_back(browser).await? == format!("{complete}NOCO2"));
    ensure!(
        Export::of(server, STUDY).is_err(),
        "saying no has made a session"
    );

    browser.goto(&arrival).await?;
    browser.await_screen("study").await?;
    browser.click("start").await?;
    browser.await_screen("stage-intro").await?;
    journey::finish(browser, PATIENCE, async |_, _| Ok(())).await?;
    ensure!(way_back(browser).await? == format!("{complete}DONE1"));
    let picture = tools::screenshots().join("prolific-complete.png");
    browser.screenshot(&picture).await?;
    let code = browser.element("platform-code").await?.text().await?;
    ensure!(code == "DONE1", "the page names '{code}'");
    // The way back is kept with the session.
    browser.reload().await?;
    ensure!(way_back(browser).await? == format!("{complete}DONE1"));
    let export = Export::of(server, STUDY)?;
    export.only_log()?;
    Ok(())
}

//! Firefox and WebKit take studies to the end, and the server has every event.

use std::time::Duration;

use anyhow::{Result, ensure};
use domain::session::event::Event;
use domain::task::{TaskEvent, concept_naming};
use serde_json::json;
use tempfile::TempDir;
use tests::browser::Browser;
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::export::{Export, check_numbering};
use tests::journey;
use tests::pages::{Complete, StudyPage};
use tests::server::{Server, add, seed_quickstart};
use tests::wait;

const STUDY: &str = "quickstart";
/// How long the participant tries before skipping.
const TRY: Duration = Duration::from_secs(30);
const DIGITS: &str = "digits";
const CONCEPTS: &str = "concepts";

#[tokio::test]
async fn firefox_takes_studies_to_the_end() -> Result<()> {
    if !BrowserEngine::Firefox.is_asked_for() {
        return Ok(());
    }
    wait::at_most(Duration::from_secs(900), studies(BrowserEngine::Firefox)).await
}

#[tokio::test]
async fn webkit_takes_studies_to_the_end() -> Result<()> {
    if !BrowserEngine::WebKit.is_asked_for() {
        return Ok(());
    }
    wait::at_most(Duration::from_secs(900), studies(BrowserEngine::WebKit)).await
}

async fn studies(engine: BrowserEngine) -> Result<()> {
    let digits = json!({
        "format": 2, "id": DIGITS, "title": "Digits",
        "parts": [{ "kind": "stage", "id": "a", "task": {
            "kind": "reconstruction", "model": "mnist-ss5", "questions": 1, "rename_dials": true,
            "skip_after_s": 1.0 } }]
    });
    let concepts = json!({
        "format": 2, "id": CONCEPTS, "title": "Concepts",
        "parts": [{ "kind": "stage", "id": "a", "task": {
            "kind": "concept_naming", "concepts": ["mnist-learnt"], "questions_per_bundle": 1 } }]
    });
    let server = Server::start_with(|studies| {
        seed_quickstart(studies)?;
        add(studies, &digits)?;
        add(studies, &concepts)
    })
    .await?;
    for study in [STUDY, DIGITS, CONCEPTS] {
        let profile = TempDir::new()?;
        let browser = Browser::open_engine(engine, profile.path(), BrowserSetup::default()).await?;
        let result = take(&server, &browser, study).await;
        browser
            .finish(&format!("{engine:?}-{study}").to_lowercase(), result)
            .await?;
    }
    Ok(())
}

async fn take(server: &Server, browser: &Browser, study: &str) -> Result<()> {
    StudyPage::begin(browser, server.address(), study).await?;
    let answered = journey::finish(browser, TRY, async |browser, screen| {
        let name = format!("{:?}-{study}-{screen}.png", browser.engine()).to_lowercase();
        browser
            .screenshot(&tests::tools::screenshots().join(name))
            .await
    })
    .await?;
    let code = Complete(browser).code().await?;
    ensure!(code.len() >= 6, "the completion code is '{code}'");
    let log = Export::of(server, study)?.only_log()?;
    Export::verify(server, study)?;
    check_numbering(&log)?;
    let has_answers = |event: &Event| match event {
        Event::Task(TaskEvent::ConceptNaming(logged)) => {
            matches!(logged.event, concept_naming::Event::Changed(_))
        }
        _ => tests::events::snapshot(event).is_some(),
    };
    let has_answers = log.iter().any(|e| has_answers(&e.event));
    ensure!(has_answers && !answered.is_empty(), "nothing was answered");
    Ok(())
}

//! How long a participant waits on a slow network: for the first page, for the practice question,
//! and for the first question about digits, which needs megabytes of weights.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;
use tempfile::TempDir;

use crate::browser::Browser;
use crate::pages::{Hand, QuestionPage, StageIntro, StudyPage, TutorialPage};
use crate::server::{Server, add};
use crate::wait;

const STUDY: &str = "load";
/// The longest wait that is measured.
const PATIENCE: Duration = Duration::from_secs(300);

/// A network as Chromium's developer tools name them: kilobytes a second, milliseconds to answer.
const NETWORKS: [(&str, f64, f64); 3] = [
    ("slow 3G", 50.0, 2000.0),
    ("fast 3G", 180.0, 562.5),
    ("none", -1.0, 0.0),
];

/// Measures and prints a table.
pub async fn run() -> Result<()> {
    let study = json!({
        "format": 2, "id": STUDY, "title": "Load", "mode": "lab", "seed": 1,
        "parts": [
            { "kind": "tutorial", "task": "reconstruction" },
            { "kind": "stage", "id": "practice", "task": {
                "kind": "reconstruction", "model": "circles", "questions": 1 } },
            { "kind": "stage", "id": "digits", "task": {
                "kind": "reconstruction", "model": "mnist-ae5", "questions": 1 } },
        ],
    });
    println!("\nwaiting in Chromium, in seconds; nobody reads or thinks in between");
    println!(
        "{:<10} {:>12} {:>12} {:>12}",
        "network", "first page", "practice", "digits"
    );
    for (name, kilobytes, latency_ms) in NETWORKS {
        let server = Server::start_with(|studies| add(studies, &study)).await?;
        let profile = TempDir::new()?;
        let browser = Browser::open(profile.path()).await?;
        browser
            .network(latency_ms, (kilobytes > 0.0).then_some(kilobytes * 1000.0))
            .await?;
        let waits = take(&server, &browser).await?;
        println!(
            "{name:<10} {:>12.1} {:>12.1} {:>12.1}",
            waits[0], waits[1], waits[2]
        );
        browser.close().await?;
    }
    Ok(())
}

/// The waits for the first page, for the practice question and for the first digits.
async fn take(server: &Server, browser: &Browser) -> Result<[f64; 3]> {
    let begun = Instant::now();
    let study = StudyPage::open(browser, server.address(), STUDY).await?;
    let page = begun.elapsed();
    let begun = Instant::now();
    study.start().await?;
    appears(browser, "tutorial").await?;
    TutorialPage(browser).read(async |_| Ok(())).await?;
    appears(browser, "stage-intro").await?;
    StageIntro(browser).begin().await?;
    appears(browser, "question").await?;
    let practice = begun.elapsed();
    let question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    let begun = Instant::now();
    question.leave().await?;
    appears(browser, "stage-intro").await?;
    StageIntro(browser).begin().await?;
    appears(browser, "question").await?;
    Ok([page, practice, begun.elapsed()].map(|wait| wait.as_secs_f64()))
}

async fn appears(browser: &Browser, screen: &str) -> Result<()> {
    wait::until(&format!("the screen '{screen}'"), PATIENCE, async || {
        Ok((browser.screen().await? == screen).then_some(()))
    })
    .await
}

//! How long a participant waits on a slow network: until the consent form can be read, until one can
//! agree, for the practice question, and for the first question about digits, which needs megabytes of weights.

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

/// Networks: kilobytes a second, milliseconds to answer, and how many times slower the processor is than
/// this one. The first is what Lighthouse calls slow 3G, on an old phone; the second and third are what Chromium's
/// developer tools call slow and fast 3G.
const NETWORKS: [(f64, f64, f64); 4] = [
    (50.0, 400.0, 6.0),
    (50.0, 2000.0, 1.0),
    (180.0, 562.5, 1.0),
    (f64::INFINITY, 0.0, 1.0),
];

/// The form: as long as most are.
const FORM: &str = include_str!("../../../studies/quickstart/consent.md");

/// Notes when the form is there to be read, and when one can agree: in a frame of the page, which is drawn
/// only once its styles are there.
const NOTE: &str = "
    const seen = globalThis.seen = {};
    const look = () => {
      const at = performance.now();
      if (document.querySelector('.prose')?.getClientRects().length) seen.read ??= at;
      const start = document.querySelector('[data-testid=start]');
      if (start?.getClientRects().length && !start.disabled) seen.start ??= at;
      if (!seen.start) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);";

/// Measures and prints a table.
pub async fn run() -> Result<()> {
    let study = json!({
        "format": 2, "id": STUDY, "title": "Load", "mode": "lab", "seed": 1,
        "parts": [
            { "kind": "consent", "file": "consent.md", "investigator": "Ada", "contact": "ada@example.org",
              "duration_minutes": 5 },
            { "kind": "tutorial", "task": "reconstruction" },
            { "kind": "stage", "id": "practice", "task": {
                "kind": "reconstruction", "model": "circles", "questions": 1 } },
            { "kind": "stage", "id": "digits", "task": {
                "kind": "reconstruction", "model": "mnist-ae5", "questions": 1 } },
        ],
    });
    println!("\nwaiting in Chromium, in seconds; nobody reads or thinks in between");
    println!(
        "{:>8} {:>10} {:>10} {:>12} {:>12} {:>12} {:>12}",
        "kB/s", "answer ms", "processor", "consent", "agree", "practice", "digits"
    );
    for (kilobytes, latency_ms, slower) in NETWORKS {
        let server = Server::start_with(|studies| {
            add(studies, &study)?;
            Ok(std::fs::write(
                studies.join(STUDY).join("consent.md"),
                FORM,
            )?)
        })
        .await?;
        let profile = TempDir::new()?;
        let browser = Browser::open(profile.path()).await?;
        browser
            .network(
                latency_ms,
                kilobytes.is_finite().then_some(kilobytes * 1000.0),
            )
            .await?;
        browser.slow_down(slower).await?;
        let [read, agree, practice, digits] = take(&server, &browser).await?;
        println!(
            "{kilobytes:>8} {latency_ms:>10} {:>10} {read:>12.1} {agree:>12.1} {practice:>12.1} {digits:>12.1}",
            format!("1/{slower}")
        );
        browser.close().await?;
    }
    Ok(())
}

/// The waits for the form, for the button, for the practice question and for the first digits.
async fn take(server: &Server, browser: &Browser) -> Result<[f64; 4]> {
    browser.devtools("Page.enable", json!({})).await?;
    browser.before_the_page(NOTE).await?;
    let study = StudyPage::open(browser, server.address(), STUDY).await?;
    let seen = wait::until("a button that can be pressed", PATIENCE, async || {
        let seen = browser.look("return seen", vec![]).await?;
        Ok(seen["read"].as_f64().zip(seen["start"].as_f64()))
    });
    let (read_ms, start_ms) = seen.await?;
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
    let [practice, digits] = [practice, begun.elapsed()].map(|wait| wait.as_secs_f64());
    Ok([read_ms / 1000.0, start_ms / 1000.0, practice, digits])
}

async fn appears(browser: &Browser, screen: &str) -> Result<()> {
    wait::until(&format!("the screen '{screen}'"), PATIENCE, async || {
        Ok((browser.screen().await? == screen).then_some(()))
    })
    .await
}

//! Time from a moved slider to the painted picture, in Chromium.
//!
//! Counted from the time stamp of the browser's own input event to the first
//! frame after the picture was drawn: an upper bound of what a person waits,
//! without what mouse and screen add.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::plan::Mode;
use models::Zoo;
use serde_json::json;
use tempfile::TempDir;

use super::statistics::quantile;
use crate::browser::{Browser, PATIENCE};
use crate::journey;
use crate::pages::{Hand, Question, StageIntro, Study};
use crate::server::Server;

/// A study with a question on every shipped model, made for this.
const STUDY: &str = "latency";
const SLOWER: [f64; 2] = [1.0, 6.0];
/// Time between two movements of the mouse: longer than any picture should take.
const REST: Duration = Duration::from_millis(120);
/// Movements on each of two dials.
const MOVES: usize = 60;

/// Notes, for every input event, the time until the first frame after the picture was
/// drawn: on its canvas, or as the points of its curve.
const WATCH: &str = "
    if (!window.redialTimes) {
      window.redialTimes = [];
      let moved = null;
      window.redialForget = () => { moved = null; redialTimes.length = 0; };
      document.addEventListener('input', event => { moved ??= event.timeStamp; }, true);
      const drawn = () => {
        if (moved === null) return;
        const since = moved;
        moved = null;
        requestAnimationFrame(() => redialTimes.push(performance.now() - since));
      };
      const canvas = CanvasRenderingContext2D.prototype;
      const put = canvas.putImageData;
      canvas.putImageData = function (...args) {
        put.apply(this, args);
        if (this.canvas.dataset.testid === 'picture') drawn();
      };
      const isCurve = change => change.target.closest?.('[data-testid=picture]');
      new MutationObserver(changes => { if (changes.some(isCurve)) drawn(); })
        .observe(document, { subtree: true, attributes: true, attributeFilter: ['d', 'points'] });
    }
    redialForget();";

/// Measures and prints a table.
///
/// # Errors
/// When the study cannot be taken.
pub async fn run() -> Result<()> {
    let zoo = Zoo::shipped()?;
    let models: Vec<&str> = zoo.names().collect();
    let stages: Vec<_> = models
        .iter()
        .map(|model| {
            json!({
                "kind": "stage",
                "id": model,
                "task": { "kind": "reconstruction", "model": model, "questions": 1 },
            })
        })
        .collect();
    let study = json!({
        "format": 2, "id": STUDY, "title": "Latency", "mode": Mode::Lab, "seed": 1,
        "parts": stages,
    });
    let server = Server::start_with(|studies| {
        let folder = studies.join(STUDY);
        std::fs::create_dir_all(&folder)?;
        Ok(std::fs::write(
            folder.join("study.json"),
            study.to_string(),
        )?)
    })
    .await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    Study::open(&browser, server.address(), STUDY)
        .await?
        .start()
        .await?;
    println!("\nslider to paint in Chromium ({MOVES} movements on each of two dials)");
    println!(
        "{:<20} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8}",
        "model", "processor", "median ms", "p95 ms", "p99 ms", "first ms", "n"
    );
    for model in models {
        browser.await_screen("stage-intro").await?;
        StageIntro(&browser).begin().await?;
        let mut question = Question::on_screen(&browser, Hand::Pointer, PATIENCE).await?;
        let found = journey::model_of_stage(&browser, server.address(), question.at.stage).await?;
        ensure!(found == model, "{found} came instead of {model}");
        for slower in SLOWER {
            browser.slow_down(slower).await?;
            let drags = measure(&browser, &mut question).await?;
            let times = drags.concat();
            // The slower of the two drags.
            let first = drags.iter().filter_map(|drag| drag.first());
            println!(
                "{model:<20} {:>10} {:>10.1} {:>10.1} {:>10.1} {:>10.1} {:>8}",
                format!("1/{slower}"),
                quantile(&times, 0.5),
                quantile(&times, 0.95),
                quantile(&times, 0.99),
                first.copied().fold(f64::NAN, f64::max),
                times.len()
            );
        }
        browser.slow_down(1.0).await?;
        question.refresh().await?;
        question.leave().await?;
    }
    println!("for comparison: 130 ms on dSprites, the authors' interface without a GPU");
    browser.close().await
}

/// The times of each of two drags, in order.
async fn measure(browser: &Browser, question: &mut Question<'_>) -> Result<Vec<Vec<f64>>> {
    // Small movements to and fro, about the middle, where nothing is solved by chance for long.
    let path: Vec<f64> = (0..MOVES)
        .map(|k| if k % 2 == 0 { 0.5 } else { 0.56 })
        .collect();
    let mut drags = Vec::new();
    for dial in 0..2 {
        browser.look(WATCH, vec![]).await?;
        question.grab(dial).await?;
        question.drag(dial, &path, REST).await?;
        question.release(dial).await?;
        let times = browser.look("return redialTimes", vec![]).await?;
        let times: Vec<f64> = serde_json::from_value(times).context("times were expected")?;
        ensure!(!times.is_empty(), "no movement changed the picture");
        drags.push(times);
    }
    Ok(drags)
}

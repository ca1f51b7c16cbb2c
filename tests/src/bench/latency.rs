//! Time from a moved slider to the painted picture, in Chromium.
//!
//! Counted from the time stamp of the browser's own input event, which is older than the page's
//! handling of it, twice:
//!
//! - *painted*: the page has painted the frame with the picture, and is free for other work;
//! - *next frame*: the first frame after that one begins. When it does, the picture is on its way to
//!   the screen, so this is about what a person waits, without what mouse and screen add. It can be
//!   no less than the 16.7 ms of a frame, and is a frame more than *painted* where that takes longer
//!   than a frame. Limits are held against this one.
//!
//! The browser's own measure (Event Timing) leaves out the input events of sliders.
//!
//! The first row is a page with a slider and a canvas and nothing else, which paints the canvas in one
//! shade: what the browser itself takes on this machine at this moment, and what the others are
//! divided by.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::session::plan::Mode;
use models::Zoo;
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

use super::machine;
use super::statistics::quantile;
use crate::browser::{Browser, PATIENCE};
use crate::journey;
use crate::pages::{Hand, QuestionPage, Slider, StageIntro, StudyPage};
use crate::server::{Server, add};

/// A study with a question on every shipped model, made for this.
const STUDY: &str = "latency";
const SLOWER: [f64; 2] = [1.0, 6.0];
/// Time between two movements of the mouse: longer than any picture should take.
const REST: Duration = Duration::from_millis(120);
/// Movements on each of two sliders.
const MOVES: usize = 60;

/// Notes, for every input event, the times until the picture was drawn, on its canvas or as the
/// points of its curve, and painted.
const WATCH: &str = "
    if (!window.redialTimes) {
      window.redialTimes = { painted: [], frames: [] };
      let moved = null;
      window.redialForget = () => {
        moved = null;
        for (const times of Object.values(redialTimes)) times.length = 0;
      };
      document.addEventListener('input', event => { moved ??= event.timeStamp; }, true);
      const drawn = () => {
        if (moved === null) return;
        const since = moved;
        moved = null;
        // Pictures are drawn in animation frames; a message comes after the frame was painted.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => redialTimes.painted.push(performance.now() - since);
        port2.postMessage(0);
        requestAnimationFrame(() => redialTimes.frames.push(performance.now() - since));
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

/// Puts a slider and a canvas into an empty page.
const BARE: &str = "
    document.body.innerHTML = `
      <input type=range data-testid=dial-0 min=0 max=1 step=any style='width: 300px'>
      <canvas data-testid=picture width=28 height=28
        style='width: 300px; height: 300px; image-rendering: pixelated'></canvas>`;
    const slider = document.querySelector('input');
    const context = document.querySelector('canvas').getContext('2d');
    let asked = false;
    slider.addEventListener('input', () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        const image = new ImageData(28, 28);
        image.data.fill(255 * slider.value);
        context.putImageData(image, 0, 0);
      });
    });";

/// Measures and prints a table.
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
    let server = Server::start_with(|studies| add(studies, &study)).await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    println!("\nslider to paint in Chromium ({MOVES} movements on each of two sliders)");
    println!("load {}", machine::load());
    println!(
        "{:<20} {:>9} | {:>17} | {:>31} | {:>5} | ratio of p95",
        "", "", "painted, ms", "next frame, ms", ""
    );
    println!(
        "{:<20} {:>9} | {:>8} {:>8} | {:>7} {:>7} {:>7} {:>7} | {:>5} | to the bare page's",
        "model", "processor", "median", "p95", "median", "p95", "p99", "first", "n"
    );
    let mut bare = [f64::NAN; SLOWER.len()];
    browser.goto("about:blank").await?;
    browser.look(BARE, vec![]).await?;
    measure("bare page", &browser, &[0, 0], &mut bare).await?;
    StudyPage::open(&browser, server.address(), STUDY)
        .await?
        .start()
        .await?;
    for model in models {
        browser.await_screen("stage-intro").await?;
        StageIntro(&browser).begin().await?;
        let mut question = QuestionPage::on_screen(&browser, Hand::Pointer, PATIENCE).await?;
        let found = journey::model_of_stage(&browser, server.address(), question.at.stage).await?;
        ensure!(found == model, "{found} came instead of {model}");
        let sliders: Vec<usize> = question.sliders().take(2).collect();
        measure(model, &browser, &sliders, &mut bare).await?;
        question.refresh().await?;
        question.leave().await?;
    }
    println!("load {}", machine::load());
    println!("for comparison: 130 ms on dSprites, the authors' interface without a GPU");
    browser.close().await
}

/// Measures at each speed of the processor, and prints a row for each. `bare` has the p95 of the bare
/// page, once that was measured.
async fn measure(
    name: &str,
    browser: &Browser,
    sliders: &[usize],
    bare: &mut [f64; SLOWER.len()],
) -> Result<()> {
    for (slower, bare) in SLOWER.into_iter().zip(bare) {
        browser.slow_down(slower).await?;
        let drags = drags(browser, sliders).await?;
        let all = |of: fn(&Times) -> &Vec<f64>| drags.iter().flat_map(of).copied().collect();
        let painted: Vec<f64> = all(|drag| &drag.painted);
        let frames: Vec<f64> = all(|drag| &drag.frames);
        // The slower of the two drags.
        let first = drags.iter().filter_map(|drag| drag.frames.first());
        let p95 = quantile(&frames, 0.95);
        if bare.is_nan() {
            *bare = p95;
        }
        println!(
            "{name:<20} {:>9} | {:>8.1} {:>8.1} | {:>7.1} {:>7.1} {:>7.1} {:>7.1} | {:>5} | {:>16.2}",
            format!("1/{slower}"),
            quantile(&painted, 0.5),
            quantile(&painted, 0.95),
            quantile(&frames, 0.5),
            p95,
            quantile(&frames, 0.99),
            first.copied().fold(f64::NAN, f64::max),
            frames.len(),
            p95 / *bare,
        );
    }
    browser.slow_down(1.0).await
}

/// The times of a drag's inputs, in order, in milliseconds.
#[derive(Debug, Deserialize)]
struct Times {
    painted: Vec<f64>,
    frames: Vec<f64>,
}

/// The times of a drag of each of the sliders.
async fn drags(browser: &Browser, sliders: &[usize]) -> Result<Vec<Times>> {
    // Small movements to and fro, about the middle, where nothing is solved by chance for long.
    let path: Vec<f64> = (0..MOVES)
        .map(|k| if k % 2 == 0 { 0.5 } else { 0.56 })
        .collect();
    ensure!(!sliders.is_empty(), "the model has no slider");
    let mut drags = Vec::new();
    for &dial in sliders {
        let slider = Slider::new(browser, dial);
        browser.look(WATCH, vec![]).await?;
        slider.grab().await?;
        slider.drag(&path, REST).await?;
        slider.release().await?;
        let times = browser.look("return redialTimes", vec![]).await?;
        let times: Times = serde_json::from_value(times).context("times were expected")?;
        ensure!(!times.frames.is_empty(), "no movement changed the picture");
        drags.push(times);
    }
    Ok(drags)
}

//! Decoders that are graphs, as PyTorch exported them: imported with the command, decoded in the
//! browser by the module that is fetched for them, and compared with what PyTorch decoded.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::bench::decode::graphs::SMALL;
use tests::browser::{Browser, PATIENCE};
use tests::export::Export;
use tests::journey;
use tests::npy::npy;
use tests::pages::{Complete, StudyPage};
use tests::scene::in_browser;
use tests::server::{Server, add, import};
use tests::{decoding, tools};

const STUDY: &str = "graphs";

/// How far apart two builds in single precision may be: candle in the browser and PyTorch.
const TOLERANCE: f64 = 3e-5;

/// Latent vectors in each fixture.
const LATENTS: usize = 6;

#[tokio::test]
async fn graphs_in_the_browser_agree_with_pytorch() -> Result<()> {
    in_browser(STUDY, 600, Server::start_with(prepare), agree).await
}

#[tokio::test]
async fn a_study_of_a_graph_is_taken() -> Result<()> {
    in_browser(STUDY, 300, Server::start_with(prepare), take).await
}

/// Imports all of them; a study asks about one and shows the others.
fn prepare(studies: &Path) -> Result<()> {
    let mut parts = vec![json!({ "kind": "stage", "id": "match", "task": {
        "kind": "reconstruction", "model": "graph-residual", "questions": 1 } })];
    for (name, points) in SMALL {
        let points = points.map(|points| format!("--shape={points}"));
        let flags = ["--distance=bray-curtis", "--threshold=0.001"];
        let flags = flags.map(str::to_owned).into_iter().chain(points);
        import(studies, &fixture(&format!("{name}.onnx")), flags)?;
        parts.push(json!({ "kind": "stage", "id": name,
            "task": { "kind": "exploration", "model": format!("graph-{name}") } }));
    }
    let all = json!({ "format": 2, "id": STUDY, "title": "All graphs", "mode": "lab",
        "parts": parts });
    add(studies, &all)
}

fn fixture(file: &str) -> PathBuf {
    let fixtures = tools::root().join("models/import/tests/fixtures");
    fixtures.join(format!("graph-{file}"))
}

async fn agree(server: &Server, browser: &Browser) -> Result<()> {
    decoding::open(browser, server.address()).await?;
    let ask = format!("return (await (await fetch('/api/studies/{STUDY}')).json()).models;");
    let models = browser.look_async(&ask, vec![]).await?;
    for (name, _) in SMALL {
        let model = format!("graph-{name}");
        let known = models.as_array().context("no models")?;
        let known = known.iter().find(|known| known["name"] == model);
        let sha256 = known.context("the model is not there")?["bundle_sha256"].as_str();
        let latents = rows(&format!("{name}.latents.npy"))?;
        let expected = rows(&format!("{name}.outputs.npy"))?;
        // A fresh page has no candle yet.
        decoding::open(browser, server.address()).await?;
        let found = decoding::decode_on_candle(browser, &model, sha256.unwrap(), &latents).await?;
        compare(name, &found, &expected)?;
    }
    Ok(())
}

/// The rows of a fixture's table.
fn rows(file: &str) -> Result<Vec<Vec<f64>>> {
    let values = npy(&fixture(file))?;
    let width = values.len() / LATENTS;
    let row = |row: &[f32]| row.iter().map(|&value| f64::from(value)).collect();
    Ok(values.chunks_exact(width).map(row).collect())
}

/// Compares instances. Channels come last in ours, and first in PyTorch's.
fn compare(name: &str, found: &[Vec<f64>], expected: &[Vec<f64>]) -> Result<()> {
    ensure!(found.len() == LATENTS, "{name}: {} instances", found.len());
    let mut worst: f64 = 0.0;
    for (found, expected) in found.iter().zip(expected) {
        ensure!(found.len() == expected.len(), "{name}: {}", found.len());
        let channels = if COLOUR.contains(&name) { 3 } else { 1 };
        let pixels = expected.len() / channels;
        for (at, &found) in found.iter().enumerate() {
            let (pixel, channel) = (at / channels, at % channels);
            let off = (found - expected[channel * pixels + pixel]).abs();
            // A NaN, too, must fail.
            ensure!(off <= TOLERANCE, "{name}: value {at} is off by {off}");
            worst = worst.max(off);
        }
    }
    println!("{name}: off by {worst:.1e} at most");
    Ok(())
}

/// Those in colour.
const COLOUR: [&str; 3] = ["diffusion-nearest", "diffusion-bilinear", "style"];

/// One of each architecture is met in a study: one is matched, the others are explored.
async fn take(server: &Server, browser: &Browser) -> Result<()> {
    StudyPage::begin(browser, server.address(), STUDY).await?;
    let answered = journey::finish(browser, PATIENCE, async |_, _| Ok(())).await?;
    ensure!(answered.len() == 1 + SMALL.len(), "{answered:?}");
    Complete(browser).code().await?;
    // What the page reported follows from its inputs, decoded again on the server.
    Export::verify(server, STUDY)?;
    let modules = "return performance.getEntriesByType('resource')
        .filter(entry => entry.name.includes('decoder_candle')).length;";
    let modules = browser.look(modules, vec![]).await?;
    ensure!(modules != 0, "candle was not fetched");
    Ok(())
}

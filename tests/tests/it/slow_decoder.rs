//! A decoder that takes longer than 100 ms in the browser: it runs beside the page, so that dials go
//! on while it decodes; without a worker it runs in the page. What is logged verifies either way.
//!
//! The model is made here: a deep pile of convolutions that change nothing, around a picture that is
//! a formula of its two dials.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fantoccini::key::Key;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tests::browser::{Browser, PATIENCE};
use tests::export::Export;
use tests::pages::{Hand, QuestionPage, StageIntro, StudyPage};
use tests::server::{Server, add, import};
use tests::wait;

const STUDY: &str = "slow";
/// Maps of each convolution.
const MAPS: usize = 64;
/// Number of convolutions: 151 million products each.
const DEPTH: usize = 24;
/// Width and height before they are scaled up to 64.
const SIDE: usize = 16;

/// Notes what the page asks its workers to decode, and holds their answers back when told to.
const WATCH: &str = "
    const Real = window.Worker;
    window.asked = [];
    let held = null;
    window.hold = () => { held = []; };
    window.release = () => { const answers = held; held = null; for (const answer of answers) answer(); };
    window.Worker = class extends Real {
      postMessage(question, ...more) {
        if (question.z) asked.push([...question.z]);
        super.postMessage(question, ...more);
      }
      set onmessage(hear) {
        super.onmessage = (event) => held ? held.push(() => hear(event)) : hear(event);
      }
    };";
const NO_WORKER: &str = "window.Worker = class { constructor() { throw new Error('denied'); } };";
/// What is on screen, and what was asked.
const LOOK: &str = "
    const canvas = document.querySelector('canvas[data-testid=picture]');
    const meter = document.querySelector('[data-testid=alignment]');
    return {
      dial: +document.querySelector('[data-testid=dial-0]').value,
      picture: canvas.toDataURL(),
      alignment: meter.dataset.alignment,
      asked: window.asked ?? [],
    };";

#[tokio::test]
async fn a_slow_decoder_runs_beside_the_page() -> Result<()> {
    wait::at_most(Duration::from_secs(600), slow()).await
}

async fn slow() -> Result<()> {
    let server = Server::start_with(prepare).await?;
    for (name, script) in [("slow-worker", WATCH), ("slow-page", NO_WORKER)] {
        let profile = TempDir::new()?;
        let browser = Browser::open(profile.path()).await?;
        browser.before_the_page(script).await?;
        let result = take(&server, &browser, name == "slow-worker").await;
        browser.finish(name, result).await?;
    }
    // Each snapshot has the distance of its own latent vector, decoded again on the server.
    Export::verify(&server, STUDY)
}

async fn take(server: &Server, browser: &Browser, with_worker: bool) -> Result<()> {
    StudyPage::begin(browser, server.address(), STUDY).await?;
    StageIntro(browser).begin().await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Keyboard, PATIENCE).await?;
    browser.tab_to("dial-0").await?;
    if with_worker {
        beside(browser).await?;
    } else {
        in_the_page(browser).await?;
    }
    question.refresh().await?;
    question.leave().await
}

async fn look(browser: &Browser) -> Result<Screen> {
    let seen = browser.look(LOOK, vec![]).await?;
    serde_json::from_value(seen).context("the question is not on screen")
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Screen {
    dial: f64,
    picture: String,
    alignment: String,
    asked: Vec<Vec<f64>>,
}

/// Waits until the picture is that of where the dial stands: nothing is asked any more.
async fn at_rest(browser: &Browser) -> Result<Screen> {
    wait::until("the picture to follow", PATIENCE, async || {
        let seen = look(browser).await?;
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        Ok((look(browser).await? == seen).then_some(seen))
    })
    .await
}

async fn press(browser: &Browser, key: Key) -> Result<()> {
    browser.keys(&[key.into()]).await
}

async fn beside(browser: &Browser) -> Result<()> {
    // Warming up has shown how slow it is; the worker is loading its own.
    wait::until("a worker that decodes", PATIENCE, async || {
        press(browser, Key::Right).await?;
        press(browser, Key::Left).await?;
        Ok((!look(browser).await?.asked.is_empty()).then_some(()))
    })
    .await?;
    let before = at_rest(browser).await?;
    browser.look("hold()", vec![]).await?;
    let mut dial = before.dial;
    for presses in 1..=4 {
        press(browser, Key::Right).await?;
        let seen = look(browser).await?;
        ensure!(seen.dial > dial, "the dial stands still at {}", seen.dial);
        dial = seen.dial;
        ensure!(
            seen.asked.len() == before.asked.len() + 1,
            "{presses} presses, and {} pictures are under way",
            seen.asked.len() - before.asked.len()
        );
        ensure!(
            (&seen.picture, &seen.alignment) == (&before.picture, &before.alignment),
            "a picture that nobody has decoded"
        );
    }
    browser.look("release()", vec![]).await?;
    let after = at_rest(browser).await?;
    let asked = &after.asked[before.asked.len()..];
    ensure!(asked.len() == 2, "the first and the newest: {asked:?}");
    ensure!(
        asked[1][0] == dial,
        "{} is the newest, not {dial}",
        asked[1][0]
    );
    ensure!(after.picture != before.picture && after.alignment != before.alignment);

    // There and back again: where the dial turned is decoded after the newest.
    browser.look("hold()", vec![]).await?;
    press(browser, Key::Right).await?;
    press(browser, Key::Right).await?;
    let turn = look(browser).await?.dial;
    press(browser, Key::Left).await?;
    let newest = look(browser).await?.dial;
    browser.look("release()", vec![]).await?;
    let last = at_rest(browser).await?;
    let asked: Vec<f64> = last.asked[after.asked.len()..]
        .iter()
        .map(|z| z[0])
        .collect();
    ensure!(
        asked.len() == 3 && asked[1..] == [newest, turn],
        "{asked:?}"
    );
    Ok(())
}

async fn in_the_page(browser: &Browser) -> Result<()> {
    for _ in 0..3 {
        let before = at_rest(browser).await?;
        press(browser, Key::Right).await?;
        let after = at_rest(browser).await?;
        ensure!(after.dial > before.dial && after.picture != before.picture);
    }
    Ok(())
}

/// The model, and a study with a question on it.
fn prepare(studies: &Path) -> Result<()> {
    let folder = TempDir::new()?;
    let (layers, weights) = pile();
    let mut latents = String::new();
    for row in 0..16_i32 {
        writeln!(
            latents,
            "{},{}",
            f64::from(row % 4) / 1.5 - 1.0,
            f64::from(row / 4) / 1.5 - 1.0
        )?;
    }
    let place = |name: &str| folder.path().join(name);
    std::fs::write(place("slow.json"), layers.to_string())?;
    std::fs::write(place("slow.safetensors"), weights)?;
    std::fs::write(place("z.csv"), latents)?;
    let flags = [
        format!("--architecture={}", place("slow.json").display()),
        format!("--latents={}", place("z.csv").display()),
        "--distance=bray-curtis".to_owned(),
        "--threshold=0.002".to_owned(),
    ];
    import(studies, &place("slow.safetensors"), flags)?;
    add(
        studies,
        &json!({ "format": 2, "id": STUDY, "title": "Slow", "mode": "lab", "parts": [
            { "kind": "stage", "id": "s", "task": {
                "kind": "reconstruction", "model": "slow", "questions": 1, "start": "centre" } }] }),
    )
}

/// Its layers, and its weights as safetensors.
fn pile() -> (Value, Vec<u8>) {
    let mut tensors = Tensors::default();
    // Of the first map each pixel is 4 + 2 z₀ x + 2 z₁ y, x and y from -1 to 1; the others are 0.
    let place = |at: usize| 2.0 * (at as f32 / (SIDE - 1) as f32 * 2.0 - 1.0);
    let (mut weight, mut bias) = (
        vec![0.0; MAPS * SIDE * SIDE * 2],
        vec![0.0; MAPS * SIDE * SIDE],
    );
    for pixel in 0..SIDE * SIDE {
        weight[pixel * 2] = place(pixel % SIDE);
        weight[pixel * 2 + 1] = place(pixel / SIDE);
        bias[pixel] = 4.0;
    }
    tensors.push("fc.weight", &[MAPS * SIDE * SIDE, 2], &weight);
    tensors.push("fc.bias", &[MAPS * SIDE * SIDE], &bias);
    let relu = json!({ "layer": "activation", "function": { "kind": "relu" } });
    let mut layers = vec![
        json!({ "layer": "dense", "name": "fc", "inputs": 2, "outputs": MAPS * SIDE * SIDE }),
        relu.clone(),
        json!({ "layer": "reshape", "channels": MAPS, "height": SIDE, "width": SIDE }),
        json!({ "layer": "upsample", "scale": 2 }),
        json!({ "layer": "upsample", "scale": 2 }),
    ];
    for at in 0..DEPTH {
        let name = format!("same{at}");
        let mut weight = vec![0.0; MAPS * MAPS * 9];
        (0..MAPS).for_each(|map| weight[(map * MAPS + map) * 9 + 4] = 1.0);
        tensors.push(&format!("{name}.weight"), &[MAPS, MAPS, 3, 3], &weight);
        layers.push(
            json!({ "layer": "conv", "name": name, "inputs": MAPS, "outputs": MAPS,
            "kernel": 3, "stride": 1, "padding": 1 }),
        );
        layers.push(relu.clone());
    }
    let mut weight = vec![0.0; MAPS];
    weight[0] = 1.0;
    tensors.push("out.weight", &[1, MAPS, 1, 1], &weight);
    tensors.push("out.bias", &[1], &[-4.0]);
    layers.push(
        json!({ "layer": "conv", "name": "out", "inputs": MAPS, "outputs": 1,
        "kernel": 1, "stride": 1, "padding": 0 }),
    );
    layers.push(json!({ "layer": "activation", "function": { "kind": "sigmoid" } }));
    (layers.into(), tensors.file())
}

/// A safetensors file in the making.
#[derive(Default)]
struct Tensors {
    header: Map<String, Value>,
    data: Vec<u8>,
}

impl Tensors {
    fn push(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let begin = self.data.len();
        self.data
            .extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let offsets = [begin, self.data.len()];
        let tensor = json!({ "dtype": "F32", "shape": shape, "data_offsets": offsets });
        self.header.insert(name.to_owned(), tensor);
    }

    fn file(self) -> Vec<u8> {
        let header = Value::from(self.header).to_string();
        let length = (header.len() as u64).to_le_bytes();
        [&length[..], header.as_bytes(), &self.data].concat()
    }
}

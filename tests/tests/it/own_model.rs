//! A lab's own decoder: exported by PyTorch, imported with one command, and taken by a participant
//! as the study that the command printed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::session::Session;
use domain::task::TaskMeasures;
use serde_json::{Value, json};
use tests::audit::Audit;
use tests::browser::{Browser, PATIENCE};
use tests::client::KeptSession;
use tests::journey;
use tests::npy::npy;
use tests::pages::{Hand, Picture, QuestionPage, QuestionnairePage, StageIntro, StudyPage};
use tests::scene::in_browser;
use tests::server::{Server, add, import, without_practice};
use tests::tools;

mod outputs;

const GREY: &str = "torch-grey";
/// Latent vectors in the fixtures.
const LATENTS: usize = 10;
/// How long the participant tries to solve a question.
const TRY: Duration = Duration::from_secs(15);

#[tokio::test]
async fn a_decoder_exported_by_pytorch_becomes_a_study_that_is_taken() -> Result<()> {
    in_browser("own-model", 600, Server::start_with(prepare), take).await
}

/// Imports a grey and a colour decoder; the study is the one that is printed for the former, with
/// a stage for the latter and no practice.
fn prepare(studies: &Path) -> Result<()> {
    let task = ["--distance", "bray-curtis", "--threshold", "0.005"];
    let printed = import(studies, &fixture("torch-grey.onnx"), task)?;
    let colours = ["--shape", "16x12x3", "--channels", "first"];
    let flags = [&colours[..], &task].concat();
    import(studies, &fixture("torch-rgb.onnx"), flags)?;
    let (_, text) = printed.split_once("\n{\n").context("no study is printed")?;
    let (text, _) = text
        .rsplit_once("\n}\n")
        .context("the study does not end")?;
    let mut study: Value = serde_json::from_str(&format!("{{{text}}}"))?;
    assert_eq!(study["id"], GREY);
    study["seed"] = json!(3);
    study["mode"] = json!("lab");
    without_practice(&mut study);
    let parts = study["parts"].as_array_mut().context("no parts")?;
    let stage = parts.iter_mut().find(|part| part["kind"] == "stage");
    let stage = stage.context("no stage")?;
    stage["task"]["questions"] = json!(1);
    parts.push(json!({
        "kind": "stage",
        "id": "colours",
        "task": { "kind": "reconstruction", "model": "torch-rgb", "questions": 1 },
    }));
    add(studies, &study)
}

fn fixture(file: &str) -> PathBuf {
    tools::root()
        .join("models/import/tests/fixtures")
        .join(file)
}

async fn take(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    StudyPage::begin(browser, server.address(), GREY).await?;
    StageIntro(browser).begin().await?;
    let kept = KeptSession::of(browser, server.address()).await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    let model = journey::model_of_stage(browser, server.address(), question.at.stage).await?;
    assert_eq!(model, GREY);
    audit.look(browser, "question-own-model").await?;
    let grey = Picture::on_screen(browser, "target").await?;
    let [width, height] = grey.size;
    assert_eq!([width, height], [12, 20]);
    shown_by_pytorch(&grey, GREY, (LATENTS, 1.0), |x, pixel| [x[pixel]; 3])?;
    question.solve().await?;
    question.leave().await?;
    browser.await_screen("questionnaire").await?;
    QuestionnairePage(browser).fill_in().await?;

    StageIntro(browser).begin().await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Keyboard, PATIENCE).await?;
    let model = journey::model_of_stage(browser, server.address(), question.at.stage).await?;
    assert_eq!(model, "torch-rgb");
    audit.look(browser, "question-own-colours").await?;
    let colours = Picture::on_screen(browser, "target").await?;
    assert_eq!(colours.size, [12, 16]);
    // PyTorch has all red values first.
    let plane = 12 * 16;
    shown_by_pytorch(&colours, "torch-rgb", (LATENTS, 1.0), |x, pixel| {
        [x[pixel], x[plane + pixel], x[2 * plane + pixel]]
    })?;
    question.solve().await?;
    question.leave().await?;
    let left = journey::finish(browser, TRY, async |_, _| Ok(())).await?;
    ensure!(left.is_empty(), "{} questions too many", left.len());

    let state = kept.state().await?;
    let session = Session::new(state.plan.clone())
        .replayed(&state.events)
        .map_err(|e| anyhow::anyhow!("{e:?}"))?;
    let records = session.ended();
    assert_eq!(records.len(), 2);
    for record in &records {
        let TaskMeasures::Reconstruction(measures) = &record.measures else {
            anyhow::bail!("a record of another task");
        };
        ensure!(measures.movement.slide_distance > 0.0, "no dial was moved");
    }
    audit.verdict()
}

/// The picture is what PyTorch itself made of one of so many latents, up to `most` of 255; `colour`
/// finds a pixel in its output, from 0 to 1.
fn shown_by_pytorch(
    picture: &Picture,
    name: &str,
    (latents, most): (usize, f32),
    colour: impl Fn(&[f32], usize) -> [f32; 3],
) -> Result<()> {
    let outputs = npy(&fixture(&format!("{name}.outputs.npy")))?;
    let len = outputs.len() / latents;
    let off = outputs.chunks_exact(len).map(|x| {
        let shown = picture.pixels.iter().enumerate().flat_map(|(i, shown)| {
            let made = colour(x, i).map(|value| value.clamp(0.0, 1.0) * 255.0);
            made.into_iter()
                .zip(*shown)
                .map(|(made, shown)| (made - f32::from(shown)).abs())
        });
        shown.fold(0.0, f32::max)
    });
    let nearest = off.fold(f32::INFINITY, f32::min);
    ensure!(
        nearest <= most,
        "{name}: {nearest} of 255 from the nearest of PyTorch's own pictures"
    );
    Ok(())
}

//! Every kind of output in one study: three curves of different scales, a picture twice as wide as
//! it is high, a large one in colour, and a heat map whose values need no clipping.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::audit::Audit;
use tests::browser::{Browser, PATIENCE};
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, Picture, StudyPage};
use tests::scene::in_browser;
use tests::server::{Server, add, import};

use super::{fixture, shown_by_pytorch};

const STUDY: &str = "outputs";
/// Latent vectors in the fixtures; and how far a picture may be from PyTorch's, of 255: these decoders
/// are steep, and questions round latents to the dials' steps.
const LIKE_PYTORCH: (usize, f32) = (8, 6.0);
/// What is black and white in the heat map, whose values go from -3.8 to 3.8.
const SHADES: [f32; 2] = [-2.0, 3.0];
/// Stages, by their order.
const CURVES: usize = 0;
const WIDE: usize = 1;
const LARGE: usize = 2;
const HEAT: usize = 3;
const EXAMPLES: usize = 4;

#[tokio::test]
async fn every_kind_of_output_is_taken_from_start_to_code() -> Result<()> {
    in_browser(STUDY, 600, Server::start_with(prepare), take).await
}

/// Imports them with the distances that suit each.
fn prepare(studies: &Path) -> Result<()> {
    let near = "--distance=bray-curtis --threshold=0.1";
    let [black, white] = SHADES;
    let curves = "--shape=32x3 --distance=jaccard:0.4,8,0.3 --threshold=0.1 \
                  --plot=-3:3 --plot=-60:60 --plot=-1.5:1.5";
    let heat = format!("--unclipped={black}:{white} --distance=mean-absolute --threshold=0.05");
    for (name, flags) in [
        ("out-curves", curves),
        ("out-wide", near),
        ("out-large", near),
        ("out-heat", &heat),
    ] {
        import(studies, &fixture(&format!("{name}.onnx")), flags.split(' '))?;
    }
    let match_one = |id: &str, more: serde_json::Value| {
        let mut task =
            json!({ "kind": "reconstruction", "model": format!("out-{id}"), "questions": 1 });
        if let (Some(task), Some(more)) = (task.as_object_mut(), more.as_object()) {
            task.extend(more.clone());
        }
        json!({ "kind": "stage", "id": id, "task": task })
    };
    add(
        studies,
        &json!({ "format": 2, "id": STUDY, "title": "All outputs", "mode": "lab", "seed": 5,
            "parts": [
                match_one("curves", json!({ "feedforward": "filmstrip" })),
                match_one("wide", json!({})),
                match_one("large", json!({})),
                match_one("heat", json!({})),
                { "kind": "stage", "id": "examples", "task": {
                    "kind": "single_dimension", "model": "out-curves",
                    "visualisation": "exemplars", "dimensions": [2],
                    "questions_per_dimension": 1 } },
            ] }),
    )
}

async fn take(server: &Server, browser: &Browser) -> Result<()> {
    StudyPage::begin(browser, server.address(), STUDY).await?;
    let mut audit = Audit::default();
    let answered = journey::finish(
        browser,
        PATIENCE,
        async |browser: &Browser, screen: &str| {
            audit.look(browser, &format!("outputs-{screen}")).await?;
            for stage in [CURVES, WIDE, LARGE, HEAT] {
                if screen == format!("question-{stage}") {
                    shown_as_pytorch_has_it(browser, stage).await?;
                }
            }
            if screen == format!("single-{EXAMPLES}") {
                ensure!(
                    plots(browser, ".examples .thumbnail").await? == 3,
                    "{screen}"
                );
            }
            Ok(())
        },
    )
    .await?;
    ensure!(answered.len() == 5, "{answered:?}");
    for stage in [CURVES, WIDE, LARGE, HEAT] {
        ensure!(answered[stage].solved, "stage {stage} was not solved");
    }
    Complete(browser).code().await?;
    // What the page reported of values that are not clipped, too.
    Export::verify(server, STUDY)?;
    audit.verdict()
}

/// The target is one of what PyTorch decoded, with the sides that it has there.
async fn shown_as_pytorch_has_it(browser: &Browser, stage: usize) -> Result<()> {
    if stage == CURVES {
        let [yours, target] = [
            plots(browser, "[data-testid=picture]").await?,
            plots(browser, "[data-testid=target]").await?,
        ];
        ensure!([yours, target] == [3, 3], "{yours} and {target} plots");
        return Ok(());
    }
    let target = Picture::on_screen(browser, "target").await?;
    let [width, height] = target.size;
    let box_of =
        "const box = document.querySelector('[data-testid=target]').getBoundingClientRect();
        return box.width / box.height;";
    let seen = browser.look(box_of, vec![]).await?;
    let right = width as f64 / height as f64;
    let seen = seen.as_f64().context("no picture")?;
    ensure!(
        (seen / right - 1.0).abs() < 0.02,
        "{seen} instead of {right}"
    );
    let plane = width * height;
    match stage {
        WIDE => {
            ensure!(target.size == [48, 24], "{:?}", target.size);
            shown_by_pytorch(&target, "out-wide", LIKE_PYTORCH, |x, pixel| {
                [0, 1, 2].map(|colour| x[colour * plane + pixel])
            })
        }
        HEAT => {
            ensure!(target.size == [16, 24], "{:?}", target.size);
            shown_by_pytorch(&target, "out-heat", LIKE_PYTORCH, |x, pixel| {
                [(x[pixel] - SHADES[0]) / (SHADES[1] - SHADES[0]); 3]
            })
        }
        _ => {
            ensure!(target.size == [256, 256], "{:?}", target.size);
            Ok(())
        }
    }
}

/// Number of plots in the first element that a selector finds, each with a curve.
async fn plots(browser: &Browser, selector: &str) -> Result<usize> {
    let script = "return [...document.querySelector(arguments[0]).querySelectorAll('svg.plot')]
        .filter(plot => plot.querySelector('.curve').getAttribute('d').length > 100).length;";
    let found = browser.look(script, vec![json!(selector)]).await?;
    let found = found.as_u64().context("no number")?;
    Ok(usize::try_from(found)?)
}

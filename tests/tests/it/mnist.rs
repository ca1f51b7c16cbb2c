//! A participant matches handwritten digits: radio buttons, black and white pictures, and dials
//! that can be renamed.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::model::Arrangement;
use domain::session::Session;
use domain::session::event::Envelope;
use domain::task::TaskMeasures;
use domain::task::reconstruction::Event;
use serde_json::{Value, json};
use tests::audit::Audit;
use tests::browser::{Browser, PATIENCE};
use tests::client::KeptSession;
use tests::events::reconstruction;
use tests::journey;
use tests::pages::{Hand, Picture, QuestionPage, StageIntro, StudyPage};
use tests::scene::in_browser;
use tests::server::{Server, change, without_practice};
use tests::solver::DialControl;

const STUDY: &str = "mnist-demo";
/// How long the participant tries to solve a question.
const TRY: Duration = Duration::from_secs(15);

#[tokio::test]
async fn digits_are_matched_with_radio_buttons_and_dials_that_have_names() -> Result<()> {
    let server = Server::start_with(|studies| {
        // The radio buttons first, one question each, and nothing to wait for.
        change(studies, STUDY, |study| {
            study["seed"] = json!(4);
            study["mode"] = json!("lab");
            study["templates"]["mnist"]["task"]["questions"] = json!(1);
            without_practice(study);
            for part in study["parts"].as_array_mut().unwrap() {
                if let Some(stages) = part.get_mut("parts").and_then(Value::as_array_mut) {
                    stages.reverse();
                    part["order"] = json!("fixed");
                }
            }
        })
    });
    in_browser("mnist", 600, server, take).await
}

async fn take(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    StudyPage::begin(browser, server.address(), STUDY).await?;
    StageIntro(browser).begin().await?;
    let kept = KeptSession::of(browser, server.address()).await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    let model = journey::model_of_stage(browser, server.address(), question.at.stage).await?;
    assert_eq!(model, "mnist-ss5");
    ensure!(
        question.choices(0).len() == 10,
        "the first dial has no ten options"
    );
    audit.look(browser, "question-mnist-ss5").await?;

    let before = Picture::on_screen(browser, "picture").await?;
    check_black_and_white(&before)?;
    check_black_and_white(&Picture::on_screen(browser, "target").await?)?;
    let chosen = question.values()[0];
    let other = (chosen + 1.0) % 10.0;
    question.set(0, other / 9.0).await?;
    let after = Picture::on_screen(browser, "picture").await?;
    check_black_and_white(&after)?;
    ensure!(
        before != after,
        "another radio button shows the same picture"
    );

    question.rename(2, "how slanted it is").await?;
    question.leave().await?;
    let answered = journey::finish(browser, TRY, async |browser, screen| {
        audit.look(browser, &format!("mnist-{screen}")).await
    })
    .await?;
    ensure!(
        answered.len() == 2,
        "{} questions after the first",
        answered.len()
    );

    let state = kept.state().await?;
    check_log(&state.events, chosen, other)?;
    let session = Session::new(state.plan.clone())
        .replayed(&state.events)
        .map_err(|e| anyhow::anyhow!("{e:?}"))?;
    let records = session.ended();
    let TaskMeasures::Reconstruction(first) = &records.first().context("no record")?.measures
    else {
        anyhow::bail!("the first record is of another task");
    };
    assert_eq!(
        first.movement.slide_distance, 1.0,
        "a radio button and nothing else was moved"
    );
    let models = ["mnist-ss5", "mnist-tc5", "mnist-ae5"];
    for (stage, name) in state.plan.stages.iter().zip(models) {
        let model = stage.task.model().context("no model")?;
        assert_eq!(model.name, name);
        assert_eq!(model.threshold, 0.25, "{name}");
        assert_eq!(model.skip_after_s, 45.0, "{name}");
        assert_eq!(model.display.binarise_at, Some(0.5), "{name}");
        assert_eq!(model.display.arrangement, Arrangement::Apart, "{name}");
    }
    audit.verdict()
}

/// One choice and one name are in the log, and they are what was chosen and named.
fn check_log(log: &[Envelope], chosen: f64, other: f64) -> Result<()> {
    let first: Vec<&Event> = log
        .iter()
        .filter_map(|envelope| reconstruction(&envelope.event))
        .take_while(|event| !matches!(event, Event::Skipped | Event::Solved))
        .collect();
    let mut choices: Vec<(Option<usize>, f64)> = first
        .iter()
        .filter_map(|event| match event {
            Event::Snapshot(snapshot) => {
                Some((snapshot.movement.dimension, snapshot.movement.z[0]))
            }
            _ => None,
        })
        .collect();
    // A question's end says once more where the dials stand.
    choices.dedup();
    assert_eq!(choices, [(None, chosen), (Some(0), other)]);
    let names: Vec<(usize, &str)> = first
        .iter()
        .filter_map(|event| match event {
            Event::DialRenamed { dimension, name } => Some((*dimension, name.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(names, [(2, "how slanted it is")]);
    Ok(())
}

fn check_black_and_white(picture: &Picture) -> Result<()> {
    let pixels = &picture.pixels;
    ensure!(picture.size == [28, 28], "{:?} pixels", picture.size);
    let (black, white) = ([0, 0, 0], [255, 255, 255]);
    let grey = pixels
        .iter()
        .find(|pixel| **pixel != black && **pixel != white);
    ensure!(
        grey.is_none(),
        "a pixel is neither black nor white: {grey:?}"
    );
    ensure!(pixels.contains(&white), "nothing is drawn");
    Ok(())
}

//! Honest questions of every shipped model, moved by pointer and by keys in a real browser: the server
//! decodes all that the page reported and finds no contradiction, and no script.
//!
//! One question of each model; 63 of each (1,071 in all) with `cargo xtask test --long`.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::browser::Browser;
use tests::export::Export;
use tests::pages::{Hand, QuestionPage, StageIntro, StudyPage};
use tests::server::{Server, add};
use tests::solver::DialControl;
use tests::{tools, wait};

const STUDY: &str = "honest";
/// How long a question may take to come on screen and be left.
const PATIENCE: Duration = Duration::from_secs(60);
/// Where a dial is slid to, as shares of its way: different for each question and dial.
const STEP: f64 = 0.618_033_988_749_895;

#[tokio::test]
async fn honest_questions_of_every_model_raise_no_flag() -> Result<()> {
    let limit = if tools::long() { 7_200 } else { 600 };
    wait::at_most(Duration::from_secs(limit), run()).await
}

fn models() -> Result<Vec<String>> {
    let zoo = models::Zoo::shipped()?;
    Ok(zoo.names().map(str::to_owned).collect())
}

fn study(models: &[String], questions: usize) -> Value {
    let stage = |(index, model): (usize, &String)| {
        json!({
            "kind": "stage",
            "id": format!("stage-{index}"),
            "task": { "kind": "reconstruction", "model": model, "questions": questions },
        })
    };
    // In the lab a question can be left at any time.
    json!({
        "format": 2,
        "id": STUDY,
        "title": "Honest questions",
        "mode": "lab",
        "at_end": "nothing",
        "seed": 5,
        "parts": models.iter().enumerate().map(stage).collect::<Vec<_>>(),
    })
}

async fn run() -> Result<()> {
    let (models, each) = (models()?, if tools::long() { 63 } else { 1 });
    let server = Server::start_with(|studies| add(studies, &study(&models, each))).await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    let begun = Instant::now();
    let result = take(&server, &browser, models.len() * each).await;
    println!("{:.0} s in the browser", begun.elapsed().as_secs_f64());
    browser.finish("honest", result).await?;

    // Every latent vector is decoded; the command fails at the first contradiction.
    Export::verify(&server, STUDY)?;
    let export = Export::of(&server, STUDY)?;
    let sessions = export.table("sessions")?;
    ensure!(sessions.len() == 1, "{} sessions", sessions.len());
    let session = &sessions[0];
    let flags = session["automation_flags"].as_array().context("flags")?;
    println!("flags of a browser that is driven: {flags:?}; {session}");
    // It is driven, and may look so; but no input came from a script in the page.
    for signal in ["scripted_share", "uncovered_share"] {
        ensure!(
            !flags.contains(&json!(signal)),
            "{signal}: {}",
            session[signal]
        );
        ensure!(session[signal].is_number(), "{signal} was not measured");
    }
    // Every other question is answered by pointer.
    let by_pointer = models.len().div_ceil(2) as u64;
    ensure!(
        session["gestures"].as_u64() >= Some(by_pointer),
        "{} gestures",
        session["gestures"]
    );
    Ok(())
}

async fn take(server: &Server, browser: &Browser, questions: usize) -> Result<()> {
    StudyPage::begin(browser, server.address(), STUDY).await?;
    let (mut place, mut done) = (0.2, 0);
    loop {
        match browser.settled_screen().await?.as_str() {
            "stage-intro" => StageIntro(browser).begin().await?,
            "question" => {
                let hand = if done % 2 == 0 {
                    Hand::Pointer
                } else {
                    Hand::Keyboard
                };
                let mut question = QuestionPage::on_screen(browser, hand, PATIENCE).await?;
                let dials = question.positions().len();
                for turn in 0..2 {
                    // By chance, the first turn can have solved it.
                    if question.refresh().await?["solved"] == json!(true) {
                        break;
                    }
                    let mut way = Vec::new();
                    for _ in 0..3 {
                        place = (place + STEP) % 1.0;
                        way.push(place);
                    }
                    question.slide((done + turn) % dials, &way).await?;
                }
                question.refresh().await?;
                question.leave().await?;
                done += 1;
                if done % 50 == 0 {
                    println!("{done} of {questions} questions");
                }
            }
            "complete" => break,
            other => anyhow::bail!("'{other}' was not expected"),
        }
    }
    ensure!(done == questions, "{done} of {questions} questions");
    Ok(())
}

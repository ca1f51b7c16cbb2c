//! Options of tasks and stages in a real browser: a study of sliders with previews whose questions
//! the participant ends (`chi22-ganslider-like`), and a stage with a limit of time across a reload.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use domain::session::event::Event;
use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::audit::Audit;
use tests::browser::{Browser, PATIENCE};
use tests::client::KeptSession;
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, Hand, QuestionPage, StageIntro, StudyPage};
use tests::scene::in_browser;
use tests::server::{Server, add, change};
use tests::wait;

const SLIDERS: &str = "chi22-ganslider-like";
const LIMITED: &str = "limited";

#[tokio::test]
async fn sliders_with_previews_from_consent_to_code() -> Result<()> {
    let shorter = |study: &mut Value| {
        study["design"]["factors"][1]["levels"] = json!(["2", "10"]);
        let parts = study["parts"].as_array_mut().unwrap();
        let group = parts.iter_mut().find(|part| part["kind"] == "group");
        let task = &mut group.unwrap()["parts"][0]["task"];
        task["questions"] = json!(1);
        task["undo"] = json!(true);
        task["randomise"] = json!(true);
    };
    let server = Server::start_with(|studies| change(studies, SLIDERS, shorter));
    in_browser("sliders", 600, server, steer).await
}

async fn steer(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    StudyPage::begin(browser, server.address(), SLIDERS).await?;
    let kept = KeptSession::of(browser, server.address()).await?;
    let look = async |browser: &Browser, screen: &str| {
        audit.look(browser, &format!("sliders-{screen}")).await
    };
    let answered = journey::finish(browser, PATIENCE, look).await?;
    ensure!(answered.len() == 6, "{} of 2 + 4 questions", answered.len());
    Complete(browser).code().await?;
    Export::verify(server, SLIDERS)?;
    audit.verdict()?;

    // What a browser gets says nothing of the targets' dials.
    let state = kept.state().await?;
    let plan = serde_json::to_string(&state.plan)?;
    let export = Export::of(server, SLIDERS)?;
    let rows = export.table("reconstruction_questions")?;
    let scored: Vec<&Value> = rows.iter().filter(|row| row["practice"] == false).collect();
    ensure!(scored.len() == 4, "{scored:?}");
    for row in &rows {
        let target = row["target_z"].to_string();
        ensure!(!plan.contains(&target), "{target} is in the plan");
        ensure!(row["stop"] == "declared", "{row}");
        let outcome = row["outcome"].as_str().unwrap_or_default();
        ensure!(["solved", "missed", "skipped"].contains(&outcome), "{row}");
        for column in ["overshoots", "zero_crossings", "dimension_switches"] {
            ensure!(row[column].is_u64(), "{column}: {row}");
        }
        // Who declares the end at once has moved nothing.
        let moved = row["first_touched"] != json!([]);
        ensure!(row["first_moved_ms"].is_u64() == moved, "first move: {row}");
        for column in ["start", "end", "mean"] {
            let column = format!("{column}_deviation_widths");
            ensure!(row[&column].is_number(), "{column}: {row}");
        }
    }
    ensure!(
        scored.iter().all(|row| row["first_moved_ms"].is_u64()),
        "{scored:?}"
    );
    let conditions: BTreeSet<String> = scored
        .iter()
        .map(|row| format!("{} {}", row["feedforward"], row["dials_shown"]))
        .collect();
    ensure!(conditions.len() == 4, "{conditions:?}");
    ensure!(
        scored
            .iter()
            .all(|row| row["undos"] == 1 && row["randomisations"] == 1)
    );
    let dials = export.table("reconstruction_dimensions")?;
    let hidden = dials.iter().filter(|row| row["position"].is_null());
    ensure!(hidden.count() == 16, "eight of ten dials in two questions");
    let shown = export.table("reconstruction_snapshots")?;
    ensure!(shown.iter().all(|row| row["deviation_widths"].is_number()));
    Ok(())
}

#[tokio::test]
async fn a_stage_ends_when_its_time_is_up() -> Result<()> {
    let study = json!({
        "format": 2, "id": LIMITED, "title": "Limited",
        "parts": [{
            "kind": "stage", "id": "s",
            "limit": { "minutes": 0.2, "question_on_screen": "cut", "show_clock": true },
            "task": { "kind": "reconstruction", "model": "circles", "questions": 7,
                      "target_alignment_percent": 100, "skip": "never" }
        }]
    });
    in_browser(
        "limited",
        300,
        Server::start_with(|studies| add(studies, &study)),
        run_out,
    )
    .await
}

async fn run_out(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    StudyPage::begin(browser, server.address(), LIMITED).await?;
    browser.await_screen("stage-intro").await?;
    let words = browser.words().await?;
    ensure!(words.contains("after 12 seconds at the latest"), "{words}");
    StageIntro(browser).begin().await?;
    let question = QuestionPage::on_screen(browser, Hand::Keyboard, PATIENCE).await?;
    let clock = browser.element("time-left").await?.text().await?;
    ensure!(clock == "less than 1 min left in this stage", "{clock}");
    let begun = std::time::Instant::now();
    browser.tab_to("dial-0").await?;
    browser.keys(&[fantoccini::key::Key::PageUp.into()]).await?;
    ensure!(question.at.question == 0);
    // The time goes on while the page is loaded again.
    browser.reload().await?;
    browser.await_screen("time-up").await?;
    let waited = begun.elapsed().as_secs_f64();
    ensure!((8.0..25.0).contains(&waited), "{waited} s");
    audit.look(browser, "time-up").await?;
    browser.press("time-up-go-on").await?;
    Complete(browser).code().await?;
    let export = Export::of(server, LIMITED)?;
    let rows = export.table("reconstruction_questions")?;
    ensure!(rows.len() == 1 && rows[0]["outcome"] == "cut", "{rows:?}");
    let seconds = rows[0]["response_time_s"].as_f64().unwrap_or_default();
    ensure!((11.0..13.5).contains(&seconds), "cut after {seconds} s");
    let log = export.only_log()?;
    let ups = log
        .iter()
        .filter(|logged| logged.event == Event::TimeUp { stage: 0 });
    ensure!(ups.count() == 1);
    Export::verify(server, LIMITED)?;
    audit.verdict()
}

#[tokio::test]
async fn pictures_are_kept_back_for_as_long_as_the_study_says() -> Result<()> {
    let study = json!({
        "format": 2, "id": KEPT_BACK, "title": "Kept back", "mode": "lab",
        "parts": [{ "kind": "stage", "id": "s", "task": {
            "kind": "reconstruction", "model": "circles", "questions": 1,
            "target_alignment_percent": 100, "start": "centre", "minimum_latency_ms": LATENCY_MS } }]
    });
    let server = Server::start_with(|studies| add(studies, &study));
    in_browser(KEPT_BACK, 300, server, wait_for_pictures).await
}

const KEPT_BACK: &str = "kept-back";
/// Longer than any frame, even on a busy machine a person would notice it.
const LATENCY_MS: u32 = 300;

async fn wait_for_pictures(server: &Server, browser: &Browser) -> Result<()> {
    StudyPage::begin(browser, server.address(), KEPT_BACK).await?;
    StageIntro(browser).begin().await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Keyboard, PATIENCE).await?;
    // How long after the first key the picture is drawn.
    let watch = "
        window.delays = [];
        let pressed = null;
        document.addEventListener('keydown', () => { pressed ??= performance.now(); }, true);
        const canvas = CanvasRenderingContext2D.prototype;
        const put = canvas.putImageData;
        canvas.putImageData = function (...args) {
          put.apply(this, args);
          if (this.canvas.dataset.testid !== 'picture' || pressed === null) return;
          delays.push(performance.now() - pressed);
          pressed = null;
        };";
    browser.tab_to("dial-0").await?;
    browser.look(watch, vec![]).await?;
    for pressed in 1..=4_usize {
        let before = question.values();
        browser.keys(&[Key::Left.into()]).await?;
        question.refresh().await?;
        ensure!(question.values() != before, "the dial moves at once");
        wait::until("the picture", PATIENCE, async || {
            let drawn = browser.look("return delays.length", vec![]).await?;
            Ok((drawn == json!(pressed)).then_some(()))
        })
        .await?;
    }
    let delays = browser.look("return delays", vec![]).await?;
    let delays: Vec<f64> = serde_json::from_value(delays)?;
    // The session's clock counts whole milliseconds.
    ensure!(
        delays.iter().all(|ms| *ms >= f64::from(LATENCY_MS) - 1.0),
        "shown after {delays:?} ms"
    );
    question.leave().await?;
    Export::verify(server, KEPT_BACK)
}

//! The screens beside the way, in every language of the app: an address that is none, declining, a
//! second tab, help, waiting for a model and for the server, stopping, and a consent form that has
//! changed. English is looked at in every run, German, Spanish and the right-to-left language in
//! the long one.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::audit::Audit;
use tests::browser::{Browser, Hand, PATIENCE};
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::pages::{QuestionPage, QuestionnairePage, SingleDimensionPage, StageIntro, StudyPage};
use tests::server::{Server, add};
use tests::{tools, wait, whole_study};

const STUDY: &str = whole_study::NAME;
const WAITS: &str = "waits";
/// Slow enough that a model of 7 MB does not come while its screen is looked at.
const SLOW_BYTES_PER_S: f64 = 5_000.0;

#[tokio::test]
async fn screens_beside_the_way_are_as_good_as_those_on_it() -> Result<()> {
    wait::at_most(Duration::from_secs(900), side_screens()).await
}

/// A model that takes long to come, an answer whose verdict a rule waits for, and a way out.
fn waits() -> Value {
    let all = |text: &str| json!({ "en": text, "de": text, "es": text });
    json!({
        "format": 2, "id": WAITS, "title": all("R"), "mode": "lab",
        "languages": ["en", "de", "es"],
        "parts": [
            { "kind": "stage", "id": "digits",
              "task": { "kind": "reconstruction", "model": "mnist-ae5", "questions": 1 } },
            { "kind": "stage", "id": "rows", "practice": true, "wrong_answer": "screen_out",
              "task": { "kind": "single_dimension", "model": "sinelines-gt5",
                        "visualisation": "traversals", "dimensions": [1],
                        "questions_per_dimension": 1 } },
            { "kind": "group", "parts": [
                { "kind": "questionnaire", "id": "eligible", "title": all("R"), "items": [
                    { "id": "age", "text": all("R"),
                      "answer": { "kind": "choice", "options": [
                        { "id": "old", "text": all("R") }, { "id": "young", "text": all("R") }] } }] }],
              "skips": [{ "when": { "answer": { "questionnaire": "eligible", "item": "age",
                          "is": "young" } }, "to": "screened_out" }] },
            { "kind": "break", "id": "rest" }
        ]
    })
}

async fn side_screens() -> Result<()> {
    let mut server = Server::start_with(|studies| {
        whole_study::add_to(studies)?;
        add(studies, &waits())
    })
    .await?;
    let languages: &[&str] = if tools::long() {
        &["en", "ar-XB", "de", "es"]
    } else {
        &["en"]
    };
    let mut audit = Audit::default();
    for language in languages {
        // A browser for each: what one session keeps does not lead another one on.
        let profile = TempDir::new()?;
        let tabs = BrowserSetup::with_tabs();
        let browser = Browser::open_engine(BrowserEngine::Chromium, profile.path(), tabs).await?;
        let result = look(&mut server, &browser, language, &mut audit).await;
        if result.is_err() {
            println!("the server said:\n{}", server.log());
        }
        let name = format!("side-screens-{language}");
        browser.finish(&name, result).await?;
    }
    audit.verdict()
}

async fn look(
    server: &mut Server,
    browser: &Browser,
    language: &str,
    audit: &mut Audit,
) -> Result<()> {
    let address = server.address().to_owned();
    let named = |screen: &str| format!("{language}-{screen}");
    browser
        .goto(&format!(
            "http://{address}/study/no-such-study?lang={language}"
        ))
        .await?;
    browser.await_screen("error").await?;
    audit.look(browser, &named("error")).await?;

    let link = format!("{STUDY}?lang={language}");
    StudyPage::open(browser, &address, &link).await?;
    browser.press("decline").await?;
    browser.await_screen("declined").await?;
    audit.look(browser, &named("declined")).await?;
    ensure!(
        browser.kept_session().await.is_err(),
        "declining has created a session"
    );
    waiting(browser, &address, language, audit).await?;

    StudyPage::begin(browser, &address, &link).await?;
    browser.await_screen("questionnaire").await?;
    browser.new_tab().await?;
    browser
        .goto(&format!("http://{address}/study/{link}"))
        .await?;
    browser.await_screen("other-tab").await?;
    audit.look(browser, &named("other-tab")).await?;
    browser.press("take-over").await?;
    browser.await_screen("questionnaire").await?;
    browser.first_tab().await?;
    browser.await_screen("other-tab").await?;
    browser.press("take-over").await?;
    browser.await_screen("questionnaire").await?;

    browser.click_css(".help summary").await?;
    audit.look(browser, &named("help")).await?;
    browser.press("stop").await?;
    browser.await_screen("withdraw").await?;
    audit.look(browser, &named("withdraw")).await?;
    browser.press("go-on").await?;
    browser.await_screen("questionnaire").await?;
    browser.await_save_state("saved").await?;

    // The form has changed when the page is opened again: it is asked for anew.
    server.kill()?;
    let form = server.folder().join("studies").join(STUDY);
    for file in ["consent.md", "consent.de.md", "consent.es.md"] {
        let text = std::fs::read_to_string(form.join(file))?;
        std::fs::write(form.join(file), format!("{text}\n\n{language}\n"))?;
    }
    server.restart().await?;
    browser.reload().await?;
    browser.await_screen("study").await?;
    audit.look(browser, &named("consent-changed")).await?;
    StudyPage::on_screen(browser).start().await?;
    browser.await_screen("questionnaire").await?;

    browser.click_css(".help summary").await?;
    browser.press("stop").await?;
    browser.await_screen("withdraw").await?;
    browser.press("stop-and-keep").await?;
    browser.await_screen("withdrawn").await?;
    audit.look(browser, &named("withdrawn")).await
}

/// Waits for a model, then for the server, and cannot take part in the end.
async fn waiting(
    browser: &Browser,
    address: &str,
    language: &str,
    audit: &mut Audit,
) -> Result<()> {
    let named = |screen: &str| format!("{language}-{screen}");
    let link = format!("{WAITS}?lang={language}");
    let first = StudyPage::open(browser, address, &link).await?;
    browser.network(0.0, Some(SLOW_BYTES_PER_S)).await?;
    first.start().await?;
    StageIntro(browser).begin().await?;
    browser.await_screen("loading").await?;
    audit.look(browser, &named("loading")).await?;
    browser.network(0.0, None).await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Keyboard, PATIENCE).await?;
    question.refresh().await?;
    question.leave().await?;

    StageIntro(browser).begin().await?;
    let question = SingleDimensionPage::on_screen(browser, Hand::Keyboard).await?;
    question.fill(0).await?;
    browser.await_save_state("saved").await?;
    browser.set_offline(true).await?;
    question.hand_in().await?;
    browser.element("move-on").await?;
    audit
        .look(browser, &named("single-without-verdict"))
        .await?;
    question.move_on().await?;
    browser.await_screen("awaiting-verdicts").await?;
    audit.look(browser, &named("awaiting-verdicts")).await?;
    browser.set_offline(false).await?;
    browser.await_change("awaiting-verdicts").await?;
    if browser.settled_screen().await? == "questionnaire" {
        // Of two options it takes the second.
        QuestionnairePage(browser).fill_in().await?;
    }
    browser.await_screen("screened-out").await?;
    audit.look(browser, &named("screened-out")).await
}

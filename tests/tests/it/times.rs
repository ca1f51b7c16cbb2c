//! Who is away for too long, whose time runs out, and who cannot take part.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tests::audit::Audit;
use tests::browser::{Browser, Hand};
use tests::export::Export;
use tests::pages::{QuestionPage, QuestionnairePage, StageIntro, StudyPage};
use tests::scene::in_browser;
use tests::server::{Server, add};

fn timed() -> Value {
    json!({
        "format": 2, "id": "timed", "title": "Times",
        "time_limit": { "minutes": 2, "warn_before_minutes": 2 },
        "resume": { "stage_within_minutes": 0 },
        "parts": [
            { "kind": "stage", "id": "s",
              "task": { "kind": "reconstruction", "model": "circles", "questions": 3 } },
            { "kind": "break", "id": "rest" }
        ]
    })
}

fn adults_only() -> Value {
    json!({
        "format": 2, "id": "adults", "title": "For adults",
        "recruitment": [{ "platform": "connect",
            "complete_url": "https://connect.cloudresearch.com/participant/project/1/complete" }],
        "parts": [
            { "kind": "group", "parts": [
                { "kind": "questionnaire", "id": "eligible", "title": "Before we start", "items": [
                    { "id": "age", "text": "How old are you?",
                      "answer": { "kind": "choice", "options": ["18 or older", "under 18"] } }] }],
              "skips": [{ "when": { "answer": { "questionnaire": "eligible", "item": "age",
                          "is": "under 18" } }, "to": "screened_out" }] },
            { "kind": "stage", "id": "s",
              "task": { "kind": "reconstruction", "model": "circles", "questions": 1 } }
        ]
    })
}

#[tokio::test]
async fn stages_end_that_are_left_and_people_are_told_what_to_do() -> Result<()> {
    let server = Server::start_with(|studies| {
        add(studies, &timed())?;
        add(studies, &adults_only())
    });
    in_browser("times", 300, server, look).await
}

async fn look(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    StudyPage::begin(browser, server.address(), "timed").await?;
    StageIntro(browser).begin().await?;
    drop(QuestionPage::on_screen(browser, Hand::Keyboard, Duration::from_secs(60)).await?);
    let notice = browser.element("time-notice").await?.text().await?;
    ensure!(notice.contains("About 2 minutes are left"), "{notice}");
    audit.look(browser, "question-with-notice").await?;
    browser.reload().await?;
    browser.await_screen("time-up").await?;
    audit.look(browser, "time-up").await?;
    // Once more: the stage is over once.
    browser.reload().await?;
    browser.await_screen("time-up").await?;
    browser.click("time-up-go-on").await?;
    browser.await_screen("break").await?;
    browser.await_save_state("saved").await?;
    let export = Export::of(server, "timed")?;
    let questions = export.table("reconstruction_questions")?;
    ensure!(questions.len() == 1, "{questions:?}");
    ensure!(questions[0]["outcome"] == "cut", "{}", questions[0]);

    let arrival = format!(
        "http://{}/study/adults?participantId=5f0a&assignmentId=A1&projectId=P1",
        server.address()
    );
    browser.goto(&arrival).await?;
    browser.await_screen("study").await?;
    browser.click("start").await?;
    browser.await_screen("questionnaire").await?;
    // Of two options it takes the second: under 18.
    QuestionnairePage(browser).fill_in().await?;
    browser.await_screen("screened-out").await?;
    let words = browser.element("return-by-hand").await?.text().await?;
    ensure!(
        words.contains("return the task at CloudResearch Connect"),
        "{words}"
    );
    audit.look(browser, "screened-out").await?;
    let export = Export::of(server, "adults")?;
    let sessions = export.table("sessions")?;
    ensure!(sessions[0]["phase"] == "screened_out", "{}", sessions[0]);
    audit.verdict()
}

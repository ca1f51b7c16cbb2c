//! A form that is half filled in, or a tutorial half read, when the page is loaded again: nothing of
//! it is lost.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::audit::Audit;
use tests::browser::{Browser, PATIENCE};
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, StudyPage};
use tests::scene::in_browser;
use tests::server::{Server, add};
use tests::wait;

const STUDY: &str = "form";
/// What stands in every control of the form.
const FILLED: &str = "
    const at = id => document.querySelector(`[data-testid='item-${id}']`);
    return { point: [1, 2, 3, 4, 5].filter(k => at(`hard-${k}`).checked),
             words: at('words').value, colour: at('colour').value,
             ticks: [0, 1, 2].filter(k => at(`seen-${k}`).checked) };";

#[tokio::test]
async fn a_half_filled_form_survives_a_reload() -> Result<()> {
    in_browser("drafts", 300, Server::start_with(prepare), fill_in).await
}

#[tokio::test]
async fn a_page_goes_on_when_its_time_is_over() -> Result<()> {
    let study = json!({ "format": 2, "id": "timed", "title": "Timed", "parts": [
        { "kind": "questionnaire", "id": "timed", "title": "Timed",
          "time_limit": { "after_s": 30, "warn_s": 22, "then": "go_on" },
          "items": [
            { "id": "words", "text": "Anything?", "answer": { "kind": "text" } },
            { "id": "number", "text": "How many?", "answer": { "kind": "number" } },
            { "id": "date", "text": "When?", "answer": { "kind": "date" } } ] },
        { "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "circles" } },
    ]});
    let server = Server::start_with(|studies| add(studies, &study));
    in_browser("timed", 300, server, wait_for_the_end).await
}

async fn wait_for_the_end(server: &Server, browser: &Browser) -> Result<()> {
    StudyPage::begin(browser, server.address(), "timed").await?;
    browser.await_screen("questionnaire").await?;
    let noticed = async || {
        let shown = browser.visible("time-notice").await?;
        anyhow::Ok(shown.is_some())
    };
    ensure!(!noticed().await?, "the warning comes at once");
    browser.tab_to("item-words").await?;
    browser.keys(&"so far".chars().collect::<Vec<_>>()).await?;
    browser.tab_to("item-number").await?;
    browser.keys(&"many".chars().collect::<Vec<_>>()).await?;
    browser.element("time-notice").await?;
    let mut audit = Audit::default();
    audit.look(browser, "time-notice").await?;
    browser.press("more-time").await?;
    wait::until("the warning to go", Duration::from_secs(5), async || {
        Ok((!noticed().await?).then_some(()))
    })
    .await?;
    browser.reload().await?;
    browser.await_screen("stage-intro").await?;
    journey::finish(browser, PATIENCE, async |_, _| Ok(())).await?;
    Complete(browser).code().await?;
    let export = Export::of(server, "timed")?;
    let answers = export.table("answers")?;
    ensure!(answers.len() == 1, "{answers:?}");
    ensure!(answers[0]["answer_text"] == "so far" && answers[0]["time_over"] == json!(true));
    let sessions = export.table("sessions")?;
    ensure!(sessions[0]["pages_timed_out"] == json!(1));
    audit.verdict()
}

fn prepare(studies: &Path) -> Result<()> {
    let scale =
        json!({ "kind": "scale", "min": 1, "max": 5, "min_label": "easy", "max_label": "hard" });
    let colours = json!(["red", "green", "blue"]);
    let menu = json!({ "kind": "dropdown", "options": colours });
    let ticks = json!({ "kind": "choice", "options": colours, "several": true });
    let form = |id: &str| {
        json!({ "kind": "questionnaire", "id": id, "title": id, "items": [
            { "id": "hard", "text": "How hard was it?", "answer": scale },
            { "id": "words", "text": "Anything else?", "answer": { "kind": "text" } },
            { "id": "colour", "text": "Which do you like best?", "answer": menu },
            { "id": "seen", "text": "Which have you seen?", "answer": ticks, "optional": true },
        ]})
    };
    let study = json!({ "format": 2, "id": STUDY, "title": "A form", "parts": [
        { "kind": "tutorial", "task": "exploration" },
        form("one"),
        form("two"),
        { "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "circles" } },
    ]});
    add(studies, &study)
}

async fn fill_in(server: &Server, browser: &Browser) -> Result<()> {
    StudyPage::begin(browser, server.address(), STUDY).await?;
    browser.await_screen("tutorial").await?;
    let step = "return document.querySelector('.tutorial .eyebrow').textContent";
    let first = browser.look(step, vec![]).await?;
    browser.click("tutorial-next").await?;
    let second = browser.look(step, vec![]).await?;
    ensure!(first != second, "the tutorial has only one step: {first}");
    browser.reload().await?;
    browser.await_screen("tutorial").await?;
    let after = browser.look(step, vec![]).await?;
    ensure!(
        after == second,
        "the tutorial goes on with '{after}', not '{second}'"
    );
    browser.click("tutorial-finish").await?;
    browser.await_screen("questionnaire").await?;
    let empty = browser.look(FILLED, vec![]).await?;

    browser.click_label("item-hard-4").await?;
    browser.click("item-words").await?;
    browser
        .keys(&"half a sen".chars().collect::<Vec<_>>())
        .await?;
    browser.tab_to("item-colour").await?;
    browser.keys(&[fantoccini::key::Key::Down.into()]).await?;
    browser.click_label("item-seen-1").await?;
    let filled = browser.look(FILLED, vec![]).await?;
    let expected = json!({ "point": [4], "words": "half a sen", "colour": "red", "ticks": [1] });
    ensure!(filled == expected, "the form was not filled in: {filled}");

    browser.reload().await?;
    browser.await_screen("questionnaire").await?;
    let after = browser.look(FILLED, vec![]).await?;
    ensure!(after == filled, "{after} is left of {filled}");
    browser.click("item-words").await?;
    browser.keys(&"tence".chars().collect::<Vec<_>>()).await?;
    browser.click("questionnaire-submit").await?;

    // The same items again: nothing of the first form is in the second.
    wait::until("the second form", Duration::from_secs(30), async || {
        let title = "return document.querySelector('h1')?.textContent";
        Ok((browser.look(title, vec![]).await? == "two").then_some(()))
    })
    .await?;
    let second = browser.look(FILLED, vec![]).await?;
    ensure!(second == empty, "the second form begins with {second}");
    browser.reload().await?;
    browser.await_screen("questionnaire").await?;
    let second = browser.look(FILLED, vec![]).await?;
    ensure!(
        second == empty,
        "after a reload the second form has {second}"
    );

    journey::finish(browser, PATIENCE, async |_, _| Ok(())).await?;
    Complete(browser).code().await?;
    let log = Export::of(server, STUDY)?.only_log()?;
    let log: Vec<Value> = log
        .iter()
        .map(serde_json::to_value)
        .collect::<Result<_, _>>()?;
    let first = log
        .iter()
        .find(|event| event["questionnaire"] == "one")
        .context("the first form is not in the log")?;
    ensure!(
        first["answers"]["words"] == "half a sentence",
        "the log has {first}"
    );
    Ok(())
}

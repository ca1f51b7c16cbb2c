//! Every kind of item and every named block, by keyboard alone, with a reload in the middle;
//! every page is looked at in both sizes, and dark on the laptop.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::audit::Audit;
use tests::browser::Browser;
use tests::export::Export;
use tests::pages::{Complete, Hand, QuestionPage, QuestionnairePage, StageIntro, StudyPage};
use tests::scene::in_browser;
use tests::server::Server;
use tests::wait;

const STUDY: &str = "instruments";
/// The pages, each by its first item where its items keep their order.
const PAGES: usize = 10;

#[tokio::test]
async fn every_instrument_by_keyboard_alone() -> Result<()> {
    in_browser(STUDY, 900, Server::start(), take).await
}

async fn take(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    StudyPage::begin(browser, server.address(), STUDY).await?;
    browser.await_screen("questionnaire").await?;
    understand(browser, &mut audit).await?;
    let check = QuestionnairePage(browser);
    audit.look(browser, "instruments-letters-empty").await?;
    check.fill(Hand::Keyboard).await?;
    check.hand_in().await?;
    wait::until("the next page", Duration::from_secs(30), async || {
        let items = QuestionnairePage(browser).items().await?;
        Ok(items.contains(&"used".to_owned()).then_some(()))
    })
    .await?;
    background(browser, &mut audit).await?;
    go_back(browser).await?;
    let mut pages = 3;
    loop {
        match browser.settled_screen().await?.as_str() {
            "questionnaire" => {
                let page = QuestionnairePage(browser);
                let mut name = page.items().await?;
                name.sort();
                let name = format!("{STUDY}-{}", name.first().context("a page has items")?);
                audit.look(browser, &format!("{name}-empty")).await?;
                page.fill(Hand::Keyboard).await?;
                audit.look(browser, &name).await?;
                page.hand_in().await?;
                pages += 1;
            }
            "stage-intro" => StageIntro(browser).begin().await?,
            "question" => {
                let patience = Duration::from_secs(60);
                let mut question =
                    QuestionPage::on_screen(browser, Hand::Keyboard, patience).await?;
                question.solve().await?;
                question.leave().await?;
            }
            "complete" => break,
            other => bail!("'{other}' was not expected"),
        }
    }
    ensure!(pages == PAGES, "{pages} pages");
    Complete(browser).code().await?;
    data(&Export::of(server, STUDY)?)?;
    audit.verdict()
}

/// Comprehension questions: empty, wrong, and right at the second attempt.
async fn understand(browser: &Browser, audit: &mut Audit) -> Result<()> {
    let page = QuestionnairePage(browser);
    let said = page.refused().await?;
    let expected = json!([
        ["goal", "Please choose an answer."],
        ["camera", "Please choose an answer."]
    ]);
    ensure!(said == expected, "the page said {said}");
    audit.look(browser, "instruments-missing").await?;
    choose(browser, "Draw a picture of my own").await?;
    choose(browser, "No").await?;
    browser.press("questionnaire-submit").await?;
    wait::until("the verdict", Duration::from_secs(30), async || {
        let words = browser.words().await?;
        Ok(words.contains("This is attempt 2 of 3").then_some(()))
    })
    .await?;
    let wrong = "return [...document.querySelectorAll('.item.wrong')].map(i => i.dataset.item)";
    let wrong = browser.look(wrong, vec![]).await?;
    ensure!(wrong == json!(["goal"]), "marked as wrong: {wrong}");
    let kept = browser.look(CHOSEN, vec![]).await?;
    ensure!(kept == json!(["Draw a picture of my own", "No"]), "{kept}");
    audit.look(browser, "instruments-wrong").await?;
    choose(browser, "Turn it until a picture matches another one").await?;
    page.hand_in().await?;
    // The server is asked in between.
    wait::until("the next page", Duration::from_secs(30), async || {
        let items = QuestionnairePage(browser).items().await?;
        Ok(items.contains(&"letters".to_owned()).then_some(()))
    })
    .await
}

/// Half of a page is filled in, the one before is changed, and the half is still there.
async fn go_back(browser: &Browser) -> Result<()> {
    browser.tab_to("item-colour").await?;
    browser.keys(&"gre".chars().collect::<Vec<_>>()).await?;
    let page = QuestionnairePage(browser);
    browser.press("questionnaire-back").await?;
    wait::until("the page before", Duration::from_secs(30), async || {
        let items = page.items().await?;
        Ok(items.contains(&"used".to_owned()).then_some(()))
    })
    .await?;
    let kept = browser.look(CHOSEN, vec![]).await?;
    ensure!(kept == json!(["Often", "None of these"]), "{kept} is left");
    // After a reload, too.
    browser.reload().await?;
    browser.await_screen("questionnaire").await?;
    choose(browser, "Never").await?;
    page.hand_in().await?;
    let colour = "return document.querySelector('[data-testid=item-colour]')?.value";
    let colour = browser.look(colour, vec![]).await?;
    ensure!(colour == json!("gre"), "{colour} is left of the draft");
    browser.tab_to("item-colour").await?;
    browser.keys(&[Key::Backspace.into(); 3]).await
}

/// An item that appears with an answer, an option with words of its own, and a reload.
async fn background(browser: &Browser, audit: &mut Audit) -> Result<()> {
    let page = QuestionnairePage(browser);
    let asked = page.items().await?;
    ensure!(!asked.contains(&"years".to_owned()), "{asked:?}");
    choose(browser, "Often").await?;
    let asked = page.items().await?;
    ensure!(asked[1] == "years", "{asked:?}");
    browser.tab_to("item-years").await?;
    browser.keys(&"many".chars().collect::<Vec<_>>()).await?;
    choose(browser, "None of these").await?;
    let said = page.refused().await?;
    let expected = json!([
        ["years", "Please write a number."],
        ["screen", "Please choose an answer."]
    ]);
    ensure!(said == expected, "the page said {said}");

    browser.reload().await?;
    browser.await_screen("questionnaire").await?;
    let kept = browser.look(CHOSEN, vec![]).await?;
    ensure!(kept == json!(["Often", "None of these"]), "{kept} is left");
    let years = "return document.querySelector('[data-testid=item-years]').value";
    ensure!(browser.look(years, vec![]).await? == json!("many"));
    browser.tab_to("item-years").await?;
    browser.keys(&[Key::Backspace.into(); 4]).await?;
    browser.keys(&"2,5".chars().collect::<Vec<_>>()).await?;
    browser.tab_to("item-screen-dont_know").await?;
    browser.keys(&[' ']).await?;
    browser.tab_to("item-glasses_since").await?;
    browser
        .keys(&"01022026".chars().collect::<Vec<_>>())
        .await?;
    audit.look(browser, "instruments-background").await?;
    page.hand_in().await
}

/// Chooses the option with these words by keyboard.
async fn choose(browser: &Browser, words: &str) -> Result<()> {
    let place = browser.look(PLACE, vec![json!(words)]).await?;
    let testid = |key: &str| place[key].as_str().map(str::to_owned);
    let wanted = testid("wanted").with_context(|| format!("no option '{words}'"))?;
    let entry = testid("entry").with_context(|| format!("no way to '{words}'"))?;
    browser.tab_to(&entry).await?;
    if place["several"] == json!(true) {
        return browser.keys(&[' ']).await;
    }
    // In a group of radio buttons arrow keys choose, and go around.
    browser.keys(&[' ']).await?;
    for _ in 0..10 {
        let focused = "return document.activeElement?.dataset?.testid ?? ''";
        if browser.look(focused, vec![]).await? == json!(wanted) {
            return Ok(());
        }
        browser.keys(&[Key::Down.into()]).await?;
    }
    bail!("'{words}' cannot be reached with the arrow keys")
}

/// Where an option is, and where the Tab key enters its group.
const PLACE: &str = "
    const [words] = arguments;
    const label = [...document.querySelectorAll('.tick')].find(l => l.textContent === words);
    const wanted = label?.querySelector('input');
    if (!wanted) return {};
    const several = wanted.type === 'checkbox';
    const group = [...document.querySelectorAll(`input[name='${wanted.name}']`)];
    const entry = several ? wanted : group.find(i => i.checked) ?? group[0];
    return { wanted: wanted.dataset.testid, entry: entry.dataset.testid, several };";

const CHOSEN: &str = "
    return [...document.querySelectorAll('.ticks input:checked')]
      .map(input => input.closest('label').textContent)";

/// What the study knows afterwards.
fn data(export: &Export) -> Result<()> {
    let answers = export.table("answers")?;
    let of = |item: &str, column: &str| -> Vec<Value> {
        let rows = answers.iter().filter(|row| row["item"] == item);
        rows.map(|row| row[column].clone()).collect()
    };
    ensure!(of("goal", "right") == [json!(false), json!(true)]);
    ensure!(of("goal", "answer_text") == [json!("draw"), json!("match")]);
    ensure!(of("letters", "no_answer") == [json!("cannot_see")]);
    ensure!(of("letters", "right") == [Value::Null]);
    // It was answered while the item before it showed it.
    ensure!(of("years", "answer_number").is_empty());
    ensure!(of("experience", "answer_text") == [json!("never")]);
    ensure!(of("experience", "revisions") == [json!(1)]);
    ensure!(of("used", "revisions") == [json!(0)]);
    ensure!(of("used", "answer_text") == [json!("[\"none\"]")]);
    ensure!(of("screen", "no_answer") == [json!("dont_know")]);
    ensure!(of("glasses_since", "answer_text") == [json!("2026-01-02")]);
    ensure!(of("models", "row").len() == 3);
    // Three steps to the right of the middle.
    ensure!(of("patience", "answer_number") == [json!(53)]);
    ensure!(of("share", "answer_number") == [json!(65)]);
    ensure!(of("effort", "answer_number") == [json!(13)]);
    // In the order in which the options were shown.
    let ranked = of("order", "answer_text")[0]
        .as_str()
        .unwrap_or("")
        .to_owned();
    ensure!(serde_json::from_str::<Value>(&ranked)? == of("order", "shown_order")[0]);
    ensure!(of("colour", "right") == [json!(false)]);
    let questions = export.table("reconstruction_questions")?;
    ensure!(
        questions[0]["input_modality"] == "keyboard",
        "{}",
        questions[0]
    );
    let scores = export.table("scores")?;
    let scores: Vec<(&Value, &Value)> = scores
        .iter()
        .map(|row| (&row["score"], &row["value"]))
        .collect();
    // The middle of 1 to 7, six times 13 of 20, and ten times the middle of 1 to 5.
    let expected = json!([["difficulty", 4.0], ["raw_tlx", 65.0], ["sus", 50.0]]);
    ensure!(json!(scores) == expected, "{}", json!(scores));
    Ok(())
}

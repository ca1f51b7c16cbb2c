//! What of a question is in sight: on a phone, on its side, enlarged, and with eleven dials.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tests::browser::{Browser, PATIENCE};
use tests::pages::{Hand, QuestionPage, StageIntro, StudyPage};
use tests::scene::in_browser;
use tests::server::{Server, add};
use tests::tools;

const STUDY: &str = "layout";

#[tokio::test]
async fn a_question_fits_on_a_phone_and_its_ways_out_are_in_reach() -> Result<()> {
    in_browser(
        "layout",
        300,
        Server::start_with(|studies| add(studies, &study())),
        look,
    )
    .await
}

/// Two stages of questions that can always be skipped: five dials, then a choice and ten dials.
fn study() -> Value {
    let stage = |id: &str, model: &str| {
        json!({
            "kind": "stage", "id": id,
            "task": { "kind": "reconstruction", "model": model, "questions": 2,
                      "rename_dials": true }
        })
    };
    json!({
        "format": 2, "id": STUDY, "title": "Layout", "mode": "lab",
        "parts": [stage("five", "mnist-ae5"), stage("eleven", "mnist-ss10")]
    })
}

async fn look(server: &Server, browser: &Browser) -> Result<()> {
    StudyPage::begin(browser, server.address(), STUDY).await?;
    StageIntro(browser).begin().await?;
    let question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    question.leave().await?;
    let question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    browser.resize(360, 740).await?;
    let five = (0..5).map(|dial| format!("dial-{dial}"));
    let all: Vec<String> = five
        .chain(["picture", "target", "alignment", "skip"].map(str::to_owned))
        .collect();
    in_sight(browser, &all, "five-dials-360").await?;
    for (width, height) in [(740, 360), (640, 360)] {
        browser.resize(width, height).await?;
        let most = ["picture", "target", "alignment", "skip"].map(str::to_owned);
        in_sight(browser, &most, &format!("five-dials-{width}")).await?;
    }
    browser.resize(1280, 720).await?;
    question.leave().await?;

    StageIntro(browser).begin().await?;
    let question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    question.rename(10, "a very long name of a dial").await?;
    for (width, height) in [(1280, 720), (360, 740), (740, 360), (640, 360)] {
        browser.resize(width, height).await?;
        for scroll in ["scrollTo(0, 0)", "scrollTo(0, document.body.scrollHeight)"] {
            browser.look(scroll, vec![]).await?;
            let most = ["picture", "target", "alignment", "skip"].map(str::to_owned);
            in_sight(browser, &most, &format!("eleven-dials-{width}")).await?;
        }
    }
    Ok(())
}

/// Whether all of these are wholly within the window, with nothing above them.
async fn in_sight(browser: &Browser, test_ids: &[String], name: &str) -> Result<()> {
    let script = "
        const hidden = [];
        for (const id of arguments[0]) {
          const element = document.querySelector(`[data-testid=\"${id}\"]`);
          const box = element?.getBoundingClientRect();
          if (!box) { hidden.push(`${id} is missing`); continue; }
          if (box.top < 0 || box.bottom > innerHeight + 0.5 || box.left < 0 || box.right > innerWidth + 0.5) {
            hidden.push(`${id} is at ${Math.round(box.top)} to ${Math.round(box.bottom)} of ${innerHeight}`);
            continue;
          }
          const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
          if (!top || !(element.contains(top) || top.contains(element) || element.parentElement.contains(top))) {
            hidden.push(`${id} is covered by ${top?.className}`);
          }
        }
        return hidden;";
    browser
        .look_async("await new Promise(requestAnimationFrame)", vec![])
        .await?;
    browser
        .screenshot(&tools::screenshots().join(format!("{name}.png")))
        .await?;
    let hidden = browser.look(script, vec![json!(test_ids)]).await?;
    ensure!(hidden == json!([]), "{name}: {hidden}");
    Ok(())
}

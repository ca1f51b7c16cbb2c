//! Somebody decides what a platform is told of a session, and takes it back.

use anyhow::{Result, ensure};
use api::routes;
use serde_json::json;
use tests::area::{look, sign_in};
use tests::browser::{Browser, Hand};
use tests::client::Client;
use tests::scene::in_browser;
use tests::server::{CREDENTIALS, Server, add};

use crate::research::{page, text, told};

const STUDY: &str = "paid";

#[tokio::test]
async fn somebody_approves_and_takes_it_back() -> Result<()> {
    let server = Server::start_for(Some("http://127.0.0.1:9"), |studies| {
        let study = json!({ "format": 2, "id": STUDY, "title": "Paid",
            "recruitment": [{ "platform": "prolific", "codes": { "COMPLETED": "DONE1" } }],
            "pay": { "currency": "GBP", "amount": "3.00" },
            "parts": [
                { "kind": "consent", "file": "consent.md", "investigator": "I", "contact": "C",
                  "duration_minutes": 1 },
                { "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "circles" } },
            ]
        });
        add(studies, &study)?;
        std::fs::write(studies.join(STUDY).join("consent.md"), "Please read.")?;
        let keys = studies.with_file_name(CREDENTIALS);
        std::fs::write(keys, "PROLIFIC_API_TOKEN=nobody-listens\n")?;
        Ok(())
    });
    in_browser("research-decisions", 300, server, decide).await
}

async fn decide(server: &Server, browser: &Browser) -> Result<()> {
    let client = Client::new(server.address());
    for number in 0..2 {
        let body = json!({ "attempt": format!("research-decided-{number:04}"),
            "link": { "PROLIFIC_PID": format!("p{number}"), "STUDY_ID": "S", "SESSION_ID": format!("s{number}") } });
        let path = routes::study_sessions(STUDY);
        client.post(&path, None, &body).await?.success(&path)?;
    }
    sign_in(server, browser, STUDY).await?;
    let area = format!("http://{}{}", server.address(), routes::RESEARCH);
    browser
        .goto(&format!("{area}/studies/{STUDY}/people"))
        .await?;
    told(browser, "summary", "2 of 2 sessions").await?;
    let choose = "[data-testid=sessions] tbody tr:nth-child(1) [data-testid=choose]";
    browser.click_css(choose).await?;
    // Before anything happens, sentences say what it means.
    browser.click("reject").await?;
    told(browser, "wish", "1 session: rejected at Prolific").await?;
    browser
        .write(Hand::Keyboard, "message", "too short")
        .await?;
    told(
        browser,
        "message-length",
        "9 characters; Prolific wants 100",
    )
    .await?;
    browser.click("wish-yes").await?;
    told(browser, "problem", "Prolific wants a category").await?;
    look(browser, "reject").await?;
    browser.click("wish-no").await?;
    browser.click("approve").await?;
    told(browser, "wish", "which pays 3.00 GBP each, 3.00 GBP in all").await?;
    told(browser, "wish", "sent in 10 minutes").await?;
    told(browser, "wish", "Not finished: 1 session.").await?;
    look(browser, "approve").await?;
    browser.click("wish-yes").await?;
    told(browser, "done", "1 session: in the outbox").await?;

    // The second who decides sees what the first did.
    browser.click_css(choose).await?;
    browser.click("approve").await?;
    told(browser, "wish", "somebody has decided before").await?;
    browser.click("to-decisions").await?;
    page(browser, "decisions", "Decisions of paid · Redial").await?;
    told(browser, "outbox", "Waits until").await?;
    told(browser, "outbox", "Approve, 3.00 GBP").await?;
    look(browser, "decisions").await?;
    browser.click("take-back").await?;
    told(browser, "done", "Taken back").await?;
    told(browser, "outbox", "Taken back by ada").await?;
    let buttons = text(browser, "[data-testid=take-back]").await?;
    ensure!(buttons.is_empty(), "it can be taken back again");
    Ok(())
}

//! Somebody puts Prolific's list beside the sessions, by paste and by upload, and approves from there.

use anyhow::{Result, ensure};
use api::routes;
use serde_json::json;
use tests::area::{look, sign_in};
use tests::browser::{Browser, Hand};
use tests::client::Client;
use tests::scene::in_browser;
use tests::server::{CREDENTIALS, Server, add};

use crate::research::{page, text, told};

const STUDY: &str = "matched";

#[tokio::test]
async fn somebody_compares_a_list_and_decides_from_there() -> Result<()> {
    let server = Server::start_for(Some("http://127.0.0.1:9"), |studies| {
        let study = json!({ "format": 2, "id": STUDY, "title": "Matched",
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
    in_browser("research-match", 300, server, compare).await
}

async fn compare(server: &Server, browser: &Browser) -> Result<()> {
    let client = Client::new(server.address());
    for number in 0..2 {
        let body = json!({ "attempt": format!("research-matched-{number:04}"),
            "link": { "PROLIFIC_PID": format!("p{number}"), "STUDY_ID": "S", "SESSION_ID": format!("s{number}") } });
        let path = routes::study_sessions(STUDY);
        client.post(&path, None, &body).await?.success(&path)?;
    }
    sign_in(server, browser, STUDY).await?;
    let area = format!("http://{}{}", server.address(), routes::RESEARCH);
    browser
        .goto(&format!("{area}/studies/{STUDY}/decisions"))
        .await?;
    browser.click("to-match").await?;
    page(browser, "match", "Match · matched · Redial").await?;
    browser
        .write(Hand::Keyboard, "list-text", "name,mark")
        .await?;
    browser.click("match").await?;
    told(browser, "problem", "Submission id, Participant id, Status").await?;

    // A file, as somebody chooses it.
    let list = server.folder().join("list.csv");
    let rows = "Submission id,Participant id,Status,Completion code\n\
                s0,p0,AWAITING REVIEW,DONE1\ns9,p9,AWAITING REVIEW,NOCODE\n";
    std::fs::write(&list, rows)?;
    let input = browser.element("list-file").await?;
    input.send_keys(&list.display().to_string()).await?;
    told(
        browser,
        "summary",
        "2 submissions in the list, 2 sessions here",
    )
    .await?;
    told(browser, "lines", "has not come to its end").await?;
    told(browser, "lines", "Ask for the code").await?;
    told(browser, "kinds", "In both, and they differ").await?;
    look(browser, "match").await?;
    let lines = text(browser, "[data-testid=lines]").await?;
    ensure!(
        !lines.contains("p1"),
        "nothing is to be done about p1: {lines}"
    );

    // From a line to the session, and to what the platform is told.
    browser.click("choose-all").await?;
    told(browser, "chosen", "1 session chosen").await?;
    browser.click("approve").await?;
    told(browser, "wish", "which pays 3.00 GBP each").await?;
    browser.click("wish-yes").await?;
    told(browser, "done", "1 session: in the outbox").await?;
    // The list is compared again by itself: a decision waits, so nothing is to be done.
    told(browser, "kinds", "In both, and they agree").await?;
    let lines = text(browser, "[data-testid=lines]").await?;
    ensure!(lines.contains("p9") && !lines.contains("p0"), "{lines}");
    Ok(())
}

//! A page that breaks down goes on by itself, or says so.

use anyhow::{Result, ensure};
use serde_json::json;
use tests::browser::{Browser, PATIENCE};
use tests::client::KeptSession;
use tests::journey;
use tests::pages::{Hand, QuestionPage};
use tests::scene::in_browser;
use tests::server::Server;
use tests::wait;

const STUDY: &str = "quickstart";

#[tokio::test]
async fn a_page_that_traps_goes_on_with_the_session() -> Result<()> {
    in_browser("breakdown", 300, Server::start(), over_and_over).await
}

async fn over_and_over(server: &Server, browser: &Browser) -> Result<()> {
    journey::to_first_stage(browser, server.address(), STUDY).await?;
    let at = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE)
        .await?
        .at;
    let kept = KeptSession::of(browser, server.address()).await?;

    for time in 0..3 {
        // What was logged up to here is on the server, and so will be counted below.
        browser.await_save_state("saved").await?;
        panic_in(browser).await?;
        let question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
        ensure!(
            question.at == at,
            "after panic {time} the session is at {:?}",
            question.at
        );
    }
    let log = server.log();
    ensure!(
        log.contains("a participant's page broke down") && log.contains("panicked at"),
        "the server's log says nothing of the panic: {log}"
    );
    // The fourth time within two minutes the page does not load again.
    browser.await_save_state("saved").await?;
    panic_in(browser).await?;
    wait::until("the page to say that it stopped", PATIENCE, async || {
        let shown = "return document.getElementById('boot-crashed')?.checkVisibility() ?? false";
        Ok((browser.look(shown, vec![]).await? == json!(true)).then_some(()))
    })
    .await?;

    let events = kept.log().await?;
    let opened = events
        .iter()
        .filter(|e| e.event.kind() == "page_opened")
        .count();
    ensure!(opened == 4, "the page was opened {opened} times");
    Ok(())
}

/// Makes the app panic: it can make no element when another tab takes the session over.
async fn panic_in(browser: &Browser) -> Result<()> {
    let broken = "Document.prototype.createElement = Document.prototype.createElementNS =
        Node.prototype.cloneNode = () => { throw new Error('made by the test') };";
    browser.look(broken, vec![]).await?;
    let steal = "for (const lock of (await navigator.locks.query()).held)
        navigator.locks.request(lock.name, { steal: true }, () => new Promise(() => {}))";
    // The page may be gone before it has answered.
    browser.look_async(steal, vec![]).await.ok();
    Ok(())
}

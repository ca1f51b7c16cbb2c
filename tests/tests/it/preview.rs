//! A researcher looks at a study before anybody takes it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tests::audit::Audit;
use tests::browser::{Browser, Hand};
use tests::pages::{QuestionPage, StageIntro};
use tests::scene::in_browser;
use tests::server::Server;
use tests::wait;

const STUDY: &str = "chi21-synthetic";

#[tokio::test]
async fn any_part_of_a_study_opens_beside_the_list_of_parts() -> Result<()> {
    in_browser("preview", 300, Server::start_preview(|_| Ok(())), look).await
}

/// The frame shows a screen; the browser is in it then. Each part comes in a frame of its own, so the
/// one that was there may be gone, and the next may not be there yet.
async fn shows(browser: &Browser, screen: &str) -> Result<()> {
    let limit = Duration::from_secs(60);
    wait::until(&format!("the screen '{screen}'"), limit, async || {
        if browser.leave_frame().await.is_err() || browser.enter_frame().await.is_err() {
            return Ok(None);
        }
        let now = browser.screen().await.unwrap_or_default();
        Ok((now == screen).then_some(()))
    })
    .await
}

async fn look(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    let page = format!("http://{}/preview/{STUDY}", server.address());
    browser.goto(&page).await?;
    shows(browser, "study").await?;
    browser.leave_frame().await?;
    audit.look(browser, "preview").await?;
    // By hand from the list: the first stage that is no practice.
    let stage = "const list = [...document.querySelectorAll('#parts button')];
        const at = list.findIndex(it => it.textContent.startsWith('stage'));
        list[at].click(); return at";
    let at = browser.look(stage, vec![]).await?;
    let at = at.as_u64().context("no stage in the list")?;
    shows(browser, "stage-intro").await?;
    StageIntro(browser).begin().await?;
    let question =
        QuestionPage::on_screen(browser, Hand::Keyboard, Duration::from_secs(60)).await?;
    drop(question);
    browser.leave_frame().await?;
    let (address, _) = browser.address().await?;
    ensure!(address.contains(&format!("part={at}")), "{address}");
    // As on a phone, and on to the next part without filling anything in.
    browser.click_css("#phone").await?;
    audit.look(browser, "preview-phone").await?;
    let current = "return document.querySelector('#parts [aria-current]').textContent";
    let before = browser.look(current, vec![]).await?;
    browser.click_css("#next").await?;
    wait::until("the next part", Duration::from_secs(30), async || {
        let now = browser.look(current, vec![]).await?;
        Ok((now != before).then_some(()))
    })
    .await?;
    // The address shows a reviewer the same.
    let (address, _) = browser.address().await?;
    browser.goto(&address).await?;
    let expected = at + 1;
    wait::until("the same part again", Duration::from_secs(30), async || {
        let script = "return [...document.querySelectorAll('#parts button')]
            .findIndex(it => it.hasAttribute('aria-current'))";
        Ok((browser.look(script, vec![]).await? == expected).then_some(()))
    })
    .await?;
    // The end, with a code that is worth nothing.
    let end = "const list = [...document.querySelectorAll('#parts button')]; list.at(-1).click()";
    browser.look(end, vec![]).await?;
    shows(browser, "complete").await?;
    browser.leave_frame().await?;
    ensure!(!server.database().exists(), "nothing is stored");
    audit.verdict()
}

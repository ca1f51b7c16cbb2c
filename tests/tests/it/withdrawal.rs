//! Participants who stop: what they gave is kept or erased, as they wish, and they find their way
//! back.

use anyhow::{Result, ensure};
use serde_json::json;
use tests::audit::Audit;
use tests::browser::{Browser, PATIENCE};
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, StageIntro};
use tests::scene::in_browser;
use tests::server::Server;
use tests::wait;

use crate::platforms::{STUDY, prepare, way_back};

async fn server() -> Result<Server> {
    let codes = json!({ "COMPLETED": "C1", "NO_CONSENT": "C2" });
    let recruitment = json!([{ "platform": "prolific", "codes": codes }]);
    Server::start_with(|studies| prepare(studies, &recruitment)).await
}

#[tokio::test]
async fn a_participant_stops_and_has_everything_erased() -> Result<()> {
    in_browser("withdrawal", 400, server(), stop_and_erase).await
}

#[tokio::test]
async fn a_participant_stops_and_leaves_what_they_gave() -> Result<()> {
    in_browser("withdrawal", 300, server(), stop_and_keep).await
}

#[tokio::test]
async fn a_participant_has_everything_erased_at_the_end() -> Result<()> {
    in_browser("withdrawal", 300, server(), erase_at_the_end).await
}

/// From the link to the first question.
async fn begin(server: &Server, browser: &Browser) -> Result<()> {
    let link = "PROLIFIC_PID=5f00&STUDY_ID=s&SESSION_ID=t";
    let study = format!("http://{}/study/{STUDY}?{link}", server.address());
    browser.goto(&study).await?;
    browser.await_screen("study").await?;
    browser.press("start").await?;
    StageIntro(browser).begin().await?;
    browser.await_screen("question").await?;
    Ok(())
}

async fn ask_to_stop(browser: &Browser) -> Result<()> {
    browser.click_css(".help summary").await?;
    browser.press("stop").await?;
    browser.await_screen("withdraw").await?;
    Ok(())
}

/// It is asked once whether everything is to be erased.
async fn erase(browser: &Browser) -> Result<()> {
    browser.press("ask-to-erase").await?;
    browser.press("keep-it").await?;
    browser.press("ask-to-erase").await?;
    browser.press("stop-and-erase").await
}

async fn said(browser: &Browser) -> Result<String> {
    Ok(browser.element("withdrawn").await?.text().await?)
}

fn sessions(server: &Server) -> Result<Vec<serde_json::Value>> {
    Export::of(server, STUDY)?.table("sessions")
}

async fn stop_and_erase(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    begin(server, browser).await?;
    ask_to_stop(browser).await?;
    let reward = browser.element("reward").await?.text().await?;
    ensure!(reward.contains("for the researchers to say"), "{reward}");
    audit.look(browser, "withdraw").await?;
    browser.press("go-on").await?;
    browser.await_screen("question").await?;
    ensure!(sessions(server)?.len() == 1, "they went on after all");

    ask_to_stop(browser).await?;
    browser.set_offline(true).await?;
    erase(browser).await?;
    browser.await_screen("withdrawn").await?;
    let waiting = said(browser).await?;
    ensure!(waiting.contains("as soon as"), "it says '{waiting}'");
    browser.set_offline(false).await?;
    wait::until("everything to be erased", PATIENCE, async || {
        let said = said(browser).await?;
        Ok(said.contains("has been erased").then_some(()))
    })
    .await?;
    audit.look(browser, "withdrawn").await?;
    let address = way_back(browser).await?;
    ensure!(address.ends_with("cc=C2"), "it leads to {address}");
    ensure!(sessions(server)?.is_empty(), "{:?}", sessions(server)?);

    browser.reload().await?;
    browser.await_screen("withdrawn").await?;
    ensure!(said(browser).await?.contains("has been erased"));
    ensure!(way_back(browser).await?.ends_with("cc=C2"));
    audit.verdict()
}

async fn stop_and_keep(server: &Server, browser: &Browser) -> Result<()> {
    begin(server, browser).await?;
    ask_to_stop(browser).await?;
    browser.press("stop-and-keep").await?;
    browser.await_screen("withdrawn").await?;
    wait::until("the way back", PATIENCE, async || {
        browser.visible("go-back").await
    })
    .await?;
    ensure!(way_back(browser).await?.ends_with("cc=C2"));
    browser.reload().await?;
    browser.await_screen("withdrawn").await?;
    ensure!(said(browser).await?.contains("is kept"));
    let sessions = sessions(server)?;
    ensure!(sessions.len() == 1, "{sessions:?}");
    ensure!(
        sessions[0]["platform_told"] == "withdrawn",
        "{}",
        sessions[0]
    );
    Ok(())
}

async fn erase_at_the_end(server: &Server, browser: &Browser) -> Result<()> {
    begin(server, browser).await?;
    journey::finish(browser, PATIENCE, async |_, _| Ok(())).await?;
    let code = Complete(browser).code().await?;
    ensure!(sessions(server)?.len() == 1);
    ask_to_stop(browser).await?;
    ensure!(browser.visible("stop-and-keep").await?.is_none());
    let reward = browser.element("reward").await?.text().await?;
    ensure!(reward.contains("stays valid"), "{reward}");
    erase(browser).await?;
    browser.await_screen("withdrawn").await?;
    let address = way_back(browser).await?;
    ensure!(address.ends_with("cc=C1"), "they are paid: {address}");
    let left = browser.element("completion-code").await?.text().await?;
    ensure!(left == code, "the code stays: {left}");
    ensure!(sessions(server)?.is_empty(), "{:?}", sessions(server)?);
    Ok(())
}

//! A participant reloads the page while the server is away.

use anyhow::{Result, ensure};
use domain::session::event::Event;
use serde_json::json;
use tests::browser::{Browser, PATIENCE};
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::client::KeptSession;
use tests::events::snapshot;
use tests::export::check_numbering;
use tests::journey;
use tests::pages::{Hand, QuestionPage};
use tests::scene::in_engine;
use tests::server::{Server, seed_quickstart};
use tests::solver::DialControl;
use tests::wait;

const STUDY: &str = "quickstart";

#[tokio::test]
async fn a_reload_without_a_server_goes_on_where_it_was() -> Result<()> {
    let chromium = (BrowserEngine::Chromium, BrowserSetup::default());
    in_engine("offline-reload", 300, chromium, server(), reload_in).await
}

/// A new version is deployed while somebody is in a question: they finish it on the page they
/// have, and go on with the new one.
#[tokio::test]
async fn a_new_version_is_taken_between_two_questions() -> Result<()> {
    let chromium = (BrowserEngine::Chromium, BrowserSetup::default());
    in_engine("new_version", 300, chromium, server(), deploy_in).await
}

async fn deploy_in(server: &mut Server, browser: &Browser) -> Result<()> {
    let build = async || {
        browser
            .look("return document.getElementById('app').href", vec![])
            .await
    };
    journey::to_first_stage(browser, server.address(), STUDY).await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    question.set(0, 0.4).await?;
    let (at, old) = (question.at, build().await?);
    let kept = KeptSession::of(browser, server.address()).await?;

    server.kill()?;
    let newer = server.deploy()?;
    browser.await_save_state("offline").await?;
    server.restart().await?;
    browser.await_save_state("saved").await?;
    assert_eq!(build().await?, old, "a question is not interrupted");
    ensure!(question.solve().await?, "the question was not solved");
    question.leave().await?;

    wait::until("the new version", PATIENCE, async || {
        // The page that is going away may not answer.
        let build = build().await.unwrap_or_default();
        Ok(build
            .as_str()
            .is_some_and(|build| build.ends_with(&newer))
            .then_some(()))
    })
    .await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    ensure!(question.at != at, "the question before is back");
    question.set(0, 0.7).await?;
    browser.await_save_state("saved").await?;
    let log = kept.log().await?;
    check_numbering(&log)?;
    let builds: Vec<&str> = log
        .iter()
        .filter_map(|logged| match &logged.event {
            Event::PageOpened { page } => Some(page.app.as_str()),
            _ => None,
        })
        .collect();
    ensure!(
        builds.len() == 2
            && builds[1] == newer
            && old.as_str().is_some_and(|old| old.ends_with(builds[0])),
        "the log says {builds:?}"
    );
    Ok(())
}

async fn server() -> Result<Server> {
    Server::start_with(seed_quickstart).await
}

async fn reload_in(server: &mut Server, browser: &Browser) -> Result<()> {
    journey::to_first_stage(browser, server.address(), STUDY).await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    question.set(0, 0.4).await?;
    let (at, values) = (question.at, question.values());
    let kept = KeptSession::of(browser, server.address()).await?;
    browser.await_save_state("saved").await?;
    let ready = "return navigator.serviceWorker?.ready.then(() => true)";
    ensure!(
        browser.look_async(ready, vec![]).await? == json!(true),
        "no service worker"
    );

    server.kill()?;
    browser.reload().await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    ensure!(
        question.at == at,
        "the session goes on at {:?}",
        question.at
    );
    assert_eq!(
        question.values(),
        values,
        "the dials stand elsewhere than they were left"
    );
    question.set(0, 0.7).await?;
    let moved = question.values();
    browser.await_save_state("offline").await?;

    server.restart().await?;
    browser.await_save_state("saved").await?;
    let log = kept.log().await?;
    let last = log
        .iter()
        .rev()
        .find_map(|envelope| Some(snapshot(&envelope.event)?.movement.z.clone()));
    assert_eq!(
        last,
        Some(moved),
        "what was done without the server did not arrive"
    );
    Ok(())
}

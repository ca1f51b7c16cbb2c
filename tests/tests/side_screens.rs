//! The screens beside the way: declining, a second tab, an address that is none.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use anyhow::{Result, ensure};
use tempfile::TempDir;
use tests::audit::Audit;
use tests::browser::Browser;
use tests::pages::Study;
use tests::server::Server;
use tests::wait;

const STUDY: &str = "quickstart";

#[tokio::test]
async fn screens_beside_the_way_are_as_good_as_those_on_it() -> Result<()> {
    wait::at_most(Duration::from_secs(300), side_screens()).await
}

async fn side_screens() -> Result<()> {
    let server = Server::start().await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    let mut audit = Audit::default();

    browser
        .goto(&format!("http://{}/study/no-such-study", server.address()))
        .await?;
    browser.await_screen("error").await?;
    audit.look(&browser, "error").await?;

    Study::open(&browser, server.address(), STUDY).await?;
    browser.press("decline").await?;
    browser.await_screen("declined").await?;
    audit.look(&browser, "declined").await?;
    ensure!(
        browser.kept_session().await.is_err(),
        "declining has created a session"
    );

    Study::open(&browser, server.address(), STUDY)
        .await?
        .start()
        .await?;
    browser.await_screen("tutorial").await?;
    browser.new_tab().await?;
    browser
        .goto(&format!("http://{}/study/{STUDY}", server.address()))
        .await?;
    browser.await_screen("other-tab").await?;
    audit.look(&browser, "other-tab").await?;
    browser.press("take-over").await?;
    browser.await_screen("tutorial").await?;
    browser.first_tab().await?;
    browser.await_screen("other-tab").await?;

    browser.close().await?;
    audit.verdict()
}

//! The single-dimension task and exploration, in a real browser from the first page to the
//! completion code; every screen is looked at in both sizes, and dark on the laptop.

use std::time::Duration;

use anyhow::{Result, ensure};
use tests::audit::Audit;
use tests::browser::Browser;
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, StudyPage};
use tests::scene::in_browser;
use tests::server::Server;

#[tokio::test]
async fn single_dimension_from_consent_to_completion_code() -> Result<()> {
    take("single-dimension-demo", 12).await
}

#[tokio::test]
async fn exploration_from_first_page_to_completion_code() -> Result<()> {
    take("exploration-demo", 3).await
}

async fn take(study: &str, questions: usize) -> Result<()> {
    let test =
        async |server: &Server, browser: &Browser| walk(server, browser, study, questions).await;
    in_browser(study, 900, Server::start(), test).await
}

async fn walk(server: &Server, browser: &Browser, study: &str, questions: usize) -> Result<()> {
    let mut audit = Audit::default();
    StudyPage::begin(browser, server.address(), study).await?;
    let look = async |browser: &Browser, screen: &str| {
        audit.look(browser, &format!("{study}-{screen}")).await
    };
    let answered = journey::finish(browser, Duration::from_secs(30), look).await?;
    ensure!(
        answered.len() == questions,
        "{} questions of {questions}",
        answered.len()
    );
    let code = Complete(browser).code().await?;
    ensure!(code.len() >= 6, "the completion code is '{code}'");
    let shown = Complete(browser).records().await?;
    ensure!(shown.len() == questions, "{} rows", shown.len());
    audit.look(browser, &format!("{study}-records")).await?;
    Export::of(server, study)?.only_log()?;
    Export::verify(server, study)?;
    audit.verdict()
}

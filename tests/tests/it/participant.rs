//! A participant takes `quickstart` in a real browser, by pointer and keyboard
//! alone, and everyone agrees on what happened: the page, the server, and the
//! exported events.

use std::time::Duration;

use anyhow::{Result, ensure};
use domain::session::plan::SessionPlan;
use domain::session::{Phase, Session};
use domain::task::{Outcome, QuestionRecord, TaskMeasures};
use tests::audit::Audit;
use tests::browser::Browser;
use tests::client::KeptSession;
use tests::export::{Export, check_numbering};
use tests::journey::{self, Answered};
use tests::pages::{Complete, RecordedQuestion, StudyPage};
use tests::scene::in_browser;
use tests::server::{Server, seed_quickstart};

const STUDY: &str = "quickstart";
/// How long the participant tries before skipping.
const PATIENCE: Duration = Duration::from_secs(90);

#[tokio::test]
async fn quickstart_from_consent_to_completion_code() -> Result<()> {
    let server = Server::start_with(seed_quickstart);
    in_browser("participant", 900, server, take).await
}

async fn take(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    browser
        .goto(&format!("http://{}/", server.address()))
        .await?;
    browser.element(&format!("study-link-{STUDY}")).await?;
    audit.look(browser, "home").await?;
    let study = StudyPage::open(browser, server.address(), STUDY).await?;
    audit.look(browser, "study").await?;
    let nothing_yet = Export::of(server, STUDY).is_err_and(|e| e.to_string().contains("nobody"));
    ensure!(
        nothing_yet,
        "reading the study's page has created a session"
    );
    study.start().await?;
    browser.settled_screen().await?;
    let kept = KeptSession::of(browser, server.address()).await?;

    let look = async |browser: &Browser, screen: &str| {
        check_blind(browser).await?;
        audit.look(browser, screen).await
    };
    let answered = journey::finish(browser, PATIENCE, look).await?;

    let code = Complete(browser).code().await?;
    ensure!(code.len() >= 6, "the completion code is '{code}'");
    let shown = Complete(browser).records().await?;
    audit.look(browser, "complete-records").await?;
    let state = kept.state().await?;
    ensure!(
        state.completion_code.as_deref() == Some(code.as_str()),
        "another code on the server"
    );
    let log = Export::of(server, STUDY)?.only_log()?;
    Export::verify(server, STUDY)?;
    check_enough_solved(&answered, &state.plan)?;
    check_numbering(&log)?;
    assert_eq!(
        log, state.events,
        "the export has another log than the server"
    );
    let replayed = Session::new(state.plan.clone())
        .replayed(&log)
        .map_err(|e| anyhow::anyhow!("{e:?}"))?;
    ensure!(
        replayed.phase() == Phase::Complete,
        "the log ends in {:?}",
        replayed.phase()
    );
    let expected: Vec<RecordedQuestion> = replayed.ended().iter().map(as_row).collect();
    assert_eq!(shown, expected, "page and server disagree");
    ensure!(
        shown.len() == answered.len(),
        "{} records of {}",
        shown.len(),
        answered.len()
    );

    let errors: Vec<String> = browser.console().await?;
    let errors: Vec<&String> = errors
        .iter()
        .filter(|line| line.starts_with("SEVERE"))
        .collect();
    ensure!(
        errors.is_empty(),
        "errors in the browser's console: {errors:#?}"
    );
    audit.verdict()
}

/// Who takes part must not learn which model is at work: no name of one is in what the page shows or
/// in its elements.
async fn check_blind(browser: &Browser) -> Result<()> {
    let page = "return document.documentElement.outerHTML.toLowerCase()";
    let page = browser.look(page, vec![]).await?;
    let page = page.as_str().unwrap_or_default();
    for word in ["gt5", "circles", "dsprites", "sinelines", "autoencoder"] {
        ensure!(!page.contains(word), "the page says '{word}'");
    }
    Ok(())
}

/// Practice has to be solved; of the rest a person skips some, but not most.
fn check_enough_solved(answered: &[Answered], plan: &SessionPlan) -> Result<()> {
    let is_practice = |a: &&Answered| plan.stages[a.at.stage].practice;
    let (practice, scored): (Vec<&Answered>, Vec<&Answered>) =
        answered.iter().partition(is_practice);
    let solved = scored.iter().filter(|a| a.solved).count();
    ensure!(
        !practice.is_empty() && practice.iter().all(|a| a.solved),
        "practice was not solved"
    );
    ensure!(scored.len() == 4, "{} questions instead of 4", scored.len());
    ensure!(
        solved * 2 >= scored.len(),
        "only {solved} of {} questions were solved",
        scored.len()
    );
    Ok(())
}

fn as_row(record: &QuestionRecord) -> RecordedQuestion {
    let measures = match &record.measures {
        TaskMeasures::Reconstruction(measures) => Some(measures),
        _ => None,
    };
    RecordedQuestion {
        at: record.at,
        outcome: record.outcome.map_or("", Outcome::name).to_owned(),
        response_time_s: record.response_time_s,
        active_time_s: record.active_time_s,
        slide_distance: measures.map(|it| it.movement.slide_distance),
        error_auc: measures.map(|it| it.error_auc),
    }
}

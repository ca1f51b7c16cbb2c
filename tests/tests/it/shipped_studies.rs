//! The studies that come with Redial, each from arrival to return as its platform has it. The small run
//! has one question a stage.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};
use tests::browser::Browser;
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, StudyPage};
use tests::platform::PlatformStandIn;
use tests::scene::in_engine;
use tests::server::{Server, change};
use tests::small_study::one_question_a_stage;
use tests::wait;

/// A study that takes longer is stuck.
const LONGEST_S: u64 = 1_500;

/// Where a study's participants come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// The lab: a code that the experimenter gives out.
    Lab,
    /// Prolific, which is told a code.
    Prolific,
    /// Mechanical Turk, in a frame of its page, which takes a form.
    MechanicalTurk,
}

#[tokio::test]
async fn the_pilot_of_the_paper_in_the_lab() -> Result<()> {
    taken("chi21-pilot", From::Lab).await
}

#[tokio::test]
async fn the_synthetic_study_of_the_paper_at_mechanical_turk() -> Result<()> {
    taken("chi21-synthetic", From::MechanicalTurk).await
}

#[tokio::test]
async fn the_lab_study_of_digits() -> Result<()> {
    taken("chi21-mnist-lab", From::Lab).await
}

#[tokio::test]
async fn the_study_of_digits_at_mechanical_turk() -> Result<()> {
    taken("chi21-mnist", From::MechanicalTurk).await
}

#[tokio::test]
async fn the_study_of_sliders_at_prolific() -> Result<()> {
    taken("chi22-ganslider-like", From::Prolific).await
}

#[tokio::test]
async fn the_study_of_concepts_at_prolific() -> Result<()> {
    taken("mnist-concepts", From::Prolific).await
}

/// Lets people give up each question of a reconstruction.
fn give_up(fields: &mut Map<String, Value>) {
    if fields.get("kind") == Some(&json!("reconstruction")) {
        fields.insert("skip".into(), json!("always"));
        fields.remove("skip_after_s");
    }
}

async fn taken(study: &str, from: From) -> Result<()> {
    let turk = PlatformStandIn::start().await?;
    let recruitment = match from {
        From::Lab => json!([]),
        From::Prolific => json!([{ "platform": "prolific", "codes": { "COMPLETED": "DONE1" } }]),
        From::MechanicalTurk => json!([{ "platform": "mturk" }]),
    };
    let prepared = |definition: &mut Value| {
        definition["recruitment"] = recruitment;
        one_question_a_stage(definition, give_up);
    };
    let stand_in = (from == From::MechanicalTurk).then(|| turk.origin());
    let server = Server::start_for(stand_in, |studies| change(studies, study, prepared));
    let setup = match from {
        // As in the frame of another site, where browsers keep nothing.
        From::MechanicalTurk => BrowserSetup::keeping_nothing(BrowserEngine::Chromium),
        From::Lab | From::Prolific => BrowserSetup::default(),
    };
    let chromium = (BrowserEngine::Chromium, setup);
    in_engine(
        study,
        LONGEST_S,
        chromium,
        server,
        async |server, browser| arrive_and_return(study, from, &turk, server, browser).await,
    )
    .await
}

async fn arrive_and_return(
    study: &str,
    from: From,
    turk: &PlatformStandIn,
    server: &Server,
    browser: &Browser,
) -> Result<()> {
    match from {
        From::Lab => {
            let link = format!("{study}?participant=P1");
            StudyPage::begin(browser, server.address(), &link).await?;
        }
        From::Prolific => {
            let link = format!("{study}?PROLIFIC_PID=5f0a&STUDY_ID=S&SESSION_ID=X");
            StudyPage::begin(browser, server.address(), &link).await?;
        }
        From::MechanicalTurk => {
            let address = format!(
                "http://{}/study/{study}?assignmentId=A1&hitId=H&workerId=W1&turkSubmitTo={}",
                server.address(),
                turk.origin()
            );
            browser.goto(&turk.show(&address)).await?;
            browser.enter_frame().await?;
            browser.await_screen("study").await?;
            StudyPage::on_screen(browser).start().await?;
        }
    }
    let answered = journey::finish(browser, Duration::from_secs(2), async |_, _| Ok(())).await?;
    ensure!(!answered.is_empty(), "no question was asked");
    match from {
        From::Lab => drop(Complete(browser).code().await?),
        From::Prolific => {
            let back = browser.element("go-back").await?.attr("href").await?;
            let back = back.context("the way back is no link")?;
            ensure!(back.ends_with("/submissions/complete?cc=DONE1"), "{back}");
        }
        From::MechanicalTurk => {
            let code = Complete(browser).code().await?;
            browser.click("go-back").await?;
            let form = wait::until("the form", Duration::from_secs(60), async || {
                Ok(turk.forms().pop())
            })
            .await?;
            ensure!(form["assignmentId"] == "A1", "{form:?}");
            ensure!(
                form["completionCode"] == code,
                "{form:?}, the page showed {code}"
            );
        }
    }
    let export = Export::of(server, study)?;
    export.only_log()?;
    let sessions = export.table("sessions")?;
    ensure!(
        sessions.len() == 1 && sessions[0]["phase"] == "complete",
        "{sessions:?}"
    );
    println!("{study}: {} questions", answered.len());
    Export::verify(server, study)
}

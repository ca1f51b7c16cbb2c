//! Somebody who has never seen Redial finds their way by the words on the pages: signs in, opens the README's study,
//! watches one participant, excludes one, and finds that participant's worst question. In 40 clicks at most.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use api::replay::ReplayState;
use api::routes;
use domain::model::distance::Alignment;
use domain::session::event::{Event, QuestionRef, SessionId};
use fantoccini::key::Key;
use hyper::Method;
use serde_json::Value;
use tests::area::{self, account, address, moment_ms, said, token_of_owner};
use tests::browser::Browser;
use tests::client::Client;
use tests::export::Export;
use tests::scene::in_browser;
use tests::server::{Server, add};
use tests::{tools, wait};

/// The study of the README's five minutes.
const STUDY: &str = "curves";
const README: &str = include_str!("../../../README.md");
const PEOPLE: &str = "6";
const MOST_CLICKS: usize = 40;
const PASSWORD: &str = "correct horse battery";
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_newcomer_finds_the_worst_question_of_whom_they_exclude() -> Result<()> {
    in_browser("research-newcomer", 300, taken(), walk).await
}

/// A server on which simulated people have taken the README's study.
async fn taken() -> Result<Server> {
    let mut server = Server::start_with(readme).await?;
    // One program at a time writes to a database.
    server.stop().await?;
    said(&server, &["simulate", STUDY, "--participants", PEOPLE])?;
    server.restart().await?;
    Ok(server)
}

/// The study as the README has it.
fn readme(studies: &Path) -> Result<()> {
    let blocks = README.split("```json\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split("```").next());
    let found = blocks
        .filter_map(|block| serde_json::from_str::<Value>(block).ok())
        .find(|block| block["id"] == STUDY);
    add(studies, &found.context("the README has no study")?)?;
    let consent = studies.join(STUDY).join("consent.md");
    Ok(std::fs::write(
        consent,
        "You turn dials until two curves match.",
    )?)
}

/// Somebody who reads words and clicks on them.
struct Newcomer<'a> {
    browser: &'a Browser,
    clicks: usize,
}

/// What can be pressed and is in sight in a part of the page, with exactly these words; the first of them is marked.
const FIND: &str = "
    document.querySelectorAll('[data-newcomer]').forEach(it => delete it.dataset.newcomer);
    const [words, within] = arguments;
    const parts = within ? [document.querySelector(within)].filter(it => it) : [document.body];
    const all = parts.flatMap(it => [...it.querySelectorAll('a, button, label, input')]);
    const says = it => it.matches('input') ? it.ariaLabel ?? '' : it.innerText;
    const found = all.find(it => it.checkVisibility() && !it.disabled && says(it).trim() === words);
    if (!found) return false;
    found.dataset.newcomer = '';
    found.scrollIntoView({ block: 'center', behavior: 'instant' });
    return true;";

impl Newcomer<'_> {
    async fn click(&mut self, words: &str) -> Result<()> {
        self.click_within("", words).await
    }

    async fn click_within(&mut self, part: &str, words: &str) -> Result<()> {
        wait::until(&format!("'{words}' to be there"), PATIENCE, async || {
            let found = self.browser.look(FIND, vec![words.into(), part.into()]);
            Ok((found.await? == Value::Bool(true)).then_some(()))
        })
        .await?;
        self.clicks += 1;
        println!("{}: {words}", self.clicks);
        self.browser.click_css("[data-newcomer]").await
    }

    /// Clicks into a field, and types.
    async fn write(&mut self, field: &str, words: &str) -> Result<()> {
        self.click(field).await?;
        let keys: Vec<char> = words.chars().collect();
        self.browser.keys(&keys).await
    }
}

async fn walk(server: &Server, browser: &Browser) -> Result<()> {
    let key = account(server, "noor", "owner", &[STUDY])?;
    let link = address(server, &format!("#password={key}"));

    let mut noor = Newcomer { browser, clicks: 0 };
    browser.goto(&link).await?;
    noor.write("Password", PASSWORD).await?;
    noor.write("The same again", PASSWORD).await?;
    noor.click("Set the password").await?;
    noor.write("Name", "noor").await?;
    noor.write("Password", PASSWORD).await?;
    noor.click("Sign in").await?;
    noor.click("Match the curves").await?;
    noor.click("People").await?;
    noor.click("Simulated").await?;

    // One participant is watched.
    noor.click_within("[data-testid=sessions] tbody tr:nth-child(2)", "Watch")
        .await?;
    // Whoever waits until the log is there presses what has come to rest.
    area::says(browser, "questions", "question 1").await?;
    noor.click("Play").await?;
    area::says(browser, "event", "Event ").await?;
    noor.click("Pause").await?;

    // Another is excluded, and their worst question looked at.
    noor.click("People of curves").await?;
    let first = "[data-testid=sessions] tbody tr:nth-child(1)";
    let session = wait::until("the table", PATIENCE, async || {
        let script = "return document.querySelector(arguments[0])?.dataset.session ?? null";
        let found = browser.look(script, vec![first.into()]).await?;
        Ok(found.as_str().map(|it| SessionId(it.to_owned())))
    })
    .await?;
    let choose = "return document.querySelector(arguments[0] + ' input').ariaLabel";
    let choose = browser.look(choose, vec![first.into()]).await?;
    noor.click_within(first, choose.as_str().context("no box to tick")?)
        .await?;
    noor.click("Exclude…").await?;
    noor.write("Why", "spoke on the phone").await?;
    noor.click("Exclude").await?;
    wait::until("the exclusion", PATIENCE, async || {
        let kept = Export::with(server, STUDY, &["--simulated"])?.table("sessions")?;
        let row = kept.iter().find(|row| row["session"] == session.0);
        let row = row.context("the session is not in the export")?;
        Ok((row["standing"] == "excluded").then_some(()))
    })
    .await?;
    noor.click_within(first, "Watch").await?;
    area::says(browser, "questions", "question 1").await?;
    noor.click("Worst first").await?;
    let worst = "[data-testid=questions] tbody tr:nth-child(1)";
    let name = "return document.querySelector(arguments[0] + ' button').innerText.trim()";
    let name = browser.look(name, vec![worst.into()]).await?;
    noor.click_within(worst, name.as_str().context("no question")?)
        .await?;
    println!("{} clicks of at most {MOST_CLICKS}", noor.clicks);
    ensure!(noor.clicks <= MOST_CLICKS, "{} clicks", noor.clicks);

    let begins = begin_of_worst(server, &session).await?;
    wait::until("the address", PATIENCE, async || {
        let (address, _) = browser.address().await?;
        let (_, t) = address.split_once("t=").unwrap_or_default();
        let t = t.split('&').next().unwrap_or_default();
        Ok(moment_ms(t).filter(|it| begins.contains(it)))
    })
    .await?;
    // For its own sake: the page as somebody has it who got here.
    browser.keys(&[char::from(Key::Escape)]).await?;
    let file = tools::screenshots().join("research-newcomer.png");
    browser.screenshot(&file).await?;
    Ok(())
}

/// When the questions began whose picture was farthest from its target in the end: of equals, each.
async fn begin_of_worst(server: &Server, session: &SessionId) -> Result<Vec<u64>> {
    let token = token_of_owner(server, "ada", &[STUDY]).await?;
    let path = routes::research_session(STUDY, session);
    let client = Client::new(server.address());
    let answer = client.send(Method::GET, &path, Some(&token), None).await?;
    let plan = answer.success(&path)?.json::<ReplayState>()?.plan;
    let logs = Export::with(server, STUDY, &["--simulated"])?.events()?;
    let log = logs.get(session).context("the session has no log")?;
    let mut questions: BTreeMap<QuestionRef, (u64, Option<f64>)> = BTreeMap::new();
    let mut here = None;
    for logged in log {
        match &logged.event {
            Event::QuestionStarted { at } => {
                here = Some(*at);
                questions.insert(*at, (logged.at_ms, None));
            }
            Event::Task(event) => {
                if let Some(at) = here
                    && let Some(distance) = event.distance()
                    && let Some(question) = questions.get_mut(&at)
                {
                    let stage = plan.stages.get(at.stage).context("no such stage")?;
                    let model = stage.task.model().context("no model")?;
                    let threshold = model.threshold;
                    question.1 = Some(Alignment::at(distance, threshold).share());
                }
            }
            _ => {}
        }
    }
    let aligned = questions
        .values()
        .filter_map(|(begun, it)| Some((*begun, (*it)?)));
    let least = aligned
        .clone()
        .map(|(_, it)| it)
        .fold(f64::INFINITY, f64::min);
    let worst: Vec<u64> = aligned
        .filter(|(_, it)| (it - least).abs() < 1e-12)
        .map(|(begun, _)| begun)
        .collect();
    ensure!(
        !worst.is_empty() && worst.len() < questions.len(),
        "{questions:?}"
    );
    Ok(worst)
}

//! Every page of the researcher's area in Firefox: what it is about comes up, a session plays, and the browser's own way
//! back leads from one of the area's two apps to the other.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tests::area::{self, address, said, says};
use tests::browser::Browser;
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::export::Export;
use tests::scene::in_engine;
use tests::server::{Server, add};
use tests::{tools, wait};

const STUDY: &str = "firefox";
const PEOPLE: &str = "3";

/// Simulated people are in the table where a condition asks for them.
const SIMULATED: &str = "/people?filter=purpose%3Dsimulated";

/// Pages of the study: their path, their name, and a part that is there once they show what they are about.
const PAGES: [(&str, &str, &str); 9] = [
    ("", "study", "[data-testid=to-people]"),
    (SIMULATED, "people", "[data-testid=to-replay]"),
    ("/decisions", "decisions", "[data-testid=to-match]"),
    ("/match", "match", "[data-testid=list-text]"),
    ("/exports", "exports", "button"),
    ("/analysis?of=simulated", "analysis", "[data-testid=counts]"),
    ("/trust?of=simulated", "trust", "[data-testid=automation]"),
    ("/plan", "plan", "[data-testid=work-out]"),
    (
        "/questions?of=simulated",
        "questions",
        "[data-testid=to-question]",
    ),
];

#[tokio::test]
async fn firefox_shows_every_page_of_the_area() -> Result<()> {
    if !BrowserEngine::Firefox.is_asked_for() {
        return Ok(());
    }
    let firefox = (BrowserEngine::Firefox, BrowserSetup::default());
    in_engine(
        "research-firefox",
        300,
        firefox,
        taken(),
        async |server, browser| walk(server, browser).await,
    )
    .await
}

/// A server on which simulated people have answered the same questions.
async fn taken() -> Result<Server> {
    let mut server = Server::start_with(|studies| {
        let definition = serde_json::json!({
            "format": 2, "id": STUDY, "title": "Firefox", "seed": 3,
            "parts": [{ "kind": "stage", "id": "a", "task": {
                "kind": "reconstruction", "model": "mnist-ss5", "questions": 2, "same_for_all": { "seed": 4 } } }]
        });
        add(studies, &definition)
    })
    .await?;
    // One program at a time writes to a database.
    server.stop().await?;
    said(&server, &["simulate", STUDY, "--participants", PEOPLE])?;
    server.restart().await?;
    Ok(server)
}

async fn walk(server: &Server, browser: &Browser) -> Result<()> {
    area::sign_in(server, browser, STUDY).await?;
    for (path, screen, part) in PAGES {
        opened(
            server,
            browser,
            &format!("/studies/{STUDY}{path}"),
            screen,
            part,
        )
        .await?;
    }
    opened(
        server,
        browser,
        "/account",
        "account",
        "[data-testid=new-password]",
    )
    .await?;
    opened(server, browser, "/audit", "audit", "[data-testid=entries]").await?;
    let logs = Export::with(server, STUDY, &["--simulated"])?.events()?;
    let sessions: Vec<&str> = logs.keys().map(|it| it.0.as_str()).collect();
    let beside = format!(
        "/studies/{STUDY}/beside?sessions={},{}",
        sessions[0], sessions[1]
    );
    let picture = "[data-testid=column] canvas";
    opened(server, browser, &beside, "beside", picture).await?;
    pictures_are_drawn(browser, "[data-testid=column] iframe").await?;
    played(server, browser).await
}

/// Opens a page, waits for a part of it, and keeps a screenshot.
async fn opened(
    server: &Server,
    browser: &Browser,
    path: &str,
    screen: &str,
    part: &str,
) -> Result<()> {
    browser.goto(&address(server, path)).await?;
    browser.await_screen(screen).await?;
    let is_there = "return document.querySelector(arguments[0]) !== null";
    wait::until(
        &format!("{part} of {screen}"),
        Duration::from_secs(60),
        async || {
            let found = browser.look(is_there, vec![part.into()]).await?;
            Ok((found == true).then_some(()))
        },
    )
    .await?;
    let problem = "return document.querySelector('[data-testid=problem]').innerText";
    let problem = browser.look(problem, vec![]).await?;
    ensure!(problem == "", "{screen} says {problem}");
    let file = format!("firefox-research-{screen}.png");
    browser.screenshot(&tools::screenshots().join(file)).await
}

/// From the table into a replay, which plays to its end, and back by the browser's own button.
async fn played(server: &Server, browser: &Browser) -> Result<()> {
    browser
        .goto(&address(server, &format!("/studies/{STUDY}{SIMULATED}")))
        .await?;
    browser.await_screen("people").await?;
    browser.click("to-replay").await?;
    browser.await_screen("replay").await?;
    // How many there are is known when all of the log is here.
    let log = "return document.querySelector('[data-testid=state]')?.innerText === ''
        ? document.querySelector('[data-testid=event]')?.innerText ?? ''
        : ''";
    let count = wait::until("the log", Duration::from_secs(60), async || {
        let words = browser.look(log, vec![]).await?;
        let words = words.as_str().unwrap_or_default().to_owned();
        let (_, rest) = words.split_once(" of ").unwrap_or_default();
        Ok(rest
            .split(':')
            .next()
            .and_then(|it| it.parse::<usize>().ok())
            .filter(|it| *it > 50))
    })
    .await?;
    // A moment of the first question.
    let events = browser
        .look(
            "return [...document.querySelectorAll('[data-testid=events] button')]
        .findIndex(it => it.innerText.includes('Question 1'))",
            vec![],
        )
        .await?;
    let first = events
        .as_i64()
        .filter(|it| *it >= 0)
        .context("no question")?;
    browser
        .click_by(
            "document.querySelectorAll('[data-testid=events] button')[arguments[0]].click()",
            vec![first.into()],
        )
        .await?;
    says(browser, "place", "Question 1").await?;
    pictures_are_drawn(browser, "[data-testid=window]").await?;
    browser
        .screenshot(&tools::screenshots().join("firefox-research-replay.png"))
        .await?;
    browser.keys(&['+', '+', '+', '+']).await?;
    browser.click("play").await?;
    says(browser, "event", &format!("Event {count} of {count}")).await?;
    browser.look("history.back()", vec![]).await?;
    browser.await_screen("people").await
}

/// Waits until each of the participants' screens has both pictures, which are no single colour.
async fn pictures_are_drawn(browser: &Browser, screens: &str) -> Result<()> {
    let drawn = "
        const screens = [...document.querySelectorAll(arguments[0])];
        const pictures = screens.map(it => [...it.contentDocument.querySelectorAll('canvas')]);
        const drawn = canvas => {
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          return data.some((value, at) => at >= 4 && value !== data[at % 4]);
        };
        return screens.length > 0 && pictures.every(of => of.length === 2 && of.every(drawn));";
    wait::until("pictures", Duration::from_secs(60), async || {
        let drawn = browser.look(drawn, vec![screens.into()]).await?;
        Ok((drawn == true).then_some(()))
    })
    .await
}

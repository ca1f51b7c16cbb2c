//! A team runs a study: an owner lets pilots in and people, two tabs share one stream, somebody writes a note, and a
//! session is erased; an experimenter follows the lab sessions that they run, and sees no others.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use domain::session::event::SessionId;
use serde_json::{Value, json};
use tests::area::{account, address, look, said, says, sign_in, sign_in_as};
use tests::browser::{Browser, Hand};
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::client::Client;
use tests::scene::{in_browser, in_engine};
use tests::server::{Server, add};
use tests::simulated::run::{SessionPace, take_part};
use tests::wait;

const STUDY: &str = "quickstart";
const LAB: &str = "beside";

#[tokio::test]
async fn an_owner_runs_a_study() -> Result<()> {
    let chromium = (BrowserEngine::Chromium, BrowserSetup::with_tabs());
    let own = async |server: &mut Server, browser: &Browser| own(server, browser).await;
    in_engine("research-team", 300, chromium, Server::start(), own).await
}

#[tokio::test]
async fn an_experimenter_follows_their_own_sessions() -> Result<()> {
    in_browser(
        "research-lab",
        300,
        Server::start_with(lab_study),
        experiment,
    )
    .await
}

fn lab_study(studies: &Path) -> Result<()> {
    let study = json!({ "format": 2, "id": LAB, "title": "Beside you", "mode": "lab",
        "parts": [{ "kind": "stage", "id": "play", "task": {
            "kind": "reconstruction", "model": "circles", "questions": 2 } }] });
    add(studies, &study)
}

async fn own(server: &Server, browser: &Browser) -> Result<()> {
    let client = Client::new(server.address());
    sign_in(server, browser, STUDY).await?;
    browser.click("to-study").await?;
    browser.click("to-pilot").await?;
    says(browser, "status-means", "tries the study out").await?;
    browser.click("status-yes").await?;
    says(browser, "done", "The study takes pilots.").await?;
    says(browser, "checklist", "Nobody has finished a pilot.").await?;
    look(browser, "pilot").await?;
    let pilot = client.start(STUDY, "team-attempt-pilot").await?;
    let pace = SessionPace {
        step: Duration::from_millis(5),
        moves_per_question: 4,
        limit: Duration::from_secs(60),
        speed: 1,
    };
    // To the end; a pilot gets no completion code.
    let ended = take_part(server.address(), pilot, pace).await;
    let without_code = ended.err().map(|error| error.to_string());
    let without_code = without_code.unwrap_or_default();
    ensure!(without_code.contains("no_code"), "{without_code}");
    browser.reload().await?;
    says(browser, "checklist", "1 pilot has finished").await?;
    browser.click("to-running").await?;
    says(browser, "status-means", "takes part and counts").await?;
    browser.click("status-yes").await?;
    says(browser, "done", "The study takes participants.").await?;
    tabs_share_a_stream(&client, browser).await?;

    // Two more, so that there are neighbours.
    for number in 0..2 {
        let attempt = format!("team-attempt-done-{number}");
        let started = client.start(STUDY, &attempt).await?;
        take_part(server.address(), started, pace).await?;
    }
    browser.click("to-people").await?;
    browser.click("to-replay").await?;
    browser.element("session-next").await?;
    let first = session_on_page(browser).await?;
    browser.click("session-next").await?;
    wait::until("the next session", Duration::from_secs(30), async || {
        Ok((session_on_page(browser).await? != first).then_some(()))
    })
    .await?;
    browser.element("session-before").await?;
    browser
        .write(Hand::Keyboard, "note", "turns one dial at a time")
        .await?;
    browser.click("note-save").await?;
    says(browser, "done", "Noted at").await?;
    erase(server, browser).await
}

/// A tab that comes second has no stream of its own; when the first one goes, it takes over.
async fn tabs_share_a_stream(client: &Client, browser: &Browser) -> Result<()> {
    says(browser, "live", "Live").await?;
    let (here, _) = browser.address().await?;
    browser.new_tab().await?;
    browser.goto(&here).await?;
    says(browser, "live", "Live").await?;
    let locks = "const { held, pending } = await navigator.locks.query();
        return [held.length, pending.length]";
    let locks = format!("return (async () => {{ {locks} }})()");
    let found = browser.look(&locks, vec![]).await?;
    ensure!(found == json!([1, 1]), "locks held and waited for: {found}");
    client.start(STUDY, "team-attempt-seen-1").await?;
    under_way(browser, "1").await?;
    // The first tab leaves the page.
    browser.first_tab().await?;
    browser.goto("about:blank").await?;
    client.start(STUDY, "team-attempt-seen-2").await?;
    browser.tab(1).await?;
    under_way(browser, "2").await?;
    let found = browser.look(&locks, vec![]).await?;
    ensure!(found == json!([1, 0]), "locks held and waited for: {found}");
    Ok(())
}

/// Waits until so many are said to be under way.
async fn under_way(browser: &Browser, number: &str) -> Result<()> {
    let script = "return document.querySelector('[data-count=\"under way\"]')?.innerText ?? ''";
    let limit = Duration::from_secs(30);
    wait::until(&format!("{number} under way"), limit, async || {
        let found = browser.look(script, vec![]).await?;
        Ok((found.as_str() == Some(number)).then_some(()))
    })
    .await
}

async fn session_on_page(browser: &Browser) -> Result<String> {
    let (here, _) = browser.address().await?;
    let named = here.split("/replay/").nth(1).unwrap_or_default();
    Ok(named.split('?').next().unwrap_or_default().to_owned())
}

async fn erase(server: &Server, browser: &Browser) -> Result<()> {
    let session = session_on_page(browser).await?;
    browser.click("erase").await?;
    says(browser, "erase-means", "names none that holds it").await?;
    look(browser, "erase").await?;
    browser
        .write(Hand::Keyboard, "erase-name", &session)
        .await?;
    browser.click("erase-yes").await?;
    says(browser, "done", "The session is erased.").await?;
    let listed = said(server, &["user", "audit", "--study", STUDY])?;
    ensure!(listed.contains("erased"), "{listed}");
    Ok(())
}

async fn experiment(server: &Server, browser: &Browser) -> Result<()> {
    let client = Client::new(server.address());
    let mine = client.start(LAB, "lab-attempt-number-1").await?;
    account(server, "bob", "experimenter", &[LAB])?;
    sign_in_as(server, browser, "eve", "experimenter", LAB).await?;
    says(browser, "own-alone", "your own lab sessions").await?;
    says(browser, "own-sessions", "Your sessions of beside").await?;
    browser.click("to-lab").await?;
    browser.await_screen("sessions").await?;
    says(browser, "follow", "run by nobody yet").await?;
    look(browser, "lab-list").await?;
    browser.click("follow").await?;
    browser.await_screen("session").await?;
    says(browser, "name", "eve").await?;
    // Somebody else's is not in the list.
    let others = client.start(LAB, "lab-attempt-number-2").await?;
    let other: &SessionId = &others.plan.session;
    said(server, &["session", "run-by", &other.0, "bob"])?;
    browser.click("back").await?;
    let listed = "return [...document.querySelectorAll('[data-testid=follow]')].map(it => it.dataset.session)";
    let mine = json!([mine.plan.session]);
    wait::until(
        "one's own session alone",
        Duration::from_secs(30),
        async || {
            let found: Value = browser.look(listed, vec![]).await?;
            Ok((found == mine).then_some(()))
        },
    )
    .await?;
    says(browser, "follow", "run by eve").await?;
    browser.goto(&address(server, "")).await?;
    browser.click("to-own-sessions").await?;
    says(browser, "summary", "1 of 1 session").await?;
    // The replay of another one is none, and nothing can be decided about it.
    let replay = address(server, &format!("/studies/{LAB}/replay/{other}"));
    browser.goto(&replay).await?;
    says(browser, "no-session", "no such session").await?;
    let decided =
        "return document.querySelectorAll('[data-testid=exclude], [data-testid=erase]').length";
    let decided = browser.look(decided, vec![]).await?;
    ensure!(decided.as_u64() == Some(0), "{decided}");
    Ok(())
}

//! Somebody gets an account, sets a password by the link, looks at their study in the researcher's area, and leaves
//! somebody out of it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use api::routes;
use fantoccini::key::Key;
use tests::area::{look, said};
use tests::browser::{Browser, Hand};
use tests::client::Client;
use tests::scene::in_browser;
use tests::server::Server;
use tests::simulated::run::{SessionPace, take_part};

const STUDY: &str = "quickstart";
/// Those who have finished; one more has begun.
const FINISHED: usize = 3;
const PASSWORD: &str = "correct horse battery";

#[tokio::test]
async fn somebody_sets_a_password_signs_in_and_leaves_a_session_out() -> Result<()> {
    in_browser("research", 400, Server::start(), enter).await
}

pub(crate) async fn text(browser: &Browser, selector: &str) -> Result<String> {
    let script = "return document.querySelector(arguments[0])?.innerText ?? ''";
    let text = browser.look(script, vec![selector.into()]).await?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// Waits until an element says something.
async fn says(browser: &Browser, selector: &str, words: &str) -> Result<()> {
    let limit = Duration::from_secs(30);
    tests::wait::until(&format!("'{words}' in {selector}"), limit, async || {
        Ok(text(browser, selector).await?.contains(words).then_some(()))
    })
    .await
}

/// The words of an element, by its name for tests.
pub(crate) async fn told(browser: &Browser, test_id: &str, words: &str) -> Result<()> {
    says(browser, &format!("[data-testid={test_id}]"), words).await
}

/// Waits for a page, which is named by its heading, and for its title.
pub(crate) async fn page(browser: &Browser, screen: &str, title: &str) -> Result<()> {
    let limit = Duration::from_secs(30);
    tests::wait::until(&format!("the page '{screen}'"), limit, async || {
        Ok((browser.screen().await? == screen).then_some(()))
    })
    .await?;
    let found = browser.look("return document.title", vec![]).await?;
    ensure!(found.as_str() == Some(title), "{screen}: {found}");
    Ok(())
}

/// People take the study: some to its end, one only begins.
async fn take_the_study(server: &Server) -> Result<()> {
    let client = Client::new(server.address());
    let pace = SessionPace {
        step: Duration::from_millis(5),
        moves_per_question: 4,
        limit: Duration::from_secs(60),
        speed: 1,
    };
    for number in 0..FINISHED {
        let started = client
            .start(STUDY, &format!("research-attempt-{number:04}"))
            .await?;
        take_part(server.address(), started, pace).await?;
    }
    client.start(STUDY, "research-attempt-begun").await?;
    Ok(())
}

/// The ordinals in the table, from top to bottom.
async fn ordinals(browser: &Browser) -> Result<Vec<String>> {
    let script = "const heads = [...document.querySelectorAll('[data-testid=sessions] thead th')];
        const place = heads.findIndex(it => it.innerText.trim().startsWith('ordinal'));
        return [...document.querySelectorAll('[data-testid=sessions] tbody tr')].map(row => row.children[place].innerText)";
    let found = browser.look(script, vec![]).await?;
    Ok(serde_json::from_value(found)?)
}

/// Waits until the table has these ordinals.
async fn shows(browser: &Browser, expected: &[&str]) -> Result<()> {
    tests::wait::until(
        &format!("{expected:?}"),
        Duration::from_secs(30),
        async || Ok((ordinals(browser).await? == expected).then_some(())),
    )
    .await
}

async fn enter(server: &Server, browser: &Browser) -> Result<()> {
    take_the_study(server).await?;
    let printed = said(server, &["user", "add", "ada"])?;
    let (_, key) = printed
        .split_once("/research#password=")
        .context("no link")?;
    let key = key.split_whitespace().next().unwrap_or_default();
    said(
        server,
        &["user", "role", "ada", "--study", STUDY, "--as", "owner"],
    )?;
    let area = format!("http://{}{}", server.address(), routes::RESEARCH);

    set_password(browser, &area, key).await?;
    sign_in(browser).await?;
    make_token(browser).await?;
    look_at_people(browser).await?;
    leave_out(server, browser).await?;
    export(browser).await?;
    simulate(browser).await?;
    stall(server, browser).await?;

    browser.click("to-audit").await?;
    told(browser, "entries", "excluded").await?;
    look(browser, "audit").await?;
    browser.click("sign-out").await?;
    browser.element("enter").await?;
    let cookie = browser.look("return document.cookie", vec![]).await?;
    ensure!(cookie.as_str() == Some(""), "{cookie}");
    Ok(())
}

async fn set_password(browser: &Browser, area: &str, key: &str) -> Result<()> {
    browser.goto(&format!("{area}#password={key}")).await?;
    browser.write(Hand::Keyboard, "new", "too short").await?;
    browser.write(Hand::Keyboard, "again", "too short").await?;
    browser.click("set").await?;
    told(browser, "problem", "12 to 128 characters; this one has 9").await?;
    look(browser, "password").await?;
    // Reached by Tab, what is there is chosen and is typed over.
    for field in ["new", "again"] {
        browser.write(Hand::Keyboard, field, PASSWORD).await?;
    }
    browser.click("set").await?;
    told(browser, "done", "Your password is set").await?;
    let (address, _) = browser.address().await?;
    ensure!(
        !address.contains(key),
        "the key stays in the history: {address}"
    );
    Ok(())
}

async fn sign_in(browser: &Browser) -> Result<()> {
    browser.write(Hand::Keyboard, "name", "ada").await?;
    browser
        .write(Hand::Keyboard, "password", "wrong wrong wrong")
        .await?;
    browser.click("enter").await?;
    told(browser, "problem", "The name or the password is wrong.").await?;
    look(browser, "sign-in").await?;
    browser.reload().await?;
    browser.write(Hand::Keyboard, "name", "ada").await?;
    browser.write(Hand::Keyboard, "password", PASSWORD).await?;
    browser.keys(&[Key::Enter.into()]).await?;
    page(browser, "studies", "Studies · Redial").await?;
    says(browser, "[data-study=quickstart]", "takes people").await?;
    says(browser, "[data-study=quickstart]", "owner").await?;
    // The list is live, too.
    says(browser, "[data-testid=age]", "Live").await?;
    let completed = "[data-study=quickstart] [data-count=completed]";
    says(browser, completed, &FINISHED.to_string()).await?;
    look(browser, "studies").await
}

async fn make_token(browser: &Browser) -> Result<()> {
    browser.click("to-account").await?;
    browser.write(Hand::Keyboard, "label", "nightly").await?;
    browser.click("make").await?;
    told(browser, "problem", "Name at least one scope").await?;
    browser.click_css("input[value=read]").await?;
    browser.click_css("input[value=quickstart]").await?;
    browser.click("make").await?;
    browser.element("token").await?;
    look(browser, "account").await?;
    let token = text(browser, "[data-testid=token]").await?;
    ensure!(token.len() == 43, "{token}");
    // A reload goes on, and the token is shown no more.
    browser.reload().await?;
    says(browser, "main", "nightly").await?;
    browser.element("label").await?;
    ensure!(
        text(browser, "[data-testid=token]").await?.is_empty(),
        "the token is shown again"
    );
    Ok(())
}

async fn look_at_people(browser: &Browser) -> Result<()> {
    browser.click("to-studies").await?;
    browser.click("to-study").await?;
    browser.element("to-people").await?;
    look(browser, "study").await?;
    // Before anything happens, a sentence says what it means.
    browser.click("pause").await?;
    told(browser, "means", "1 person under way can finish").await?;
    browser.click("pause-no").await?;
    leave_early(browser).await?;
    browser.click("to-people").await?;
    told(browser, "summary", "4 of 4 sessions").await?;
    browser.click("choose-all").await?;
    told(browser, "chosen", "4 sessions chosen").await?;
    browser.click("choose-none").await?;
    told(browser, "chosen", "0 sessions chosen").await?;
    shows(browser, &["4", "3", "2", "1"]).await?;
    browser.click("sort-ordinal").await?;
    shows(browser, &["1", "2", "3", "4"]).await?;
    browser.click("filter-unfinished").await?;
    told(browser, "summary", "1 of 4 sessions").await?;
    // The address shows the same to whoever opens it, and the way back is the browser's.
    let (address, _) = browser.address().await?;
    ensure!(
        address.contains("sort=ordinal") && address.contains("standing%3Dunfinished"),
        "{address}"
    );
    browser.reload().await?;
    told(browser, "summary", "1 of 4 sessions").await?;
    shows(browser, &["4"]).await?;
    // From a session one comes back to the same table.
    browser.click("to-replay").await?;
    browser.click("to-list").await?;
    told(browser, "summary", "1 of 4 sessions").await?;
    let (same, _) = browser.address().await?;
    ensure!(same == address, "{same} is not {address}");
    for _ in 0..3 {
        browser.back().await?;
    }
    told(browser, "summary", "4 of 4 sessions").await?;
    look(browser, "people").await
}

/// A page that is left before its answer has come ends nothing.
async fn leave_early(browser: &Browser) -> Result<()> {
    // The answer waits until the page has been left.
    let late = "const fetched = window.fetch;
        window.late = 0;
        window.fetch = async (...asked) => {
            const answer = await fetched(...asked);
            await new Promise(done => setTimeout(done, 500));
            setTimeout(() => window.late += 1, 100);
            return answer;
        };
        document.querySelector('[data-testid=to-people]').click();
        history.back();
        return null";
    browser.click_by(late, vec![]).await?;
    let limit = Duration::from_secs(30);
    tests::wait::until("the late answer", limit, async || {
        let late = browser.look("return window.late", vec![]).await?;
        Ok((late.as_u64() > Some(0)).then_some(()))
    })
    .await?;
    let said = browser.console().await?;
    ensure!(
        !said.iter().any(|it| it.contains("panicked")),
        "the app broke: {said:?}"
    );
    browser.reload().await?;
    page(browser, "study", "quickstart · Redial").await
}

/// Of the options of an export those that select sessions.
async fn export(browser: &Browser) -> Result<()> {
    browser.click("to-studies").await?;
    browser.click("to-study").await?;
    browser.click("to-exports").await?;
    browser.element("make-export").await?;
    browser.click_css("[data-testid=only] summary").await?;
    browser.click_css("input[value='not finished']").await?;
    look(browser, "exports").await?;
    browser.click("make-export").await?;
    says(browser, "[data-state=ready]", "1 session,").await?;
    says(browser, "[data-state=ready]", "only not finished").await?;
    let hash = text(browser, "[data-testid=sha256]").await?;
    ensure!(hash.len() == 64, "{hash}");
    look(browser, "export-ready").await
}

/// Simulated people take the study, and are in the table where they are asked for.
async fn simulate(browser: &Browser) -> Result<()> {
    browser.click("to-studies").await?;
    browser.click("to-study").await?;
    browser.click("to-plan").await?;
    for (field, number) in [("simulated-people", "2"), ("simulated-seed", "7")] {
        browser.write(Hand::Keyboard, field, number).await?;
    }
    browser.click("simulate").await?;
    told(browser, "simulated", "2 simulated people have taken it").await?;
    look(browser, "plan-simulated").await?;
    browser.click("to-studies").await?;
    browser.click("to-study").await?;
    told(browser, "cells", "(everybody)").await?;
    browser.click("to-people").await?;
    told(browser, "summary", "4 of 6 sessions").await
}

/// A server that says nothing any more is not called live, and is again once it goes on.
async fn stall(server: &Server, browser: &Browser) -> Result<()> {
    browser.click("to-studies").await?;
    page(browser, "studies", "Studies · Redial").await?;
    told(browser, "age", "Live").await?;
    server.stall()?;
    // Three pulses of ten seconds.
    let silence = Duration::from_secs(60);
    let stale = tests::wait::until("an age that is red", silence, async || {
        let words = text(browser, "[data-testid=age].stale").await?;
        Ok(words.starts_with("Not live").then_some(()))
    })
    .await;
    look(browser, "studies-not-live").await?;
    server.go_on()?;
    stale?;
    told(browser, "age", "Live").await
}

async fn leave_out(server: &Server, browser: &Browser) -> Result<()> {
    let of_second = "[data-testid=sessions] tbody tr:nth-child(2) [data-testid=choose]";
    browser.click_css(of_second).await?;
    told(browser, "chosen", "1 session chosen").await?;
    browser.click("exclude").await?;
    told(browser, "means", "left out of analyses").await?;
    browser
        .write(Hand::Keyboard, "why", "spoke on the phone")
        .await?;
    look(browser, "exclude").await?;
    // The sign-in ends in the middle of it; nothing that was typed is lost.
    said(server, &["user", "disable", "ada"])?;
    said(server, &["user", "enable", "ada"])?;
    browser.click("decide").await?;
    browser.element("signed-out").await?;
    browser.write(Hand::Keyboard, "name", "ada").await?;
    browser.write(Hand::Keyboard, "password", PASSWORD).await?;
    browser.keys(&[Key::Enter.into()]).await?;
    let typed = "return document.querySelector('[data-testid=why]')?.value";
    tests::wait::until("the way back in", Duration::from_secs(30), async || {
        Ok(browser.visible("signed-out").await?.is_none().then_some(()))
    })
    .await?;
    let typed = browser.look(typed, vec![]).await?;
    ensure!(typed.as_str() == Some("spoke on the phone"), "{typed}");
    told(browser, "chosen", "1 session chosen").await?;
    browser.click("decide").await?;
    told(browser, "done", "1 session excluded").await?;
    browser.click("filter-excluded").await?;
    told(browser, "summary", "1 of 4 sessions").await?;
    shows(browser, &["2"]).await?;
    browser.click_css("[data-testid=choose]").await?;
    browser.click("readmit").await?;
    browser.click("decide").await?;
    told(browser, "problem", "Say why").await?;
    browser
        .write(Hand::Keyboard, "why", "it was no phone")
        .await?;
    browser.click("decide").await?;
    told(browser, "done", "1 session readmitted").await?;
    told(browser, "summary", "0 of 4 sessions").await
}

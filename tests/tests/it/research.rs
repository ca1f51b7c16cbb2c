//! Somebody gets an account, sets a password by the link, and looks at their study in the researcher's area.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use fantoccini::key::Key;
use tests::axe;
use tests::browser::{Browser, Hand};
use tests::scene::in_browser;
use tests::server::Server;
use tests::tools;

const STUDY: &str = "chi21-synthetic";
const PASSWORD: &str = "correct horse battery";

#[tokio::test]
async fn somebody_sets_a_password_signs_in_and_makes_a_token() -> Result<()> {
    in_browser("research", 300, Server::start(), enter).await
}

fn said(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "{said}{error}");
    Ok(said)
}

/// The page as it is on a desk and on a phone: nothing too wide, no rule of axe violated.
async fn look(browser: &Browser, name: &str) -> Result<()> {
    for (width, height) in [(360, 740), (1280, 800)] {
        browser.resize(width, height).await?;
        let beyond = "return document.documentElement.scrollWidth - innerWidth";
        let beyond = browser.look(beyond, vec![]).await?;
        ensure!(beyond.as_f64() <= Some(0.0), "{name} at {width}: {beyond}");
        for (theme, dark) in [("light", false), ("dark", true)] {
            browser.prefer(dark, true).await?;
            let violations = axe::violations(browser).await?;
            ensure!(violations.is_empty(), "{name} at {width}: {violations:?}");
            let file = format!("research-{name}-{width}-{theme}.png");
            browser.screenshot(&tools::screenshots().join(file)).await?;
        }
        browser.prefer(false, false).await?;
    }
    Ok(())
}

async fn text(browser: &Browser, selector: &str) -> Result<String> {
    let script = "return document.querySelector(arguments[0]).innerText";
    let text = browser.look(script, vec![selector.into()]).await?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// Waits until an element says something.
async fn says(browser: &Browser, selector: &str, words: &str) -> Result<()> {
    let limit = std::time::Duration::from_secs(30);
    tests::wait::until(&format!("'{words}' in {selector}"), limit, async || {
        Ok(text(browser, selector).await?.contains(words).then_some(()))
    })
    .await
}

async fn enter(server: &Server, browser: &Browser) -> Result<()> {
    let printed = said(&mut server.command(&["user", "add", "ada"])?)?;
    let (_, key) = printed
        .split_once("/research#password=")
        .context("no link")?;
    let key = key.split_whitespace().next().unwrap_or_default();
    said(&mut server.command(&["user", "role", "ada", "--study", STUDY, "--as", "owner"])?)?;
    let area = format!("http://{}/research", server.address());

    browser.goto(&format!("{area}#password={key}")).await?;
    browser.write(Hand::Keyboard, "new", "too short").await?;
    browser.write(Hand::Keyboard, "again", "too short").await?;
    browser.click("set").await?;
    says(browser, "#problem", "12 to 128 characters; this one has 9").await?;
    look(browser, "password").await?;
    // Reached by Tab, what is there is chosen and is typed over.
    for field in ["new", "again"] {
        browser.write(Hand::Keyboard, field, PASSWORD).await?;
    }
    browser.click("set").await?;
    says(browser, "#done", "Your password is set").await?;
    let (address, _) = browser.address().await?;
    ensure!(
        !address.contains(key),
        "the key stays in the history: {address}"
    );

    browser.write(Hand::Keyboard, "name", "ada").await?;
    browser
        .write(Hand::Keyboard, "password", "wrong wrong wrong")
        .await?;
    browser.click("enter").await?;
    says(browser, "#problem", "The name or the password is wrong.").await?;
    look(browser, "sign-in").await?;
    browser.reload().await?;
    browser.write(Hand::Keyboard, "name", "ada").await?;
    browser.write(Hand::Keyboard, "password", PASSWORD).await?;
    browser.keys(&[Key::Enter.into()]).await?;
    says(
        browser,
        "#list",
        "takes people. You are an owner. 0 started.",
    )
    .await?;

    browser.write(Hand::Keyboard, "label", "nightly").await?;
    browser.click("make").await?;
    says(browser, "#problem", "Name at least one scope").await?;
    browser.click_css("#scopes input[value=read]").await?;
    browser.click_css("#in input").await?;
    browser.click("make").await?;
    says(browser, "#made", "It is not shown again").await?;
    look(browser, "studies").await?;
    let token = text(browser, "#token").await?;
    ensure!(token.len() == 43, "{token}");
    // A reload goes on, and the token is shown no more.
    browser.reload().await?;
    says(browser, "#token-list", "nightly").await?;
    ensure!(browser.visible("label").await?.is_some());
    ensure!(
        text(browser, "#token").await?.is_empty(),
        "the token is shown again"
    );
    browser.click("sign-out").await?;
    browser.element("enter").await?;
    let cookie = browser.look("return document.cookie", vec![]).await?;
    ensure!(cookie.as_str() == Some(""), "{cookie}");
    Ok(())
}

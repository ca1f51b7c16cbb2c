//! The researcher's area in a browser: signing in, and looking at its pages.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use api::routes;
use fantoccini::key::Key;

use crate::browser::{Browser, Hand};
use crate::server::Server;
use crate::{axe, tools, wait};

const PASSWORD: &str = "correct horse battery";

/// The address of a page of the area.
#[must_use]
pub fn address(server: &Server, page: &str) -> String {
    format!("http://{}{}{page}", server.address(), routes::RESEARCH)
}

/// What a `redial` command prints on a server's database.
///
/// # Errors
/// When it fails: what it says.
pub fn said(server: &Server, arguments: &[&str]) -> Result<String> {
    let output = server.command(arguments)?.output()?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{arguments:?}: {error}");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Gives somebody an account as owner of a study, sets their password by the link, and signs them in.
pub async fn sign_in(server: &Server, browser: &Browser, study: &str) -> Result<()> {
    let printed = said(server, &["user", "add", "ada"])?;
    let (_, key) = printed.split_once("#password=").context("no link")?;
    let key = key.split_whitespace().next().unwrap_or_default();
    said(
        server,
        &["user", "role", "ada", "--study", study, "--as", "owner"],
    )?;
    let entrance = address(server, "");
    browser.goto(&format!("{entrance}#password={key}")).await?;
    for field in ["new", "again"] {
        browser.write(Hand::Keyboard, field, PASSWORD).await?;
    }
    browser.click("set").await?;
    browser.write(Hand::Keyboard, "name", "ada").await?;
    browser.write(Hand::Keyboard, "password", PASSWORD).await?;
    browser.keys(&[Key::Enter.into()]).await?;
    browser.await_screen("studies").await
}

/// The page as it is on a desk and on a phone, light and dark, in a screenshot of each: nothing too wide, no rule of axe
/// violated.
pub async fn look(browser: &Browser, name: &str) -> Result<()> {
    for (width, height) in [(360, 740), (1280, 800)] {
        browser.resize(width, height).await?;
        let beyond = "return document.documentElement.scrollWidth - innerWidth";
        let beyond = browser.look(beyond, vec![]).await?;
        ensure!(beyond.as_f64() <= Some(0.0), "{name} at {width}: {beyond}");
        for (theme, dark) in [("light", false), ("dark", true)] {
            browser.prefer(dark, true).await?;
            let violations = axe::violations(browser).await?;
            let file = format!("research-{name}-{width}-{theme}.png");
            browser.screenshot(&tools::screenshots().join(file)).await?;
            ensure!(violations.is_empty(), "{name} at {width}: {violations:?}");
        }
        browser.prefer(false, false).await?;
    }
    Ok(())
}

/// Waits until an element, found by its name for tests, says something.
pub async fn says(browser: &Browser, test_id: &str, words: &str) -> Result<()> {
    let script = "return document.querySelector(`[data-testid=${arguments[0]}]`)?.innerText ?? ''";
    let limit = Duration::from_secs(60);
    wait::until(&format!("'{words}' in {test_id}"), limit, async || {
        let found = browser.look(script, vec![test_id.into()]).await?;
        let found = found.as_str().is_some_and(|it| it.contains(words));
        Ok(found.then_some(()))
    })
    .await
}

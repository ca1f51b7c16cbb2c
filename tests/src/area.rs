//! The researcher's area: signing in, in a browser and over HTTP, and looking at its pages.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use api::research::{
    ApiTokenMade, CHANGE_KEY, LONGEST_TOKEN_DAYS, Me, NewApiToken, PasswordByLink, Scope,
    SignInRequest,
};
use api::routes;
use fantoccini::key::Key;
use hyper::Method;
use hyper::header::{COOKIE, HeaderName, ORIGIN, SET_COOKIE};
use serde_json::Value;

use crate::browser::{Browser, Hand};
use crate::client::{Client, HttpAnswer};
use crate::server::Server;
use crate::{audit, wait};

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

/// Makes an account with a role in studies, and gives what its link holds to set a password with.
pub fn account(server: &Server, name: &str, role: &str, studies: &[&str]) -> Result<String> {
    let printed = said(server, &["user", "add", name])?;
    let (_, key) = printed.split_once("#password=").context("no link")?;
    let key = key.split_whitespace().next().unwrap_or_default();
    for study in studies {
        said(
            server,
            &["user", "role", name, "--study", study, "--as", role],
        )?;
    }
    Ok(key.to_owned())
}

/// Gives somebody an account as owner of a study, sets their password by the link, and signs them in.
pub async fn sign_in(server: &Server, browser: &Browser, study: &str) -> Result<()> {
    sign_in_as(server, browser, "ada", "owner", study).await
}

/// The same with another name and role.
pub async fn sign_in_as(
    server: &Server,
    browser: &Browser,
    name: &str,
    role: &str,
    study: &str,
) -> Result<()> {
    let key = account(server, name, role, &[study])?;
    let entrance = address(server, "");
    browser.goto(&format!("{entrance}#password={key}")).await?;
    for field in ["new", "again"] {
        browser.write(Hand::Keyboard, field, PASSWORD).await?;
    }
    browser.click("set").await?;
    browser.write(Hand::Keyboard, "name", name).await?;
    browser.write(Hand::Keyboard, "password", PASSWORD).await?;
    browser.keys(&[Key::Enter.into()]).await?;
    browser.await_screen("studies").await
}

/// Makes an account that owns studies, and gives a token for all that it may do.
pub async fn token_of_owner(server: &Server, name: &str, studies: &[&str]) -> Result<String> {
    let key = account(server, name, "owner", studies)?;
    let client = Client::new(server.address());
    let ours = (ORIGIN, client.base().to_owned());
    let post = async |path: &str, more: Vec<(HeaderName, String)>, body: Value| {
        let headers = more.into_iter().chain([ours.clone()]);
        let body = Some(serde_json::to_vec(&body)?);
        let answer = client
            .send_showing(Method::POST, path, headers, body)
            .await?;
        anyhow::Ok::<HttpAnswer>(answer.success(path)?)
    };
    let password = PASSWORD.to_owned();
    let set = serde_json::to_value(PasswordByLink { key, password })?;
    post(routes::PASSWORD_BY_LINK, Vec::new(), set).await?;
    let sign_in = serde_json::to_value(SignInRequest {
        name: name.to_owned(),
        password: PASSWORD.to_owned(),
    })?;
    let signed_in = post(routes::SIGN_IN, Vec::new(), sign_in).await?;
    let cookie = signed_in.headers.get(SET_COOKIE).context("no cookie")?;
    let cookie = cookie.to_str()?.split(';').next().unwrap_or_default();
    let me: Me = signed_in.json()?;
    let shown = vec![
        (COOKIE, cookie.to_owned()),
        (
            HeaderName::from_static(CHANGE_KEY),
            me.change_key.context("no key for changes")?,
        ),
    ];
    let wanted = serde_json::to_value(NewApiToken {
        label: "tests".to_owned(),
        scopes: Scope::ALL.to_vec(),
        studies: studies.iter().map(|study| (*study).to_owned()).collect(),
        days: Some(LONGEST_TOKEN_DAYS),
    })?;
    let made: ApiTokenMade = post(routes::API_TOKENS, shown, wanted).await?.json()?;
    Ok(made.token)
}

/// The page as it is on a desk and on a phone, as [`audit::violations`] looks at it.
pub async fn look(browser: &Browser, name: &str) -> Result<()> {
    let sizes = [(360, 740), (1280, 800)];
    let found = audit::violations(browser, &format!("research-{name}"), &sizes).await?;
    ensure!(found.is_empty(), "{}", found.join("\n"));
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

/// A moment as an address has it, in milliseconds.
#[must_use]
pub fn moment_ms(t: &str) -> Option<u64> {
    let (minutes, seconds) = t.split_once('m').unwrap_or(("0", t));
    let seconds: f64 = seconds.strip_suffix('s')?.parse().ok()?;
    Some(minutes.parse::<u64>().ok()? * 60_000 + (seconds * 1_000.0).round() as u64)
}

//! Somebody with an account in the researcher's area, over HTTP or in a browser.

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

const PASSWORD: &str = "correct horse battery";

/// Makes an account, and gives what its link holds to set a password with.
///
/// # Errors
/// When the command refuses.
pub fn account(server: &Server, name: &str, role: &str, studies: &[&str]) -> Result<String> {
    let said = said(server, &["user", "add", name])?;
    let key = said.split_once("#password=").context("no link")?.1;
    let key = key.split_whitespace().next().unwrap_or_default();
    for study in studies {
        self::said(
            server,
            &["user", "role", name, "--study", study, "--as", role],
        )?;
    }
    Ok(key.to_owned())
}

/// Makes an account, sets its password in a browser, and signs in there.
///
/// # Errors
/// When the page does not go on to the list of studies.
pub async fn sign_in(
    server: &Server,
    browser: &Browser,
    name: &str,
    role: &str,
    studies: &[&str],
) -> Result<()> {
    let key = account(server, name, role, studies)?;
    let area = format!("http://{}{}", server.address(), routes::RESEARCH);
    browser.goto(&format!("{area}#password={key}")).await?;
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
///
/// # Errors
/// When the command or the server refuses a step.
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

/// What a command prints.
///
/// # Errors
/// When it fails.
pub fn said(server: &Server, arguments: &[&str]) -> Result<String> {
    let done = server.command(arguments)?.output()?;
    let words = String::from_utf8_lossy(&done.stdout).into_owned();
    ensure!(
        done.status.success(),
        "{arguments:?}: {words}{}",
        String::from_utf8_lossy(&done.stderr)
    );
    Ok(words)
}

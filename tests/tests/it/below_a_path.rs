//! The whole server below a path, behind a proxy that keeps it: a study is begun, one question done, and
//! nothing is asked of the address outside the path.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use tests::browser::{Browser, PATIENCE};
use tests::journey;
use tests::pages::{Hand, QuestionPage};
use tests::proxy::Proxy;
use tests::server::Server;
use tests::solver::DialControl;
use tests::wait;

const BASE: &str = "/redial";
const STUDY: &str = "quickstart";

#[tokio::test]
async fn a_study_is_taken_below_a_path() -> Result<()> {
    wait::at_most(Duration::from_secs(300), run()).await
}

async fn run() -> Result<()> {
    let server = Server::start_below(BASE, |_| Ok(())).await?;
    let proxy = Proxy::to(server.address()).await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    let result = take(&server, &proxy, &browser).await;
    browser.finish("below-a-path", result).await
}

async fn take(server: &Server, proxy: &Proxy, browser: &Browser) -> Result<()> {
    let address = format!("{}{BASE}", proxy.address());
    // The list of studies, and its link.
    browser.goto(&format!("http://{address}")).await?;
    browser.await_screen("home").await?;
    browser.click(&format!("study-link-{STUDY}")).await?;
    browser.await_screen("study").await?;
    let (page, _) = browser.address().await?;
    ensure!(page == format!("http://{address}/study/{STUDY}"), "{page}");

    // A slash at the end is the same page.
    journey::to_first_stage(browser, &address, &format!("{STUDY}/")).await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    question.slide(0, &[0.2, 0.5]).await?;
    // Practice goes on until the pictures match.
    ensure!(question.solve().await?, "the practice was not solved");
    question.leave().await?;
    browser.await_save_state("saved").await?;

    // The service worker keeps the app, for this path alone.
    let script = "
        const { scope } = await navigator.serviceWorker.ready;
        const names = await caches.keys();
        const shell = names.find(name => name.startsWith('redial-shell:/redial:'));
        const kept = shell ? await (await caches.open(shell)).keys() : [];
        return { scope: new URL(scope).pathname, kept: kept.map(it => new URL(it.url).pathname) };";
    let kept = wait::until("the service worker", PATIENCE, async || {
        let kept = browser.look_async(script, vec![]).await?;
        let full = kept["kept"].as_array().is_some_and(|kept| kept.len() > 5);
        Ok(full.then_some(kept))
    })
    .await?;
    ensure!(kept["scope"] == format!("{BASE}/"), "{kept}");
    let kept = kept["kept"].as_array().context("a list")?;
    let outside = kept
        .iter()
        .filter(|path| !path.as_str().is_some_and(|path| path.starts_with(BASE)));
    ensure!(outside.count() == 0, "{kept:?}");

    browser.goto(&format!("http://{address}/lab")).await?;
    wait::until("the lab's page", PATIENCE, async || {
        let key = "return !!document.querySelector('[data-screen=key]')";
        Ok((browser.look(key, vec![]).await? == true).then_some(()))
    })
    .await?;
    let outside: Vec<String> = proxy
        .asked()
        .into_iter()
        .filter(|asked| !asked.contains(BASE) && !asked.contains("/favicon.ico"))
        .collect();
    ensure!(outside.is_empty(), "outside {BASE}: {outside:?}");
    ensure!(
        server
            .log()
            .contains(&format!("{}{BASE}", server.address()))
    );
    Ok(())
}

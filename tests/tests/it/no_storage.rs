//! Browsers that let a page keep nothing: the study is taken to its end all the same.

use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::json;
use tests::browser::{Browser, PATIENCE};
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::export::{Export, check_numbering};
use tests::journey;
use tests::pages::{Complete, StageIntro, StudyPage, TutorialPage};
use tests::platform::PlatformStandIn;
use tests::scene::{self, in_browser};
use tests::server::{Server, add, change};
use tests::wait;

const STUDY: &str = "play";

/// A short study in which nobody can get stuck.
fn prepare(studies: &Path) -> Result<()> {
    let study = json!({ "format": 2, "id": STUDY, "title": "Play", "parts": [
        { "kind": "tutorial", "task": "exploration", "model": "circles" },
        { "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "circles" } },
        { "kind": "difficulty" },
    ]});
    add(studies, &study)
}

#[tokio::test]
async fn with_all_cookies_blocked_a_study_survives_a_reload_and_a_second_tab() -> Result<()> {
    in_engine(BrowserEngine::Chromium, all_cookies_blocked).await
}

#[tokio::test]
async fn in_firefox_with_all_cookies_blocked_too() -> Result<()> {
    in_engine(BrowserEngine::Firefox, all_cookies_blocked).await
}

#[tokio::test]
async fn in_a_private_window_a_study_survives_a_reload() -> Result<()> {
    in_engine(BrowserEngine::Chromium, private).await
}

#[tokio::test]
async fn in_a_private_window_of_firefox_too() -> Result<()> {
    in_engine(BrowserEngine::Firefox, private).await
}

#[tokio::test]
async fn in_a_frame_of_another_site_with_storage_blocked_a_study_is_taken_to_its_end() -> Result<()>
{
    in_engine(BrowserEngine::Chromium, framed).await
}

#[tokio::test]
async fn in_a_frame_in_firefox_too() -> Result<()> {
    in_engine(BrowserEngine::Firefox, framed).await
}

/// Runs a test in an engine, if that was asked for.
async fn in_engine(
    engine: BrowserEngine,
    test: impl AsyncFn(BrowserEngine) -> Result<()>,
) -> Result<()> {
    if !engine.is_asked_for() {
        return Ok(());
    }
    test(engine).await
}

async fn all_cookies_blocked(engine: BrowserEngine) -> Result<()> {
    let name = format!("no-storage-{engine:?}").to_lowercase();
    let blocked = (engine, BrowserSetup::keeping_nothing(engine));
    let server = Server::start_with(prepare);
    scene::in_engine(&name, 600, blocked, server, async |server, browser| {
        let study = StudyPage::open(browser, server.address(), STUDY).await?;
        ensure!(keeps_nothing(browser).await?, "this browser keeps things");
        browser.element("keeping").await?;
        study.start().await?;
        browser.await_screen("tutorial").await?;
        let (_, link) = browser.address().await?;
        ensure!(link.starts_with("session="), "the address has '{link}'");
        go_through(server, browser).await
    })
    .await
}

async fn private(engine: BrowserEngine) -> Result<()> {
    let name = format!("private-{engine:?}").to_lowercase();
    let window = (engine, BrowserSetup::private());
    let server = Server::start_with(prepare);
    scene::in_engine(&name, 600, window, server, async |server, browser| {
        let study = StudyPage::open(browser, server.address(), STUDY).await?;
        // What is kept goes with the window, so the page has nothing to confess before that.
        ensure!(!keeps_nothing(browser).await?, "nothing is kept");
        study.start().await?;
        browser.await_screen("tutorial").await?;
        let (_, link) = browser.address().await?;
        ensure!(link.is_empty(), "the address has '{link}'");
        if engine == BrowserEngine::Firefox {
            return go_through(server, browser).await;
        }
        // chromedriver opens new tabs outside the private window, where nothing is known of it.
        browser.reload().await?;
        browser.await_screen("tutorial").await?;
        to_the_end(server, browser).await
    })
    .await
}

/// Whether the browser refuses the page even what goes with the tab.
async fn keeps_nothing(browser: &Browser) -> Result<bool> {
    let script = "try { sessionStorage.length; return false } catch { return true }";
    Ok(browser.look(script, vec![]).await? == json!(true))
}

/// From the tutorial to the code, with a reload and a second tab on the way.
async fn go_through(server: &Server, browser: &Browser) -> Result<()> {
    browser.reload().await?;
    browser.await_screen("tutorial").await?;
    second_tab(browser).await?;
    to_the_end(server, browser).await
}

async fn second_tab(browser: &Browser) -> Result<()> {
    // The same address in a second tab is noticed, and takes over.
    let (page, link) = browser.address().await?;
    browser.new_tab().await?;
    browser.goto(&format!("{page}#{link}")).await?;
    let ask = "try { new BroadcastChannel('x').close(); return true } catch { return false }";
    if browser.look(ask, vec![]).await? == json!(true) {
        browser.await_screen("other-tab").await?;
        browser.press("take-over").await?;
    }
    browser.await_screen("tutorial").await?;
    browser.first_tab().await?;
    // Where tabs do not hear each other, the server tells this one as soon as it logs something.
    browser.await_screen("other-tab").await?;
    browser.press("take-over").await?;
    browser.await_screen("tutorial").await
}

async fn to_the_end(server: &Server, browser: &Browser) -> Result<()> {
    journey::finish(browser, PATIENCE, async |_, _| Ok(())).await?;
    let code = Complete(browser).code().await?;
    browser.reload().await?;
    ensure!(
        Complete(browser).code().await? == code,
        "another code after a reload"
    );
    // Reads the log, which has to be without a gap.
    check_numbering(&Export::of(server, STUDY)?.only_log()?)
}

async fn framed(engine: BrowserEngine) -> Result<()> {
    let other_site = PlatformStandIn::start().await?;
    let server = Server::start_with(|studies| {
        prepare(studies)?;
        change(studies, STUDY, |study| {
            study["framed_by"] = json!([other_site.origin()]);
        })
    });
    let name = format!("frame-{engine:?}").to_lowercase();
    let blocked = (engine, BrowserSetup::keeping_nothing(engine));
    scene::in_engine(&name, 600, blocked, server, async |server, browser| {
        let page = format!("http://{}/study/{STUDY}", server.address());
        browser.goto(&other_site.show(&page)).await?;
        browser.enter_frame().await?;
        browser.await_screen("study").await?;
        ensure!(keeps_nothing(browser).await?, "this frame keeps things");
        browser.element("keeping").await?;
        browser.click("start").await?;
        browser.await_screen("tutorial").await?;
        journey::finish(browser, PATIENCE, async |_, _| Ok(())).await?;
        Complete(browser).code().await?;
        check_numbering(&Export::of(server, STUDY)?.only_log()?)
    })
    .await
}

#[tokio::test]
async fn where_there_are_no_random_numbers_the_start_says_so() -> Result<()> {
    let server = Server::start_with(prepare);
    in_browser("no-random", 120, server, async |server, browser| {
        let script = "Crypto.prototype.getRandomValues = () => { throw new Error('none') };";
        browser.before_the_page(script).await?;
        StudyPage::open(browser, server.address(), STUDY).await?;
        browser.click("start").await?;
        let alert = "return document.querySelector('[role=alert] .problem')?.textContent ?? ''";
        let said = wait::until("a message", PATIENCE, async || {
            let said = browser.look(alert, vec![]).await?;
            Ok(said.as_str().filter(|it| !it.is_empty()).map(str::to_owned))
        })
        .await?;
        ensure!(said.contains("another browser"), "it says '{said}'");
        ensure!(
            browser.screen().await? == "study",
            "the start went on all the same"
        );
        ensure!(
            Export::of(server, STUDY)
                .and_then(|export| export.only_log())
                .is_err(),
            "a session was made all the same"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_device_that_is_full_during_the_study_loses_nothing() -> Result<()> {
    let server = Server::start_with(prepare);
    in_browser("full-device", 300, server, async |server, browser| {
        // Everything but the session itself, which is stored at the start.
        let script = "const put = IDBObjectStore.prototype.put;
             IDBObjectStore.prototype.put = function (...given) {
               if (this.name === 'events')
                 throw new DOMException('full', 'QuotaExceededError');
               return put.apply(this, given);
             };";
        browser.before_the_page(script).await?;
        StudyPage::begin(browser, server.address(), STUDY).await?;
        browser.await_screen("tutorial").await?;
        let kept =
            "return Object.keys(sessionStorage).some(key => key.startsWith('redial-session-'))";
        wait::until("the way back in the tab", PATIENCE, async || {
            Ok((browser.look(kept, vec![]).await? == json!(true)).then_some(()))
        })
        .await?;
        TutorialPage(browser).read(async |_| Ok(())).await?;
        StageIntro(browser).begin().await?;
        browser.await_screen("question").await?;
        browser.await_save_state("saved").await?;
        browser.reload().await?;
        browser.await_screen("question").await?;
        journey::finish(browser, PATIENCE, async |_, _| Ok(())).await?;
        Complete(browser).code().await?;
        Export::of(server, STUDY)?.only_log()?;
        Ok(())
    })
    .await
}

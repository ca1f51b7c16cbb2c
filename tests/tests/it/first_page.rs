//! A study's first page before the app is there: it can be read, the app takes it over without anything
//! moving, and agreeing then works and is logged once. Where a session is under way no form is shown again.

use std::time::Duration;

use anyhow::{Result, ensure};
use domain::session::event::Event;
use serde_json::{Value, json};
use tests::browser::{Browser, Hand, PATIENCE};
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::export::Export;
use tests::pages::StudyPage;
use tests::proxy::Proxy;
use tests::scene::in_engine;
use tests::server::{Server, change};
use tests::{tools, wait, whole_study};

const STUDY: &str = whole_study::NAME;
const APP: &str = "redial_bg";

#[tokio::test]
async fn the_form_is_read_before_the_app_is_there() -> Result<()> {
    let chromium = (BrowserEngine::Chromium, BrowserSetup::eager());
    in_engine("first-page", 600, chromium, server(), test).await
}

async fn server() -> Result<Server> {
    Server::start_with(|studies| {
        whole_study::add_to(studies)?;
        change(studies, "quickstart", |study| {
            study["parts"][0]["agree"] = json!("signature");
            study["parts"][0]["contact"] = json!("ada@example.org");
            // Something is asked before the start.
            study["design"] = json!({ "factors": [{ "name": "experience", "levels": ["none", "some"],
                "varies": "answer", "question": { "text": "Have you worked with machine learning?",
                "answers": { "none": "No", "some": "Yes, I have" } } }] });
        })
    })
    .await
}

async fn test(server: &mut Server, browser: &Browser) -> Result<()> {
    let proxy = Proxy::to(server.address()).await?;
    // The app has to come each time: neither the browser nor the service worker has kept it.
    browser.devtools("Network.enable", json!({})).await?;
    let bypass = json!({ "bypass": true });
    browser
        .devtools("Network.setBypassServiceWorker", bypass)
        .await?;
    let off = json!({ "cacheDisabled": true });
    browser.devtools("Network.setCacheDisabled", off).await?;
    // Languages, directions, ways to agree, and a study whose first page is no form.
    for (link, language, width) in [
        ("quickstart", "en", 1280),
        ("whole?lang=de&participant=P1", "de", 360),
        ("whole?lang=ar-XB&participant=P1", "ar-XB", 1280),
        ("exploration-demo", "en", 360),
    ] {
        browser.resize(width, 740).await?;
        taken_over(&proxy, browser, link, language).await?;
    }
    agreed_once(server, &proxy, browser).await?;
    asked_before(server, &proxy, browser).await?;
    no_form_again(&proxy, browser).await
}

/// Opens a page whose app does not come yet.
async fn open(proxy: &Proxy, browser: &Browser, link: &str) -> Result<()> {
    proxy.hold(Some(APP));
    let page = format!("http://{}/study/{link}", proxy.address());
    browser.goto(&page).await
}

/// Everything in header and screen that has a box: its words, and where it is.
const SHAPE: &str = "
    const box = element => { const r = element.getBoundingClientRect();
      return [r.x, r.y, r.width, r.height].map(it => Math.round(it * 10) / 10).join(' '); };
    const own = element => [...element.childNodes].filter(it => it.nodeType === Node.TEXT_NODE)
      .map(it => it.data).join('').trim();
    return [...document.querySelectorAll('header.site-header, header.site-header *, article.screen, article.screen *')]
      .filter(it => it.getClientRects().length && box(it).split(' ')[3] > 0 && !it.matches('.loading-note, .visually-hidden'))
      .map(it => `${it.localName} ${own(it)} ${box(it)}`);";

async fn taken_over(proxy: &Proxy, browser: &Browser, link: &str, language: &str) -> Result<()> {
    open(proxy, browser, link).await?;
    let before = browser.look(SHAPE, vec![]).await?;
    ensure!(
        before.as_array().is_some_and(|it| it.len() > 10),
        "{link}: nothing to read: {before}"
    );
    ensure!(
        browser.screen().await?.is_empty(),
        "{link}: the app is there"
    );
    let start = "const start = document.querySelector('.waits');
        return [start.disabled, document.documentElement.lang, getComputedStyle(start).cursor]";
    let start = browser.look(start, vec![]).await?;
    ensure!(
        start == json!([true, language, "progress"]),
        "{link}: {start}"
    );
    let name = link.split('?').next().unwrap_or_default();
    let file = format!("first-page-{name}-{language}.png");
    browser.screenshot(&tools::screenshots().join(file)).await?;
    // Somebody reads, a little further down, and has gone to something by Tab.
    let reads = "
        scrollTo(0, 40);
        const at = document.querySelector('.languages a, .help summary');
        at?.focus({ preventScroll: true });
        document.querySelector('.help')?.setAttribute('open', '');
        globalThis.read = document.querySelector('h1');
        return [scrollY, at?.textContent ?? null];";
    let reading = browser.look(reads, vec![]).await?;
    let before = browser.look(SHAPE, vec![]).await?;

    proxy.hold(None);
    browser.await_screen("study").await?;
    let after = browser.look(SHAPE, vec![]).await?;
    same(&before, &after).map_err(|error| error.context(link.to_owned()))?;
    let reads = "
        const at = document.activeElement;
        return [scrollY, at === document.body ? null : at.textContent];";
    let now = browser.look(reads, vec![]).await?;
    ensure!(now == reading, "{link}: {reading} became {now}");
    let same = "return globalThis.read === document.querySelector('h1') && !document.getElementById('boot')";
    ensure!(
        browser.look(same, vec![]).await? == json!(true),
        "{link}: it is read twice"
    );
    Ok(())
}

fn same(before: &Value, after: &Value) -> Result<()> {
    let lines = |shape: &Value| -> Vec<String> {
        let lines = shape.as_array().into_iter().flatten();
        lines
            .map(|line| line.as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let (before, after) = (lines(before), lines(after));
    let gone: Vec<_> = before.iter().filter(|line| !after.contains(line)).collect();
    let new: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
    ensure!(
        gone.is_empty() && new.is_empty(),
        "gone: {gone:#?}\nnew: {new:#?}"
    );
    Ok(())
}

async fn agreed_once(server: &Server, proxy: &Proxy, browser: &Browser) -> Result<()> {
    browser.resize(1280, 740).await?;
    open(proxy, browser, STUDY).await?;
    // A press before the app is there is none.
    let press = "document.querySelector('.waits').click()";
    browser.look(press, vec![]).await?;
    proxy.hold(None);
    browser.await_screen("study").await?;
    StudyPage::on_screen(browser).start().await?;
    browser.await_save_state("saved").await?;
    let sessions = Export::of(server, STUDY)?.events()?;
    let given = sessions.values().flatten();
    let given = given.filter(|it| matches!(it.event, Event::ConsentGiven(_)));
    ensure!(sessions.len() == 1 && given.count() == 1, "{sessions:?}");
    ensure!(
        proxy.asked_for("/api/studies/whole") == 0,
        "what stands in the page was asked for again"
    );
    Ok(())
}

/// Without an answer nothing starts and the focus is there; the answer then decides on the cell.
async fn asked_before(server: &Server, proxy: &Proxy, browser: &Browser) -> Result<()> {
    open(proxy, browser, "quickstart").await?;
    proxy.hold(None);
    browser.await_screen("study").await?;
    browser.write(Hand::Keyboard, "signature", "Ada").await?;
    browser.press("start").await?;
    let missing = "const at = document.activeElement;
        return [at.dataset.testid, at.getAttribute('aria-invalid'), document.querySelectorAll('.item.wrong').length]";
    let missing = browser.look(missing, vec![]).await?;
    ensure!(
        missing == json!(["item-experience-0", "true", 1]),
        "{missing}"
    );
    let file = "first-page-asked.png";
    browser.screenshot(&tools::screenshots().join(file)).await?;
    browser.click_label("item-experience-1").await?;
    browser.press("start").await?;
    browser.await_save_state("saved").await?;
    let sessions = Export::of(server, "quickstart")?.table("sessions")?;
    let levels: Vec<_> = sessions.iter().map(|row| &row["cell_levels"]).collect();
    ensure!(levels == [&json!({ "experience": "some" })], "{levels:?}");
    Ok(())
}

async fn no_form_again(proxy: &Proxy, browser: &Browser) -> Result<()> {
    open(proxy, browser, STUDY).await?;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let seen = "return [...document.querySelectorAll('article, .site-header, .boot-wait')]
        .map(it => [it.localName, it.getClientRects().length > 0])";
    let seen = browser.look(seen, vec![]).await?;
    let expected = json!([["header", false], ["article", false], ["p", true]]);
    ensure!(seen == expected, "{seen}");
    proxy.hold(None);
    let screen = wait::until("the session", PATIENCE, async || {
        let screen = browser.screen().await?;
        Ok((!screen.is_empty() && screen != "loading").then_some(screen))
    })
    .await?;
    ensure!(screen != "study", "the form was shown again");
    Ok(())
}

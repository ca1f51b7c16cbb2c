//! Weights come over the network once: a reload, a second session and a second visit find them
//! in the browser, and a damaged copy is replaced.

use std::sync::LazyLock;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tempfile::TempDir;
use tests::browser::{Browser, PATIENCE};
use tests::pages::{Hand, QuestionPage, StageIntro, StudyPage};
use tests::proxy::Proxy;
use tests::server::{Server, change};
use tests::solver::DialControl;
use tests::wait;

const STUDY: &str = "quickstart";

/// Where the weights of the study's first model lie.
static WEIGHTS: LazyLock<String> = LazyLock::new(|| {
    let zoo = models::Zoo::shipped().unwrap();
    let bundle = zoo.get("sinelines-ae5").unwrap();
    api::routes::bundle_weights(bundle.fingerprint())
});

#[tokio::test]
async fn weights_are_fetched_once_and_a_damaged_copy_is_replaced() -> Result<()> {
    wait::at_most(Duration::from_secs(300), once()).await
}

/// A server whose study begins with its first question.
async fn server() -> Result<Server> {
    Server::start_with(|studies| {
        change(studies, STUDY, |study| {
            study["parts"] = json!([{"kind": "stage", "id": "ae", "task": {
                "kind": "reconstruction", "model": "sinelines-ae5", "questions": 5}}]);
        })
    })
    .await
}

async fn once() -> Result<()> {
    let server = server().await?;
    let cable = Proxy::to(server.address()).await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;

    begin(&browser, &cable, STUDY).await?;
    ensure!(cable.asked_for(&WEIGHTS) == 1, "{}", asked(&cable));
    let kept = kept_hash(&browser).await?;

    browser.reload().await?;
    QuestionPage::on_screen(&browser, Hand::Pointer, PATIENCE).await?;
    begin(&browser, &cable, &format!("{STUDY}?participant=B")).await?;
    ensure!(cable.asked_for(&WEIGHTS) == 1, "{}", asked(&cable));

    damage(&browser).await?;
    ensure!(kept_hash(&browser).await? != kept, "nothing is damaged");
    browser.reload().await?;
    let mut question = QuestionPage::on_screen(&browser, Hand::Pointer, PATIENCE).await?;
    question.set(0, 0.4).await?;
    ensure!(cable.asked_for(&WEIGHTS) == 2, "{}", asked(&cable));
    ensure!(
        kept_hash(&browser).await? == kept,
        "the damaged copy was not replaced"
    );
    browser.close().await
}

/// Slow enough that the 170 kB of this model take some seconds.
const SLOW_BYTES_PER_S: f64 = 40_000.0;

#[tokio::test]
async fn a_slow_connection_shows_how_much_has_arrived() -> Result<()> {
    wait::at_most(Duration::from_secs(300), slowly()).await
}

async fn slowly() -> Result<()> {
    let server = server().await?;
    let cable = Proxy::to(server.address()).await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    begin(&browser, &cable, STUDY).await?;
    let ready = "await navigator.serviceWorker.ready; await caches.delete('redial-content')";
    browser.look_async(ready, vec![]).await?;
    browser
        .devtools("Network.clearBrowserCache", json!({}))
        .await?;
    cable.set_speed(SLOW_BYTES_PER_S);
    browser.reload().await?;
    browser.await_screen("loading").await?;
    // Percentages in the order in which the page shows them, until the question is there.
    let seen = browser
        .look_async(
            "const seen = [];
             while (document.querySelector('[data-screen=loading]')) {
               const now = document.querySelector('[data-screen=loading] progress')?.value ?? 0;
               if (now > 0 && now !== seen.at(-1)) seen.push(now);
               await new Promise(requestAnimationFrame);
             }
             return seen;",
            vec![],
        )
        .await?;
    QuestionPage::on_screen(&browser, Hand::Pointer, PATIENCE).await?;
    let seen: Vec<f64> = serde_json::from_value(seen)?;
    println!("per cent shown: {seen:?}");
    ensure!(seen.len() >= 3, "only {seen:?} per cent were shown");
    ensure!(
        seen.is_sorted() && seen.iter().all(|percent| *percent <= 100.0),
        "{seen:?}"
    );
    browser.close().await
}

/// From a study's link to its first question.
async fn begin(browser: &Browser, cable: &Proxy, study: &str) -> Result<()> {
    StudyPage::begin(browser, &cable.address(), study).await?;
    StageIntro(browser).begin().await?;
    QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    Ok(())
}

fn asked(cable: &Proxy) -> String {
    format!(
        "the weights were asked for {} times",
        cable.asked_for(&WEIGHTS)
    )
}

const KEPT: &str = "
    const [part] = args;
    const cache = await caches.open('redial-content');
    const request = (await cache.keys()).find(({ url }) => url.includes(part));
    const bytes = async () => new Uint8Array(await (await cache.match(request)).arrayBuffer());";

/// SHA-256 of the weights that the browser keeps.
async fn kept_hash(browser: &Browser) -> Result<String> {
    let script = format!(
        "{KEPT}
        const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', await bytes()));
        return [...sum].map(byte => byte.toString(16).padStart(2, '0')).join('');"
    );
    let sum = browser.look_async(&script, vec![json!(*WEIGHTS)]).await?;
    Ok(sum.as_str().context("nothing is kept")?.to_owned())
}

/// Turns one bit of the weights that the browser keeps.
async fn damage(browser: &Browser) -> Result<()> {
    let script = format!(
        "{KEPT}
        const damaged = await bytes();
        damaged[damaged.length - 1] ^= 1;
        await cache.put(request, new Response(damaged));"
    );
    browser.look_async(&script, vec![json!(*WEIGHTS)]).await?;
    Ok(())
}

//! A study in several languages, with every task and every named block: German by mouse and
//! keyboard, a right-to-left language by keyboard alone, from the first page to the code, every
//! screen looked at in both sizes, and dark on the laptop; which language somebody gets; and a reload
//! without a network, which keeps it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::audit::Audit;
use tests::browser::Browser;
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, StudyPage};
use tests::scene::{in_browser, in_engine};
use tests::server::Server;
use tests::{wait, whole_study};

const STUDY: &str = whole_study::NAME;

#[tokio::test]
async fn german_from_the_first_page_to_the_code() -> Result<()> {
    taken_in("de", "ltr").await
}

#[tokio::test]
async fn right_to_left_from_the_first_page_to_the_code() -> Result<()> {
    taken_in("ar-XB", "rtl").await
}

#[tokio::test]
#[ignore = "the long run"]
async fn spanish_from_the_first_page_to_the_code() -> Result<()> {
    taken_in("es", "ltr").await
}

#[tokio::test]
async fn the_language_is_chosen_by_the_link_the_study_and_the_browser() -> Result<()> {
    let preferences =
        json!({ "intl.accept_languages": "fr,de-AT,en", "intl.selected_languages": "fr,de-AT,en" });
    let setup = BrowserSetup {
        preferences,
        ..BrowserSetup::default()
    };
    let chromium = (BrowserEngine::Chromium, setup);
    in_engine("language-choice", 300, chromium, server(), choices).await
}

async fn server() -> Result<Server> {
    Server::start_with(|studies| {
        whole_study::add_changed(studies, "whole-first", |study| {
            study["language_choice"] = json!("first");
        })?;
        whole_study::add_to(studies)
    })
    .await
}

async fn taken_in(language: &str, direction: &str) -> Result<()> {
    let name = format!("{STUDY}-{language}");
    let test =
        async |server: &Server, browser: &Browser| take(server, browser, language, direction).await;
    in_browser(&name, 900, server(), test).await
}

async fn take(server: &Server, browser: &Browser, language: &str, direction: &str) -> Result<()> {
    let mut audit = Audit::default();
    let link = format!("{STUDY}?lang={language}");
    let first = StudyPage::open(browser, server.address(), &link).await?;
    speaks(browser, language, direction).await?;
    audit.look(browser, &format!("{language}-consent")).await?;
    first.start().await?;
    browser.await_screen("questionnaire").await?;
    let comprehension = tests::pages::QuestionnairePage(browser);
    comprehension.refused().await?;
    audit.look(browser, &format!("{language}-missing")).await?;

    let look = async |browser: &Browser, screen: &str| {
        speaks(browser, language, direction).await?;
        audit.look(browser, &format!("{language}-{screen}")).await
    };
    let patience = Duration::from_secs(60);
    journey::finish(browser, patience, look).await?;
    Complete(browser).code().await?;
    Complete(browser).records().await?;
    audit.look(browser, &format!("{language}-records")).await?;

    let export = Export::of(server, STUDY)?;
    let sessions = export.table("sessions")?;
    ensure!(sessions[0]["language"] == language, "{}", sessions[0]);
    // The data are the same in every language.
    let answers = export.table("answers")?;
    let of = |item: &str| answers.iter().find(|row| row["item"] == item);
    // The third of four.
    let experience = of("experience").context("an answer to 'experience'")?;
    ensure!(experience["answer_text"] == "often", "{experience}");
    ensure!(
        sessions[0]["consent_language"] == language,
        "{}",
        sessions[0]
    );
    audit.verdict()
}

/// The document says its language and direction, and so do its words.
async fn speaks(browser: &Browser, language: &str, direction: &str) -> Result<()> {
    let said = "const root = document.documentElement; return [root.lang, root.dir || 'ltr']";
    let said = browser.look(said, vec![]).await?;
    ensure!(said == json!([language, direction]), "the page says {said}");
    Ok(())
}

/// Before the app has started there is nobody but the page itself to say what is wrong.
async fn not_started(server: &Server, browser: &Browser) -> Result<()> {
    browser.devtools("Network.enable", json!({})).await?;
    let block = async |urls: serde_json::Value| {
        let blocked = json!({ "urls": urls });
        browser.devtools("Network.setBlockedURLs", blocked).await
    };
    block(json!(["*.wasm"])).await?;
    browser
        .goto(&format!("http://{}/study/{STUDY}", server.address()))
        .await?;
    wait::until("the failed start", Duration::from_secs(30), async || {
        let words = browser.words().await?;
        Ok(words
            .contains("Die Seite ist nicht gestartet")
            .then_some(()))
    })
    .await?;
    let words = browser.words().await?;
    ensure!(
        !words.contains("did not start"),
        "in two languages: {words}"
    );
    block(json!([])).await?;
    Ok(())
}

async fn choices(server: &mut Server, browser: &Browser) -> Result<()> {
    not_started(server, browser).await?;
    for (link, language) in [
        (STUDY, "de"),
        ("whole?lang=es", "es"),
        ("whole?lang=fr", "de"),
        ("whole-first", "en"),
        ("whole-first?lang=de", "de"),
        // In English alone.
        ("exploration-demo", "en"),
    ] {
        StudyPage::open(browser, server.address(), link).await?;
        speaks(browser, language, "ltr").await?;
    }
    // A menu offers the others; the session keeps the language it was started in.
    StudyPage::open(browser, server.address(), "whole?participant=P7").await?;
    browser.click("language-es").await?;
    wait::until("Spanish", Duration::from_secs(20), async || {
        let words = browser.words().await?;
        Ok(words.contains("Todos los tipos de preguntas").then_some(()))
    })
    .await?;
    let (address, _) = browser.address().await?;
    ensure!(
        address.contains("participant=P7"),
        "the link lost its code: {address}"
    );
    StudyPage::begin(browser, server.address(), "whole?participant=P7&lang=es").await?;
    browser.await_save_state("saved").await?;
    let words = browser.words().await?;
    ensure!(words.contains("¿Lo hemos explicado bien?"), "{words}");
    browser
        .goto(&format!(
            "http://{}/study/whole?participant=P7",
            server.address()
        ))
        .await?;
    browser.await_screen("questionnaire").await?;
    speaks(browser, "es", "ltr").await?;

    let ready = "return navigator.serviceWorker?.ready.then(() => true)";
    ensure!(browser.look_async(ready, vec![]).await? == json!(true));
    server.kill()?;
    browser.reload().await?;
    browser.await_screen("questionnaire").await?;
    speaks(browser, "es", "ltr").await?;
    let words = browser.words().await?;
    ensure!(words.contains("¿Lo hemos explicado bien?"), "{words}");
    Ok(())
}

//! A study in several languages, with every task and every named block: German by mouse and
//! keyboard, a right-to-left language by keyboard alone, from the first page to the code, every
//! screen looked at in both sizes, light and dark; which language somebody gets; and a reload
//! without a network, which keeps it.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::audit::Audit;
use tests::browser::Browser;
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, Study};
use tests::server::{Server, add};
use tests::wait;

const STUDY: &str = "languages";

#[tokio::test]
async fn german_from_the_first_page_to_the_code() -> Result<()> {
    wait::at_most(Duration::from_secs(900), taken_in("de", "ltr")).await
}

#[tokio::test]
async fn right_to_left_from_the_first_page_to_the_code() -> Result<()> {
    wait::at_most(Duration::from_secs(900), taken_in("ar-XB", "rtl")).await
}

#[tokio::test]
async fn the_language_is_chosen_by_the_link_the_study_and_the_browser() -> Result<()> {
    wait::at_most(Duration::from_secs(300), chosen()).await
}

/// Every task, every tutorial and every named block.
fn study() -> Value {
    let title = |en: &str, de: &str, es: &str| json!({ "en": en, "de": de, "es": es });
    let circles = json!({ "kind": "reconstruction", "model": "circles", "rename_dials": true,
                          "items": [{ "start": [0, 0], "target": [0.6, 0.3] }] });
    let single = |visualisation: &str| {
        json!({ "kind": "single_dimension", "model": "sinelines-gt5", "visualisation": visualisation,
                "dimensions": [1], "questions_per_dimension": 1 })
    };
    let stage = |id: &str, task: Value| json!({ "kind": "stage", "id": id, "task": task });
    let own = json!({
        "kind": "questionnaire", "id": "own", "title": title("You", "Sie", "Usted"),
        "items": [
            { "id": "pet", "text": title("Which pet?", "Welches Haustier?", "¿Qué mascota?"),
              "answer": { "kind": "choice", "options": [
                { "id": "cat", "text": title("Cat", "Katze", "Gato") },
                { "id": "dog", "text": title("Dog", "Hund", "Perro") }] } },
            { "id": "mood", "text": title("How are you?", "Wie geht es Ihnen?", "¿Cómo está?"),
              "answer": { "kind": "slider", "show_value": true, "step": 0.5,
                "min_label": title("Bad", "Schlecht", "Mal"),
                "max_label": title("Good", "Gut", "Bien") } },
            { "id": "order", "text": title("What matters?", "Was zählt?", "¿Qué cuenta?"),
              "answer": { "kind": "ranking", "options": [
                { "id": "fast", "text": title("Speed", "Geschwindigkeit", "Velocidad") },
                { "id": "clear", "text": title("Clarity", "Verständlichkeit", "Claridad") }] } }]
    });
    let mut parts = vec![
        json!({ "kind": "tutorial", "task": "reconstruction" }),
        json!({ "kind": "stage", "id": "practice", "practice": true, "task": circles.clone() }),
        stage("circles", circles),
        json!({ "kind": "break", "id": "rest" }),
        json!({ "kind": "tutorial", "task": "single_dimension" }),
        stage("rows", single("traversals")),
        stage("groups", single("exemplars")),
        stage(
            "play",
            json!({ "kind": "exploration", "model": "sinelines-gt5" }),
        ),
        own,
    ];
    let blocks = [
        "seq",
        "nasa-tlx",
        "sus",
        "strategy",
        "demographics",
        "comments",
    ];
    parts.extend(blocks.map(|block| json!({ "block": block })));
    json!({
        "format": 2, "id": STUDY, "languages": ["en", "de", "es"], "at_end": "everything",
        "title": title("In your language", "In Ihrer Sprache", "En su idioma"),
        "parts": parts
    })
}

async fn server() -> Result<Server> {
    Server::start_with(|studies| {
        let mut first = study();
        first["id"] = json!("languages-first");
        first["language_choice"] = json!("first");
        add(studies, &first)?;
        add(studies, &study())
    })
    .await
}

async fn taken_in(language: &str, direction: &str) -> Result<()> {
    let server = server().await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    let result = take(&server, &browser, language, direction).await;
    if result.is_err() {
        println!("the server said:\n{}", server.log());
    }
    browser.finish(&format!("{STUDY}-{language}"), result).await
}

async fn take(server: &Server, browser: &Browser, language: &str, direction: &str) -> Result<()> {
    let mut audit = Audit::default();
    // Consent, and comprehension questions that are answered wrongly.
    let link = format!("instruments?lang={language}");
    let first = Study::open(browser, server.address(), &link).await?;
    speaks(browser, language, direction).await?;
    audit.look(browser, &format!("{language}-consent")).await?;
    first.start().await?;
    browser.await_screen("questionnaire").await?;
    let comprehension = tests::pages::Questionnaire(browser);
    comprehension.refused().await?;
    audit.look(browser, &format!("{language}-missing")).await?;

    let link = format!("{STUDY}?lang={language}");
    let first = Study::open(browser, server.address(), &link).await?;
    first.start().await?;
    let look = async |browser: &Browser, screen: &str| {
        speaks(browser, language, direction).await?;
        audit.look(browser, &format!("{language}-{screen}")).await
    };
    let patience = Duration::from_secs(60);
    if direction == "rtl" {
        journey::finish_by_keyboard(browser, patience, look).await?;
    } else {
        journey::finish(browser, patience, look).await?;
    }
    Complete(browser).code().await?;
    Complete(browser).records().await?;
    audit.look(browser, &format!("{language}-records")).await?;

    let export = Export::of(server, STUDY)?;
    let sessions = export.table("sessions")?;
    ensure!(sessions[0]["language"] == language, "{}", sessions[0]);
    // The data are the same in every language.
    let answers = export.table("answers")?;
    let of = |item: &str| answers.iter().find(|row| row["item"] == item);
    let pet = of("pet").context("an answer to 'pet'")?;
    ensure!(pet["answer_text"] == "dog", "{pet}");
    let questions = export.table("reconstruction_questions")?;
    let by = questions.last().map(|row| row["input_modality"].clone());
    let expected = if direction == "rtl" {
        "keyboard"
    } else {
        "mouse"
    };
    ensure!(by == Some(json!(expected)), "moved by {by:?}");
    let consents = Export::of(server, "instruments")?.table("sessions")?;
    ensure!(
        consents[0]["consent_language"] == language,
        "{}",
        consents[0]
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

async fn chosen() -> Result<()> {
    let mut server = server().await?;
    let profile = TempDir::new()?;
    let preferences =
        json!({ "intl.accept_languages": "fr,de-AT,en", "intl.selected_languages": "fr,de-AT,en" });
    let browser = Browser::open_with(profile.path(), preferences).await?;
    let result = choices(&mut server, &browser).await;
    browser.finish("language-choice", result).await
}

async fn choices(server: &mut Server, browser: &Browser) -> Result<()> {
    for (link, language) in [
        (STUDY, "de"),
        ("languages?lang=es", "es"),
        ("languages?lang=fr", "de"),
        ("languages-first", "en"),
        ("languages-first?lang=de", "de"),
        // In English alone.
        ("exploration-demo", "en"),
    ] {
        Study::open(browser, server.address(), link).await?;
        speaks(browser, language, "ltr").await?;
    }
    // A menu offers the others; the session keeps the language it was started in.
    Study::open(browser, server.address(), "languages?participant=P7").await?;
    browser.click("language-es").await?;
    wait::until("Spanish", Duration::from_secs(20), async || {
        let words = browser.words().await?;
        Ok(words.contains("En su idioma").then_some(()))
    })
    .await?;
    let (address, _) = browser.address().await?;
    ensure!(
        address.contains("participant=P7"),
        "the link lost its code: {address}"
    );
    Study::open(
        browser,
        server.address(),
        "languages?participant=P7&lang=es",
    )
    .await?
    .start()
    .await?;
    browser.await_save_state("saved").await?;
    let words = browser.words().await?;
    ensure!(words.contains("Los controles cambian la imagen"), "{words}");
    browser
        .goto(&format!(
            "http://{}/study/languages?participant=P7",
            server.address()
        ))
        .await?;
    browser.await_screen("tutorial").await?;
    speaks(browser, "es", "ltr").await?;

    let ready = "return navigator.serviceWorker?.ready.then(() => true)";
    ensure!(browser.look_async(ready, vec![]).await? == json!(true));
    server.kill()?;
    browser.reload().await?;
    browser.await_screen("tutorial").await?;
    speaks(browser, "es", "ltr").await?;
    let words = browser.words().await?;
    ensure!(words.contains("Los controles cambian la imagen"), "{words}");
    Ok(())
}

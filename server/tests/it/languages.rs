//! Which language a study and a session come in.

use api::{SessionStarted, StudyInfo, StudyList, routes};
use axum::body::Body;
use axum::http::Request;
use domain::questionnaire::Questionnaire;
use domain::session::plan::{PartPlan, SessionPlan};
use serde_json::{Value, json};

use crate::app::{App, STUDY, Setup};

fn setup() -> Setup {
    let study = json!({
        "format": 2, "id": STUDY, "seed": 3, "languages": ["en", "de"],
        "title": { "en": "Pets", "de": "Haustiere" },
        "parts": [
            { "kind": "questionnaire", "id": "pets", "title": { "en": "Pets", "de": "Haustiere" }, "items": [
                { "id": "pet", "text": { "en": "Which?", "de": "Welches?" }, "answer": {
                    "kind": "choice", "random_order": true, "options": [
                        { "id": "cat", "text": { "en": "Cat", "de": "Katze" } },
                        { "id": "dog", "text": { "en": "Dog", "de": "Hund" } },
                        { "id": "yak", "text": { "*": "Yak" } }] } }] },
            { "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "sinelines-gt5" } },
            { "kind": "difficulty" }
        ]
    });
    Setup::of(study)
}

/// The study's title for a query and the languages of a browser.
async fn title(app: &App, query: &str, browser: &str) -> (String, String) {
    let request = Request::get(format!("{}{query}", routes::study(STUDY)))
        .header("accept-language", browser)
        .body(Body::empty())
        .unwrap();
    let info: StudyInfo = app.send(request).await.json();
    assert_eq!(info.languages, ["en", "de"]);
    (info.language, info.title)
}

#[tokio::test]
async fn the_first_page_is_in_the_language_of_the_link_or_of_the_browser() {
    let app = App::with(setup()).await;
    for (query, browser, language, expected) in [
        ("", "", "en", "Pets"),
        ("", "fr,de-AT;q=0.5,en;q=0.4", "de", "Haustiere"),
        ("?lang=de", "en", "de", "Haustiere"),
        ("?lang=es", "de", "de", "Haustiere"),
        ("?lang=%ff&lang=x", "en", "en", "Pets"),
        ("?lang=ar-XB", "en", "ar-XB", "\u{202e}Pets\u{202c}"),
        // The test language is for links alone.
        ("", "ar-XB,de", "en", "Pets"),
    ] {
        let found = title(&app, query, browser).await;
        assert_eq!(
            found,
            (language.into(), expected.into()),
            "{query} {browser}"
        );
    }
    let list: StudyList = app
        .get(&format!("{}?lang=de", routes::STUDIES))
        .await
        .json();
    assert_eq!(
        (list.language.as_str(), list.studies[0].title.as_str()),
        ("de", "Haustiere")
    );
}

async fn started(app: &App, attempt: &str, language: Value) -> SessionPlan {
    let path = routes::study_sessions(STUDY);
    let request = json!({ "attempt": attempt, "language": language });
    let answer = app.post(&path, None, request).await;
    answer.json::<SessionStarted>().plan
}

fn pages(plan: &SessionPlan) -> Vec<&Questionnaire> {
    let parts = plan.parts.iter();
    parts
        .filter_map(|part| match part {
            PartPlan::Questionnaire { questionnaire, .. } => Some(questionnaire),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn a_session_is_drawn_in_its_language_and_is_the_same_otherwise() {
    let (english, german) = (App::with(setup()).await, App::with(setup()).await);
    let english = started(&english, "0123456789-english", Value::Null).await;
    let german = started(&german, "0123456789-german", json!("de")).await;
    assert_eq!(
        (english.language.as_str(), german.language.as_str()),
        ("en", "de")
    );
    let (in_english, in_german) = (pages(&english), pages(&german));
    assert_eq!(in_german[0].title, "Haustiere");
    assert_eq!(in_german[1].title, "Wie war das?");
    for (english, german) in in_english.iter().zip(&in_german) {
        let order = |page: &Questionnaire| json!(page.items[0].answer.shown_order());
        assert_eq!(order(english), order(german));
        assert_ne!(english.items[0].text, german.items[0].text);
    }
    assert_eq!(english.stages, german.stages);
}

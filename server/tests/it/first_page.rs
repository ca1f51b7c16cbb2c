//! The first page of a study as HTML, before there is an app.

use axum::body::Body;
use axum::http::Request;
use serde_json::json;

use crate::app::{App, STUDY, Setup, study_with};

/// The parts of `static/index.html` that the server changes.
const PAGE: &str = r#"<html lang="en" data-boot="en de"><title>Redial</title><link href="/a.css"><body><main id="boot" class="boot"><strong id="boot-contact" translate="no"></strong></main>"#;

async fn with_page(setup: Setup) -> App {
    // What the server looks for is in the page that ships.
    let shipped = include_str!("../../../static/index.html");
    for part in [
        "<title>Redial",
        "<main id=\"boot\" class=\"boot\"",
        "<html lang=\"en\"",
    ] {
        assert!(shipped.contains(part) && PAGE.contains(part), "{part}");
    }
    let app = App::with(setup).await;
    let dist = app.folder.path().join("dist");
    std::fs::create_dir_all(&dist).unwrap();
    std::fs::write(dist.join("index.html"), PAGE).unwrap();
    app
}

fn in_two_languages() -> Setup {
    Setup::of(study_with(json!({
        "languages": ["en", "de"],
        "title": { "en": "Pets <b>", "de": "Haustiere <b>" },
        "summary": { "*": "what nobody may know" },
        "parts": [
            { "kind": "consent", "file": "consent.md", "investigator": { "*": "I & J" }, "contact": { "*": "C\"" },
              "duration_minutes": 1 },
            { "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "sinelines-gt5" } }
        ]
    })))
}

/// The page in the languages of a browser.
async fn page(app: &App, path: &str, browser: &str) -> String {
    let request = Request::get(path).header("accept-language", browser);
    let answer = app.send(request.body(Body::empty()).unwrap()).await;
    let varies = answer.headers.get_all("vary").iter();
    assert!(
        varies.into_iter().any(|by| by == "accept-language"),
        "{path}"
    );
    assert_eq!(answer.headers["cache-control"], "no-cache");
    answer.text()
}

#[tokio::test]
async fn the_form_is_in_the_page_in_the_language_of_the_link_or_of_the_browser() {
    let app = with_page(in_two_languages()).await;
    for (query, browser, language, direction, title, agree) in [
        ("", "en", "en", "ltr", "Pets", "I agree, start"),
        (
            "",
            "fr,de-AT;q=0.5",
            "de",
            "ltr",
            "Haustiere",
            "Einverstanden, beginnen",
        ),
        (
            "?lang=de&participant=P",
            "en",
            "de",
            "ltr",
            "Haustiere",
            "Einverstanden, beginnen",
        ),
        (
            "?lang=ar-XB",
            "en",
            "ar-XB",
            "rtl",
            "\u{202e}Pets\u{202c}",
            "\u{202e}agree\u{202c}",
        ),
    ] {
        let html = page(&app, &format!("/study/{STUDY}{query}"), browser).await;
        let spoken = format!(
            r#"<html lang="{language}" dir="{direction}" data-spoken="{language}" data-boot="en de">"#
        );
        for expected in [
            &*spoken,
            &format!(r#"<h1 tabindex="-1">{title} &lt;b&gt;"#),
            agree,
            "&amp;",
        ] {
            assert!(
                html.contains(expected),
                "{query} {browser}: no {expected} in {html}"
            );
        }
    }
    let html = page(&app, &format!("/study/{STUDY}?participant=P&lang=en"), "en").await;
    assert!(
        html.contains("<title>Pets &lt;b&gt; – Redial</title>"),
        "{html}"
    );
    assert!(
        html.contains(r#"href="?participant=P&amp;lang=de""#),
        "{html}"
    );
    assert!(
        html.contains(r#"translate="no">C&quot;</strong>"#),
        "whom to ask: {html}"
    );
}

#[tokio::test]
async fn what_an_author_wrote_is_no_markup_and_nothing_is_told_that_the_page_does_not_show() {
    let app = with_page(in_two_languages()).await;
    let html = page(&app, &format!("/study/{STUDY}?x=%22%3E%3Cscript%3E"), "en").await;
    assert!(!html.contains("<script"), "{html}");
    assert!(
        html.contains("Consent &lt;script&gt;alert(1)&lt;/script&gt;"),
        "{html}"
    );
    assert_eq!(
        html.matches("alert(1)").count(),
        1,
        "the form is there once"
    );
    assert!(!html.contains("what nobody may know"), "{html}");
}

#[tokio::test]
async fn a_study_without_consent_shows_its_title_and_a_page_without_a_study_nothing() {
    let study = study_with(json!({ "title": "Free", "parts": [
        { "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "sinelines-gt5" } }
    ] }));
    let app = with_page(Setup::of(study)).await;
    let html = page(&app, &format!("/study/{STUDY}"), "en").await;
    for expected in [
        r#"<h1 tabindex="-1">Free</h1>"#,
        ">Start</button>",
        r#"class="boot first-page""#,
    ] {
        assert!(html.contains(expected), "no {expected} in {html}");
    }
    assert!(!html.contains("consent-heading"), "{html}");
    for without in ["/", "/study/none"] {
        assert_eq!(app.get(without).await.text(), PAGE, "{without}");
    }
}

#[tokio::test]
async fn who_cannot_start_reads_why() {
    let study = study_with(json!({
        "recruitment": [{ "platform": "prolific", "codes": { "COMPLETED": "C1", "NO_CONSENT": "C2" } }]
    }));
    let app = with_page(Setup::of(study)).await;
    let html = page(&app, &format!("/study/{STUDY}"), "en").await;
    assert!(
        html.contains("Please open this study from Prolific."),
        "{html}"
    );
    let link = "PROLIFIC_PID=5f0000000000000000000001&STUDY_ID=5f0000000000000000000002&SESSION_ID=5f0000000000000000000003";
    let html = page(&app, &format!("/study/{STUDY}?{link}"), "en").await;
    assert!(!html.contains("Please open this study from"), "{html}");
}

#[tokio::test]
async fn the_form_lies_below_the_base_path_as_it_is() {
    let mut app = with_page(in_two_languages()).await;
    app.state.base = "/redial/".parse().unwrap();
    app.router = server::http::router(app.state.clone());
    let html = page(&app, &format!("/redial/study/{STUDY}"), "de").await;
    assert!(
        html.starts_with(r#"<html data-base="/redial" lang="de" dir="ltr" data-spoken="de""#),
        "{html}"
    );
    assert!(
        html.contains(r#"href="/redial/a.css""#) && html.contains("Haustiere"),
        "{html}"
    );
}

#[tokio::test]
async fn the_page_is_compressed_for_those_who_want_it() {
    let app = with_page(in_two_languages()).await;
    let request = Request::get(format!("/study/{STUDY}")).header("accept-encoding", "br");
    let answer = app.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.headers["content-encoding"], "br");
}

use domain::questionnaire::{ChoiceOption, Item, ItemKind};
use domain::study::Agreement;

use super::*;

fn info() -> StudyInfo {
    let consent = ConsentInfo {
        investigator: "Dr <b>Ada</b>".to_owned(),
        contact: "a\"b@example.org".to_owned(),
        duration_minutes: 1,
        pay: Some("5 & more".to_owned()),
        version: None,
        protocol: None,
        agree: Agreement::Signature,
        at_least_s: 0.0,
        text_sha256: String::new(),
        text_html: "<p>Made by the server</p>".to_owned(),
    };
    StudyInfo {
        id: "study".to_owned(),
        language: "de".to_owned(),
        languages: vec!["en".to_owned(), "de".to_owned()],
        title: "Ein <i>Titel</i>".to_owned(),
        summary: Some("what participants must not know".to_owned()),
        stages: Default::default(),
        questions: Default::default(),
        models: Vec::new(),
        consent: Some(consent),
        questions_before: Vec::new(),
        arrival: ArrivalInfo::default(),
    }
}

#[test]
fn what_an_author_wrote_is_text() {
    let words = Texts::of("de");
    let page = waiting(&info(), words, "?participant=P&lang=x&a=\"><script>");
    let whole = [&*page.header, &page.screen].concat();
    for expected in [
        "Ein &lt;i&gt;Titel&lt;/i&gt;",
        "Dr &lt;b&gt;Ada&lt;/b&gt;",
        "href=\"mailto:a&quot;b@example.org\"",
        "5 &amp; more",
        "<p>Made by the server</p>",
        "Etwa 1 Minute",
        "Einverstanden, beginnen",
        "href=\"?participant=P&amp;a=&quot;&gt;&lt;script&gt;&amp;lang=en\"",
    ] {
        assert!(whole.contains(expected), "no {expected} in {whole}");
    }
    assert!(!whole.contains("must not know"), "the summary is for lists");
    assert!(!whole.contains("<script"), "{whole}");
}

#[test]
fn a_door_that_is_closed_says_why_first_and_asks_for_nothing() {
    let mut info = info();
    info.arrival.door = Admission::Closed;
    info.arrival.platforms = vec!["<Prolific>".to_owned()];
    let page = waiting(&info, Texts::of("en"), "").screen;
    let why = page.find("from &lt;Prolific&gt;").unwrap();
    assert!(why < page.find("Made by the server").unwrap());
    assert!(!page.contains("signature") && !page.contains("Loading"));
}

#[test]
fn a_query_asks_for_one_language() {
    for (query, expected) in [
        ("", "?lang=de"),
        ("?lang=en", "?lang=de"),
        ("?PID=1&lang=en&x=%20y", "?PID=1&x=%20y&lang=de"),
        ("?language=1&&lang", "?language=1&lang=de"),
    ] {
        assert_eq!(query_in(query, "de"), expected, "{query}");
    }
}

#[test]
fn what_is_asked_before_the_start_can_be_read_before_the_app_is_there() {
    let mut info = info();
    let options = vec![
        ChoiceOption::plain("some", "<Yes>"),
        ChoiceOption::plain("none", "No"),
    ];
    info.questions_before = vec![Item::required(
        "experience",
        "Have you…?",
        ItemKind::one_of(options),
    )];
    let page = waiting(&info, Texts::of("en"), "").screen;
    assert!(page.contains("<legend>Have you…?</legend>"), "{page}");
    assert!(page.contains("<span>&lt;Yes&gt;</span>"), "{page}");
    assert_eq!(page.matches("type=\"radio\" disabled").count(), 2, "{page}");
    info.arrival.door = Admission::Closed;
    let page = waiting(&info, Texts::of("en"), "").screen;
    assert!(
        !page.contains("Have you"),
        "who cannot start is asked nothing"
    );
}

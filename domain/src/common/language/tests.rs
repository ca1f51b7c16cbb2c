use super::*;

const EN_DE: [&str; 2] = ["en", "de"];

#[test]
fn the_first_language_wanted_that_is_offered_is_the_best() {
    for (wanted, offered, found) in [
        (&["de"][..], &EN_DE[..], Some("de")),
        (&["de-AT", "en"], &EN_DE, Some("de")),
        (&["DE-at-1996"], &EN_DE, Some("de")),
        (&["fr", "en-GB"], &EN_DE, Some("en")),
        (&["fr"], &EN_DE, None),
        (&["pt"], &["en", "pt-BR"], Some("pt-BR")),
        (&["pt-PT"], &["pt-BR"], Some("pt-BR")),
        (&["ar-xb"], &EN_DE, Some(PSEUDO)),
        (&[], &EN_DE, None),
        // "den" is a language of its own.
        (&["den"], &EN_DE, None),
    ] {
        assert_eq!(best(wanted, offered), found, "{wanted:?}");
    }
}

fn each(texts: &[(&str, &str)]) -> LocalText {
    let texts = texts
        .iter()
        .map(|(tag, text)| ((*tag).into(), (*text).into()));
    LocalText::Each(texts.collect())
}

#[test]
fn a_text_is_read_in_the_language_wanted_else_in_the_studys_first() {
    let say = |text: &LocalText, language| {
        text.spoken(Spoken {
            language,
            first: "en",
        })
    };
    let age = each(&[("en", "Age"), ("de", "Alter")]);
    assert_eq!(say(&age, "de"), "Alter");
    assert_eq!(say(&age, "es"), "Age");
    assert_eq!(say(&"Age".into(), "de"), "Age");
    assert_eq!(say(&each(&[("de", "Alter")]), "es"), "Alter");
    assert_eq!(say(&each(&[("*", "a@b.org")]), "es"), "a@b.org");
    assert_eq!(say(&each(&[]), "es"), "");
    let reversed = "\u{202e}Age\u{202c}";
    assert_eq!(say(&age, PSEUDO), reversed);
    assert_eq!(say(&each(&[("*", "Age")]), PSEUDO), reversed);
}

#[test]
fn a_text_without_a_language_is_in_the_first_one_alone_unless_it_has_no_words() {
    let missing = |text: &LocalText, language| !text.is_in(language, "en");
    assert!(!missing(&"Age".into(), "en"));
    assert!(missing(&"Age".into(), "de"));
    assert!(!missing(&"1–5".into(), "de"));
    assert!(!missing(&each(&[("*", "Age")]), "de"));
    assert!(missing(&each(&[("en", "Age")]), "de"));
}

#[test]
fn the_test_language_leaves_markup_and_placeholders_alone() {
    assert_eq!(
        pseudo("<p class=\"a\">It’s {count} &amp; 3</p>"),
        "<p class=\"a\">\u{202e}It’s\u{202c} {count} &amp; 3</p>"
    );
    assert_eq!(
        pseudo("a & b; <"),
        "\u{202e}a\u{202c} & \u{202e}b\u{202c}; <"
    );
    assert_eq!(pseudo(""), "");
}

#[test]
fn files_have_the_language_before_their_end() {
    let in_german = |file| {
        file_in(
            file,
            Spoken {
                language: "de",
                first: "en",
            },
        )
    };
    assert_eq!(in_german("consent.md"), "consent.de.md");
    assert_eq!(in_german("consent"), "consent.de");
    let first = Spoken {
        language: "en",
        first: "en",
    };
    assert_eq!(file_in("consent.md", first), "consent.md");
}

#[test]
fn a_text_reads_as_words_or_as_words_by_language() {
    let read = |json: &str| serde_json::from_str::<LocalText>(json);
    assert_eq!(read("\"Age\"").unwrap(), "Age".into());
    assert_eq!(read(r#"{"de":"Alter"}"#).unwrap(), each(&[("de", "Alter")]));
    assert!(read("3").is_err());
}

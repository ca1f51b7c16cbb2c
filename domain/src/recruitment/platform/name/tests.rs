use super::*;

fn parsed(text: &str) -> Result<String, NameFault> {
    ParticipantName::parse(text).map(String::from)
}

#[test]
fn names_of_platforms_and_codes_of_researchers_are_taken() {
    for name in [
        // Prolific, Mechanical Turk, Connect, SONA, as their documentation shows them.
        "5f0a1b2c3d4e5f6a7b8c9d0e",
        "A1B2C3D4E5F6G7",
        "3ZAK8W07I4EBC2D1F0G9H8J7K6L5M4",
        "0A1B2C3D4E5F60718293A4B5C6D7E8F9",
        "98765",
        "P07",
        "Zoë 2+",
        "anna@example.org",
        "lab/2, seat #4 (left)",
        "QUJD==",
        "NA",
        "Null, Ada",
        "参加者7",
        "0",
        "simulated-1-2-random",
    ] {
        assert_eq!(parsed(name).as_deref(), Ok(name));
    }
    assert_eq!(parsed(&"x".repeat(MAX_NAME)).unwrap().len(), MAX_NAME);
}

#[test]
fn a_name_is_the_same_in_every_form_of_unicode() {
    // python3 -c 'import unicodedata as u; print(*map(ascii, (u.normalize(f, "Zoë Ｐ０７") for f in
    // ("NFC", "NFD", "NFKC", "NFKD"))))'
    for text in [
        "Zo\u{eb} \u{ff30}\u{ff10}\u{ff17}",
        "Zoe\u{308} \u{ff30}\u{ff10}\u{ff17}",
        "Zo\u{eb} P07",
        "Zoe\u{308} P07",
    ] {
        assert_eq!(parsed(text).as_deref(), Ok("Zo\u{eb} P07"), "{text:?}");
    }
    assert_eq!(
        parsed("\u{3000}P07\u{a0}").as_deref(),
        Ok("P07"),
        "wide spaces around it"
    );
}

#[test]
fn what_everybody_would_come_with_names_nobody() {
    use NameFault::{NoValue, Placeholder, Start};
    for (text, why) in [
        // Prolific, SONA, Qualtrics, Gorilla, Connect, MTurk, a shell, a template of a program's.
        ("{{%PROLIFIC_PID%}}", Placeholder),
        ("{{%25PROLIFIC_PID%25}}", Placeholder),
        ("%7B%7B%25PROLIFIC_PID%25%7D%7D", Placeholder),
        ("{{PROLIFIC_PID}}", Placeholder),
        ("%SURVEY_CODE%", Placeholder),
        ("${e://Field/ResponseID}", Placeholder),
        ("[PARTICIPANT]", Placeholder),
        ("<your id>", Placeholder),
        ("$PID", Placeholder),
        ("P-${n}", Placeholder),
        ("[object Object]", Placeholder),
        // The same in wide letters, which look like it.
        (
            "\u{ff5b}\u{ff5b}\u{ff05}PROLIFIC_PID\u{ff05}\u{ff5d}\u{ff5d}",
            Placeholder,
        ),
        ("PROLIFIC_PID", Placeholder),
        ("prolific-pid", Placeholder),
        ("workerId", Placeholder),
        ("participant", Placeholder),
        ("SURVEY_CODE", Placeholder),
        ("ASSIGNMENT_ID_NOT_AVAILABLE", Placeholder),
        ("undefined", NoValue),
        ("Undefined", NoValue),
        ("P-undefined", NoValue),
        (
            "\u{ff55}\u{ff4e}\u{ff44}\u{ff45}\u{ff46}\u{ff49}\u{ff4e}\u{ff45}\u{ff44}",
            NoValue,
        ),
        ("null", NoValue),
        ("NULL", NoValue),
        ("NaN", NoValue),
        ("None", NoValue),
        ("n/a", NoValue),
        ("false", NoValue),
        ("(null)", Start),
        ("__PROLIFIC_PID__", Start),
        ("=1+1", Start),
        ("-1", Start),
        ("@x", Start),
    ] {
        assert_eq!(parsed(text), Err(why), "{text}");
    }
}

#[test]
fn what_is_not_seen_names_nobody_nor_does_nothing_or_too_much() {
    for text in ["", " ", "\u{3000}\t", "\u{2003}"] {
        assert_eq!(parsed(text), Err(NameFault::Empty), "{text:?}");
    }
    for unseen in [
        '\0',
        '\u{7}',
        '\n',
        '\u{7f}',
        '\u{85}',
        '\u{ad}',
        '\u{34f}',
        '\u{61c}',
        '\u{1160}',
        '\u{180e}',
        '\u{200b}',
        '\u{200d}',
        '\u{200e}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{3164}',
        '\u{fe0f}',
        '\u{feff}',
        '\u{e0041}',
    ] {
        let found = parsed(&format!("P{unseen}7"));
        assert!(
            matches!(found, Err(NameFault::Invisible(_))),
            "{unseen:?}: {found:?}"
        );
    }
    for other in [
        '\u{fffd}', '\u{2028}', '\u{2800}', '\u{e000}', '\u{fdd0}', '"', '\\', '|', '–', '😀',
    ] {
        assert_eq!(
            parsed(&format!("P{other}7")),
            Err(NameFault::Character(other)),
            "{other:?}"
        );
    }
    for length in [MAX_NAME + 1, 512, 100_000] {
        assert_eq!(
            parsed(&"x".repeat(length)),
            Err(NameFault::TooLong),
            "{length}"
        );
    }
    // One character of 18 letters.
    assert_eq!(parsed(&"\u{fdfa}".repeat(6)), Err(NameFault::TooLong));
}

#[test]
fn a_fault_says_what_to_look_for() {
    let said = ParticipantName::parse("P\u{200b}7")
        .unwrap_err()
        .to_string();
    assert!(said.contains("U+200B"), "{said}");
    let said = NameFault::Placeholder.to_string();
    assert!(said.contains("{{%PROLIFIC_PID%}}"), "{said}");
}

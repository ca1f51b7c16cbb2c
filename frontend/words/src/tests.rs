use super::*;
use domain::common::language::{OF_THE_APP, PSEUDO, pseudo};
use serde_json::Value;
use std::collections::BTreeSet;

/// Words of the researcher's area, which lie beside those of participants.
const RESEARCH: &str = "research";

/// Every file of texts by its language.
fn files() -> Vec<(String, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../text");
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|file| {
        let path = file.unwrap().path();
        let language = path.file_stem().unwrap().to_string_lossy().into_owned();
        let file = serde_json::from_str(&std::fs::read_to_string(path).unwrap());
        (language, file.unwrap())
    });
    files.filter(|(name, _)| name != RESEARCH).collect()
}

#[test]
fn there_is_a_file_for_each_language_and_no_other() {
    let found: BTreeSet<String> = files().into_iter().map(|(language, _)| language).collect();
    let tags = OF_THE_APP.map(|(tag, _)| tag);
    let expected = tags.into_iter().chain([PSEUDO]).map(str::to_owned);
    assert_eq!(found, expected.collect());
}

#[test]
fn every_text_is_there_in_every_language_with_exactly_its_placeholders() {
    for (language, file) in files() {
        let wrong = listed::wrong_in(&file, LISTED);
        assert!(wrong.is_empty(), "{language}: {}", wrong.join("\n"));
    }
}

/// The categories that whole numbers take in each language: CLDR 46, plural rules.
#[test]
fn plural_forms_are_those_of_the_language() {
    for (language, file) in files() {
        let expected = match language.as_str() {
            "es" => &["many", "one", "other"][..],
            // The test language has the forms of the English words it is made of.
            "en" | "de" | PSEUDO => &["one", "other"],
            other => panic!("which forms does {other} have?"),
        };
        let minutes = file["study"]["minutes"].as_object().unwrap();
        let found: BTreeSet<&str> = minutes.keys().map(String::as_str).collect();
        assert_eq!(found, expected.iter().copied().collect(), "{language}");
    }
}

/// With `REDIAL_WRITE_TEXTS` set, the file is written:
/// `REDIAL_WRITE_TEXTS=1 cargo test -p words the_test_language`.
#[test]
fn the_test_language_is_made_from_english() {
    fn pseudo_of(value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let fields = map
                    .iter()
                    .map(|(key, value)| (key.clone(), pseudo_of(value)));
                Value::Object(fields.collect())
            }
            Value::String(text) => Value::String(pseudo(text)),
            other => other.clone(),
        }
    }
    let english: Value = serde_json::from_str(IN_ENGLISH).unwrap();
    let expected = pseudo_of(&english);
    if std::env::var_os("REDIAL_WRITE_TEXTS").is_some() {
        let path = format!("{}/../text/{PSEUDO}.json", env!("CARGO_MANIFEST_DIR"));
        let text = serde_json::to_string_pretty(&expected).unwrap();
        std::fs::write(path, text + "\n").unwrap();
    }
    let found = files().into_iter().find(|(language, _)| language == PSEUDO);
    assert_eq!(found.unwrap().1, expected, "see the comment of this test");
}

#[test]
fn numbers_and_plurals_follow_the_language() {
    assert_eq!(text().progress.stage(1, 3), "Stage 1 of 3");
    assert_eq!(text().study.minutes(1_usize), "About 1 minute");
    assert_eq!(text().study.minutes(2_usize), "About 2 minutes");
    assert_eq!(text().number(-2.5), "−2.5");
    let german = files().into_iter().find(|(language, _)| language == "de");
    let Some((_, Value::Object(german))) = german else {
        panic!("there is German");
    };
    install("de", german);
    assert_eq!(text().study.minutes(1_usize), "Etwa 1 Minute");
    assert_eq!(text().number(2.5), "2,5");
    install_english();
    assert_eq!(text().language(), "en");
}

//! The study's languages, and the texts that are missing in one of them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{PartsIndex, Problems, design, joined, part};
use crate::common::language::{EVERY_OTHER, LocalText, OF_THE_APP, PSEUDO};
use crate::questionnaire::Questionnaire;
use crate::study::{Consent, Instructions, Part};

/// Checks the study's own texts, and notes its languages, its first one first.
pub(super) fn check(study: &Value, seen: &mut PartsIndex, out: &mut Problems) {
    let declared = part::<Vec<String>>(study.get("languages"));
    for (index, language) in declared.iter().flatten().enumerate() {
        let place = format!("languages[{index}]");
        let earlier = declared.iter().flatten().take(index);
        if !is_known(language) {
            let known: Vec<&str> = OF_THE_APP.iter().map(|(tag, _)| *tag).collect();
            out.add(
                place,
                format!("'{language}'"),
                format!("the app's own texts come in: {}", known.join(", ")),
            );
        } else if earlier.into_iter().any(|before| before == language) {
            out.add(place, format!("'{language}' a second time"), "each once");
        }
    }
    seen.languages = declared
        .filter(|languages| !languages.is_empty())
        .unwrap_or_else(|| vec![crate::common::language::ENGLISH.into()]);
    for field in ["title", "summary"] {
        if let Some(text) = part::<LocalText>(study.get(field)) {
            check_text(&text, field, seen, out);
        }
    }
    for (index, factor) in design::of(study).factors.iter().enumerate() {
        let Some(question) = &factor.question else {
            continue;
        };
        let place = format!("design.factors[{index}].question");
        check_text(&question.text, &format!("{place}.text"), seen, out);
        for (level, text) in &question.answers {
            check_text(text, &format!("{place}.answers.{level}"), seen, out);
        }
    }
}

/// Whether the app's own texts come in a language.
pub(super) fn is_known(language: &str) -> bool {
    OF_THE_APP.iter().any(|(tag, _)| *tag == language)
}

/// Checks the texts of a part.
pub(super) fn check_part(part: &Part, place: &str, seen: &mut PartsIndex, out: &mut Problems) {
    let mut text = |field: &str, text: &LocalText| {
        check_text(text, &joined(place, field), seen, out);
    };
    match part {
        Part::Consent(Consent {
            investigator,
            contact,
            pay,
            ..
        }) => {
            text("investigator", investigator);
            text("contact", contact);
            if let Some(pay) = pay {
                text("pay", pay);
            }
        }
        Part::Instructions(Instructions {
            title: Some(title), ..
        }) => text("title", title),
        Part::Questionnaire(part) => {
            // Made only to go through its texts.
            let _: Questionnaire = part.questionnaire.with_texts(&mut |field, words| {
                text(field, words);
                String::new()
            });
        }
        _ => {}
    }
}

fn check_text(text: &LocalText, place: &str, seen: &mut PartsIndex, out: &mut Problems) {
    let languages = &seen.languages;
    let first = languages.first().map_or("", String::as_str);
    // A text that is missing in an unknown language is not worth telling.
    let missing = languages
        .iter()
        .filter(|l| is_known(l) && !text.is_in(l, first));
    let missing: Vec<&str> = missing.map(String::as_str).collect();
    let missing = missing.join(", ");
    let known = |tag: &str| tag == EVERY_OTHER || tag == PSEUDO || is_known(tag);
    for tag in text.named().filter(|tag| !known(tag)) {
        let languages = languages.join(", ");
        out.add(
            place,
            format!("a text in '{tag}'"),
            format!("the study's languages are: {languages}"),
        );
    }
    if !missing.is_empty() {
        seen.missing_texts.push((place.to_owned(), missing));
    }
}

/// Says which texts are missing: all that lack the same languages at once, at the place of the first.
pub(super) fn report_missing(seen: &PartsIndex, out: &mut Problems) {
    let mut by_languages: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (place, languages) in &seen.missing_texts {
        by_languages.entry(languages).or_default().push(place);
    }
    for (languages, places) in by_languages {
        let found = match &places[1..] {
            [] => format!("no text in: {languages}"),
            [more] => format!("no text in: {languages}, and neither at {more}"),
            more => format!(
                "no text in: {languages}, and neither at {} other places: {}",
                more.len(),
                more.join(", ")
            ),
        };
        out.add(
            places[0],
            found,
            "words in each of the study's languages, { \"en\": …, \"de\": … }; under \"*\" what is the same in every other",
        );
    }
}

//! A study's title, from its files as they are stored.

use domain::language::{ENGLISH, LocalText, Spoken};
use serde_json::Value;

/// The title of a study in its first language, by the first of its files that can be read; else its
/// name. `definitions` are the files with their hashes.
#[must_use]
pub fn title(study: &str, definitions: &[(String, Vec<u8>)]) -> String {
    let found = definitions.iter().find_map(|(_, bytes)| of(bytes));
    found.unwrap_or_else(|| study.to_owned())
}

fn of(file: &[u8]) -> Option<String> {
    let study: Value = serde_json::from_slice(file).ok()?;
    let first = study.pointer("/languages/0").and_then(Value::as_str);
    let first = first.unwrap_or(ENGLISH);
    let title: LocalText = serde_json::from_value(study.get("title")?.clone()).ok()?;
    Some(title.spoken(Spoken {
        language: first,
        first,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_that_of_the_first_language() {
        let file = |json: &str| (String::new(), json.as_bytes().to_vec());
        let plain = file(r#"{"title": "Plain"}"#);
        let spoken = file(r#"{"languages": ["de", "en"], "title": {"en": "New", "de": "Neu"}}"#);
        assert_eq!(title("id", &[spoken, plain.clone()]), "Neu");
        assert_eq!(title("id", &[file("{"), plain]), "Plain");
        assert_eq!(title("id", &[]), "id");
    }
}

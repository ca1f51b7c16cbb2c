//! A study's title, from its files as they are stored.

use domain::study::StoredDefinition;

/// The title of a study in its first language, by the first of its files that can be read; else its
/// name. `definitions` are the files with their hashes.
#[must_use]
pub fn title(study: &str, definitions: &[(String, Vec<u8>)]) -> String {
    let found = definitions
        .iter()
        .find_map(|(_, bytes)| StoredDefinition::read(bytes).ok()?.title());
    found.unwrap_or_else(|| study.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_that_of_the_first_file_that_can_be_read() {
        let file = |json: &str| (String::new(), json.as_bytes().to_vec());
        let titled = file(r#"{"title": "Plain"}"#);
        assert_eq!(title("id", &[file("{"), titled]), "Plain");
        assert_eq!(title("id", &[]), "id");
    }
}

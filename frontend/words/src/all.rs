//! Every language at once, as the server has them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use domain::common::language::{ENGLISH, PSEUDO};

use crate::listed::part_of_app;
use crate::{IN_ENGLISH, Texts};

const FILES: [(&str, &str); 4] = [
    (ENGLISH, IN_ENGLISH),
    ("de", include_str!("../../text/de.json")),
    ("es", include_str!("../../text/es.json")),
    (PSEUDO, include_str!("../../text/ar-XB.json")),
];

static ALL: LazyLock<BTreeMap<&str, Texts>> = LazyLock::new(|| {
    let read = |(language, file)| {
        let words = Texts::new(language, part_of_app(language, file));
        (language, words)
    };
    FILES.into_iter().map(read).collect()
});

impl Texts {
    /// The texts of a language; English where there are none in it.
    #[must_use]
    pub fn of(language: &str) -> &'static Self {
        ALL.get(language).unwrap_or_else(|| &ALL[ENGLISH])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::common::language::OF_THE_APP;

    #[test]
    fn every_language_of_the_app_is_there_and_english_for_others() {
        for tag in OF_THE_APP.map(|(tag, _)| tag).into_iter().chain([PSEUDO]) {
            assert_eq!(Texts::of(tag).language(), tag);
        }
        assert_eq!(Texts::of("fr").language(), ENGLISH);
    }
}

//! Languages: which there are, which one somebody gets, and texts in several of them.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

mod pseudo;

pub use pseudo::pseudo;

/// The language of texts that say no other.
pub const ENGLISH: &str = "en";

/// A right-to-left language made from the study's own words, for tests of the layout. It is on
/// no list: a link has to ask for it.
pub const PSEUDO: &str = "ar-XB";

/// In a text by language: in every language that is not named.
pub const EVERY_OTHER: &str = "*";

/// The languages that the app's own texts come in (`frontend/text/`), each with what it calls
/// itself.
pub const OF_THE_APP: [(&str, &str); 3] =
    [(ENGLISH, "English"), ("de", "Deutsch"), ("es", "Español")];

/// A language's own name; its tag where that is not known.
#[must_use]
pub fn own_name(language: &str) -> &str {
    let known = OF_THE_APP.iter().find(|(tag, _)| *tag == language);
    known.map_or(language, |(_, name)| name)
}

/// Direction of writing, as HTML says it: `ltr` or `rtl`. Scripts are those that the languages
/// are mostly written in (CLDR, `scriptMetadata`).
#[must_use]
pub fn direction(language: &str) -> &'static str {
    let primary = language.split('-').next().unwrap_or_default();
    match primary {
        "ar" | "ckb" | "dv" | "fa" | "he" | "ps" | "sd" | "ug" | "ur" | "yi" => "rtl",
        _ => "ltr",
    }
}

/// The first of `wanted` that is among `offered`, as it is written there: a tag itself, else
/// what is left of it from the front (`de-AT`, then `de`: RFC 4647, section 3.4), else another
/// regional form of the same language. [`PSEUDO`] is found although nobody offers it.
#[must_use]
pub fn best<'a>(wanted: &[&str], offered: &[&'a str]) -> Option<&'a str> {
    let find = |range: &str| {
        let same = |tag: &&&str| tag.eq_ignore_ascii_case(range);
        offered.iter().find(same).copied()
    };
    wanted.iter().find_map(|range| {
        if range.eq_ignore_ascii_case(PSEUDO) {
            return Some(PSEUDO);
        }
        let mut left = *range;
        loop {
            if let Some(found) = find(left) {
                return Some(found);
            }
            let Some((front, _)) = left.rsplit_once('-') else {
                break;
            };
            left = front;
        }
        let same_primary = |tag: &&&str| {
            let primary = tag.split('-').next().unwrap_or_default();
            primary.eq_ignore_ascii_case(left)
        };
        offered.iter().find(same_primary).copied()
    })
}

/// Which language a text is wanted in, and which one to fall back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spoken<'a> {
    /// The language wanted.
    pub language: &'a str,
    /// The study's first language: that of texts that say none.
    pub first: &'a str,
}

/// A text of a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum LocalText {
    /// In the study's first language.
    First(String),
    /// By language, `{ "en": "Age", "de": "Alter" }`; under `*` for every other one.
    Each(BTreeMap<String, String>),
}

impl LocalText {
    /// The text in a language; in the study's first one, or any, where it is not in that.
    /// [`PSEUDO`] is made from the first one.
    #[must_use]
    pub fn spoken(&self, spoken: Spoken<'_>) -> String {
        let own = self.own(spoken.language, spoken.first);
        let first = || match self {
            Self::First(text) => text,
            Self::Each(texts) => self
                .own(spoken.first, spoken.first)
                .or_else(|| texts.values().next())
                .map_or("", String::as_str),
        };
        match own {
            Some(text) => text.to_owned(),
            None if spoken.language == PSEUDO => pseudo(first()),
            None => first().to_owned(),
        }
    }

    /// The text that is written for a language.
    fn own(&self, language: &str, first: &str) -> Option<&String> {
        match self {
            Self::First(text) => (language == first || !has_letters(text)).then_some(text),
            Self::Each(texts) => {
                let every_other = || texts.get(EVERY_OTHER).filter(|_| language != PSEUDO);
                texts.get(language).or_else(every_other)
            }
        }
    }

    /// Whether it is written in a language, or needs no words there: numbers and signs.
    #[must_use]
    pub fn is_in(&self, language: &str, first: &str) -> bool {
        self.own(language, first).is_some()
    }

    /// The languages it names.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let texts = match self {
            Self::First(_) => None,
            Self::Each(texts) => Some(texts),
        };
        texts
            .into_iter()
            .flat_map(|texts| texts.keys().map(String::as_str))
    }

    /// Whether there is nothing to read in one of its languages.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        match self {
            Self::First(text) => text.trim().is_empty(),
            Self::Each(texts) => {
                texts.is_empty() || texts.values().any(|text| text.trim().is_empty())
            }
        }
    }
}

fn has_letters(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

/// A text as a page of items holds it: in one language, as a participant gets it, or as its
/// author wrote it.
pub trait Words: Clone + PartialEq + Serialize + DeserializeOwned + From<String> {
    /// The text, if it is written without a language.
    fn plain(&self) -> Option<&str>;
}

impl Words for String {
    fn plain(&self) -> Option<&str> {
        Some(self)
    }
}

impl From<String> for LocalText {
    fn from(text: String) -> Self {
        Self::First(text)
    }
}

impl From<&str> for LocalText {
    fn from(text: &str) -> Self {
        Self::First(text.to_owned())
    }
}

impl Words for LocalText {
    fn plain(&self) -> Option<&str> {
        match self {
            Self::First(text) => Some(text),
            Self::Each(_) => None,
        }
    }
}

/// Name of a file of a study in a language: `consent.md` is that of the first language,
/// `consent.de.md` the German one.
#[must_use]
pub fn file_in(file: &str, spoken: Spoken<'_>) -> String {
    let Spoken { language, first } = spoken;
    if language == first || language == PSEUDO {
        return file.to_owned();
    }
    match file.rsplit_once('.') {
        Some((stem, end)) => format!("{stem}.{language}.{end}"),
        None => format!("{file}.{language}"),
    }
}

#[cfg(test)]
mod tests;

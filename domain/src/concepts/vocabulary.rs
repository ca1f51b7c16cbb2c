//! The terms that concepts are named with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::common::language::{LocalText, Spoken};

/// The terms that concepts are named with, in groups: a participant picks one term of each.
/// `Vocabulary<LocalText>` is as its author wrote it, `Vocabulary` as one participant reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Vocabulary<T = String> {
    /// Its name, which says nothing about the concepts: what a stage is about before answer keys are
    /// known.
    pub name: String,
    /// The groups, in the order in which they are shown.
    pub groups: Vec<VocabularyGroup<T>>,
    /// Whether the terms of all groups describe one thing together, as a position and a shape do. For
    /// the consistency of answers they are then one group of all combinations.
    #[serde(default)]
    pub combined: bool,
    /// Whether a second set of terms may be given, for a concept that shows two things.
    #[serde(default)]
    pub second_set: bool,
}

/// Some terms that exclude each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VocabularyGroup<T = String> {
    /// Name in the data.
    pub id: String,
    /// What participants read above the terms.
    pub text: T,
    /// Whether a participant may pick no term of this group and still name the concept.
    #[serde(default)]
    pub may_stay_empty: bool,
    /// The terms, in the order in which they are shown.
    pub terms: Vec<Term<T>>,
}

/// A term.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Term<T = String> {
    /// Name in the data.
    pub id: String,
    /// What participants read.
    pub text: T,
    /// What it means, for who opens the definitions; absent where the term speaks for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<T>,
}

impl Vocabulary<LocalText> {
    /// The vocabulary in one language.
    #[must_use]
    pub fn spoken(&self, spoken: Spoken<'_>) -> Vocabulary {
        let term = |term: &Term<LocalText>| Term {
            id: term.id.clone(),
            text: term.text.spoken(spoken),
            definition: term.definition.as_ref().map(|text| text.spoken(spoken)),
        };
        let group = |group: &VocabularyGroup<LocalText>| VocabularyGroup {
            id: group.id.clone(),
            text: group.text.spoken(spoken),
            may_stay_empty: group.may_stay_empty,
            terms: group.terms.iter().map(term).collect(),
        };
        Vocabulary {
            name: self.name.clone(),
            groups: self.groups.iter().map(group).collect(),
            combined: self.combined,
            second_set: self.second_set,
        }
    }
}

impl<T> Vocabulary<T> {
    /// Terms by the names of their groups, as indices in the order of the groups; `None` for a group
    /// that is not named. Names that the vocabulary does not have are passed over.
    #[must_use]
    pub fn indices(&self, terms: &BTreeMap<String, String>) -> Vec<Option<usize>> {
        let index = |group: &VocabularyGroup<T>| {
            let wanted = terms.get(&group.id)?;
            group.terms.iter().position(|term| term.id == *wanted)
        };
        self.groups.iter().map(index).collect()
    }

    /// Names in the data of terms given as indices; `None` where there is none.
    #[must_use]
    pub fn ids(&self, terms: &[Option<usize>]) -> Vec<Option<String>> {
        let id = |(group, term): (&VocabularyGroup<T>, &Option<usize>)| {
            Some(group.terms.get((*term)?)?.id.clone())
        };
        self.groups.iter().zip(terms).map(id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: serde_json::Value) -> Vocabulary<LocalText> {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn a_vocabulary_is_spoken_and_keeps_its_names() {
        let written = read(serde_json::json!({
            "name": "digits",
            "groups": [
                {"id": "position", "text": {"en": "Position", "de": "Lage"}, "terms": [
                    {"id": "upper", "text": {"en": "upper", "de": "oben"}},
                    {"id": "lower", "text": {"en": "lower", "de": "unten"}, "definition": "In the lower third"}]},
                {"id": "shape", "text": "Shape", "may_stay_empty": true, "terms": [
                    {"id": "circle", "text": "a circle"}]}
            ]
        }));
        let german = written.spoken(Spoken {
            language: "de",
            first: "en",
        });
        assert_eq!(german.groups[0].text, "Lage");
        assert_eq!(german.groups[0].terms[1].text, "unten");
        assert_eq!(german.groups[1].text, "Shape");
        let terms = BTreeMap::from([("position".to_owned(), "lower".to_owned())]);
        assert_eq!(german.indices(&terms), [Some(1), None]);
        let ids = german.ids(&[Some(1), Some(9)]);
        assert_eq!(ids, [Some("lower".to_owned()), None]);
    }
}

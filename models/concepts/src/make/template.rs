//! What a bundle says beside its arrays.

use std::collections::BTreeMap;

use domain::common::language::LocalText;
use domain::concepts::{
    CARD_FORMAT, Concept, ConceptCard, ConceptKind, HighlightDisplay, PictureShape, Vocabulary,
    WorkedExample,
};
use serde::Deserialize;

use crate::error::ConceptError;

/// What a bundle says beside its arrays: `template.json` of `redial concepts import`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleTemplate {
    /// What the bundle is, for researchers.
    pub title: String,
    /// The terms that its concepts are named with.
    pub vocabulary: Vocabulary<LocalText>,
    /// Where highlights are drawn.
    pub display: HighlightDisplay,
    /// A place is highlighted where its map is above this, in 0…1.
    pub highlight_above: f64,
    /// Number of samples of each concept.
    #[serde(default = "ten")]
    pub samples: usize,
    /// The concept that is the worked example; absent: there is none.
    #[serde(default)]
    pub example: Option<ExampleConcept>,
}

/// Which concept of the arrays is the worked example, with its answer. It is not asked about.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleConcept {
    /// The concept, from 0.
    pub concept: usize,
    /// Its terms: names of terms by names of groups.
    pub terms: BTreeMap<String, String>,
    /// Why these.
    pub explanation: LocalText,
}

fn ten() -> usize {
    10
}

impl BundleTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// When it is no JSON of this form, with line and column.
    pub fn from_json(json: &[u8]) -> Result<Self, ConceptError> {
        serde_json::from_slice(json)
            .map_err(|error| ConceptError::problem(format!("template: {error}")))
    }

    pub(super) fn card(
        &self,
        name: &str,
        kind: ConceptKind,
        shape: PictureShape,
        map_size: [usize; 2],
        concepts: Vec<Concept>,
    ) -> ConceptCard {
        ConceptCard {
            format: CARD_FORMAT,
            name: name.to_owned(),
            title: self.title.clone(),
            kind,
            vocabulary: self.vocabulary.clone(),
            display: self.display,
            highlight_above: self.highlight_above,
            shape,
            map_size: (map_size != [shape.height, shape.width]).then_some(map_size),
            samples: self.samples,
            concepts,
            example: self.example.as_ref().map(|example| WorkedExample {
                terms: example.terms.clone(),
                explanation: example.explanation.clone(),
            }),
        }
    }
}

/// A card of another bundle that is to look the same: participants cannot tell the two apart.
pub(super) fn like(
    other: &ConceptCard,
    name: &str,
    title: String,
    kind: ConceptKind,
    concepts: Vec<Concept>,
) -> ConceptCard {
    ConceptCard {
        name: name.to_owned(),
        title,
        kind,
        concepts,
        ..other.clone()
    }
}

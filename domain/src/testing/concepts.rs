//! Bundles of concepts that one can see through: two pixels, two groups of two terms.

use serde_json::json;

use crate::common::language::Spoken;
use crate::concepts::{ConceptCard, ConceptSource, Sheet, Vocabulary};

/// A card of three concepts, with three samples of two pixels each, and a worked example.
pub fn card(name: &str, kind: &str) -> ConceptCard {
    let terms = |marked: bool| match marked {
        true => json!({"position": "left", "shape": "dot"}),
        false => json!({}),
    };
    let manual = kind == "manual";
    serde_json::from_value(json!({
        "format": 1, "name": name, "title": "Two pixels", "kind": kind,
        "vocabulary": {
            "name": "pixels", "second_set": true, "combined": true,
            "groups": [
                {"id": "position", "text": {"en": "Position", "de": "Lage"}, "terms": [
                    {"id": "left", "text": {"en": "left", "de": "links"}, "definition": "The left pixel"},
                    {"id": "right", "text": {"en": "right", "de": "rechts"}}]},
                {"id": "shape", "text": "Shape", "terms": [
                    {"id": "dot", "text": "a dot"}, {"id": "line", "text": "a line"}]}]},
        "display": "in_picture", "highlight_above": 0.2,
        "shape": {"height": 1, "width": 2, "channels": 1}, "samples": 3,
        "concepts": [
            {"id": "c1", "terms": terms(manual)}, {"id": "c2", "terms": terms(manual)}, {"id": "c3"}],
        "example": {"terms": {"position": "right", "shape": "dot"}, "explanation": "The right pixel is lit."}
    }))
    .unwrap()
}

/// The vocabulary of these cards, in English.
pub fn vocabulary() -> Vocabulary {
    card("marks", "manual").vocabulary.spoken(Spoken {
        language: "en",
        first: "en",
    })
}

/// Three samples that are all alike.
fn sheet(picture: [f32; 2], map: [f32; 2]) -> Vec<f32> {
    Sheet::values(&[&picture[..]; 3], &[&map[..]; 3])
}

/// Bundles `found`, `marks` and `chance`: learnt, manual and random concepts; and `other`, of other samples.
pub struct TestConcepts(Vec<ConceptCard>);

impl Default for TestConcepts {
    fn default() -> Self {
        let bundles = [
            ("chance", "random"),
            ("found", "learnt"),
            ("marks", "manual"),
        ];
        let mut cards: Vec<ConceptCard> = bundles.map(|(name, kind)| card(name, kind)).into();
        let mut other = card("other", "learnt");
        other.samples = 2;
        other.vocabulary.groups.pop();
        cards.push(other);
        Self(cards)
    }
}

impl ConceptSource for TestConcepts {
    fn names(&self) -> Vec<String> {
        self.0.iter().map(|card| card.name.clone()).collect()
    }
    fn card(&self, bundle: &str) -> Option<&ConceptCard> {
        self.0.iter().find(|card| card.name == bundle)
    }
    fn sha256(&self, bundle: &str) -> Option<&str> {
        self.card(bundle).map(|_| "00")
    }
    /// No two concepts have the same pictures.
    fn sheet(&self, bundle: &str, concept: usize) -> Option<Vec<f32>> {
        let place = self.0.iter().position(|card| card.name == bundle)?;
        self.0[place].concepts.get(concept)?;
        let value = (place * 3 + concept) as f32 / 10.0;
        Some(sheet([value, 1.0], [0.9, 0.1]))
    }
    fn example_sheet(&self, bundle: &str) -> Option<Vec<f32>> {
        self.card(bundle)?;
        Some(sheet([0.0, 1.0], [0.1, 0.9]))
    }
}

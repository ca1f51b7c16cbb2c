//! The bundles that ship: the learnt concepts of MNIST and their two controls look alike and are as the study needs them.
#![allow(clippy::unwrap_used)]

use concepts::ConceptLibrary;
use domain::concepts::ConceptKind;

const BUNDLES: [(&str, ConceptKind); 3] = [
    ("mnist-learnt", ConceptKind::Learnt),
    ("mnist-manual", ConceptKind::Manual),
    ("mnist-random", ConceptKind::Random),
];

#[test]
fn learnt_manual_and_random_concepts_of_mnist_cannot_be_told_apart_by_their_cards() {
    let library = ConceptLibrary::shipped().unwrap();
    let learnt = library.get("mnist-learnt").unwrap();
    for (name, kind) in BUNDLES {
        let bundle = library.get(name).unwrap();
        let card = bundle.card();
        assert_eq!(card.kind, kind, "{name}");
        assert_eq!((card.concepts.len(), card.samples), (8, 10), "{name}");
        // What a page is shown of a bundle is the same for all three.
        assert_eq!(card.vocabulary, learnt.card().vocabulary, "{name}");
        assert_eq!(card.shape, learnt.card().shape, "{name}");
        assert_eq!(card.display, learnt.card().display, "{name}");
        assert_eq!(card.map_size, Some([7, 7]), "{name}: outlines differ");
        assert_eq!(card.example, learnt.card().example, "{name}");
        assert_eq!(bundle.example_sheet(), learnt.example_sheet(), "{name}");
        // MNIST's licence wants its source named.
        assert!(
            card.title.contains("CC BY-SA 3.0"),
            "{name}: {}",
            card.title
        );
        // Something is highlighted in every sample.
        let pixels = card.shape.height * card.shape.width;
        for concept in 0..8 {
            let sheet = bundle.sheet(concept).unwrap();
            assert_eq!(sheet.len(), 10 * 2 * pixels, "{name}");
            for sample in sheet.chunks(2 * pixels) {
                let above = |v: &f32| f64::from(*v) > card.highlight_above;
                assert!(
                    sample[pixels..].iter().any(above),
                    "{name}, concept {concept}"
                );
            }
        }
    }
}

/// The paper's vocabulary for MNIST: three positions and eight shapes, which describe one thing together, in every
/// language of the app.
#[test]
fn the_vocabulary_of_mnist_has_24_combinations() {
    let library = ConceptLibrary::shipped().unwrap();
    let vocabulary = &library.get("mnist-learnt").unwrap().card().vocabulary;
    assert!(vocabulary.combined && vocabulary.second_set);
    let terms: Vec<usize> = vocabulary.groups.iter().map(|g| g.terms.len()).collect();
    assert_eq!(terms, [3, 8]);
    let json = serde_json::to_value(vocabulary).unwrap();
    for group in json["groups"].as_array().unwrap() {
        for term in group["terms"].as_array().unwrap() {
            for part in ["text", "definition"] {
                for language in ["en", "de", "es"] {
                    let found = term[part][language].as_str();
                    assert!(found.is_some_and(|text| !text.is_empty()), "{term}");
                }
            }
        }
    }
}

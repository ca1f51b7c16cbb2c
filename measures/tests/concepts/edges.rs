//! Inputs at the edge: a defined result with a flag, or an error that names the place.

use crate::{Row, run};
use measures::array::Array;
use measures::inputs::{Inputs, Need};
use measures::outcome::Flag;

pub fn of(shape: &[usize], values: &[f64]) -> Array {
    Array::new(shape.to_vec(), values.to_vec()).unwrap()
}

/// The flags of an outcome, in words.
fn flags(name: &str, inputs: &Inputs, variant: &str) -> Vec<String> {
    let outcome = run(name, inputs, variant, &[]).unwrap();
    outcome.flags.iter().map(ToString::to_string).collect()
}

pub fn problems(name: &str, inputs: &Inputs) -> Vec<String> {
    let problems = run(name, inputs, "", &[]).unwrap_err();
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_single_participant_has_no_consistency() {
    let one = Inputs::default().with(Need::Answers, of(&[1, 2, 1], &[0.0, 1.0]));
    let found = run("cc", &one, "", &[]).unwrap();
    assert_eq!(found.value("cc"), None);
    assert!(
        matches!(&found.flags[0], Flag::Undefined { of, .. } if of == "cc"),
        "{:?}",
        found.flags
    );
    assert_eq!(found.flags[1], Flag::NoInterval { score: "cc" });
    let found = run("cdr", &one, "", &[]).unwrap();
    assert_eq!((found.value("cdr"), found.flags.len()), (Some(1.0), 1));
    assert_eq!(
        run("term-agreement", &one, "", &[]).unwrap().value("alpha"),
        None
    );
}

#[test]
fn nobody_names_anything() {
    let none = Inputs::default().with(Need::Answers, of(&[3, 2, 1], &[-1.0; 6]));
    assert_eq!(run("cdr", &none, "", &[]).unwrap().value("cdr"), Some(0.0));
    for reading in ["both-name", "literal", "both-none"] {
        assert_eq!(
            run("cc", &none, reading, &[]).unwrap().value("cc"),
            Some(0.0)
        );
    }
    for score in ["cdr", "cc"] {
        let found = run(score, &none, "", &[]).unwrap();
        assert_eq!(found.flags[0], Flag::NobodyNamed { score });
    }
    // Somebody named something.
    let some = of(&[3, 2, 1], &[-1.0, -1.0, -1.0, 0.0, -1.0, -1.0]);
    let some = Inputs::default().with(Need::Answers, some);
    let found = run("cdr", &some, "", &[]).unwrap();
    assert!(!found.flags.contains(&Flag::NobodyNamed { score: "cdr" }));
    let found = run("mic", &none, "", &[]).unwrap();
    assert_eq!(found.value("mic"), None);
    assert!(matches!(&found.flags[0], Flag::Undefined { of, .. } if of == "mic"));
}

#[test]
fn unanimous_people_and_equal_names() {
    let all = Inputs::default().with(Need::Answers, of(&[3, 2, 1], &[1.0; 6]));
    assert_eq!(run("cc", &all, "", &[]).unwrap().value("cc"), Some(1.0));
    assert_eq!(
        run("cc", &all, "literal", &[]).unwrap().value("cc"),
        Some(0.0)
    );
    assert_eq!(run("mic", &all, "", &[]).unwrap().value("mic"), Some(1.0));
    let apart = [0.0, 1.0].repeat(3);
    let apart = Inputs::default().with(Need::Answers, of(&[3, 2, 1], &apart));
    assert_eq!(run("mic", &apart, "", &[]).unwrap().value("mic"), Some(0.0));
}

#[test]
fn answers_are_terms_or_none() {
    let odd = Inputs::default().with(Need::Answers, of(&[2, 2, 1], &[0.0, -2.0, 0.5, 1.0]));
    let found = problems("cdr", &odd);
    assert_eq!(found.len(), 2);
    assert!(found[0].contains("row 0, column 1 has -2"), "{found:?}");
    assert!(found[1].contains("row 1, column 0 has 0.5"), "{found:?}");
    let flat = Inputs::default().with(Need::Answers, of(&[2, 2], &[0.0; 4]));
    assert!(problems("cc", &flat)[0].contains("people × concepts × groups"));
}

pub fn aligned(predicted: &[f64], labels: &[f64]) -> Inputs<'static> {
    Inputs::default()
        .with(
            Need::Codes,
            of(&[4, 2], &[1.0, 0.5, 0.2, 0.3, 0.9, 0.1, 0.4, 0.8]),
        )
        .with(Need::Weights, of(&[2, 2], &[1.0, -0.5, 0.3, 0.7]))
        .with(Need::Labels, of(&[4, 2], labels))
        .with(Need::Predictions, of(&[4], predicted))
        .with(Need::Task, of(&[4], &[0.0, 1.0, 0.0, 1.0]))
}

#[test]
fn a_class_without_a_correct_image_is_left_out() {
    let labels = [1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0];
    let inputs = aligned(&[0.0, 0.0, 0.0, 0.0], &labels);
    let found = run("cgim", &inputs, "", &[]).unwrap();
    assert!(found.value("cgim2_classes").is_some(), "class 0 has one");
    let of_class_1 = found
        .values
        .iter()
        .find(|v| v.score.name == "cgim2_classes" && v.of.as_deref() == Some("class 1"));
    assert_eq!(of_class_1.unwrap().value, None);
    let words = flags("cgim", &inputs, "");
    assert!(
        words.iter().any(|w| w.contains("1 classes left out")),
        "{words:?}"
    );
    // None at all.
    let inputs = aligned(&[1.0, 0.0, 1.0, 0.0], &labels);
    let found = run("cgim", &inputs, "", &[]).unwrap();
    assert_eq!(found.value("cgim3_concepts"), None);
    assert!(found.value("cgim1_concepts").is_some());
    let found = run("cem", &inputs, "", &[]).unwrap();
    assert_eq!(found.value("cem_1_correct"), None);
    assert!(found.value("cem_1").is_some());
    assert!(found.flags.contains(&Flag::Fewer {
        of: "concepts",
        asked: 5,
        there: 2
    }));
}

#[test]
fn a_vector_of_zeros_has_no_direction() {
    // Nothing has concept 0: its row of V is 0.
    let labels = [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let found = run("cgim", &aligned(&[0.0, 1.0, 0.0, 1.0], &labels), "", &[]).unwrap();
    assert_eq!(found.values[1].value, None, "concept 0");
    assert!(found.values[2].value.is_some(), "concept 1");
    assert!(found.value("cgim1_concepts").is_some());
    let left_out = |flag: &Flag| {
        matches!(
            flag,
            Flag::LeftOut {
                score: "cgim1_concepts",
                count: 1,
                ..
            }
        )
    };
    assert!(found.flags.iter().any(left_out), "{:?}", found.flags);
}

#[test]
fn no_place_of_a_concept_is_known() {
    let inputs = aligned(&[0.0, 1.0, 0.0, 1.0], &[1.0; 8])
        .with(Need::Maps, of(&[4, 2, 2, 2], &[0.5; 32]))
        .with(Need::Centres, of(&[4, 2, 2], &[-1.0; 16]));
    let found = run("clm", &inputs, "", &[]).unwrap();
    assert_eq!(found.value("clm_1"), None);
    assert!(matches!(&found.flags[0], Flag::Undefined { of, .. } if of == "clm_1"));
    assert_eq!(
        run("clm", &inputs, "zero-filled", &[])
            .unwrap()
            .value("clm_1"),
        Some(0.0)
    );
}

#[test]
fn shapes_that_no_image_has_and_shapes_without_a_concept() {
    let inputs = Inputs::default()
        .with(Need::Maps, of(&[1, 1, 2, 2], &[0.9; 4]))
        .with(
            Need::Masks,
            of(&[1, 3, 2, 2], &[&[1.0; 8][..], &[0.0; 4]].concat()),
        );
    let words = flags("shape-coverage", &inputs, "one-to-one");
    assert!(
        words.iter().any(|w| w.contains("they are in no image")),
        "{words:?}"
    );
    assert!(
        words
            .iter()
            .any(|w| w.contains("fewer concepts than shapes")),
        "{words:?}"
    );
    assert!(
        words
            .iter()
            .any(|w| w.contains("distinctiveness is not defined")),
        "{words:?}"
    );
}

#[test]
fn outputs_of_zero_and_models_by_chance() {
    let inputs = Inputs::default()
        .with(Need::Outputs, of(&[2, 2], &[0.0, -1.0, 2.0, 2.0]))
        .with(Need::Surrogate, of(&[2, 2], &[1.0, 0.0, 1.0, 3.0]))
        .with(Need::Task, of(&[2], &[0.0, 1.0]));
    let found = run("surrogate-agreement", &inputs, "", &[]).unwrap();
    assert_eq!(
        found.value("ice_1"),
        Some(0.5),
        "the first input is left out"
    );
    assert_eq!(
        found.value("rank_correlation"),
        Some(1.0),
        "the second one does not vary"
    );
    // Of two equal outputs the first one counts, so that the model is right once in two.
    assert_eq!(found.value("cshap_1"), None);
    assert_eq!(found.flags.len(), 3, "{:?}", found.flags);
    let single = Inputs::default()
        .with(Need::Outputs, of(&[2, 1], &[0.0, 1.0]))
        .with(Need::Surrogate, of(&[2, 1], &[1.0, 1.0]));
    assert!(problems("surrogate-agreement", &single)[0].contains("at least 2"));
    let found = run("surrogate-agreement", &single, "regression", &[]).unwrap();
    assert_eq!(found.value("surf_mae"), Some(0.5));
}

#[test]
fn images_and_saliency_that_do_not_agree() {
    let model = Row(|x: &[f64]| vec![x[0]]);
    let mut inputs = Inputs::default()
        .with(Need::Images, of(&[2, 3], &[0.5; 6]))
        .with(Need::Saliency, of(&[1, 2], &[0.5; 2]))
        .with(Need::Task, of(&[2], &[0.0; 2]));
    inputs.model = Some(&model);
    assert_eq!(problems("dauc", &inputs).len(), 2);
}

#[test]
fn a_concept_that_covers_nothing_at_all_has_no_purity() {
    let inputs = Inputs::default()
        .with(Need::Maps, of(&[1, 2, 2, 2], &[0.0; 8]))
        .with(Need::Masks, of(&[1, 2, 2, 2], &[1.0; 8]));
    let found = run("shape-coverage", &inputs, "", &[]).unwrap();
    assert_eq!(
        (found.value("completeness"), found.value("purity")),
        (Some(0.0), None)
    );
    let left_out = |flag: &&Flag| {
        matches!(
            flag,
            Flag::LeftOut {
                score: "purity",
                count: 2,
                ..
            }
        )
    };
    assert_eq!(
        found.flags.iter().filter(left_out).count(),
        1,
        "{:?}",
        found.flags
    );
}

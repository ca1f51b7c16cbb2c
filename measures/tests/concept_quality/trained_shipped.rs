//! Measures that train, on codes that ship with the zoo, beside the same procedure in scikit-learn:
//! `../golden/trained_shipped.py` makes the numbers.

use std::path::Path;

use arrays::NumericArray;
use measures::array::Array;
use measures::classes::classes;
use measures::inputs::{Inputs, Need};
use measures::list::find;
use measures::measure::Request;
use measures::outcome::Outcome;
use serde_json::Value;

/// How far means of five seeds may be from scikit-learn's. The splits, weights and orders of the two are drawn apart, so
/// that a part of it is chance: scikit-learn's own five seeds have a standard deviation of up to 0.02 (in the golden
/// file, behind each mean).
const TOLERANCE: f64 = 0.03;

/// Codes, classes of factors and the class of each row, as `redial measure --model` takes them.
fn kept(model: &str) -> Inputs<'static> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../models/zoo")
        .join(model);
    let array = |name: &str| {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let NumericArray { shape, values } = NumericArray::read(name, &bytes).unwrap();
        Array::new(shape, values).unwrap()
    };
    let about = std::fs::read(folder.join("codes.json")).unwrap();
    let about: Value = serde_json::from_slice(&about).unwrap();
    let labels = classes(&array("factors.npy"));
    let mut factors = about["factors"].as_array().unwrap().iter();
    let task = factors.position(|factor| *factor == about["task"]);
    let mut inputs = Inputs::default().with(Need::Codes, array("codes.npy"));
    if let Some(column) = task {
        let task = Array::new(vec![labels.rows()], labels.column(column)).unwrap();
        inputs = inputs.with(Need::Task, task);
    }
    inputs.with(Need::Labels, labels)
}

/// Outcomes of five seeds.
fn five(name: &str, inputs: &Inputs) -> Vec<Outcome> {
    let outcome = |seed: u64| {
        let request = Request {
            seed,
            threads: 2,
            ..Request::default()
        };
        find(name).unwrap().run(inputs, &request).unwrap()
    };
    (0..5).map(outcome).collect()
}

/// Each measure with its scores, and what these are called among the golden ones.
const SCORES: [(&str, &[(&str, &str)]); 6] = [
    ("ois", &[("ois", "ois")]),
    ("concept-auc", &[("concept_auc", "concept-auc")]),
    ("task-auc", &[("task_auc", "task-auc")]),
    ("explicitness", &[("explicitness", "explicitness")]),
    ("infomec", &[("infoe", "infoe")]),
    ("niche", &[("nps", "nps"), ("nis", "nis")]),
];

fn agrees(model: &str) {
    let golden = include_str!("../golden/trained_shipped.json");
    let golden: Value = serde_json::from_str(golden).unwrap();
    let golden = golden["models"][model].as_object().unwrap();
    let inputs = kept(model);
    let (mut compared, mut apart) = (0, Vec::new());
    for (measure, scores) in SCORES {
        if !golden.contains_key(scores[0].1) {
            continue;
        }
        let outcomes = five(measure, &inputs);
        for (score, key) in scores {
            let expected = golden[*key][0].as_f64().unwrap();
            let sum: f64 = outcomes.iter().map(|it| it.value(score).unwrap()).sum();
            let found = sum / 5.0;
            let by = found - expected;
            println!("{model} {key}: {found:.4}, scikit-learn {expected:.4}, apart {by:+.4}");
            if by.abs() > TOLERANCE {
                apart.push(format!("{key}: {found}, and scikit-learn {expected}"));
            }
            compared += 1;
        }
    }
    assert_eq!(compared, golden.len(), "{model}");
    assert!(apart.is_empty(), "{model}: {apart:?}");
}

#[test]
#[ignore = "trains for a minute, what sinelines_scores_are_near_scikit_learns trains on smaller codes"]
fn dsprites_scores_are_near_scikit_learns() {
    agrees("dsprites-vae5");
}

#[test]
fn sinelines_scores_are_near_scikit_learns() {
    agrees("sinelines-vae5");
}

#[test]
#[ignore = "trains for a minute, what sinelines_scores_are_near_scikit_learns trains on smaller codes"]
fn digits_scores_are_near_scikit_learns() {
    agrees("mnist-ae10");
}

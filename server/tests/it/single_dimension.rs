//! Pictures, ranges and right answers of the single-dimension task, against numpy.

use domain::session::event::SessionId;
use domain::study::Study;
use domain::study::draw::{DrawRequest, Drawn, StudyTexts, draw};
use domain::task::single_dimension::Options;
use domain::task::{AnswerKey, TaskPlan};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde::Deserialize;
use serde_json::json;
use server::zoo::Models;

/// One question as `single_dimension.py` worked it out from its latent vector.
#[derive(Deserialize)]
struct Expected {
    model: String,
    dimension: usize,
    z: Vec<f64>,
    /// Low, medium and high from the card's percentiles; null for a discrete dimension.
    ranges: Option<[[f64; 2]; 3]>,
    option: usize,
    /// The first values of the picture, and the sum of all.
    first_values: Vec<f64>,
    sum: f64,
}

struct NoTexts;

impl StudyTexts for NoTexts {
    fn html(&self, _: &str, _: domain::common::language::Spoken<'_>) -> Option<String> {
        None
    }
}

fn drawn() -> Drawn {
    let stage = |model: &str, visualisation: &str| {
        json!({ "kind": "stage", "id": model, "task": {
            "kind": "single_dimension", "model": model, "visualisation": visualisation } })
    };
    let study: Study = serde_json::from_value(json!({
        "format": 2, "id": "s", "title": "S", "parts": [
            stage("sinelines-gt5", "traversals"),
            stage("dsprites-gt5", "exemplars"),
            stage("mnist-ss5", "exemplars"),
        ]
    }))
    .unwrap();
    let arrival = DrawRequest {
        session: SessionId("s".into()),
        cell: domain::design::Cell::default(),
        row: 0,
        language: "en".into(),
    };
    let models = Models::load(None).unwrap();
    let mut rng = ChaCha20Rng::seed_from_u64(11);
    draw(&study, "", arrival, &models, &NoTexts, &mut rng).unwrap()
}

/// With `REDIAL_WRITE_DRAWN=FILE` the questions are written for the script:
/// `REDIAL_WRITE_DRAWN=/tmp/drawn.json cargo test -p server single_dimension`, then
/// `python3 server/tests/it/single_dimension.py /tmp/drawn.json > server/tests/it/single_dimension.json`.
#[test]
fn pictures_ranges_and_answers_agree_with_numpy() {
    let drawn = drawn();
    let questions = drawn
        .plan
        .stages
        .iter()
        .zip(&drawn.keys.questions)
        .flat_map(|(stage, keys)| {
            let TaskPlan::SingleDimension(plan) = &stage.task else {
                panic!("every stage is one of single dimension");
            };
            plan.questions.iter().zip(keys).map(|(question, key)| {
                let AnswerKey::SingleDimension(key) = key else {
                    panic!("every key is one of single dimension");
                };
                (plan.model.name.clone(), question, key)
            })
        });
    let questions: Vec<_> = questions.collect();
    if let Ok(file) = std::env::var("REDIAL_WRITE_DRAWN") {
        let rows: Vec<_> = questions
            .iter()
            .map(|(model, question, key)| {
                json!({ "model": model, "dimension": question.dimension, "z": key.z })
            })
            .collect();
        std::fs::write(file, serde_json::to_string(&rows).unwrap()).unwrap();
    }
    let expected: Vec<Expected> =
        serde_json::from_str(include_str!("single_dimension.json")).unwrap();
    // Two about each of 5, 5 and 1 + 5 dimensions.
    assert_eq!((questions.len(), expected.len()), (32, 32));
    for ((model, question, key), expected) in questions.iter().zip(&expected) {
        let place = format!("{model}, dimension {}", question.dimension);
        assert_eq!(
            (model, question.dimension),
            (&expected.model, expected.dimension)
        );
        assert_eq!(
            key.z, expected.z,
            "{place}: the draw has changed; see above"
        );
        match (&question.options, &expected.ranges) {
            (Options::Ranges { ranges }, Some(expected)) => assert_eq!(ranges, expected, "{place}"),
            (Options::Values { values: 10 }, None) => {}
            other => panic!("{place}: {other:?}"),
        }
        assert_eq!(key.option, expected.option, "{place}");
        let picture = &drawn.instances[&question.instance].0;
        let near = |found: f64, expected: f64, slack: f64| {
            assert!(
                (found - expected).abs() <= slack,
                "{place}: {found} {expected}"
            );
        };
        for (found, expected) in picture.iter().zip(&expected.first_values) {
            near(f64::from(*found), *expected, 1e-4);
        }
        let sum: f64 = picture.iter().map(|v| f64::from(*v)).sum();
        near(sum, expected.sum, 1e-2);
    }
}

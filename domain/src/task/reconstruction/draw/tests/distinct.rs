//! Targets that are all different.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::model::ModelFacts;
use crate::model::latent::{Dimension, LatentSpace};
use crate::study::Study;
use crate::study::draw::ModelSource;
use crate::testing::{NamedTexts, arrival, two_dials};

/// A model of whose dials only a choice of three tells instances apart.
struct Known(ModelFacts);

impl ModelSource for Known {
    fn facts(&self, _: &str) -> Option<&ModelFacts> {
        Some(&self.0)
    }
    fn sample(&self, _: &str, rng: &mut dyn Rng) -> Option<Vec<f64>> {
        Some(vec![f64::from(rng.random_range(0..3_u8)), rng.random()])
    }
    #[allow(clippy::cast_possible_truncation)]
    fn decode(&self, _: &str, z: &[f64]) -> Option<Vec<f32>> {
        Some(vec![z[0] as f32, 1.0])
    }
    fn option_ranges(&self, _: &str, _: usize) -> Option<[[f64; 2]; 3]> {
        None
    }
}

#[test]
fn targets_without_replacement_run_out_and_that_is_said() {
    let mut facts = two_dials("three");
    let slider = facts.latent.dimensions()[1].clone();
    facts.latent = LatentSpace::new(vec![Dimension::Discrete { values: 3 }, slider]).unwrap();
    let models = Known(facts);
    let draw = |questions: [u32; 2]| {
        let stage = |index: usize| {
            json!({"kind": "stage", "id": format!("s{index}"), "task": {"kind": "reconstruction",
                "model": "three", "questions": questions[index], "distinct_targets": true}})
        };
        let study = json!({"format": 2, "id": "t", "title": "T", "parts": [stage(0), stage(1)]});
        let study: Study = serde_json::from_value(study).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        crate::study::draw::draw(&study, "", arrival(), &models, &NamedTexts, &mut rng)
    };
    let three = draw([2, 1]).unwrap();
    assert_eq!(three.instances.len(), 3, "over the whole session");
    let why = draw([2, 2]).unwrap_err().to_string();
    assert!(why.contains("so many different targets"), "{why}");
}

//! Distances and thresholds that a study sets.

use super::*;
use crate::model::distance::{Distance, reaches};

fn decode(z: &[f64]) -> Vec<f32> {
    z.iter().map(|value| *value as f32).collect()
}

#[test]
fn each_target_has_a_threshold_by_what_lies_nearest_to_it() {
    let half = json!({"questions": 20, "threshold_by_target": {"share_of_nearest": 0.5}});
    let drawn = one(half, 1);
    let model = OneModel::new();
    let plan = plan(&drawn, 0);
    let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(0);
    let others: Vec<Vec<f64>> = (0..200)
        .map(|_| {
            let z = model.sample("five", &mut rng).unwrap();
            model.0.latent.snap(&z).unwrap()
        })
        .collect();
    let between = |a: &[f64], b: &[f64]| {
        let distance = &model.0.distance;
        distance
            .between(model.0.shape, &decode(a), &decode(b))
            .unwrap()
    };
    let mut thresholds = Vec::new();
    for (index, target) in targets(&drawn, 0).iter().enumerate() {
        let nearest = others.iter().map(|other| between(target, other));
        let nearest = nearest.filter(|it| *it > 0.001).fold(1.0, f64::min);
        let threshold = plan.threshold(index);
        assert!((threshold - nearest / 2.0).abs() < 1e-12);
        assert_eq!(plan.model_of(index).threshold, threshold);
        // No question is solved where it starts.
        assert!(!reaches(
            between(&plan.questions[index].start, target),
            threshold
        ));
        thresholds.push(threshold);
    }
    thresholds.dedup();
    assert!(thresholds.len() > 10, "{thresholds:?}");
    // The others that lie about a target do not depend on who is asked.
    let same = |seed| {
        let settings = json!({"questions": 3, "same_for_all": {"seed": 4},
            "threshold_by_target": {"share_of_nearest": 0.25}});
        let drawn = one(settings, seed);
        (0..3)
            .map(|at| super::plan(&drawn, 0).threshold(at))
            .collect::<Vec<_>>()
    };
    assert_eq!(same(1), same(2));
}

#[test]
fn a_stage_and_its_items_may_have_their_own_distance_and_thresholds() {
    let item = |target: f64, percent: Option<f64>| {
        let mut item =
            json!({"start": [1.0, 0.5, 0.5, 0.5, 0.5], "target": [1.0, 3.0, target, 1.0, 1.0]});
        if let Some(percent) = percent {
            item["target_alignment_percent"] = json!(percent);
        }
        item
    };
    let settings = json!({"items": [item(1.0, Some(85.0)), item(2.0, None)],
        "distance": {"kind": "mean_absolute", "range": 4}, "target_alignment_percent": 95});
    let drawn = one(settings, 1);
    let plan = plan(&drawn, 0);
    assert_eq!(
        plan.model.distance,
        Distance::MeanAbsolute { range: 4.0.into() }
    );
    let thresholds = [0, 1].map(|at| plan.threshold(at));
    assert!((thresholds[0] - 0.15).abs() < 1e-12 && (thresholds[1] - 0.05).abs() < 1e-12);
    // A plan of before has no thresholds of questions.
    let mut old = serde_json::to_value(plan).unwrap();
    old["questions"][0]
        .as_object_mut()
        .unwrap()
        .remove("threshold");
    let old: Plan = serde_json::from_value(old).unwrap();
    assert_eq!(old.threshold(0), old.model.threshold);
}

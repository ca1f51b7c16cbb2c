//! The plan that the settings make. The model's instance is z itself.

use std::collections::BTreeSet;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::model::ModelFacts;
use crate::model::latent::{Dimension, LatentSpace};
use crate::study::Study;
use crate::study::draw::{Drawn, ModelSource, draw};
use crate::task::reconstruction::{Plan, SkipRule};
use crate::task::{AnswerKey, TaskPlan};
use crate::testing::{NamedTexts, arrival, two_dials};

mod by_target;
mod distinct;

/// A choice of three and four sliders from 0 to 10; the choice is 1 with probability 0.8, and
/// sliders are uniform in [0, 4].
struct OneModel(ModelFacts);

impl OneModel {
    fn new() -> Self {
        let slider = Dimension::Continuous {
            min: 0.0,
            max: 10.0,
            step: 0.01,
        };
        let mut dimensions = vec![Dimension::Discrete { values: 3 }];
        dimensions.extend(std::iter::repeat_n(slider, 4));
        Self(ModelFacts {
            latent: LatentSpace::new(dimensions).unwrap(),
            ..two_dials("five")
        })
    }
}

impl ModelSource for OneModel {
    fn facts(&self, model: &str) -> Option<&ModelFacts> {
        (model == self.0.name).then_some(&self.0)
    }
    fn sample(&self, _: &str, rng: &mut dyn Rng) -> Option<Vec<f64>> {
        let choice = if rng.random_bool(0.8) { 1.0 } else { 2.0 };
        let mut z = vec![choice];
        z.extend((0..4).map(|_| rng.random_range(0.0..4.0)));
        Some(z)
    }
    #[allow(clippy::cast_possible_truncation)]
    fn decode(&self, _: &str, z: &[f64]) -> Option<Vec<f32>> {
        Some(z.iter().map(|v| *v as f32).collect())
    }
    fn option_ranges(&self, _: &str, _: usize) -> Option<[[f64; 2]; 3]> {
        None
    }
}

fn drawn(stages: &[Value], extra: Value, seed: u64) -> Drawn {
    let stage = |(index, settings): (usize, &Value)| {
        let mut task = json!({"kind": "reconstruction", "model": "five"});
        for (name, value) in settings.as_object().unwrap() {
            task[name] = value.clone();
        }
        json!({"kind": "stage", "id": format!("s{index}"), "task": task})
    };
    let parts: Vec<Value> = stages.iter().enumerate().map(stage).collect();
    let mut study = json!({"format": 2, "id": "t", "title": "T", "parts": parts});
    for (name, value) in extra.as_object().unwrap() {
        study[name] = value.clone();
    }
    let study: Study = serde_json::from_value(study).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    draw(
        &study,
        "",
        arrival(),
        &OneModel::new(),
        &NamedTexts,
        &mut rng,
    )
    .unwrap()
}

fn plan(drawn: &Drawn, stage: usize) -> &Plan {
    match &drawn.plan.stages[stage].task {
        TaskPlan::Reconstruction(plan) => plan,
        _ => panic!("the stage is one of reconstruction"),
    }
}

fn targets(drawn: &Drawn, stage: usize) -> Vec<Vec<f64>> {
    let keys = drawn.keys.questions[stage].iter();
    keys.map(|key| match key {
        AnswerKey::Reconstruction(key) => key.target.clone(),
        _ => panic!("the stage is one of reconstruction"),
    })
    .collect()
}

fn one(settings: Value, seed: u64) -> Drawn {
    drawn(&[settings], json!({}), seed)
}

#[test]
fn a_plan_says_nothing_of_options_that_are_as_they_were() {
    let drawn = one(json!({"questions": 2}), 1);
    let plan = plan(&drawn, 0);
    assert_eq!(plan.shown(), [0, 1, 2, 3, 4]);
    assert!(plan.dials.is_empty());
    assert_eq!(plan.inactive_after_ms, 3_000);
    assert_eq!(plan.skip, SkipRule::AfterActive { seconds: 30.0 });
}

#[test]
fn hidden_dials_stand_where_the_target_has_them_and_targets_are_not_in_the_plan() {
    let settings = json!({"questions": 20, "shown_dials": {"first": 3}});
    let drawn = one(settings, 2);
    assert_eq!(plan(&drawn, 0).dials, [0, 1, 2]);
    let targets = targets(&drawn, 0);
    let starts: Vec<&Vec<f64>> = plan(&drawn, 0).questions.iter().map(|q| &q.start).collect();
    for (start, target) in starts.iter().zip(&targets) {
        assert_eq!(start[3..], target[3..]);
        assert_ne!(start[1..3], target[1..3]);
    }
    let differ: BTreeSet<String> = targets.iter().map(|z| format!("{:?}", &z[3..])).collect();
    assert_eq!(differ.len(), 20, "as drawn, anew for each question");
}

/// The mean of uniform numbers in [0, 4] is 2, and of 1,000 of them within 0.15 of it (four
/// standard errors of 1.155 / √1000).
#[test]
fn hidden_dials_can_stand_at_the_mean_in_start_and_target() {
    let settings =
        json!({"questions": 5, "shown_dials": {"these": [4, 1]}, "hidden_dials_at": "mean"});
    let drawn = one(settings.clone(), 3);
    assert_eq!(plan(&drawn, 0).dials, [4, 1]);
    let targets = targets(&drawn, 0);
    for (question, target) in plan(&drawn, 0).questions.iter().zip(&targets) {
        for hidden in [0, 2, 3] {
            assert_eq!(question.start[hidden], target[hidden]);
        }
        assert_eq!(target[0], 1.0, "the most frequent choice");
        assert!((target[2] - 2.0).abs() < 0.15 && (target[3] - 2.0).abs() < 0.15);
    }
    assert_eq!(
        targets[0][2],
        self::targets(&one(settings, 4), 0)[0][2],
        "for everybody"
    );
}

#[test]
fn the_order_of_dials_is_a_persons_own_and_the_same_in_all_stages_of_a_model() {
    let shuffled = json!({"questions": 1, "dial_order": "shuffled"});
    let orders: BTreeSet<Vec<usize>> = (0..50)
        .map(|seed| {
            let drawn = drawn(&[shuffled.clone(), shuffled.clone()], json!({}), seed);
            assert_eq!(plan(&drawn, 0).dials, plan(&drawn, 1).dials);
            let mut sorted = plan(&drawn, 0).shown();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
            plan(&drawn, 0).shown()
        })
        .collect();
    assert!(orders.len() > 20, "of 120 orders");
}

#[test]
fn dials_that_are_drawn_are_nested() {
    let few = json!({"questions": 1, "shown_dials": {"drawn": 2}});
    let many = json!({"questions": 1, "shown_dials": {"drawn": 4}});
    let mut seen = BTreeSet::new();
    for seed in 0..50 {
        let drawn = drawn(&[many.clone(), few.clone()], json!({}), seed);
        let (many, few) = (&plan(&drawn, 0).dials, &plan(&drawn, 1).dials);
        assert_eq!((many.len(), few.len()), (4, 2));
        assert!(many.is_sorted() && few.is_sorted(), "in the model's order");
        assert!(few.iter().all(|dial| many.contains(dial)));
        seen.extend(few.iter().copied());
    }
    assert_eq!(seen.len(), 5);
}

#[test]
fn the_same_questions_for_all_in_an_order_of_ones_own() {
    let same = json!({"questions": 6, "same_for_all": {"seed": 8}});
    let mut shuffled = same.clone();
    shuffled["question_order"] = json!("shuffled");
    let first = targets(&one(same.clone(), 1), 0);
    assert_eq!(targets(&one(same, 2), 0), first);
    let in_order = |targets: &Vec<Vec<f64>>| {
        let mut sorted = targets.clone();
        sorted.sort_by(|a, b| a[1].total_cmp(&b[1]));
        sorted
    };
    let own: Vec<_> = (1..6)
        .map(|seed| targets(&one(shuffled.clone(), seed), 0))
        .collect();
    assert!(own.iter().all(|own| in_order(own) == in_order(&first)));
    assert!(own.iter().any(|own| *own != first));
}

#[test]
fn strata_give_as_many_near_questions_as_far_ones() {
    let model = OneModel::new();
    let start_distances = |strata: u32| {
        let settings = json!({"questions": 9, "same_for_all": {"seed": 5, "strata": strata}});
        let drawn = one(settings, 1);
        let targets = targets(&drawn, 0);
        let mut distances: Vec<f64> = plan(&drawn, 0)
            .questions
            .iter()
            .zip(&targets)
            .map(|(question, target)| {
                let decode = |z: &[f64]| model.decode("five", z).unwrap();
                let distance = &model.0.distance;
                distance
                    .between(model.0.shape, &decode(&question.start), &decode(target))
                    .unwrap()
            })
            .collect();
        distances.sort_by(f64::total_cmp);
        distances
    };
    // The thirds of 90 pairs drawn with the seed meet somewhere; three questions lie in each.
    let distances = start_distances(3);
    assert_eq!(distances.len(), 9);
    assert!(distances[2] < distances[3] && distances[5] < distances[6]);
    let pool = one(json!({"questions": 90, "same_for_all": {"seed": 5}}), 1);
    let pool: Vec<f64> = {
        let targets = targets(&pool, 0);
        let questions = &plan(&pool, 0).questions;
        let mut pool: Vec<f64> = questions
            .iter()
            .zip(&targets)
            .map(|(question, target)| {
                let decode = |z: &[f64]| model.decode("five", z).unwrap();
                let distance = &model.0.distance;
                distance
                    .between(model.0.shape, &decode(&question.start), &decode(target))
                    .unwrap()
            })
            .collect();
        pool.sort_by(f64::total_cmp);
        pool
    };
    let below = |end: f64| distances.iter().filter(|d| **d <= end).count();
    assert_eq!(
        (below(pool[29]), below(pool[59]), below(pool[89])),
        (3, 6, 9)
    );
}

#[test]
fn starts_in_the_centre_leave_radio_buttons_as_drawn() {
    let drawn = one(json!({"questions": 30, "start": "centre"}), 6);
    let starts: Vec<&Vec<f64>> = plan(&drawn, 0).questions.iter().map(|q| &q.start).collect();
    assert!(starts.iter().all(|start| start[1..] == [5.0; 4]));
    let choices: BTreeSet<String> = starts.iter().map(|start| start[0].to_string()).collect();
    assert_eq!(choices.len(), 2);
}

#[test]
fn skip_follows_study_mode_and_stop_unless_it_is_set() {
    let rule = |settings: Value, mode: &str| {
        let mut settings = settings;
        settings["questions"] = json!(1);
        let drawn = drawn(&[settings], json!({"mode": mode}), 1);
        plan(&drawn, 0).skip
    };
    let after = |seconds| SkipRule::AfterActive { seconds };
    assert_eq!(rule(json!({}), "online"), after(30.0));
    assert_eq!(rule(json!({"skip_after_s": 7}), "online"), after(7.0));
    assert_eq!(rule(json!({}), "lab"), SkipRule::Always);
    assert_eq!(rule(json!({"skip": "after_active"}), "lab"), after(30.0));
    assert_eq!(
        rule(json!({"stop": "declared"}), "online"),
        SkipRule::Always
    );
    assert_eq!(rule(json!({"skip": "never"}), "online"), SkipRule::Never);
}

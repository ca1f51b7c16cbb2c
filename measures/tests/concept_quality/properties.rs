//! What holds of every input: permuted rows and columns, transformed scores, perfect and empty codes.

use crate::toy::{Toy, array, run};
use measures::array::Array;
use measures::concept_quality::auc::auc;
use measures::concept_quality::oracle_impurity::{align, distance, independent};
use measures::information::neighbours::{Ascending, Digamma, of_two};
use measures::information::plug_in::quantile_bins;
use measures::inputs::{Inputs, Need};
use measures::list;
use measures::measure::Request;
use measures::random::Random;
use proptest::prelude::*;

/// Columns in another order.
fn reordered(of: &Array, order: &[usize]) -> Array {
    array(of.rows(), of.columns(), |row, column| {
        of.at(row, order[column])[0]
    })
}

/// All of a toy's rows in another order.
fn shuffled(toy: &Toy, seed: u64) -> Inputs<'static> {
    let order = Random::new(seed, 5).permutation(toy.codes.rows());
    Inputs::default()
        .with(Need::Codes, toy.codes.pick(&order))
        .with(Need::Labels, toy.concepts.pick(&order))
        .with(Need::Task, toy.task.pick(&order))
        .with(Need::Embeddings, toy.codes.pick(&order))
}

proptest! {
    #[test]
    fn auc_is_that_of_all_pairs_and_of_any_ascending_transform(
        pairs in prop::collection::vec((-20_i8..20, any::<bool>()), 2..60),
    ) {
        let scores: Vec<f64> = pairs.iter().map(|p| f64::from(p.0)).collect();
        let positive: Vec<bool> = pairs.iter().map(|p| p.1).collect();
        let (mut won, mut all) = (0.0, 0.0);
        for (a, _) in scores.iter().zip(&positive).filter(|(_, p)| **p) {
            for (b, _) in scores.iter().zip(&positive).filter(|(_, p)| !**p) {
                won += if a > b { 1.0 } else if a == b { 0.5 } else { 0.0 };
                all += 1.0;
            }
        }
        let found = auc(&scores, &positive);
        prop_assert_eq!(found, (all > 0.0).then(|| won / all));
        let transformed: Vec<f64> = scores.iter().map(|s| (s / 7.0).exp() + 3.0).collect();
        prop_assert_eq!(auc(&transformed, &positive), found);
        let reversed: Vec<f64> = scores.iter().map(|s| -s).collect();
        if let (Some(one), Some(other)) = (found, auc(&reversed, &positive)) {
            prop_assert!((one + other - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn untrained_measures_do_not_depend_on_the_order_of_rows(seed in 0_u64..1000) {
        let toy = Toy::new(120, 3, 0.4, seed);
        let inputs = toy.inputs().with(Need::Embeddings, toy.codes.clone());
        let other = shuffled(&toy, seed);
        for name in ["mig", "sap", "modularity", "alignment", "leakage", "monosemanticity"] {
            let (one, other) = (run(name, &inputs, 0), run(name, &other, 0));
            for (a, b) in one.values.iter().zip(&other.values) {
                prop_assert!((a.value.unwrap() - b.value.unwrap()).abs() < 1e-9, "{}", name);
            }
        }
    }

    #[test]
    fn a_quantile_bin_holds_what_lies_between_its_edges(
        values in prop::collection::vec(-9_i8..9, 1..50),
        bins in 2_usize..6,
    ) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let found = quantile_bins(&values, bins);
        for (a, bin_of_a) in values.iter().zip(&found) {
            prop_assert!((*bin_of_a as usize) < bins);
            for (b, bin_of_b) in values.iter().zip(&found) {
                prop_assert!(a > b || bin_of_a <= bin_of_b);
            }
        }
    }

    /// The tree and the sliding window find what looking at all pairs finds.
    #[test]
    fn information_of_two_columns_is_that_of_all_distances(
        pairs in prop::collection::vec((-15_i8..15, -15_i8..15), 14..60),
        k in 1_usize..6,
    ) {
        let a: Vec<f64> = pairs.iter().map(|p| f64::from(p.0) / 4.0).collect();
        let b: Vec<f64> = pairs.iter().map(|p| f64::from(p.1) / 4.0).collect();
        let n = a.len();
        let psi = |n: usize| (1..n).map(|i| 1.0 / i as f64).sum::<f64>() - 0.577_215_664_901_532_9;
        let mut sum = 0.0;
        for i in 0..n {
            let mut distances: Vec<f64> = (0..n)
                .filter(|&j| j != i)
                .map(|j| (a[i] - a[j]).abs().max((b[i] - b[j]).abs()))
                .collect();
            distances.sort_by(f64::total_cmp);
            let radius = distances[k - 1];
            let near = |of: &[f64]| {
                let near = |v: &&f64| {
                    let distance = (*v - of[i]).abs();
                    distance < radius || radius == 0.0 && distance == 0.0
                };
                of.iter().filter(near).count()
            };
            sum += psi(near(&a)) + psi(near(&b));
        }
        let wanted = (psi(n) + psi(k) - sum / n as f64).max(0.0);
        let found = of_two(&a, &b, k, &Digamma::up_to(n));
        prop_assert!((found - wanted).abs() < 1e-9, "{} {}", found, wanted);
        prop_assert_eq!(Ascending::of(&a).values.len(), n);
    }
}

#[test]
fn trained_measures_do_not_depend_on_the_order_of_concepts() {
    let toy = Toy::new(600, 3, 0.4, 1);
    let order = [2, 0, 1];
    let other = Inputs::default()
        .with(Need::Codes, reordered(&toy.codes, &order))
        .with(Need::Labels, reordered(&toy.concepts, &order));
    let (one, other) = (run("ois", &toy.inputs(), 3), run("ois", &other, 3));
    let apart = one.value("ois").unwrap() - other.value("ois").unwrap();
    assert!(apart.abs() < 1e-12, "{apart}");
    for (i, row) in other.tables[0].rows.iter().enumerate() {
        for (j, area) in row.iter().enumerate() {
            assert_eq!(*area, one.tables[0].rows[order[i]][order[j]]);
        }
    }
}

/// The order of rows decides which of them are held out, so it moves these scores as another seed does, and no further.
#[test]
fn trained_measures_hardly_depend_on_the_order_of_rows() {
    let toy = Toy::new(1500, 3, 0.4, 4);
    let (inputs, other) = (toy.inputs(), shuffled(&toy, 9));
    for (name, score) in [
        ("ois", "ois"),
        ("niche", "nps"),
        ("niche", "nis"),
        ("nis-released", "nis_released"),
        ("concept-auc", "concept_auc"),
        ("task-auc", "task_auc"),
        ("explicitness", "explicitness"),
        ("infomec", "infoe"),
    ] {
        let mean = |of: &Inputs| {
            let scores = (1..=3).map(|seed| run(name, of, seed).value(score).unwrap());
            scores.sum::<f64>() / 3.0
        };
        let apart = mean(&inputs) - mean(&other);
        assert!(apart.abs() < 0.03, "{name}: {score} moved by {apart}");
    }
}

#[test]
fn codes_in_another_order_are_matched_with_their_concepts() {
    let toy = Toy::new(800, 3, 0.2, 1);
    // Two more codes than concepts, the good ones in the middle and turned round.
    let mut random = Random::new(3, 0);
    let noise: Vec<f64> = (0..1600).map(|_| random.normal()).collect();
    let codes = array(800, 5, |row, code| match code {
        0 => noise[row],
        4 => noise[800 + row],
        _ => toy.codes.at(row, 3 - code)[0],
    });
    let outcome = run("ois", &toy.inputs().with(Need::Codes, codes), 3);
    let told = outcome.flags.iter().map(ToString::to_string);
    let told: Vec<String> = told.filter(|f| f.contains("more codes")).collect();
    assert_eq!(
        told,
        [
            "there are more codes than concepts: codes 3 for concept 0, 2 for concept 1, 1 for concept 2"
        ]
    );
    let aligned = run("ois", &toy.inputs(), 3).value("ois");
    assert_eq!(outcome.value("ois"), aligned);
}

/// What each variant says follows from the tables that come with it.
#[test]
fn variants_of_impurity_follow_from_their_tables() {
    let toy = Toy::new(600, 3, 0.4, 8);
    let wide = array(600, 4, |row, code| {
        if code == 3 {
            (row as f64).sin()
        } else {
            toy.codes.at(row, code)[0]
        }
    });
    for (codes, matched) in [(toy.codes.clone(), false), (wide, true)] {
        let inputs = toy.inputs().with(Need::Codes, codes);
        for variant in ["printed", "non-oracle", "released"] {
            let request = Request {
                seed: 2,
                variant: Some(variant.to_owned()),
                ..Request::default()
            };
            let outcome = list::find("ois").unwrap().run(&inputs, &request).unwrap();
            let table = |place: usize| -> Vec<Vec<f64>> {
                let row = |row: &Vec<Option<f64>>| row.iter().map(|v| v.unwrap()).collect();
                outcome.tables[place].rows.iter().map(row).collect()
            };
            let (purity, mut oracle) = (table(0), table(1));
            let purity: Vec<Vec<f64>> = align(&purity).iter().map(|&i| purity[i].clone()).collect();
            match variant {
                "non-oracle" => oracle = independent(3),
                "released" => (0..3).for_each(|i| oracle[i][i] = 1.0),
                _ => {}
            }
            let factor = if variant == "released" && matched {
                1.0
            } else {
                2.0 / 3.0
            };
            let wanted = factor * distance(&purity, &oracle);
            let found = outcome.value("ois").unwrap();
            assert!(
                (found - wanted).abs() < 1e-12,
                "{variant}, {matched}: {found}, {wanted}"
            );
        }
    }
}

#[test]
fn true_concepts_have_no_impurity_against_themselves() {
    let toy = Toy::new(500, 4, 0.0, 2);
    let inputs = toy.inputs().with(Need::Codes, toy.concepts.clone());
    assert_eq!(run("ois", &inputs, 5).value("ois"), Some(0.0));
}

#[test]
fn permuted_labels_are_near_chance() {
    let toy = Toy::new(3000, 3, 0.2, 6);
    let order = Random::new(1, 77).permutation(3000);
    let inputs = toy
        .inputs()
        .with(Need::Labels, toy.concepts.pick(&order))
        .with(Need::Task, toy.task.pick(&order));
    for (name, score, chance, near) in [
        ("concept-auc", "concept_auc", 0.5, 0.05),
        ("task-auc", "task_auc", 0.5, 0.05),
        ("explicitness", "explicitness", 0.5, 0.05),
        ("niche", "nps", 0.5, 0.06),
        ("niche", "nis", 0.5, 0.06),
        ("nis-released", "nis_released", 0.475, 0.05),
        // Concepts are independent, so 1/√k.
        ("ois", "ois", 1.0 / 3.0_f64.sqrt(), 0.08),
        ("mig", "mig", 0.0, 0.02),
        ("sap", "sap", 0.0, 0.02),
        ("alignment", "alignment", 0.5, 0.05),
        ("leakage", "ctl", 0.0, 0.02),
        ("leakage", "icl", 0.0, 0.12),
        ("infomec", "infoe", 0.0, 0.02),
    ] {
        let value = run(name, &inputs, 1).value(score).unwrap();
        assert!((value - chance).abs() < near, "{name}: {score} is {value}");
    }
}

#[test]
fn leaking_codes_are_found_out() {
    let values = |name, score| {
        let of = |leak| {
            run(name, &Toy::new(2000, 3, leak, 3).inputs(), 1)
                .value(score)
                .unwrap()
        };
        (of(0.0), of(0.8))
    };
    for (name, score) in [("ois", "ois"), ("leakage", "icl"), ("leakage", "ctl")] {
        let (pure, leaking) = values(name, score);
        assert!(leaking > pure + 0.02, "{name}: {pure} and {leaking}");
    }
    for (name, score) in [
        ("mig", "mig"),
        ("sap", "sap"),
        ("modularity", "modularity"),
        ("infomec", "infom"),
    ] {
        let (pure, leaking) = values(name, score);
        assert!(leaking < pure - 0.02, "{name}: {pure} and {leaking}");
    }
}

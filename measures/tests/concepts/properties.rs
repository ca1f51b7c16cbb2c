//! What must hold for any data: scores do not depend on the order of samples or concepts.

use crate::{close, run};
use measures::array::Array;
use measures::discovered::matching::{
    Matching, Pairs, associate, completeness, distinctiveness, purity,
};
use measures::inputs::{Inputs, Need};
use measures::outcome::Outcome;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

/// Numbers in 0…1, or whole ones below `end`.
fn drawn(rng: &mut ChaCha8Rng, shape: &[usize], end: Option<u32>) -> Array {
    let count = shape.iter().product();
    let values = (0..count).map(|_| match end {
        Some(end) => f64::from(rng.random_range(0..end)),
        None => rng.random::<f64>(),
    });
    Array::new(shape.to_vec(), values.collect()).unwrap()
}

/// The array with the places of one axis in another order.
fn reordered(array: &Array, axis: usize, order: &[usize]) -> Array {
    let shape = array.shape();
    let inner: usize = shape[axis + 1..].iter().product();
    let outer: usize = shape[..axis].iter().product();
    let mut values = Vec::new();
    for block in 0..outer {
        for &place in order {
            let start = (block * shape[axis] + place) * inner;
            values.extend_from_slice(&array.values()[start..start + inner]);
        }
    }
    Array::new(shape.to_vec(), values).unwrap()
}

fn shuffled(rng: &mut ChaCha8Rng, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.shuffle(rng);
    order
}

/// What is of everything must not change.
fn same(one: &Outcome, other: &Outcome, what: &str) {
    let mut compared = 0;
    for value in one.values.iter().filter(|value| value.of.is_none()) {
        let name = value.score.name;
        match (value.value, other.value(name)) {
            (Some(a), Some(b)) => close(a, b, &format!("{what}: {name}")),
            (a, b) => assert_eq!(a, b, "{what}: {name}"),
        }
        compared += 1;
    }
    assert!(compared > 0, "{what} gives numbers");
}

/// Runs measures on arrays whose axes are named (0 samples, 1 concepts, others stay), before and after both are put
/// into another order.
fn check(
    measures: &[&str],
    arrays: &[(Need, Array, &[Option<usize>])],
    sizes: [usize; 2],
    seed: u64,
) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let orders = sizes.map(|size| shuffled(&mut rng, size));
    let (mut before, mut after) = (Inputs::default(), Inputs::default());
    for (need, array, axes) in arrays {
        let mut moved = array.clone();
        for (axis, of) in axes.iter().enumerate() {
            if let Some(of) = of {
                moved = reordered(&moved, axis, &orders[*of]);
            }
        }
        before = before.with(*need, array.clone());
        after = after.with(*need, moved);
    }
    for name in measures {
        let measure = measures::list::find(name).unwrap();
        let variants = measure
            .variants
            .iter()
            .chain(measure.estimators)
            .map(|v| v.name);
        for variant in variants.chain([""]) {
            let one = run(name, &before, variant, &[]).unwrap();
            let other = run(name, &after, variant, &[]).unwrap();
            same(&one, &other, &format!("{name}, {variant}, seed {seed}"));
        }
    }
}

const SAMPLES: Option<usize> = Some(0);
const CONCEPTS: Option<usize> = Some(1);

#[test]
fn alignment_does_not_depend_on_order() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let arrays: [(Need, Array, &[Option<usize>]); 7] = [
            (
                Need::Codes,
                drawn(&mut rng, &[30, 6], None),
                &[SAMPLES, CONCEPTS],
            ),
            (
                Need::Weights,
                drawn(&mut rng, &[6, 3], None),
                &[CONCEPTS, None],
            ),
            (
                Need::Labels,
                drawn(&mut rng, &[30, 6], Some(2)),
                &[SAMPLES, CONCEPTS],
            ),
            (
                Need::Predictions,
                drawn(&mut rng, &[30], Some(3)),
                &[SAMPLES],
            ),
            (Need::Task, drawn(&mut rng, &[30], Some(3)), &[SAMPLES]),
            (
                Need::Maps,
                drawn(&mut rng, &[30, 6, 4, 4], None),
                &[SAMPLES, CONCEPTS, None, None],
            ),
            (
                Need::Centres,
                drawn(&mut rng, &[30, 6, 2], Some(4)),
                &[SAMPLES, CONCEPTS, None],
            ),
        ];
        check(&["cgim", "cem", "clm"], &arrays, [30, 6], seed);
    }
}

/// Shares of few images are often equal, and of equal concepts the first one is the best; so concepts are put into
/// another order where no two are equal, below.
#[test]
fn coverage_does_not_depend_on_the_order_of_images() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let arrays: [(Need, Array, &[Option<usize>]); 2] = [
            (
                Need::Maps,
                drawn(&mut rng, &[12, 5, 3, 3], None),
                &[SAMPLES, None, None, None],
            ),
            (
                Need::Masks,
                drawn(&mut rng, &[12, 3, 6, 6], Some(2)),
                &[SAMPLES, None, None, None],
            ),
        ];
        check(&["shape-coverage"], &arrays, [12, 5], seed);
    }
}

#[test]
fn matching_does_not_depend_on_the_order_of_concepts_and_shapes() {
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (shapes, concepts) = (rng.random_range(2..7), rng.random_range(2..9));
        let coverage = drawn(&mut rng, &[shapes, concepts], None);
        let orders = [shuffled(&mut rng, shapes), shuffled(&mut rng, concepts)];
        let moved = reordered(&reordered(&coverage, 0, &orders[0]), 1, &orders[1]);
        let rows = |array: &Array| -> Vec<Vec<f64>> {
            (0..shapes).map(|shape| array.row(shape).to_vec()).collect()
        };
        let (one, other) = (rows(&coverage), rows(&moved));
        for matching in [Matching::BestPerShape, Matching::OneToOne] {
            let of = |rows: &[Vec<f64>]| {
                let matched = associate(rows, matching);
                let pairs = Pairs::DistinctConcepts;
                [
                    completeness(rows, &matched),
                    purity(rows, &matched).mean,
                    distinctiveness(rows, &matched, pairs),
                ]
            };
            for (one, other) in of(&one).into_iter().zip(of(&other)) {
                assert_eq!(one.is_some(), other.is_some());
                close(one.unwrap_or(0.0), other.unwrap_or(0.0), "matching");
            }
        }
    }
}

/// The assignment with the largest sum, against all that there are.
#[test]
fn one_to_one_matching_is_the_best_of_all() {
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (shapes, concepts) = (rng.random_range(1..6), rng.random_range(1..6));
        let coverage = drawn(&mut rng, &[shapes, concepts], None);
        let rows: Vec<Vec<f64>> = (0..shapes).map(|s| coverage.row(s).to_vec()).collect();
        let matched = associate(&rows, Matching::OneToOne);
        let used: BTreeSet<usize> = matched.iter().copied().flatten().collect();
        assert_eq!(used.len(), shapes.min(concepts), "each concept once");
        let pairs = matched.iter().enumerate();
        let sum: f64 = pairs.filter_map(|(s, c)| Some(rows[s][(*c)?])).sum();
        close(
            sum,
            best_of_all(&rows, 0, &mut vec![false; concepts]),
            "assignment",
        );
    }
}

/// The largest sum of the shapes from `shape` on, each with a free concept or none.
fn best_of_all(rows: &[Vec<f64>], shape: usize, taken: &mut Vec<bool>) -> f64 {
    if shape == rows.len() {
        return 0.0;
    }
    let mut best = best_of_all(rows, shape + 1, taken);
    for concept in 0..taken.len() {
        if !taken[concept] {
            taken[concept] = true;
            best = best.max(rows[shape][concept] + best_of_all(rows, shape + 1, taken));
            taken[concept] = false;
        }
    }
    best
}

/// Answers have people in the place of samples. Intervals are drawn, and so of another sample after a change of order;
/// the values are not.
#[test]
fn naming_does_not_depend_on_order() {
    for seed in 0..10 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let answers = drawn(&mut rng, &[7, 4, 2], Some(4));
        let less: Vec<f64> = answers.values().iter().map(|v| v - 1.0).collect();
        let answers = Array::new(vec![7, 4, 2], less).unwrap();
        let arrays: [(Need, Array, &[Option<usize>]); 1] =
            [(Need::Answers, answers, &[SAMPLES, CONCEPTS, None])];
        check(
            &["cdr", "cc", "mic", "term-agreement"],
            &arrays,
            [7, 4],
            seed,
        );
    }
}

#[test]
fn faithfulness_does_not_depend_on_order() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let arrays: [(Need, Array, &[Option<usize>]); 7] = [
            (
                Need::Codes,
                drawn(&mut rng, &[25, 8], None),
                &[SAMPLES, None],
            ),
            (
                Need::Outputs,
                drawn(&mut rng, &[25, 3], None),
                &[SAMPLES, None],
            ),
            (
                Need::Surrogate,
                drawn(&mut rng, &[25, 3], None),
                &[SAMPLES, None],
            ),
            (Need::Task, drawn(&mut rng, &[25], Some(3)), &[SAMPLES]),
            (Need::Weights, drawn(&mut rng, &[8, 3], None), &[None, None]),
            (
                Need::Directions,
                drawn(&mut rng, &[3, 4, 8], None),
                &[None, CONCEPTS, None],
            ),
            (
                Need::Importances,
                drawn(&mut rng, &[3, 4], None),
                &[None, CONCEPTS],
            ),
        ];
        check(
            &["surf", "ice", "surrogate-agreement"],
            &arrays,
            [25, 4],
            seed,
        );
    }
}

//! What must hold for any data: scores do not depend on the order of samples or concepts.

use crate::{close, run};
use measures::array::Array;
use measures::faithfulness::sanity::{Explanation, steps};
use measures::faithfulness::surrogates::last_layer;
use measures::inputs::{Inputs, Need};
use measures::outcome::Outcome;
use measures::random::Random;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Numbers in 0…1, or whole ones below `end`.
pub fn drawn(rng: &mut ChaCha8Rng, shape: &[usize], end: Option<u32>) -> Array {
    let count = shape.iter().product();
    let values = (0..count).map(|_| match end {
        Some(end) => f64::from(rng.random_range(0..end)),
        None => rng.random::<f64>(),
    });
    Array::new(shape.to_vec(), values.collect()).unwrap()
}

/// The array with the places of one axis in another order.
pub fn reordered(array: &Array, axis: usize, order: &[usize]) -> Array {
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

pub fn shuffled(rng: &mut ChaCha8Rng, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.shuffle(rng);
    order
}

/// What is of everything must not change, and every number lies in the range that its measure declares.
fn same(one: &Outcome, other: &Outcome, what: &str) {
    let mut compared = 0;
    for value in &one.values {
        let name = value.score.name;
        if let Some(found) = value.value {
            let (low, high) = value.score.range;
            let inside = low.is_none_or(|low| found >= low - 1e-12)
                && high.is_none_or(|high| found <= high + 1e-12);
            assert!(
                inside,
                "{what}: {name} is {found}, outside {low:?} to {high:?}"
            );
        }
        if value.of.is_some() {
            continue;
        }
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
/// another order in `matching.rs`, where no two are equal.
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

/// A layer of its own weights explains itself: its directions have norm 1, its importances are its norms.
#[test]
fn a_perfect_explanation_is_perfectly_faithful() {
    for seed in 0..50 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (inputs, codes, outputs) = (
            rng.random_range(1..9),
            rng.random_range(1..9),
            rng.random_range(2..6),
        );
        let (h, f) = (
            drawn(&mut rng, &[inputs, codes], None),
            drawn(&mut rng, &[codes, outputs], None),
        );
        let bias = drawn(&mut rng, &[outputs], None);
        let [perfect, random, _] = steps(&f, &mut Random::new(seed, 0));
        let y = last_layer(&h, &f, bias.values());
        let of = |explanation: &Explanation| {
            let inputs = Inputs::default()
                .with(Need::Codes, h.clone())
                .with(Need::Directions, explanation.directions.clone())
                .with(Need::Importances, explanation.importances.clone())
                .with(Need::Bias, bias.clone())
                .with(Need::Outputs, y.clone());
            let found = run("surf", &inputs, "", &[]).unwrap();
            ["surf_mae", "surf_emd"].map(|score| found.value(score).unwrap())
        };
        let [mae, emd] = of(&perfect);
        close(mae, 0.0, "MAE");
        close(emd, 0.0, "EMD");
        assert!(
            of(&random)[0] > 1e-3,
            "random importances are no explanation"
        );
    }
}

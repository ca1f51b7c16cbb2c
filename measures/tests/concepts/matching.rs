//! What must hold of any association of shapes and concepts.

use crate::close;
use crate::properties::{drawn, reordered, shuffled};
use measures::array::Array;
use measures::discovered::matching::{
    Matching, Pairs, associate, completeness, distinctiveness, purity,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

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

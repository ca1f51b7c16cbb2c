//! Which concept stands for which shape, and what follows from it: completeness, purity, distinctiveness
//! (supplement of BotCL, equations 9 to 12).
//!
//! Coverage is one list for each shape, with a share for each concept. An association names the concept of each
//! shape, or none for a shape that has to go without.

use super::assignment::best_assignment;
use std::collections::BTreeSet;

/// How concepts are associated with shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// The concept that covers the shape best, the first one of equals, whether or not it stands for another, too:
    /// the printed maximisation, in which "only concepts are variables".
    BestPerShape,
    /// No concept stands for two shapes, and the sum of coverages is as large as it can be.
    OneToOne,
}

/// Which pairs distinctiveness is a mean over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairs {
    /// Pairs of different concepts, as the set in print says.
    DistinctConcepts,
    /// Pairs of matches: a concept that stands for two shapes makes a pair with itself, whose difference is 0.
    Matches,
}

/// The concept of each shape. Without concepts there is none.
#[must_use]
pub fn associate(coverage: &[Vec<f64>], matching: Matching) -> Vec<Option<usize>> {
    match matching {
        Matching::OneToOne => best_assignment(coverage),
        Matching::BestPerShape => coverage
            .iter()
            .map(|row| {
                (0..row.len()).reduce(|best, concept| {
                    if row[concept] > row[best] {
                        concept
                    } else {
                        best
                    }
                })
            })
            .collect(),
    }
}

/// Completeness: the mean coverage of matches; none without a match.
#[must_use]
pub fn completeness(coverage: &[Vec<f64>], association: &[Option<usize>]) -> Option<f64> {
    mean(matches(association).map(|(shape, concept)| coverage[shape][concept]))
}

/// Purity, and how many matches it leaves out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Purity {
    /// The mean over matches; none when none has a purity.
    pub mean: Option<f64>,
    /// Matches whose concept covers nothing at all: 0/0.
    pub left_out: usize,
}

/// Purity: the mean over matches of the concept's coverage of its shape, divided by the sum of its coverage of all
/// shapes.
#[must_use]
pub fn purity(coverage: &[Vec<f64>], association: &[Option<usize>]) -> Purity {
    let all: Vec<Option<f64>> = matches(association)
        .map(|(shape, concept)| {
            let sum: f64 = coverage.iter().map(|row| row[concept]).sum();
            (sum > 0.0).then(|| coverage[shape][concept] / sum)
        })
        .collect();
    Purity {
        mean: mean(all.iter().copied().flatten()),
        left_out: all.iter().filter(|one| one.is_none()).count(),
    }
}

/// Distinctiveness: the mean over pairs of matched concepts of (1/S) Σ over shapes of the difference of their
/// coverages. In print the second coverage is of another shape, s′, that nothing sums over; it is read as s. None
/// without a pair.
#[must_use]
pub fn distinctiveness(
    coverage: &[Vec<f64>],
    association: &[Option<usize>],
    pairs: Pairs,
) -> Option<f64> {
    let matched = matches(association).map(|(_, concept)| concept);
    let concepts: Vec<usize> = match pairs {
        Pairs::Matches => matched.collect(),
        Pairs::DistinctConcepts => matched.collect::<BTreeSet<_>>().into_iter().collect(),
    };
    let difference = |a: usize, b: usize| {
        let over_shapes: f64 = coverage.iter().map(|row| (row[a] - row[b]).abs()).sum();
        over_shapes / coverage.len() as f64
    };
    let each = concepts.iter().enumerate().flat_map(|(place, &first)| {
        concepts[place + 1..]
            .iter()
            .map(move |&second| difference(first, second))
    });
    mean(each)
}

fn matches(association: &[Option<usize>]) -> impl Iterator<Item = (usize, usize)> {
    association
        .iter()
        .enumerate()
        .filter_map(|(shape, concept)| Some((shape, (*concept)?)))
}

/// The mean of what there is; none of nothing.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), v| (sum + v, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

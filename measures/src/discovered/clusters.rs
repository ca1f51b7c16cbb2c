//! Centres of clusters: k-means over features, whose centres BotCL's supplement (section 2.3) takes for concepts.

use crate::array::Array;
use crate::parallel;
use crate::random::Random;

/// Rounds after which a start is left as it is.
const ROUNDS: usize = 300;
/// The stream of random numbers of a start is its number beyond this one.
const STREAM: u64 = 0x6b6d;

/// Centres, and how near the features are to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// Centres × entries.
    pub centres: Array,
    /// The sum, over features, of the squared distance to the nearest centre.
    pub inertia: f64,
}

/// The best of `starts` runs of k-means: Lloyd's rounds from centres that are drawn as k-means++ draws them (Arthur and
/// Vassilvitskii 2007), until no feature changes its centre. A centre that loses all of its features stays where it is.
///
/// `features` are rows of one length. None without a row, with more centres than rows, or without a centre or a start.
/// The same seed gives the same centres, however many threads there are.
#[must_use]
pub fn k_means(
    features: &Array,
    centres: usize,
    starts: usize,
    seed: u64,
    threads: usize,
) -> Option<Clusters> {
    if centres == 0 || features.rows() < centres {
        return None;
    }
    let one = |start| {
        let mut random = Random::new(seed, STREAM + start as u64);
        settled(features, drawn(features, centres, &mut random))
    };
    let all = parallel::map(starts, threads, |_| (), one);
    // Of equally good starts the first one.
    all.into_iter().reduce(|best, next| {
        if next.inertia < best.inertia {
            next
        } else {
            best
        }
    })
}

/// The first centre is any feature; each further one is a feature with a chance that grows with its squared distance
/// to the centres that there are.
fn drawn(features: &Array, centres: usize, random: &mut Random) -> Vec<Vec<f64>> {
    let mut found = vec![features.row(random.below(features.rows())).to_vec()];
    let mut nearest = vec![f64::INFINITY; features.rows()];
    while found.len() < centres {
        let last = &found[found.len() - 1];
        let mut sum = 0.0;
        for (row, least) in nearest.iter_mut().enumerate() {
            *least = least.min(squared_distance(features.row(row), last));
            sum += *least;
        }
        let mut left = random.uniform() * sum;
        let next = nearest.iter().position(|distance| {
            left -= distance;
            left < 0.0
        });
        // Where all features are centres already, any will do.
        let next = next.unwrap_or_else(|| random.below(features.rows()));
        found.push(features.row(next).to_vec());
    }
    found
}

fn settled(features: &Array, mut centres: Vec<Vec<f64>>) -> Clusters {
    let mut belongs = vec![usize::MAX; features.rows()];
    let mut inertia = 0.0;
    for _ in 0..ROUNDS {
        let mut sums = vec![vec![0.0; features.columns()]; centres.len()];
        let mut counts = vec![0_u32; centres.len()];
        let mut changed = false;
        inertia = 0.0;
        for (row, belongs) in belongs.iter_mut().enumerate() {
            let feature = features.row(row);
            let (nearest, distance) = nearest(feature, &centres);
            changed |= *belongs != nearest;
            *belongs = nearest;
            inertia += distance;
            counts[nearest] += 1;
            for (sum, value) in sums[nearest].iter_mut().zip(feature) {
                *sum += value;
            }
        }
        if !changed {
            break;
        }
        for ((centre, sum), count) in centres.iter_mut().zip(sums).zip(counts) {
            if count > 0 {
                *centre = sum.iter().map(|value| value / f64::from(count)).collect();
            }
        }
    }
    Clusters {
        centres: Array::from_rows(&centres).expect("centres have the length of features"),
        inertia,
    }
}

/// The nearest centre, the first one of equally near ones, and the squared distance to it.
fn nearest(feature: &[f64], centres: &[Vec<f64>]) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for (place, centre) in centres.iter().enumerate() {
        let distance = squared_distance(feature, centre);
        if distance < best.1 {
            best = (place, distance);
        }
    }
    best
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_heaps() -> Array {
        let rows = [[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [0.1, 0.2], [5.2, 4.9]];
        Array::from_rows(&rows.map(|row| row.to_vec())).unwrap()
    }

    // import numpy as np; from sklearn.cluster import KMeans   # 1.9.1
    // x = np.array([[0, .1], [.2, 0], [5, 5.1], [.1, .2], [5.2, 4.9]]); m = KMeans(2, n_init=10, random_state=0).fit(x)
    // print(m.cluster_centers_.tolist(), m.inertia_)
    #[test]
    fn centres_agree_with_scikit_learn() {
        let found = k_means(&two_heaps(), 2, 5, 1, 2).unwrap();
        let mut centres: Vec<&[f64]> = (0..2).map(|row| found.centres.row(row)).collect();
        centres.sort_by(|a, b| a[0].total_cmp(&b[0]));
        for (found, expected) in centres.concat().iter().zip([0.1, 0.1, 5.1, 5.0]) {
            assert!(
                (found - expected).abs() < 1e-12,
                "{found} is not {expected}"
            );
        }
        assert!((found.inertia - 0.08).abs() < 1e-12, "{}", found.inertia);
    }

    #[test]
    fn the_same_seed_gives_the_same_centres_with_any_number_of_threads() {
        let mut random = Random::new(3, 0);
        let values = (0..600).map(|_| random.normal()).collect();
        let features = Array::new(vec![200, 3], values).unwrap();
        let one = k_means(&features, 7, 4, 9, 1).unwrap();
        assert_eq!(one, k_means(&features, 7, 4, 9, 3).unwrap());
        let single = k_means(&features, 7, 1, 9, 1).unwrap();
        assert!(one.inertia <= single.inertia);
        let more = k_means(&features, 20, 4, 9, 1).unwrap();
        assert!(more.inertia < one.inertia);
    }

    #[test]
    fn what_cannot_be_clustered_has_no_centres() {
        let features = two_heaps();
        assert!(k_means(&features, 6, 1, 1, 1).is_none());
        assert!(k_means(&features, 0, 1, 1, 1).is_none());
        assert!(k_means(&features, 2, 0, 1, 1).is_none());
        // Equal features: every centre is that feature.
        let same = Array::new(vec![4, 1], vec![2.0; 4]).unwrap();
        let found = k_means(&same, 3, 2, 1, 1).unwrap();
        assert_eq!(
            (found.inertia, found.centres.values()),
            (0.0, &[2.0; 3][..])
        );
    }
}

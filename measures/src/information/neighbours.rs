//! Mutual information from distances to nearest neighbours: it needs no bins. As scikit-learn computes it, without
//! the noise that it adds to break ties.

use super::tree::Tree;
use crate::checks::LabelColumn;

/// ψ of whole numbers: `0` holds ψ(n) at place n. ψ(0) is not defined and stands as 0.
#[derive(Debug, Clone)]
pub struct Digamma(Vec<f64>);

/// Euler's constant.
const GAMMA: f64 = 0.577_215_664_901_532_9;

impl Digamma {
    /// For numbers up to `end`.
    #[must_use]
    pub fn up_to(end: usize) -> Self {
        let mut values = vec![0.0, -GAMMA];
        for n in 1..end {
            values.push(values[n] + 1.0 / n as f64);
        }
        Self(values)
    }

    fn of(&self, n: usize) -> f64 {
        self.0[n]
    }
}

/// The rows of a column by ascending value, with the values in that order.
#[derive(Debug, Clone)]
pub struct Ascending {
    /// Rows.
    pub rows: Vec<u32>,
    /// Their values.
    pub values: Vec<f64>,
}

impl Ascending {
    /// Sorts a column.
    #[must_use]
    pub fn of(column: &[f64]) -> Self {
        let mut pairs: Vec<(f64, u32)> = column.iter().copied().zip(0..).collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Self {
            rows: pairs.iter().map(|pair| pair.1).collect(),
            values: pairs.iter().map(|pair| pair.0).collect(),
        }
    }

    /// How many values are nearer to `value` than `radius`; with a radius of 0, how many equal it.
    fn within(&self, value: f64, radius: f64) -> usize {
        let near = |distance: f64| distance < radius || (radius == 0.0 && distance <= 0.0);
        let low = self
            .values
            .partition_point(|&v| !near(value - v) && v < value);
        let high = self
            .values
            .partition_point(|&v| v <= value || near(v - value));
        high - low
    }
}

/// Mutual information of a continuous column and labels, in nats (Ross 2014): ψ(N) + ⟨ψ(k)⟩ − ⟨ψ(N of the label)⟩ −
/// ⟨ψ(m)⟩, m the number of rows nearer than the k-th neighbour of the same label. Not below 0. Labels that a single
/// row has are left out; 0 when no other is left.
pub(crate) fn with_labels(
    column: &Ascending,
    labels: &LabelColumn,
    k: usize,
    digamma: &Digamma,
) -> f64 {
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); labels.classes.len()];
    for (place, &row) in column.rows.iter().enumerate() {
        places[labels.places[row as usize] as usize].push(place as u32);
    }
    let (mut counted, mut sum) = (0, 0.0);
    for places in places.iter().filter(|places| places.len() > 1) {
        let k = k.min(places.len() - 1);
        let same = digamma.of(k) - digamma.of(places.len());
        let (mut first, mut low, mut high) = (0, 0, 0);
        let values = &column.values;
        for (place, &at) in places.iter().enumerate() {
            let value = values[at as usize];
            let of = |place: usize| values[places[place] as usize];
            // The k nearest lie in a window of k + 1 that slides upward with the value.
            first = first.max(place.saturating_sub(k));
            while first + k + 1 < places.len()
                && first < place
                && of(first + k + 1) - value < value - of(first)
            {
                first += 1;
            }
            let radius = (value - of(first)).max(of(first + k) - value);
            let near = |v: f64| {
                let distance = (v - value).abs();
                distance < radius || (radius == 0.0 && distance == 0.0)
            };
            // Both ends of what is near move upward with the value, but for rounding.
            let at = at as usize;
            low = low.min(at);
            high = high.max(at);
            while low > 0 && near(values[low - 1]) {
                low -= 1;
            }
            while !near(values[low]) {
                low += 1;
            }
            while high + 1 < values.len() && near(values[high + 1]) {
                high += 1;
            }
            while !near(values[high]) {
                high -= 1;
            }
            sum += same - digamma.of(high - low + 1);
        }
        counted += places.len();
    }
    if counted == 0 {
        return 0.0;
    }
    (digamma.of(counted) + sum / counted as f64).max(0.0)
}

/// Mutual information of two continuous columns, in nats (Kraskov et al. 2004, first estimator): ψ(N) + ψ(k) −
/// ⟨ψ(n_a + 1)⟩ − ⟨ψ(n_b + 1)⟩, n the numbers of other rows nearer in one column than the k-th neighbour in both, the
/// larger distance counting. Not below 0; 0 with fewer than two rows.
///
/// # Panics
/// When the columns differ in length.
#[must_use]
pub fn of_two(a: &[f64], b: &[f64], k: usize, digamma: &Digamma) -> f64 {
    assert_eq!(a.len(), b.len(), "columns of the same rows");
    if a.len() < 2 {
        return 0.0;
    }
    let k = k.min(a.len() - 1);
    let tree = Tree::new(a, b);
    let (sorted_a, sorted_b) = (Ascending::of(a), Ascending::of(b));
    let mut sum = 0.0;
    for (row, (&x, &y)) in a.iter().zip(b).enumerate() {
        let radius = tree.distance(row, k);
        sum += digamma.of(sorted_a.within(x, radius)) + digamma.of(sorted_b.within(y, radius));
    }
    (digamma.of(a.len()) + digamma.of(k) - sum / a.len() as f64).max(0.0)
}

//! Rows to fit to and rows to judge on.

use crate::problem::Problem;
use crate::random::Random;

/// Which rows something is fitted to, and which it is judged on.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// Rows to fit to.
    pub train: Vec<usize>,
    /// Rows to judge on.
    pub test: Vec<usize>,
}

impl Split {
    /// The first nine tenths to fit to, the rest to judge on: for rows in random order.
    #[must_use]
    pub fn nine_tenths(rows: usize) -> Self {
        let end = rows * 9 / 10;
        Self {
            train: (0..end).collect(),
            test: (end..rows).collect(),
        }
    }

    /// Rows in random order: a share of `test` of them to judge on, rounded up, as scikit-learn's
    /// `train_test_split` does, the others to fit to.
    #[must_use]
    pub fn random(rows: usize, test: f64, seed: u64) -> Self {
        let order = Random::new(seed, STREAM).permutation(rows);
        let end = ((rows as f64 * test).ceil() as usize).min(rows);
        Self {
            test: order[..end].to_vec(),
            train: order[end..].to_vec(),
        }
    }

    /// What keeps a split of `rows` rows from being used: a half without rows, rows that are not there.
    #[must_use]
    pub fn problems(&self, rows: usize) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (half, name) in [
            (&self.train, "rows to fit to"),
            (&self.test, "rows to judge on"),
        ] {
            if half.is_empty() {
                problems.push(Problem::TooFew {
                    array: "split",
                    of: name,
                    found: 0,
                    needed: 1,
                });
            }
            let beyond = half.iter().filter(|&&row| row >= rows);
            problems.extend(beyond.map(|&row| Problem::NoSuchRow {
                array: "split",
                row,
                rows,
            }));
        }
        problems
    }
}

/// The stream of random numbers that splits are drawn from.
const STREAM: u64 = 1;

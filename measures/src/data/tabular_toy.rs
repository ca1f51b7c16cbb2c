//! TabularToy(δ): tables with three concepts that depend on each other (paper 000, section 6.1).
//!
//! Causes z are normal with variance 1 and covariance δ. Seven columns x are functions of them; concepts are
//! c = 1[z > 0], and the task is y = 1[Σ c ≥ 2]. The functions are not printed: they are those of the released code,
//! which takes them from Mahinpei et al. (2021).

use crate::array::Array;
use crate::problem::{Checked, Problem};
use crate::random::Random;

/// Number of causes, and of concepts.
pub const CAUSES: usize = 3;
/// Number of columns of x.
pub const COLUMNS: usize = 7;
/// Rows to train on, in the paper.
pub const TRAIN: usize = 2000;
/// Rows to test on, in the paper.
pub const TEST: usize = 1000;

/// Rows of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Causes, rows × 3.
    pub causes: Array,
    /// The inputs of a model, rows × 7.
    pub x: Array,
    /// Concepts of 0 and 1, rows × 3.
    pub concepts: Array,
    /// The task of 0 and 1, a number for each row.
    pub task: Array,
}

/// The data: rows to train on and rows to test on.
#[derive(Debug, Clone, PartialEq)]
pub struct TabularToy {
    /// 2,000 rows.
    pub train: Table,
    /// 1,000 rows.
    pub test: Table,
}

/// The data for one dependence δ. The same δ and seed give the same bits; δ changes how draws are mixed, not the draws.
///
/// At both ends of −½…1 the covariance is singular, and causes lie on a line or in a plane: at 1 the three are equal.
///
/// # Errors
/// When δ is not between −½ and 1: no three variables have such a covariance.
pub fn tabular_toy(delta: f64, seed: u64) -> Checked<TabularToy> {
    let factor = cholesky(delta)?;
    let mut random = Random::new(seed, 0);
    Ok(TabularToy {
        train: table(&factor, TRAIN, &mut random),
        test: table(&factor, TEST, &mut random),
    })
}

/// The inputs of a model, from the causes: sin z + z and cos z + z of each, and the sum of their squares.
#[must_use]
pub fn columns(z: [f64; CAUSES]) -> [f64; COLUMNS] {
    let [a, b, c] = z;
    [
        libm::sin(a) + a,
        libm::cos(a) + a,
        libm::sin(b) + b,
        libm::cos(b) + b,
        libm::sin(c) + c,
        libm::cos(c) + c,
        a * a + b * b + c * c,
    ]
}

/// The concepts: whether each cause is above 0. The task is whether at least two are.
#[must_use]
pub fn concepts(z: [f64; CAUSES]) -> ([bool; CAUSES], bool) {
    let concepts = z.map(|z| z > 0.0);
    (concepts, concepts.iter().filter(|&&c| c).count() >= 2)
}

/// The lower triangle L of L Lᵀ = covariance. At the ends of δ's range, where rows of the covariance follow from
/// others, what would be divided by 0 is 0.
fn cholesky(delta: f64) -> Checked<[[f64; CAUSES]; CAUSES]> {
    if !(-0.5..=1.0).contains(&delta) {
        return Err(vec![Problem::Parameter {
            name: "delta",
            value: delta.to_string(),
            wanted: "from −0.5 to 1: three variables have no other common covariance".to_owned(),
        }]);
    }
    let second = (1.0 - delta * delta).sqrt();
    let third = if second > 0.0 {
        (delta - delta * delta) / second
    } else {
        0.0
    };
    // A rounding error below 0 is 0.
    let last = (1.0 - delta * delta - third * third).max(0.0).sqrt();
    Ok([[1.0, 0.0, 0.0], [delta, second, 0.0], [delta, third, last]])
}

fn table(factor: &[[f64; CAUSES]; CAUSES], rows: usize, random: &mut Random) -> Table {
    let [mut causes, mut x, mut c, mut y] = [(); 4].map(|()| Vec::new());
    for _ in 0..rows {
        let draws: [f64; CAUSES] = std::array::from_fn(|_| random.normal());
        let z = factor.map(|row| row.iter().zip(draws).map(|(l, draw)| l * draw).sum());
        let (concepts, task) = concepts(z);
        causes.extend(z);
        x.extend(columns(z));
        c.extend(concepts.map(|c| f64::from(u8::from(c))));
        y.push(f64::from(u8::from(task)));
    }
    let array = |width: &[usize], values| {
        Array::new([&[rows][..], width].concat(), values).expect("a row of numbers at a time")
    };
    Table {
        causes: array(&[CAUSES], causes),
        x: array(&[COLUMNS], x),
        concepts: array(&[CAUSES], c),
        task: array(&[], y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hash::of_numbers;

    // import numpy as np   # 2.4.6
    // for z in np.array([[.5, -1.2, .3], [-.4, .8, 1.1], [0, 0, -2.]]):
    //     print([*np.stack([np.sin(z)+z, np.cos(z)+z], 1).ravel(), (z*z).sum()], z > 0, (z > 0).sum() >= 2)
    #[test]
    fn columns_and_concepts_agree_with_numpy() {
        let cases = [
            (
                [0.5, -1.2, 0.3],
                [
                    0.979_425_538_604_203,
                    1.377_582_561_890_372_8,
                    -2.132_039_085_967_226,
                    -0.837_642_245_523_326_3,
                    0.595_520_206_661_339_5,
                    1.255_336_489_125_606,
                    1.78,
                ],
                ([true, false, true], true),
            ),
            (
                [-0.4, 0.8, 1.1],
                [
                    -0.789_418_342_308_650_5,
                    0.521_060_994_002_885_1,
                    1.517_356_090_899_523,
                    1.496_706_709_347_165_5,
                    1.991_207_360_061_435_5,
                    1.553_596_121_425_577_3,
                    2.01,
                ],
                ([false, true, true], true),
            ),
            (
                [0.0, 0.0, -2.0],
                [
                    0.0,
                    1.0,
                    0.0,
                    1.0,
                    -2.909_297_426_825_682,
                    -2.416_146_836_547_142_6,
                    4.0,
                ],
                ([false, false, false], false),
            ),
        ];
        for (z, x, expected) in cases {
            for (found, expected) in columns(z).into_iter().zip(x) {
                assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
            }
            assert_eq!(concepts(z), expected);
        }
    }

    fn covariance(table: &Table, a: usize, b: usize) -> f64 {
        let (a, b) = (table.causes.column(a), table.causes.column(b));
        let products = a.iter().zip(&b).map(|(a, b)| a * b);
        products.sum::<f64>() / a.len() as f64
    }

    #[test]
    fn causes_have_the_covariance_that_is_asked_for() {
        for delta in [-0.5, -0.2, 0.0, 0.25, 0.75, 1.0] {
            let data = tabular_toy(delta, 1).unwrap();
            for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                // Four standard errors of a product of normal variables.
                let error = 4.0 * ((1.0 + delta * delta) / TRAIN as f64).sqrt();
                assert!((covariance(&data.train, a, b) - delta).abs() < error);
            }
            for cause in 0..CAUSES {
                assert!((covariance(&data.train, cause, cause) - 1.0).abs() < 0.127);
            }
        }
    }

    #[test]
    fn at_one_all_causes_are_equal_and_beyond_it_there_are_none() {
        let data = tabular_toy(1.0, 1).unwrap();
        for row in 0..TEST {
            let z = data.test.causes.row(row);
            assert!(z[0].to_bits() == z[1].to_bits() && z[1].to_bits() == z[2].to_bits());
        }
        for delta in [1.01, -0.51, f64::NAN, f64::INFINITY] {
            let problems = tabular_toy(delta, 1).unwrap_err();
            assert!(problems[0].to_string().starts_with("delta is"));
        }
    }

    #[test]
    fn the_data_are_those_that_they_were() {
        let data = tabular_toy(0.25, 7).unwrap();
        assert_eq!(data.train.x.shape(), [2000, 7]);
        assert_eq!(data.test.concepts.shape(), [1000, 3]);
        assert_eq!(data.test.task.shape(), [1000]);
        assert_eq!(data, tabular_toy(0.25, 7).unwrap());
        assert_ne!(data, tabular_toy(0.25, 8).unwrap());
        let found = [
            of_numbers(data.train.x.values()),
            of_numbers(data.test.x.values()),
        ];
        assert_eq!(found, HASHES, "{found:#x?}");
    }

    const HASHES: [u64; 2] = [0x1728_d149_afde_9df1, 0xed66_0138_c169_226a];
}

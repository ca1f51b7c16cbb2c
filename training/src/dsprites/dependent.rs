//! dSprites(λ): sprites whose factors depend on each other, with concepts and classes (paper 000).

use measures::data::dependence::{DSPRITES, Decider, DependentFactors, dependent_factors};
use measures::problem::Checked;

use super::DSprites;
use crate::data::{DataSplit, Dataset};

/// One row in so many is held out: a fifth.
const HELD_OUT_ONE_IN: usize = 5;

/// The dataset: 46,080 pictures for every λ. Factors are the numbers of their values, from 0; the label is the class.
#[derive(Debug, Clone)]
pub struct DependentDSprites {
    factors: DependentFactors,
}

impl DependentDSprites {
    /// The data of λ = `steps`, whose dependencies are drawn from `seed`.
    ///
    /// # Errors
    /// When `steps` is above 4.
    pub fn new(steps: usize, seed: u64) -> Checked<Self> {
        let factors = dependent_factors(DSPRITES, steps, Decider::default(), seed)?;
        Ok(Self { factors })
    }

    /// The five concepts of a row.
    #[must_use]
    pub fn concepts(&self, row: usize) -> Vec<bool> {
        self.factors.concepts(&self.factors.rows[row])
    }
}

impl Dataset for DependentDSprites {
    fn rows(&self) -> usize {
        self.factors.rows.len()
    }

    fn instance_len(&self) -> usize {
        DSprites.instance_len()
    }

    fn factor_names(&self) -> &'static [&'static str] {
        DSprites.factor_names()
    }

    fn factors(&self, row: usize) -> Vec<f64> {
        self.factors.rows[row].iter().map(|&v| v as f64).collect()
    }

    fn label(&self, row: usize) -> Option<u8> {
        u8::try_from(self.factors.class(&self.factors.rows[row])).ok()
    }

    fn render(&self, row: usize, out: &mut [f32]) {
        DSprites.render(self.factors.row_of_all(&self.factors.rows[row]), out);
    }

    fn split(&self) -> DataSplit {
        DataSplit::one_in(HELD_OUT_ONE_IN, self.rows())
    }
}

#[cfg(test)]
mod tests {
    use models::weights::sha256_hex;

    use super::*;
    use crate::data::Rows;
    use crate::dsprites::COUNTS;

    #[test]
    fn rows_are_those_of_dsprites_with_the_same_factors() {
        for (factor, count) in DSPRITES.factors.iter().zip(COUNTS) {
            assert_eq!(factor.values, count, "{}", factor.name);
        }
        let data = DependentDSprites::new(2, 7).unwrap();
        let names: Vec<&str> = DSPRITES.factors.iter().map(|f| f.name).collect();
        assert_eq!(data.factor_names(), names);
        for row in [0, 1000, 46_079] {
            let of_all = data.factors.row_of_all(&data.factors.rows[row]);
            let (mut here, mut there) = (vec![0.0; 4096], vec![0.0; 4096]);
            data.render(row, &mut here);
            DSprites.render(of_all, &mut there);
            assert_eq!(here, there);
            // Shape, the first factor, has the values 1, 2 and 3 in dSprites.
            assert_eq!(data.factors(row)[0] + 1.0, DSprites.factors(of_all)[0]);
        }
    }

    #[test]
    fn the_data_are_those_that_they_were() {
        let data = DependentDSprites::new(4, 7).unwrap();
        assert_eq!(data.rows(), 46_080);
        let split = data.split();
        assert_eq!((split.train.len(), split.held_out.len()), (36_864, 9_216));
        let mut classes = [0; 8];
        for row in 0..data.rows() {
            classes[usize::from(data.label(row).unwrap())] += 1;
        }
        assert_eq!(classes.iter().sum::<u32>(), 46_080);
        assert_eq!(classes, CLASSES, "{classes:?}");
        let rows = Rows::of(&data, &split.train[..200]);
        let bytes: Vec<u8> = rows.instances.iter().map(|&v| v as u8).collect();
        let found = sha256_hex(&[bytes, rows.labels].concat());
        assert_eq!(found, HASH, "{found}");
    }

    const CLASSES: [u32; 8] = [5920, 4320, 9888, 10592, 4599, 3593, 3371, 3797];
    const HASH: &str = "74bfe670427dcaf98942a4fbe3239667e199647aa95b0cfd06f6220450ee0d8a";

    #[test]
    fn more_steps_than_factors_are_refused() {
        assert!(DependentDSprites::new(5, 1).is_err());
    }
}

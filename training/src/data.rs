//! Datasets and their split.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Rows of instances with what is known about them.
pub trait Dataset: Send + Sync {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Number of values of an instance.
    fn instance_len(&self) -> usize;
    /// What the factors are called, in order; empty where none are known.
    fn factor_names(&self) -> &'static [&'static str];
    /// The factors of row `row` (below [`rows`](Self::rows)).
    fn factors(&self, row: usize) -> Vec<f64>;
    /// What row `row` shows, for a dataset with labels.
    fn label(&self, row: usize) -> Option<u8> {
        let _ = row;
        None
    }
    /// The factor that is the class of a row, by its place among the factors; none where no factor is one.
    fn class_factor(&self) -> Option<usize> {
        None
    }
    /// The same rows with factors that are measured in their instances; none where nothing is known but
    /// [`factors`](Self::factors).
    ///
    /// # Errors
    /// When an instance cannot be measured.
    fn measured(&self) -> anyhow::Result<Option<Box<dyn Dataset>>> {
        Ok(None)
    }
    /// Writes the instance with these factors into `out`, whether or not a row has them. False where instances are not
    /// drawn from factors.
    fn render_factors(&self, factors: &[f64], out: &mut [f32]) -> bool {
        let _ = (factors, out);
        false
    }
    /// Writes the instance of row `row` into `out`.
    fn render(&self, row: usize, out: &mut [f32]);
    /// Which rows are held out.
    fn split(&self) -> DataSplit {
        DataSplit::of(self.rows())
    }
}

/// Seed of every split. It is not the seed of a run: all models of a dataset hold
/// out the same rows.
pub(crate) const SPLIT_SEED: u64 = 0x0005_9117;

/// One row in this many is held out.
const HELD_OUT_SHARE: usize = 10;

/// The rows that are trained on and those that are held out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSplit {
    /// Rows to train on, in a random order.
    pub train: Vec<u32>,
    /// Rows never trained on, in a random order.
    pub held_out: Vec<u32>,
}

impl DataSplit {
    /// Splits `rows` rows, of which a tenth is held out, always in the same way.
    #[must_use]
    pub fn of(rows: usize) -> Self {
        Self::one_in(HELD_OUT_SHARE, rows)
    }

    /// The same with another share: one row in `share` is held out.
    #[must_use]
    pub fn one_in(share: usize, rows: usize) -> Self {
        let mut held_out: Vec<u32> = (0..rows as u32).collect();
        held_out.shuffle(&mut ChaCha8Rng::seed_from_u64(SPLIT_SEED));
        let train = held_out.split_off(rows / share.max(1));
        Self { train, held_out }
    }
}

/// Rows of a dataset as flat arrays, ready for a tensor.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Number of rows.
    pub len: usize,
    /// Their factors, one row after the other.
    pub factors: Vec<f32>,
    /// Their labels; empty where there are none.
    pub labels: Vec<u8>,
    /// Their instances, one after the other.
    pub instances: Vec<f32>,
}

impl Rows {
    /// Renders some rows of a dataset.
    #[must_use]
    pub fn of(dataset: &dyn Dataset, rows: &[u32]) -> Self {
        let size = dataset.instance_len();
        let mut out = Self {
            len: rows.len(),
            factors: Vec::new(),
            labels: Vec::new(),
            instances: vec![0.0; rows.len() * size],
        };
        for (&row, instance) in rows.iter().zip(out.instances.chunks_exact_mut(size)) {
            let row = row as usize;
            dataset.render(row, instance);
            out.factors
                .extend(dataset.factors(row).iter().map(|&f| f as f32));
            out.labels.extend(dataset.label(row));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_is_a_partition_and_always_the_same() {
        let split = DataSplit::of(1000);
        assert_eq!((split.train.len(), split.held_out.len()), (900, 100));
        let mut all = [split.train.clone(), split.held_out.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<u32>>());
        assert_eq!(split, DataSplit::of(1000));
    }
}

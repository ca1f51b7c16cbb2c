//! Rounding a layer's weights so that its later weights make up for the earlier ones.
//!
//! The inputs a of a layer inside a decoder come from a few dials, so they fill a
//! small part of their space, and errors of a unit's weights can cancel there. The
//! weights w of a unit are rounded one after the other, each to the number nearest to
//! what is best for it given those rounded before: Babai's nearest plane for
//! ‖A(w − ŵ)‖², which is the rounding of OPTQ (Frantar et al. 2023).

use candle_core::{DType, Device, Result, Tensor};

/// Added to the diagonal of AᵀA / n, as a share of its mean: inputs that were hardly
/// ever seen must not drive weights far away.
const DAMPING: f64 = 1e-4;

/// AᵀA, as far as inputs have been seen.
#[derive(Debug, Default)]
pub struct GramMatrix {
    rows: usize,
    products: Option<Tensor>,
}

impl GramMatrix {
    /// Adds inputs `[n, inputs]`.
    ///
    /// # Errors
    /// When candle cannot multiply, or there were other numbers of inputs before.
    pub fn add(&mut self, inputs: &Tensor) -> Result<()> {
        let products = inputs.t()?.matmul(inputs)?.to_dtype(DType::F64)?;
        self.rows += inputs.dim(0)?;
        self.products = Some(match self.products.take() {
            Some(before) => (before + products)?,
            None => products,
        });
        Ok(())
    }

    /// What is to be known of them for rounding; none when there were none, or nothing to
    /// go by.
    ///
    /// # Errors
    /// When candle fails.
    pub fn factor(&self) -> Result<Option<CholeskyFactor>> {
        let Some(products) = &self.products else {
            return Ok(None);
        };
        let h: Vec<Vec<f64>> = (products / self.rows as f64)?.to_vec2()?;
        let inputs = h.len();
        let damping = DAMPING * (0..inputs).map(|i| h[i][i]).sum::<f64>() / inputs as f64;
        // The inputs that matter most come last, so that they are rounded first, while all
        // the others can still make up for them.
        let mut order: Vec<usize> = (0..inputs).collect();
        order.sort_by(|&a, &b| h[a][a].total_cmp(&h[b][b]));
        let damped = |i: usize, j: usize| h[i][j] + if i == j { damping } else { 0.0 };
        let row = |&i: &usize| order.iter().map(|&j| damped(i, j)).collect();
        let upper = cholesky(order.iter().map(row).collect());
        Ok(upper.map(|upper| CholeskyFactor { order, upper }))
    }
}

/// U with UᵀU = AᵀA / n, damped, over inputs in an order of their own.
#[derive(Debug)]
pub struct CholeskyFactor {
    order: Vec<usize>,
    upper: Vec<Vec<f64>>,
}

impl CholeskyFactor {
    /// Rounds the weights of one unit to whole multiples of `steps`, none beyond ±`most`
    /// of them. A weight without a step becomes 0.
    #[must_use]
    // rounded and within i8
    pub fn round(&self, weights: &[f32], steps: &[f32], most: i8) -> Vec<i8> {
        let mut rounded = vec![0i8; weights.len()];
        let mut left = vec![0.0f64; weights.len()];
        for (k, &at) in self.order.iter().enumerate().rev() {
            let (weight, step) = (f64::from(weights[at]), f64::from(steps[at]));
            let row = &self.upper[k];
            let pull: f64 = row[k + 1..]
                .iter()
                .zip(&left[k + 1..])
                .map(|(u, e)| u * e)
                .sum();
            let wanted = weight + pull / row[k];
            let most = f64::from(most);
            let whole = match step {
                0.0 => 0.0,
                step => (wanted / step).round().clamp(-most, most),
            };
            rounded[at] = whole as i8;
            left[k] = weight - whole * step;
        }
        rounded
    }
}

/// The upper triangle of U = Lᵀ for H = LLᵀ, in the place of H; none without one. What
/// lies below the diagonal is left over.
fn cholesky(mut h: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = h.len();
    for k in 0..n {
        let pivot = h[k][k];
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        let root = pivot.sqrt();
        for v in &mut h[k][k..] {
            *v /= root;
        }
        let (done, rest) = h.split_at_mut(k + 1);
        let row = &done[k];
        for (i, below) in rest.iter_mut().enumerate().map(|(i, r)| (k + 1 + i, r)) {
            let share = row[i];
            if share != 0.0 {
                for (v, r) in below[i..].iter_mut().zip(&row[i..]) {
                    *v -= share * r;
                }
            }
        }
    }
    Some(h)
}

/// Rows of numbers as a matrix.
///
/// # Errors
/// When they are not of the same length.
pub fn matrix(rows: &[Vec<f32>]) -> Result<Tensor> {
    let width = rows.first().map_or(0, Vec::len);
    Tensor::from_vec(rows.concat(), (rows.len(), width), &Device::Cpu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::QuantisationGrid;
    use decode::architecture::Units;
    use models::card::Precision;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn the_factor_is_that_of_numpy() {
        // H = np.array([[4,2,.6],[2,5,1.5],[.6,1.5,3]]); print(np.linalg.cholesky(H).T)
        let h = vec![
            vec![4.0, 2.0, 0.6],
            vec![2.0, 5.0, 1.5],
            vec![0.6, 1.5, 3.0],
        ];
        let u = cholesky(h).unwrap();
        let expected = [
            [2.0, 1.0, 0.3],
            [0.0, 2.0, 0.6],
            [0.0, 0.0, 1.596_871_942_267_131_4],
        ];
        for (k, row) in expected.iter().enumerate() {
            for j in k..3 {
                assert!((u[k][j] - row[j]).abs() < 1e-12, "{k} {j}: {}", u[k][j]);
            }
        }
        assert!(cholesky(vec![vec![1.0, 2.0], vec![2.0, 1.0]]).is_none());
    }

    #[test]
    fn on_inputs_of_few_dimensions_the_error_shrinks_manifold() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        let mut random = || rng.random::<f32>() - 0.5;
        let (inputs, outputs, dials) = (64, 12, 3);
        let basis: Vec<Vec<f32>> = (0..dials)
            .map(|_| (0..inputs).map(|_| random()).collect())
            .collect();
        let mut sample = |n: usize| -> Vec<Vec<f32>> {
            (0..n)
                .map(|_| {
                    let z: Vec<f32> = (0..dials).map(|_| 4.0 * random()).collect();
                    let at = |i: usize| {
                        basis
                            .iter()
                            .zip(&z)
                            .map(|(b, z)| b[i] * z)
                            .sum::<f32>()
                            .max(0.0)
                    };
                    (0..inputs).map(at).collect()
                })
                .collect()
        };
        let (seen, unseen) = (sample(400), sample(400));
        let weight: Vec<f32> = (0..inputs * outputs).map(|_| random()).collect();
        let (shape, units) = ([outputs, inputs], Units::along(0));
        let error = |found: &[f32]| -> f32 {
            unseen
                .iter()
                .flat_map(|a| {
                    let weight = &weight;
                    (0..outputs).map(move |o| {
                        let part = o * inputs..(o + 1) * inputs;
                        let terms = found[part.clone()].iter().zip(&weight[part]).zip(a);
                        terms.map(|((f, w), a)| (f - w) * a).sum::<f32>().abs()
                    })
                })
                .fold(0.0, f32::max)
        };
        let mut inputs_seen = GramMatrix::default();
        // In two parts, as a long sample comes.
        inputs_seen.add(&matrix(&seen[..150]).unwrap()).unwrap();
        inputs_seen.add(&matrix(&seen[150..]).unwrap()).unwrap();
        let factor = inputs_seen.factor().unwrap().unwrap();
        // With fewer numbers to choose from less can be made up for.
        for (precision, times) in [(Precision::Int8, 3.0), (Precision::Int4, 1.8)] {
            let grid = QuantisationGrid::new(precision, &weight, &shape, units).unwrap();
            let nearest = grid.clone().nearest(&weight).expand(&shape, units);
            let compensated = grid
                .compensated(&weight, units, &factor)
                .expand(&shape, units);
            let (plain, better) = (error(&nearest), error(&compensated));
            assert!(
                better < plain / times,
                "{precision:?}: {better} is not far below {plain}"
            );
        }
        assert!(GramMatrix::default().factor().unwrap().is_none());
    }
}

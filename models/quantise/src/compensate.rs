//! Rounding a dense layer to int8 so that its later weights make up for the earlier ones.
//!
//! The inputs a of a layer inside a decoder come from a few dials, so they fill a
//! small part of their space, and errors of a unit's weights can cancel there. The
//! weights w of a unit are rounded one after the other, each to the number nearest to
//! what is best for it given those rounded before: Babai's nearest plane for
//! ‖A(w − ŵ)‖², which is the rounding of OPTQ (Frantar et al. 2023).

use candle_core::{Device, Tensor};
use decode::weights::Values;

/// Added to the diagonal of AᵀA / n, as a share of its mean: inputs that were hardly
/// ever seen must not drive weights far away.
const DAMPING: f64 = 0.001;

/// Rounds `weight` `[outputs, inputs]` for the inputs that `activations`
/// `[n, inputs]` are a sample of. None when there is none, or nothing to go by.
///
/// # Errors
/// When candle cannot multiply.
pub fn round(
    weight: &[f32],
    inputs: usize,
    activations: &[Vec<f32>],
) -> candle_core::Result<Option<Values>> {
    let Some(factor) = factor(inputs, activations)? else {
        return Ok(None);
    };
    let mut values = Vec::with_capacity(weight.len());
    let mut scales = Vec::with_capacity(weight.len() / inputs.max(1));
    for unit in weight.chunks_exact(inputs) {
        let scale = unit.iter().fold(0.0f32, |most, w| most.max(w.abs())) / 127.0;
        scales.push(scale);
        values.extend(round_unit(unit, scale, &factor));
    }
    Ok(Some(Values::Int8 { values, scales }))
}

/// U = Lᵀ of the damped AᵀA / n = LLᵀ; none when that is not positive definite.
#[allow(clippy::cast_precision_loss)] // some thousand rows
fn factor(inputs: usize, activations: &[Vec<f32>]) -> candle_core::Result<Option<Vec<Vec<f64>>>> {
    if inputs == 0 || activations.is_empty() {
        return Ok(None);
    }
    let a = Tensor::from_vec(
        activations.concat(),
        (activations.len(), inputs),
        &Device::Cpu,
    )?;
    let n = activations.len() as f64;
    let mut h: Vec<Vec<f64>> = a
        .t()?
        .matmul(&a)?
        .to_vec2::<f32>()?
        .into_iter()
        .map(|row| row.into_iter().map(|v| f64::from(v) / n).collect())
        .collect();
    let mean = (0..inputs).map(|i| h[i][i]).sum::<f64>() / inputs as f64;
    for (i, row) in h.iter_mut().enumerate() {
        row[i] += DAMPING * mean;
    }
    Ok(cholesky(h))
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

/// Rounds one unit from its last weight to its first.
#[allow(clippy::cast_possible_truncation)] // rounded and within i8
fn round_unit(weight: &[f32], scale: f32, factor: &[Vec<f64>]) -> Vec<i8> {
    let mut rounded = vec![0i8; weight.len()];
    if scale == 0.0 {
        return rounded;
    }
    let mut left = vec![0.0f64; weight.len()];
    for k in (0..weight.len()).rev() {
        let row = &factor[k];
        let pull: f64 = row[k + 1..]
            .iter()
            .zip(&left[k + 1..])
            .map(|(u, e)| u * e)
            .sum();
        let wanted = f64::from(weight[k]) + pull / row[k];
        let whole = (wanted / f64::from(scale)).round().clamp(-127.0, 127.0);
        rounded[k] = whole as i8;
        left[k] = f64::from(weight[k]) - whole * f64::from(scale);
    }
    rounded
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
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
        let error = |values: &Values| -> f32 {
            let found = values.expand(&[outputs, inputs], 0);
            unseen
                .iter()
                .flat_map(|a| {
                    let (found, weight) = (&found, &weight);
                    (0..outputs).map(move |o| {
                        let part = o * inputs..(o + 1) * inputs;
                        let terms = found[part.clone()].iter().zip(&weight[part]).zip(a);
                        terms.map(|((f, w), a)| (f - w) * a).sum::<f32>().abs()
                    })
                })
                .fold(0.0, f32::max)
        };
        let nearest = super::super::to_int8(&weight, &[outputs, inputs], 0);
        let compensated = round(&weight, inputs, &seen).unwrap().unwrap();
        let (plain, better) = (error(&nearest), error(&compensated));
        assert!(better < plain / 3.0, "{better} is not far below {plain}");
    }
}

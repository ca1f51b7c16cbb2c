//! Attention of concepts at positions, and what it comes to: as `measures::discovered::attention`, with gradients.

use candle_core::{D, Result, Tensor};

use crate::net::sigmoid;

/// Attention of concepts that do not share positions: the logistic function of each score, times the softmax over
/// all concepts at its position (supplement, equation 1). `scores` `[n, positions, concepts]`, and so is the result.
///
/// # Errors
/// Only when candle cannot compute it.
pub fn non_overlapping(scores: &Tensor) -> Result<Tensor> {
    // Whatever is taken off both above and below the line has no gradient.
    let largest = scores.max_keepdim(D::Minus1)?.detach();
    let exp = scores.broadcast_sub(&largest)?.exp()?;
    let share = exp.broadcast_div(&exp.sum_keepdim(D::Minus1)?)?;
    sigmoid(scores)? * share
}

/// Attention of concepts that may lie upon each other: the logistic function alone (supplement, equation 2).
///
/// # Errors
/// Only when candle cannot compute it.
pub fn overlapping(scores: &Tensor) -> Result<Tensor> {
    sigmoid(scores)
}

/// How active each concept is: tanh Σ a over the positions. `[n, positions, concepts]` gives `[n, concepts]`.
///
/// # Errors
/// Only when candle cannot compute it.
pub fn activations(attention: &Tensor) -> Result<Tensor> {
    attention.sum(1)?.tanh()
}

/// The features of each concept: the sum over positions of attention times features. `features`
/// `[n, positions, d]`, `attention` `[n, positions, concepts]`; the result is `[n, concepts, d]`.
///
/// # Errors
/// When the shapes do not fit.
pub fn concept_features(features: &Tensor, attention: &Tensor) -> Result<Tensor> {
    attention
        .transpose(1, 2)?
        .contiguous()?
        .matmul(&features.contiguous()?)
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    /// Scores of 3 concepts at 4 positions.
    const SCORES: [[f64; 4]; 3] = [
        [-0.54, -0.14, -1.11, -1.22],
        [1.34, -0.51, 0.29, -0.03],
        [-0.44, -0.51, 0.63, -0.3],
    ];

    // import numpy as np   # 2.4.6
    // s = np.array([[-0.54, -0.14, -1.11, -1.22], [1.34, -0.51, 0.29, -0.03], [-0.44, -0.51, 0.63, -0.3]])
    // g = 1 / (1 + np.exp(-s)); a = g * np.exp(s) / np.exp(s).sum(0); print(a.tolist(), np.tanh(a.sum(1)).tolist())
    const ATTENTION: [[f64; 4]; 3] = [
        [
            0.042_522_389_289_942_14,
            0.195_281_618_609_609_63,
            0.023_052_303_030_192_352,
            0.033_537_961_735_805_85,
        ],
        [
            0.599_813_044_888_831_6,
            0.108_823_203_484_357_74,
            0.215_721_863_681_169_7,
            0.238_199_062_583_847_54,
        ],
        [
            0.050_000_801_233_878_595,
            0.108_823_203_484_357_74,
            0.345_728_113_909_403_06,
            0.157_120_205_633_128_65,
        ],
    ];
    const ACTIVATIONS: [f64; 3] = [
        0.286_174_266_976_391_37,
        0.821_871_500_128_164_1,
        0.579_475_261_324_928_5,
    ];
    const OVERLAPPING_FIRST: [f64; 4] = [
        0.368_187_582_263_898_3,
        0.465_057_054_841_785_5,
        0.247_870_888_560_429_8,
        0.227_936_450_573_216_24,
    ];

    /// `[1, positions, concepts]`.
    fn scores() -> Tensor {
        let values = SCORES.concat();
        let scores = Tensor::from_slice(&values, (1, 3, 4), &Device::Cpu).unwrap();
        scores.transpose(1, 2).unwrap().contiguous().unwrap()
    }

    fn by_concept(attention: &Tensor) -> Vec<f64> {
        let attention = attention.transpose(1, 2).unwrap().flatten_all().unwrap();
        attention.to_vec1().unwrap()
    }

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        }
    }

    #[test]
    fn attention_and_activations_agree_with_numpy() {
        let attention = non_overlapping(&scores()).unwrap();
        close(&by_concept(&attention), &ATTENTION.concat());
        let t = activations(&attention).unwrap().flatten_all().unwrap();
        close(&t.to_vec1::<f64>().unwrap(), &ACTIVATIONS);
        let overlapping = by_concept(&overlapping(&scores()).unwrap());
        close(&overlapping[..4], &OVERLAPPING_FIRST);
    }

    /// Training and measuring know the same attention.
    #[test]
    fn measures_computes_the_same() {
        let scores = measures::array::Array::new(vec![3, 4], SCORES.concat()).unwrap();
        let found = measures::discovered::attention::non_overlapping(&scores);
        close(found.values(), &ATTENTION.concat());
        close(
            &measures::discovered::attention::activations(&found),
            &ACTIVATIONS,
        );
    }

    #[test]
    fn features_of_a_concept_are_those_where_it_is() {
        let features = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0];
        let features = Tensor::from_slice(&features, (1, 3, 2), &Device::Cpu).unwrap();
        let attention = [1.0, 0.0, 0.0, 0.5, 0.0, 0.5];
        let attention = Tensor::from_slice(&attention, (1, 3, 2), &Device::Cpu).unwrap();
        let found = concept_features(&features, &attention).unwrap();
        let found: Vec<f64> = found.flatten_all().unwrap().to_vec1().unwrap();
        assert_eq!(found, [1.0, 10.0, 2.5, 25.0]);
    }
}

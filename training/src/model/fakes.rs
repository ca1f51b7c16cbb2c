//! Pictures that a model makes from random codes.

use candle_core::{Device, Result, Tensor};
use rand::{Rng, RngExt};

use super::TrainableModel;
use crate::gan::Fakes;
use crate::mnist::DIGITS;
use crate::net::sigmoid;
use crate::tensors::one_hot;

impl TrainableModel {
    /// Decodes `n` random codes: a digit, and numbers from −1 to 1.
    pub(crate) fn fakes(&self, n: usize, rng: &mut impl Rng) -> Result<Fakes> {
        let digits = (0..n).map(|_| rng.random_range(0..DIGITS));
        let digits = one_hot(digits.collect::<Vec<_>>().into_iter())?;
        let codes: Vec<f32> = (0..n * self.dimensions)
            .map(|_| 2.0 * rng.random::<f32>() - 1.0)
            .collect();
        let codes = Tensor::from_vec(codes, (n, self.dimensions), &Device::Cpu)?;
        self.fakes_of(digits, codes)
    }

    /// Decodes digits (one-hot) and codes.
    pub(crate) fn fakes_of(&self, digits: Tensor, codes: Tensor) -> Result<Fakes> {
        let input = Tensor::cat(&[&digits, &codes], 1)?;
        let pictures = sigmoid(&self.decoder.logits(&input)?)?.flatten_from(1)?;
        Ok(Fakes {
            digits,
            codes,
            pictures,
        })
    }
}

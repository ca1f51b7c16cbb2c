//! From latent vectors to instances.

use candle_core::{Device, Tensor};
use domain::latent::{LatentError, LatentSpace};

use crate::architecture::Architecture;
use crate::bundle::WEIGHTS_FILE;
use crate::card::Card;
use crate::closed_form::ClosedForm;
use crate::error::BundleError;
use crate::network::Network;
use crate::weights;

/// Why a latent vector could not be decoded.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The vector is not in the latent space.
    #[error(transparent)]
    Latent(#[from] LatentError),
    /// The computation failed.
    #[error("decoding: {0}")]
    Compute(#[from] candle_core::Error),
}

/// g(z): a model ready to decode.
#[derive(Debug, Clone)]
pub struct Decoder {
    latent: LatentSpace,
    instance_len: usize,
    engine: Engine,
}

#[derive(Debug, Clone)]
enum Engine {
    Network(Network),
    Formula(ClosedForm),
}

impl Decoder {
    /// Makes the decoder that `card` describes from the bytes of its weights
    /// file; a formula takes none.
    ///
    /// # Errors
    /// When weights are missing or not wanted, are not those of the card (by
    /// SHA-256), or do not hold exactly the tensors that the layers read.
    pub fn load(card: &Card, weights: Option<&[u8]>) -> Result<Self, BundleError> {
        card.check()?;
        let engine = match (&card.architecture, weights) {
            (Architecture::ClosedForm { formula }, None) => Engine::Formula(formula.clone()),
            (Architecture::ClosedForm { .. }, Some(_)) => {
                return Err(BundleError::Unexpected {
                    file: WEIGHTS_FILE,
                    why: "a formula has no weights",
                });
            }
            (Architecture::Sequential { .. }, None) => {
                return Err(BundleError::Missing { file: WEIGHTS_FILE });
            }
            (Architecture::Sequential { layers }, Some(bytes)) => {
                // Read before the sum is compared: a download cut short is worth naming as such.
                let stored = weights::read_stored(WEIGHTS_FILE, bytes)?;
                let found = weights::sha256_hex(bytes);
                let expected = &card.facts.weights_sha256;
                if !found.eq_ignore_ascii_case(expected) {
                    return Err(BundleError::Hash {
                        file: WEIGHTS_FILE,
                        expected: expected.clone(),
                        found,
                    });
                }
                let mut tensors = weights::expand(WEIGHTS_FILE, stored, layers)?;
                let network = Network::new(layers, |name, shape| take(&mut tensors, name, shape))?;
                if let Some(tensor) = tensors.into_keys().next() {
                    return Err(BundleError::ExtraTensor {
                        file: WEIGHTS_FILE,
                        tensor,
                    });
                }
                Engine::Network(network)
            }
        };
        Ok(Self {
            latent: card.facts.latent.clone(),
            instance_len: card.facts.shape.len(),
            engine,
        })
    }

    /// The space that vectors must be in.
    #[must_use]
    pub fn latent(&self) -> &LatentSpace {
        &self.latent
    }

    /// Number of values of an instance.
    #[must_use]
    pub fn instance_len(&self) -> usize {
        self.instance_len
    }

    /// The instance at `z`, flattened row by row, channels last.
    ///
    /// # Errors
    /// When `z` is not in the latent space.
    pub fn decode(&self, z: &[f64]) -> Result<Vec<f32>, DecodeError> {
        match &self.engine {
            Engine::Formula(formula) => {
                self.latent.validate(z)?;
                Ok(formula.decode(z))
            }
            Engine::Network(network) => {
                let input = self.latent.decoder_input(z)?;
                let batch =
                    Tensor::from_vec(input, (1, self.latent.decoder_width()), &Device::Cpu)?;
                Ok(channels_last(&network.forward(&batch)?)?
                    .flatten_all()?
                    .to_vec1()?)
            }
        }
    }

    /// The instances at several vectors, in order; cheaper than one by one.
    ///
    /// # Errors
    /// When a vector is not in the latent space.
    pub fn decode_batch(&self, zs: &[Vec<f64>]) -> Result<Vec<Vec<f32>>, DecodeError> {
        match &self.engine {
            Engine::Network(network) if !zs.is_empty() => {
                let mut input = Vec::with_capacity(zs.len() * self.latent.decoder_width());
                for z in zs {
                    input.extend(self.latent.decoder_input(z)?);
                }
                let batch =
                    Tensor::from_vec(input, (zs.len(), self.latent.decoder_width()), &Device::Cpu)?;
                Ok(channels_last(&network.forward(&batch)?)?
                    .flatten_from(1)?
                    .to_vec2()?)
            }
            Engine::Network(_) | Engine::Formula(_) => zs.iter().map(|z| self.decode(z)).collect(),
        }
    }
}

/// Maps `[n, c, h, w]` as `[n, h, w, c]`; vectors as they are.
fn channels_last(x: &Tensor) -> candle_core::Result<Tensor> {
    if x.rank() == 4 {
        x.permute((0, 2, 3, 1))?.contiguous()
    } else {
        Ok(x.clone())
    }
}

fn take(
    tensors: &mut weights::Tensors,
    name: &str,
    shape: &[usize],
) -> Result<Tensor, BundleError> {
    let file = WEIGHTS_FILE;
    let tensor = name.to_owned();
    let Some((found, values)) = tensors.remove(name) else {
        return Err(BundleError::MissingTensor {
            file,
            tensor,
            expected: shape.to_vec(),
        });
    };
    if found != shape {
        return Err(BundleError::Shape {
            file,
            tensor,
            expected: format!("{shape:?}"),
            found,
        });
    }
    Ok(Tensor::from_vec(values, shape, &Device::Cpu)?)
}

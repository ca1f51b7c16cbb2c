//! A model in training: encoder, decoder, their parameters, and the loss.

use std::collections::BTreeMap;

use candle_core::{DType, Device, Result, Tensor, Var};
use models::architecture::Layer;
use models::network::Network;
use models::sampling::standard_normal;
use rand::{Rng, RngExt};

use crate::data::Rows;
use crate::loss;
use crate::recipe::{Objective, Recipe, Reconstruction};

/// A model in training.
pub struct Model {
    /// What its latent vectors are.
    pub objective: Objective,
    /// What it is compared by.
    pub reconstruction: Reconstruction,
    /// Number of latent dimensions.
    pub dimensions: usize,
    /// Layers of the decoder.
    pub decoder_layers: Vec<Layer>,
    /// Every parameter by name.
    pub parameters: BTreeMap<String, Var>,
    encoder: Network,
    decoder: Network,
}

/// The terms of a loss, each a mean over a batch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Terms {
    /// Of the reconstruction.
    pub reconstruction: f64,
    /// KL divergence from the prior; 0 without one.
    pub kl: f64,
}

/// What an encoder says about a batch.
pub struct Encoding {
    /// Mean of the latent vectors `[n, dimensions]`.
    pub mean: Tensor,
    /// Logarithm of their variance; none where they are certain.
    pub log_variance: Option<Tensor>,
}

impl Model {
    /// A model with random weights (Glorot and Bengio's uniform distribution;
    /// biases zero).
    ///
    /// # Errors
    /// When candle cannot make a tensor.
    pub fn new(recipe: &Recipe, rng: &mut impl Rng) -> Result<Self> {
        let outputs = match recipe.objective {
            Objective::Variational => 2 * recipe.dimensions,
            Objective::Autoencoder | Objective::GroundTruth => recipe.dimensions,
        };
        let decoder_layers = (recipe.decoder)(recipe.dimensions);
        let mut parameters = BTreeMap::new();
        let mut fresh = |name: &str, shape: &[usize]| {
            let var = Var::from_tensor(&initial(shape, rng)?)?;
            let tensor = var.as_tensor().clone();
            parameters.insert(name.to_owned(), var);
            Ok::<_, candle_core::Error>(tensor)
        };
        let encoder = Network::new(&(recipe.encoder)(outputs), &mut fresh)?;
        let decoder = Network::new(&decoder_layers, &mut fresh)?;
        Ok(Self {
            objective: recipe.objective,
            reconstruction: recipe.reconstruction,
            dimensions: recipe.dimensions,
            decoder_layers,
            parameters,
            encoder,
            decoder,
        })
    }

    /// The latent vectors of some rows.
    ///
    /// # Errors
    /// When the rows do not fit the networks.
    pub fn encode(&self, rows: &Rows) -> Result<Encoding> {
        let flat = |values: &[f32]| {
            Tensor::from_slice(values, (rows.len, values.len() / rows.len), &Device::Cpu)
        };
        Ok(match self.objective {
            Objective::GroundTruth => Encoding {
                mean: flat(&rows.factors)?,
                log_variance: None,
            },
            Objective::Autoencoder => Encoding {
                mean: self.encoder.forward(&flat(&rows.instances)?)?,
                log_variance: None,
            },
            Objective::Variational => {
                let both = self.encoder.forward(&flat(&rows.instances)?)?;
                let log_variance = both
                    .narrow(1, self.dimensions, self.dimensions)?
                    .contiguous()?;
                Encoding {
                    mean: both.narrow(1, 0, self.dimensions)?.contiguous()?,
                    log_variance: Some(log_variance),
                }
            }
        })
    }

    /// Instances `[n, values]` at latent vectors `[n, dimensions]`.
    ///
    /// # Errors
    /// When the vectors do not fit the decoder.
    pub fn decode(&self, z: &Tensor) -> Result<Tensor> {
        self.decoder.forward(z)?.flatten_from(1)
    }

    /// The loss on some rows, to be minimised, and its terms.
    ///
    /// # Errors
    /// When the rows do not fit the networks.
    pub fn loss(&self, rows: &Rows, rng: &mut impl Rng) -> Result<(Tensor, Terms)> {
        let target = Tensor::from_slice(
            &rows.instances,
            (rows.len, rows.instances.len() / rows.len),
            &Device::Cpu,
        )?;
        let encoding = self.encode(rows)?;
        let z = encoding.draw(rng)?;
        let reconstruction = match self.reconstruction {
            Reconstruction::SquaredError => loss::squared_error(&self.decode(&z)?, &target)?,
            Reconstruction::Bernoulli => {
                loss::bernoulli(&self.decoder.logits(&z)?.flatten_from(1)?, &target)?
            }
        };
        let scalar = |t: &Tensor| t.to_scalar::<f32>().map(f64::from);
        let mut terms = Terms {
            reconstruction: scalar(&reconstruction)?,
            kl: 0.0,
        };
        let Some(log_variance) = &encoding.log_variance else {
            return Ok((reconstruction, terms));
        };
        let kl = loss::kl_to_standard_normal(&encoding.mean, log_variance)?;
        terms.kl = scalar(&kl)?;
        Ok(((reconstruction + kl)?, terms))
    }
}

impl Encoding {
    /// A draw for each row; the mean itself where there is no variance.
    ///
    /// # Errors
    /// Only when candle cannot compute it.
    #[allow(clippy::cast_possible_truncation)] // networks work in f32
    pub fn draw(&self, rng: &mut impl Rng) -> Result<Tensor> {
        let Some(log_variance) = &self.log_variance else {
            return Ok(self.mean.clone());
        };
        let noise: Vec<f32> = (0..self.mean.elem_count())
            .map(|_| standard_normal(rng) as f32)
            .collect();
        let noise = Tensor::from_vec(noise, self.mean.shape(), &Device::Cpu)?;
        &self.mean + ((log_variance * 0.5)?.exp()? * noise)?
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // sizes of layers
fn initial(shape: &[usize], rng: &mut impl Rng) -> Result<Tensor> {
    let &[first, second, ref kernel @ ..] = shape else {
        return Tensor::zeros(shape, DType::F32, &Device::Cpu);
    };
    // Each input of a convolution reaches `taps` outputs of every map, and back.
    let taps: usize = kernel.iter().product();
    let limit = (6.0 / ((first + second) * taps) as f32).sqrt();
    let values: Vec<f32> = (0..first * second * taps)
        .map(|_| limit * (2.0 * rng.random::<f32>() - 1.0))
        .collect();
    Tensor::from_vec(values, shape, &Device::Cpu)
}

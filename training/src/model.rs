//! A model in training: its networks, their parameters, and the loss.

use std::collections::BTreeMap;

use candle_core::{Device, Result, Tensor, Var};
use candle_layers::Network;
use models::architecture::Layer;
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use crate::botcl::bottleneck::Bottleneck;
use crate::data::Rows;
use crate::gan::Discriminator;
use crate::loss;
use crate::net::Net;
use crate::recipe::{Objective, Recipe, ReconstructionLoss};
use crate::tensors::{instances, net, one_hot};
use crate::terms::Terms;

mod fakes;

/// Weight of the total correlation, added to the KL divergence (β − 1 for β = 10).
const TOTAL_CORRELATION: f64 = 9.0;

/// A model in training.
pub struct TrainableModel {
    /// What its latent vectors are.
    pub objective: Objective,
    /// What it is compared by.
    pub reconstruction: ReconstructionLoss,
    /// Number of continuous latent dimensions.
    pub dimensions: usize,
    /// Layers of the decoder.
    pub decoder_layers: Vec<Layer>,
    /// Every parameter and running statistic by name.
    pub parameters: BTreeMap<String, Var>,
    /// From instances to latent vectors; without layers where there is none.
    pub(crate) encoder: Net,
    /// From latent vectors to instances.
    pub(crate) decoder: Net,
    /// What the decoder plays against, if it does.
    pub(crate) discriminator: Option<Discriminator>,
    /// What finds concepts in place of an encoder, if it does.
    pub(crate) bottleneck: Option<Bottleneck>,
}

/// What an encoder says about a batch.
pub struct Encoding {
    /// Mean of the latent vectors `[n, dimensions]`.
    pub mean: Tensor,
    /// Logarithm of their variance; none where they are certain.
    pub log_variance: Option<Tensor>,
}

impl TrainableModel {
    /// A model with random weights (Glorot and Bengio's uniform distribution;
    /// biases zero).
    ///
    /// # Errors
    /// When candle cannot make a tensor.
    pub fn new(recipe: &Recipe, rng: &mut impl Rng) -> Result<Self> {
        let decoder_layers = recipe.decoder_layers();
        let mut parameters = BTreeMap::new();
        let (encoder, bottleneck) = match recipe.objective {
            Objective::Concepts => (
                Vec::new(),
                Some(Bottleneck::new(recipe.dimensions, &mut parameters, rng)?),
            ),
            _ => (recipe.encoder_layers(), None),
        };
        let encoder = net(encoder, &mut parameters, rng)?;
        let decoder = net(decoder_layers.clone(), &mut parameters, rng)?;
        let discriminator = match recipe.objective {
            Objective::InfoGan => {
                Some(Discriminator::new(recipe.dimensions, &mut parameters, rng)?)
            }
            _ => None,
        };
        Ok(Self {
            objective: recipe.objective,
            reconstruction: recipe.reconstruction,
            dimensions: recipe.dimensions,
            decoder_layers,
            parameters,
            encoder,
            decoder,
            discriminator,
            bottleneck,
        })
    }

    /// What the decoder takes for latent vectors `[n, dimensions]` of these rows: the
    /// label first, one-hot, if the model is given it.
    ///
    /// # Errors
    /// When there are not as many labels as vectors.
    pub fn decoder_input(&self, z: &Tensor, labels: &[u8]) -> Result<Tensor> {
        if self.objective == Objective::SemiSupervised {
            Tensor::cat(&[&one_hot(labels.iter().copied().map(usize::from))?, z], 1)
        } else {
            Ok(z.clone())
        }
    }

    /// The loss on some rows, to be minimised, and its terms; `rows_in_all` is how many
    /// rows they were drawn from.
    ///
    /// # Errors
    /// When the rows do not fit the networks, or the objective is no single loss.
    pub fn loss(
        &self,
        rows: &Rows,
        rows_in_all: usize,
        rng: &mut impl Rng,
    ) -> Result<(Tensor, Terms)> {
        if let Some(bottleneck) = &self.bottleneck {
            return bottleneck.loss(rows, &self.decoder);
        }
        let noise = normal(rows.len, self.dimensions, rng)?;
        self.loss_with(rows, rows_in_all, &noise)
    }

    /// The same with the standard normal noise `[n, dimensions]` that moves latent
    /// vectors off their means.
    pub(crate) fn loss_with(
        &self,
        rows: &Rows,
        rows_in_all: usize,
        noise: &Tensor,
    ) -> Result<(Tensor, Terms)> {
        let target = instances(rows)?;
        let encoded = match self.objective {
            Objective::GroundTruth => factors(rows)?,
            _ => self.encoder.forward(&target)?.flatten_from(1)?,
        };
        let encoding = self.objective.encoding(&encoded, self.dimensions)?;
        let z = encoding.moved(noise)?;
        let logits = self
            .decoder
            .logits(&self.decoder_input(&z, &rows.labels)?)?
            .flatten_from(1)?;
        let target = target.flatten_from(1)?;
        let mut terms = Terms::default();
        let mut total = match self.reconstruction {
            ReconstructionLoss::SquaredError => loss::squared_error(&logits, &target)?,
            ReconstructionLoss::Bernoulli => loss::bernoulli(&logits, &target)?,
        };
        terms.add("reconstruction", &total)?;
        if let Some(log_variance) = &encoding.log_variance {
            let kl = loss::kl_to_standard_normal(&encoding.mean, log_variance)?;
            terms.add("kl", &kl)?;
            total = (total + kl)?;
            if self.objective.separates() {
                let tc = loss::total_correlation(&z, &encoding.mean, log_variance, rows_in_all)?;
                let tc = (tc * TOTAL_CORRELATION)?;
                terms.add("tc", &tc)?;
                total = (total + tc)?;
            }
        }
        Ok((total, terms))
    }

    /// The model as it is used after training, with its parameters of this moment.
    ///
    /// # Errors
    /// Only when candle cannot copy a tensor.
    pub fn trained(&self) -> Result<Trained<'_>> {
        Ok(Trained {
            model: self,
            encoder: self.encoder.trained()?,
            decoder: self.decoder.trained()?,
        })
    }
}

/// A model outside of training: batch normalisation uses the running statistics.
pub struct Trained<'a> {
    model: &'a TrainableModel,
    encoder: Network,
    decoder: Network,
}

impl Trained<'_> {
    /// The latent vectors of some rows.
    ///
    /// # Errors
    /// When the rows do not fit the encoder, or the model has none.
    pub fn encode(&self, rows: &Rows) -> Result<Encoding> {
        let encoded = match self.model.objective {
            Objective::GroundTruth => factors(rows)?,
            _ => match &self.model.bottleneck {
                Some(bottleneck) => bottleneck.concepts(&instances(rows)?)?.activations.detach(),
                None => self.encoder.forward(&instances(rows)?)?.flatten_from(1)?,
            },
        };
        self.model
            .objective
            .encoding(&encoded, self.model.dimensions)
    }

    /// Instances `[n, values]` at what [`TrainableModel::decoder_input`] gives.
    ///
    /// # Errors
    /// When the input does not fit the decoder.
    pub fn decode(&self, input: &Tensor) -> Result<Tensor> {
        self.decoder.forward(input)?.flatten_from(1)
    }
}

impl Objective {
    /// Reads what an encoder gives: latent vectors, or their means and then the
    /// logarithms of their variances.
    fn encoding(self, encoded: &Tensor, dimensions: usize) -> Result<Encoding> {
        if !self.is_variational() {
            return Ok(Encoding {
                mean: encoded.clone(),
                log_variance: None,
            });
        }
        Ok(Encoding {
            mean: encoded.narrow(1, 0, dimensions)?.contiguous()?,
            log_variance: Some(encoded.narrow(1, dimensions, dimensions)?.contiguous()?),
        })
    }
}

impl Encoding {
    /// A draw for each row; the mean itself where there is no variance.
    ///
    /// # Errors
    /// Only when candle cannot compute it.
    pub fn draw(&self, rng: &mut impl Rng) -> Result<Tensor> {
        let (rows, dimensions) = self.mean.dims2()?;
        self.moved(&normal(rows, dimensions, rng)?)
    }

    /// The means, moved by noise times the standard deviation.
    fn moved(&self, noise: &Tensor) -> Result<Tensor> {
        match &self.log_variance {
            Some(log_variance) => &self.mean + ((log_variance * 0.5)?.exp()? * noise)?,
            None => Ok(self.mean.clone()),
        }
    }
}

/// Draws from N(0, 1).
fn normal(rows: usize, columns: usize, rng: &mut impl Rng) -> Result<Tensor> {
    let noise: Vec<f32> = (0..rows * columns)
        .map(|_| rng.sample(StandardNormal))
        .collect();
    Tensor::from_vec(noise, (rows, columns), &Device::Cpu)
}

fn factors(rows: &Rows) -> Result<Tensor> {
    let count = rows.factors.len() / rows.len.max(1);
    Tensor::from_slice(&rows.factors, (rows.len, count), &Device::Cpu)
}

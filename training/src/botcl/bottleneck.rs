//! The network in training: from pictures to attention, activations and classes.

use std::collections::BTreeMap;

use candle_core::{Device, Result, Tensor, Var};
use models::architecture::Layer;
use rand::Rng;

use crate::data::Rows;
use crate::loss;
use crate::net::{Net, sigmoid};
use crate::recipe::networks;
use crate::tensors::{instances, net, one_hot};
use crate::terms::Terms;

use super::attention::{activations, concept_features, non_overlapping};
use super::losses;
use super::position::sine_code;

/// Weights of the terms of the loss beside the cross-entropy, whose weight is 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossWeights {
    /// Of the reconstruction, on pictures from −1 to 1.
    pub reconstruction: f64,
    /// Of the quantisation of activations.
    pub quantisation: f64,
    /// Of the mean attention.
    pub attention: f64,
    /// Of the consistency of concepts.
    pub consistency: f64,
    /// Of their distinctiveness.
    pub distinctiveness: f64,
}

impl LossWeights {
    /// The settings of the released code for MNIST.
    pub const MNIST: Self = Self {
        reconstruction: 0.1,
        quantisation: 0.1,
        attention: 5.0,
        consistency: 0.0,
        distinctiveness: 0.0,
    };
}

/// What a bottleneck says about a batch.
pub struct Concepts {
    /// Where each concept is `[n, positions, concepts]`.
    pub attention: Tensor,
    /// How active it is `[n, concepts]`.
    pub activations: Tensor,
    /// Feature maps without the code of the position `[n, positions, d]`.
    pub features: Tensor,
}

/// From pictures to concepts, and from concepts to classes.
pub struct Bottleneck {
    /// From a picture to the feature at each position.
    features: Net,
    /// From the feature at a position, with its code, to the key.
    keys: Net,
    /// From a key to how well each concept's query agrees with it.
    queries: Net,
    /// From activations to classes.
    classes: Net,
    /// `[1, positions, d]`.
    position_code: Tensor,
    concepts: usize,
    weights: LossWeights,
}

impl Bottleneck {
    /// With random weights, which go into `parameters`.
    ///
    /// # Errors
    /// When candle cannot make a tensor.
    pub(crate) fn new(
        concepts: usize,
        parameters: &mut BTreeMap<String, Var>,
        rng: &mut impl Rng,
    ) -> Result<Self> {
        let (side, d) = (networks::BOTCL_SIDE, networks::BOTCL_FEATURES);
        let mut part = |layers: Vec<Layer>| net(layers, parameters, rng);
        Ok(Self {
            features: part(networks::botcl_features())?,
            keys: part(networks::botcl_keys())?,
            queries: part(networks::botcl_queries(concepts))?,
            classes: part(networks::botcl_classes(concepts))?,
            position_code: Tensor::from_vec(
                sine_code(side, side, d),
                (1, side * side, d),
                &Device::Cpu,
            )?,
            concepts,
            weights: LossWeights::MNIST,
        })
    }

    /// The concepts in pictures `[n, pixels]`.
    ///
    /// # Errors
    /// When the pictures do not fit.
    pub fn concepts(&self, pictures: &Tensor) -> Result<Concepts> {
        let n = pictures.dim(0)?;
        let (_, positions, d) = self.position_code.dims3()?;
        let features = self.features.forward(pictures)?;
        let features = features.reshape((n, positions, d))?;
        let with_code = features.broadcast_add(&self.position_code)?;
        let keys = self.keys.forward(&with_code.reshape((n * positions, d))?)?;
        // Products of d numbers, divided by √d: else they grow with d.
        let scores = (self.queries.forward(&keys)? / (d as f64).sqrt())?;
        let attention = non_overlapping(&scores.reshape((n, positions, self.concepts))?)?;
        Ok(Concepts {
            activations: activations(&attention)?,
            attention,
            features,
        })
    }

    /// Logits of the classes `[n, classes]` of activations `[n, concepts]`.
    ///
    /// # Errors
    /// When the shapes do not fit.
    pub fn classes(&self, activations: &Tensor) -> Result<Tensor> {
        self.classes.forward(activations)
    }

    /// The loss on some rows, to be minimised, and its terms as they are weighed. `decoder` gives logits of pixels.
    ///
    /// # Errors
    /// When the rows do not fit the networks.
    pub(crate) fn loss(&self, rows: &Rows, decoder: &Net) -> Result<(Tensor, Terms)> {
        let pictures = instances(rows)?;
        let concepts = self.concepts(&pictures)?;
        let labels = one_hot(rows.labels.iter().copied().map(usize::from))?;
        let mut total = loss::cross_entropy(&self.classes(&concepts.activations)?, &labels)?;
        let mut terms = Terms::default();
        terms.add("classes", &total)?;
        let mut add = |name: &'static str, weight: f64, term: &dyn Fn() -> Result<Tensor>| {
            if weight != 0.0 {
                let term = (term()? * weight)?;
                terms.add(name, &term)?;
                total = (&total + term)?;
            }
            Ok::<(), candle_core::Error>(())
        };
        let weights = self.weights;
        add("reconstruction", weights.reconstruction, &|| {
            let logits = decoder.logits(&concepts.activations)?.flatten_from(1)?;
            // tanh of u on −1…1 is the logistic function of 2u on 0…1, and distances are twice as long.
            losses::reconstruction(&sigmoid(&logits)?, &pictures)? * 4.0
        })?;
        add("quantisation", weights.quantisation, &|| {
            losses::quantisation(&concepts.activations)
        })?;
        add("attention", weights.attention, &|| {
            losses::attention_area(&concepts.attention)
        })?;
        let of_features = || concept_features(&concepts.features, &concepts.attention);
        add("consistency", weights.consistency, &|| {
            losses::consistency(&of_features()?, &concepts.attention)
        })?;
        add("distinctiveness", weights.distinctiveness, &|| {
            losses::distinctiveness(&of_features()?, &concepts.attention)
        })?;
        Ok((total, terms))
    }
}

//! From features of positions to concepts, and from concepts to classes: what BotCL is beyond its features.

use std::collections::BTreeMap;

use candle_core::{Device, Result, Tensor, Var};
use models::architecture::Layer;
use rand::Rng;

use crate::net::Net;
use crate::tensors::net;
use crate::terms::Terms;

use super::attention::{activations, concept_features, non_overlapping, overlapping};
use super::losses;
use super::position::sine_code;

/// Whether concepts share positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// Each position is shared out among concepts: for digits.
    Apart,
    /// Concepts may lie upon each other: for natural images, and for shapes.
    Upon,
}

/// Weights of the terms of the loss beside that of the classes, whose weight is 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossWeights {
    /// Of the self-supervision: the reconstruction on pictures from −1 to 1, or the contrast of activations.
    pub self_supervision: f64,
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
        self_supervision: 0.1,
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

/// Sizes and layers of a bottleneck.
pub(crate) struct Layout {
    /// Rows and columns of feature maps.
    pub side: usize,
    /// Numbers of a feature, a key and a query.
    pub width: usize,
    /// Number of concepts.
    pub concepts: usize,
    /// Whether they share positions.
    pub overlap: Overlap,
    /// From a feature with its position to its key.
    pub keys: Vec<Layer>,
    /// From a key to how well each concept's query agrees with it.
    pub queries: Vec<Layer>,
    /// From activations to classes.
    pub classes: Vec<Layer>,
}

/// Keys, queries and classes.
pub(crate) struct ConceptLayers {
    keys: Net,
    queries: Net,
    classes: Net,
    /// `[1, positions, d]`.
    position_code: Tensor,
    concepts: usize,
    overlap: Overlap,
}

impl ConceptLayers {
    /// With random weights, which go into `parameters`.
    ///
    /// # Errors
    /// When candle cannot make a tensor.
    pub fn new(
        layout: Layout,
        parameters: &mut BTreeMap<String, Var>,
        rng: &mut impl Rng,
    ) -> Result<Self> {
        let (side, d) = (layout.side, layout.width);
        let mut part = |layers: Vec<Layer>| net(layers, parameters, rng);
        Ok(Self {
            keys: part(layout.keys)?,
            queries: part(layout.queries)?,
            classes: part(layout.classes)?,
            position_code: Tensor::from_vec(
                sine_code(side, side, d),
                (1, side * side, d),
                &Device::Cpu,
            )?,
            concepts: layout.concepts,
            overlap: layout.overlap,
        })
    }

    /// The concepts in features: as many numbers as `[n, positions, d]` has, in that order.
    ///
    /// # Errors
    /// When the features do not fit.
    pub fn concepts(&self, n: usize, features: &Tensor) -> Result<Concepts> {
        let (_, positions, d) = self.position_code.dims3()?;
        let features = features.reshape((n, positions, d))?;
        let with_code = features.broadcast_add(&self.position_code)?;
        let keys = self.keys.forward(&with_code.reshape((n * positions, d))?)?;
        // Products of d numbers, divided by √d: else they grow with d.
        let scores = (self.queries.forward(&keys)? / (d as f64).sqrt())?;
        let scores = scores.reshape((n, positions, self.concepts))?;
        let attention = match self.overlap {
            Overlap::Apart => non_overlapping(&scores)?,
            Overlap::Upon => overlapping(&scores)?,
        };
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
}

impl Concepts {
    /// Adds to a loss what keeps concepts apart and clear, and `self_supervision`; notes each term as it is weighed. A
    /// term whose weight is 0 is not computed.
    ///
    /// # Errors
    /// When a term cannot be computed.
    pub(crate) fn add_to(
        &self,
        loss: Tensor,
        terms: &mut Terms,
        weights: LossWeights,
        (name, self_supervision): (&'static str, &dyn Fn() -> Result<Tensor>),
    ) -> Result<Tensor> {
        let mut total = loss;
        let mut add = |name: &'static str, weight: f64, term: &dyn Fn() -> Result<Tensor>| {
            if weight != 0.0 {
                let term = (term()? * weight)?;
                terms.add(name, &term)?;
                total = (&total + term)?;
            }
            Ok::<(), candle_core::Error>(())
        };
        add(name, weights.self_supervision, self_supervision)?;
        add("quantisation", weights.quantisation, &|| {
            losses::quantisation(&self.activations)
        })?;
        add("attention", weights.attention, &|| {
            losses::attention_area(&self.attention)
        })?;
        let of_features = || concept_features(&self.features, &self.attention);
        add("consistency", weights.consistency, &|| {
            losses::consistency(&of_features()?, &self.attention)
        })?;
        add("distinctiveness", weights.distinctiveness, &|| {
            losses::distinctiveness(&of_features()?, &self.attention)
        })?;
        Ok(total)
    }
}

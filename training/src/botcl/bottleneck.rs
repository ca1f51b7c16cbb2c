//! The network for digits: from pictures to attention, activations and classes.

use std::collections::BTreeMap;

use candle_core::{Result, Tensor, Var};
use rand::Rng;

use crate::data::Rows;
use crate::loss;
use crate::net::{Net, sigmoid};
use crate::recipe::networks;
use crate::tensors::{instances, net, one_hot};
use crate::terms::Terms;

use super::concept_layers::{ConceptLayers, Concepts, Layout, LossWeights, Overlap};
use super::losses;

/// From pictures to concepts, and from concepts to classes.
pub struct Bottleneck {
    /// From a picture to the feature at each position.
    features: Net,
    layers: ConceptLayers,
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
        let features = net(networks::botcl_features(), parameters, rng)?;
        let layout = Layout {
            side: networks::BOTCL_SIDE,
            width: networks::BOTCL_FEATURES,
            concepts,
            overlap: Overlap::Apart,
            keys: networks::botcl_keys(),
            queries: networks::botcl_queries(concepts),
            classes: networks::botcl_classes(concepts),
        };
        Ok(Self {
            features,
            layers: ConceptLayers::new(layout, parameters, rng)?,
            weights: LossWeights::MNIST,
        })
    }

    /// The concepts in pictures `[n, pixels]`.
    ///
    /// # Errors
    /// When the pictures do not fit.
    pub fn concepts(&self, pictures: &Tensor) -> Result<Concepts> {
        let features = self.features.forward(pictures)?;
        self.layers.concepts(pictures.dim(0)?, &features)
    }

    /// Logits of the classes `[n, classes]` of activations `[n, concepts]`.
    ///
    /// # Errors
    /// When the shapes do not fit.
    pub fn classes(&self, activations: &Tensor) -> Result<Tensor> {
        self.layers.classes(activations)
    }

    /// The loss on some rows, to be minimised, and its terms as they are weighed. `decoder` gives logits of pixels.
    ///
    /// # Errors
    /// When the rows do not fit the networks.
    pub(crate) fn loss(&self, rows: &Rows, decoder: &Net) -> Result<(Tensor, Terms)> {
        let pictures = instances(rows)?;
        let concepts = self.concepts(&pictures)?;
        let labels = one_hot(rows.labels.iter().copied().map(usize::from))?;
        let classes = loss::cross_entropy(&self.classes(&concepts.activations)?, &labels)?;
        let mut terms = Terms::default();
        terms.add("classes", &classes)?;
        let reconstruction = || {
            let logits = decoder.logits(&concepts.activations)?.flatten_from(1)?;
            // tanh of u on −1…1 is the logistic function of 2u on 0…1, and distances are twice as long.
            losses::reconstruction(&sigmoid(&logits)?, &pictures)? * 4.0
        };
        let total = concepts.add_to(
            classes,
            &mut terms,
            self.weights,
            ("reconstruction", &reconstruction),
        )?;
        Ok((total, terms))
    }
}

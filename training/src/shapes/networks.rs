//! Features of pictures of shapes, and the two networks upon them: a plain classifier, and BotCL.

use std::collections::BTreeMap;

use candle_core::{Device, Result, Tensor, Var};
use measures::data::shapes::GRID;
use measures::data::shapes::labels::LABELS;
use models::architecture::{Activation, Layer};
use rand::Rng;

use super::convolution::{Convolution, Shape};
use super::pictures::{DATA, Labels};
use crate::botcl::concept_layers::{ConceptLayers, Concepts, Layout, LossWeights, Overlap};
use crate::botcl::losses;
use crate::loss;
use crate::net::Net;
use crate::tensors::net;
use crate::terms::Terms;

/// Numbers of a feature.
pub const WIDTH: usize = 32;
/// How many of the convolutions BotCL leaves as the classifier learnt them.
pub(crate) const FIXED: usize = 2;
/// Names of the parameters of features begin so.
pub(crate) const FEATURES: &str = "features.";

/// What BotCL's loss weighs unless something else is said. With the released settings (1, 0.5, 0.1, 1, 1) nothing was
/// learnt here: see decision 64.
pub const WEIGHTS: LossWeights = LossWeights {
    self_supervision: 0.1,
    quantisation: 0.05,
    attention: 0.5,
    consistency: 0.05,
    distinctiveness: 0.05,
};
/// The factor of the product of two pictures' activations in the contrast, as in the released code.
const CONTRAST_SCALE: f64 = 10.0 / 32.0;
/// The score with which every concept begins. At 0 each of 49 positions would have half of a concept, and tanh of their
/// sum has no slope there.
const FIRST_SCORE: f64 = -4.0;

/// Three convolutions, from a picture to a feature in each cell of the grid.
pub(crate) struct Features {
    layers: Vec<Convolution>,
}

impl Features {
    fn new(parameters: &mut BTreeMap<String, Var>, rng: &mut impl Rng) -> Result<Self> {
        let sizes = [(24, 6, 4, 1), (48, 5, 3, 1), (WIDTH, 3, 1, 1)];
        let (mut side, mut inputs) = (DATA.side(), 3);
        let mut layers = Vec::new();
        for (number, (outputs, kernel, stride, padding)) in (1..).zip(sizes) {
            let shape = Shape {
                side,
                inputs,
                outputs,
                kernel,
                stride,
                padding,
            };
            let name = format!("{FEATURES}conv{number}");
            layers.push(Convolution::new(&name, shape, parameters, rng)?);
            (side, inputs) = (shape.side_out(), outputs);
        }
        Ok(Self { layers })
    }

    /// Features `[n, positions, d]` of pictures `[n, pixels, 3]`.
    pub fn of(&self, ink: &Tensor) -> Result<Tensor> {
        self.layers
            .iter()
            .try_fold(ink.clone(), |maps, layer| layer.forward(&maps))
    }

    /// What the layers that BotCL leaves as they are make of pictures `[n, pixels, 3]`, without gradient.
    pub fn halfway(&self, ink: &Tensor) -> Result<Tensor> {
        let fixed = &self.layers[..FIXED];
        let maps = fixed
            .iter()
            .try_fold(ink.clone(), |maps, layer| layer.forward(&maps))?;
        Ok(maps.detach())
    }

    /// Features of what [`Self::halfway`] gives.
    fn beyond_halfway(&self, maps: &Tensor) -> Result<Tensor> {
        let others = &self.layers[FIXED..];
        others
            .iter()
            .try_fold(maps.clone(), |maps, layer| layer.forward(&maps))
    }
}

/// Whether a parameter stays as it is while BotCL learns.
pub(crate) fn is_fixed(name: &str) -> bool {
    (1..=FIXED).any(|number| name.starts_with(&format!("{FEATURES}conv{number}.")))
}

/// The plain classifier: the largest of each feature over positions, and a linear layer.
pub(crate) struct Classifier {
    /// Its features.
    pub features: Features,
    classes: Net,
}

impl Classifier {
    pub fn new(parameters: &mut BTreeMap<String, Var>, rng: &mut impl Rng) -> Result<Self> {
        Ok(Self {
            features: Features::new(parameters, rng)?,
            classes: net(vec![dense("classes", WIDTH, LABELS)], parameters, rng)?,
        })
    }

    /// Logits of the labels `[n, 15]`.
    pub fn logits(&self, ink: &Tensor) -> Result<Tensor> {
        self.classes.forward(&self.features.of(ink)?.max(1)?)
    }

    /// The loss on pictures, and its one term.
    pub fn loss(&self, ink: &Tensor, truth: &Labels) -> Result<(Tensor, Terms)> {
        let loss = of_labels(&self.logits(ink)?, &truth.labels)?;
        let mut terms = Terms::default();
        terms.add("labels", &loss)?;
        Ok((loss, terms))
    }
}

/// BotCL.
pub(crate) struct Bottleneck {
    /// Its features.
    pub features: Features,
    /// From a feature to what is attended to: a convolution of single positions.
    narrow: Net,
    layers: ConceptLayers,
}

impl Bottleneck {
    pub fn new(
        concepts: usize,
        parameters: &mut BTreeMap<String, Var>,
        rng: &mut impl Rng,
    ) -> Result<Self> {
        let features = Features::new(parameters, rng)?;
        let layers = vec![dense("narrow", WIDTH, WIDTH), relu()];
        let narrow = net(layers, parameters, rng)?;
        let key = |number: usize| dense(&format!("keys{number}"), WIDTH, WIDTH);
        let layout = Layout {
            side: GRID,
            width: WIDTH,
            concepts,
            overlap: Overlap::Upon,
            keys: vec![key(1), relu(), key(2), relu(), key(3)],
            queries: vec![dense("queries", WIDTH, concepts)],
            classes: vec![dense("classes", concepts, LABELS)],
        };
        let layers = ConceptLayers::new(layout, parameters, rng)?;
        if let Some(bias) = parameters.get("queries.bias") {
            let first = FIRST_SCORE * (WIDTH as f64).sqrt();
            bias.set(&Tensor::full(first as f32, concepts, &Device::Cpu)?)?;
        }
        Ok(Self {
            features,
            narrow,
            layers,
        })
    }

    /// The concepts in pictures, of which it gets what [`Features::halfway`] makes.
    pub fn concepts(&self, halfway: &Tensor) -> Result<Concepts> {
        let features = self.features.beyond_halfway(halfway)?;
        let n = features.dim(0)?;
        let narrow = self.narrow.forward(&features.reshape(((), WIDTH))?)?;
        self.layers.concepts(n, &narrow)
    }

    /// Logits of the labels `[n, 15]` of activations.
    pub fn classes(&self, activations: &Tensor) -> Result<Tensor> {
        self.layers.classes(activations)
    }

    /// The loss on pictures, of which it gets what [`Features::halfway`] makes, and its terms as they are weighed.
    pub fn loss(
        &self,
        halfway: &Tensor,
        truth: &Labels,
        weights: LossWeights,
    ) -> Result<(Tensor, Terms)> {
        let concepts = self.concepts(halfway)?;
        let loss = of_labels(&self.classes(&concepts.activations)?, &truth.labels)?;
        let mut terms = Terms::default();
        terms.add("labels", &loss)?;
        let contrast = || losses::contrast(&concepts.activations, &truth.kinds, CONTRAST_SCALE);
        let total = concepts.add_to(loss, &mut terms, weights, ("contrast", &contrast))?;
        Ok((total, terms))
    }
}

/// The binary cross-entropy, a mean over labels.
fn of_labels(logits: &Tensor, labels: &Tensor) -> Result<Tensor> {
    loss::bernoulli(logits, labels)? / LABELS as f64
}

fn dense(name: &str, inputs: usize, outputs: usize) -> Layer {
    Layer::Dense {
        name: name.to_owned(),
        inputs,
        outputs,
    }
}

fn relu() -> Layer {
    Layer::Activation {
        function: Activation::Relu,
    }
}

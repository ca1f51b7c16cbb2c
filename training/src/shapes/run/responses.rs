//! What the networks of a run say of pictures.

use anyhow::{Context, Result, bail};
use candle_core::{DType, Tensor};

use super::{CHUNK, Network, ShapesRun};
use crate::shapes::pictures::{Labels, ink};

/// What BotCL says of pictures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConceptResponses {
    /// Attention: picture by picture, concept by concept, positions in reading order.
    pub maps: Vec<f32>,
    /// How active each concept is, a row for each picture.
    pub activations: Vec<Vec<f32>>,
}

impl ShapesRun {
    /// Features of pictures by their numbers: a row of positions × entries for each.
    ///
    /// # Errors
    /// When candle cannot compute them, or the run is BotCL's, whose features are not those that it began with.
    pub fn features(&self, numbers: &[usize]) -> Result<Vec<Vec<f32>>> {
        let Network::Classifier(classifier) = &self.network else {
            bail!("features are those of the plain classifier");
        };
        let mut rows = Vec::with_capacity(numbers.len());
        for chunk in numbers.chunks(CHUNK) {
            let features = classifier.features.of(&ink(chunk)?)?;
            rows.extend(features.detach().flatten_from(1)?.to_vec2::<f32>()?);
        }
        Ok(rows)
    }

    /// The share of right labels of pictures by their numbers.
    ///
    /// # Errors
    /// When candle cannot compute it.
    pub fn accuracy(&self, numbers: &[usize]) -> Result<f64> {
        let mut right = 0.0;
        for chunk in numbers.chunks(CHUNK) {
            let truth = Labels::of(chunk)?;
            let logits = match &self.network {
                Network::Classifier(classifier) => classifier.logits(&ink(chunk)?)?,
                Network::Concepts(bottleneck) => {
                    let concepts = bottleneck.concepts(&self.halfway_of(chunk)?)?;
                    bottleneck.classes(&concepts.activations)?
                }
            };
            let same: Tensor = logits.gt(0.0)?.to_dtype(DType::F32)?;
            let same = same.eq(&truth.labels)?.to_dtype(DType::F32)?;
            right += f64::from(same.mean_all()?.to_scalar::<f32>()?) * chunk.len() as f64;
        }
        Ok(right / numbers.len().max(1) as f64)
    }

    /// What BotCL says of pictures by their numbers.
    ///
    /// # Errors
    /// When candle cannot compute it, or the run is not BotCL's.
    pub fn responses(&self, numbers: &[usize]) -> Result<ConceptResponses> {
        let Network::Concepts(bottleneck) = &self.network else {
            bail!("the plain classifier has no concepts");
        };
        let mut responses = ConceptResponses::default();
        for chunk in numbers.chunks(CHUNK) {
            let concepts = bottleneck.concepts(&self.halfway_of(chunk)?)?;
            let maps = concepts.attention.detach().transpose(1, 2)?;
            responses.maps.extend(maps.flatten_all()?.to_vec1::<f32>()?);
            responses
                .activations
                .extend(concepts.activations.detach().to_vec2::<f32>()?);
        }
        Ok(responses)
    }

    /// The linear classifier of activations: for each label what is added, then a weight for each concept.
    ///
    /// # Errors
    /// When candle cannot read a parameter.
    pub fn classes(&self) -> Result<Vec<Vec<f32>>> {
        let of = |name: &str| self.parameters.get(name).context("no weights of classes");
        let weights: Vec<Vec<f32>> = of("classes.weight")?.to_vec2()?;
        let bias: Vec<f32> = of("classes.bias")?.to_vec1()?;
        let rows = bias.into_iter().zip(weights);
        Ok(rows
            .map(|(first, row)| [vec![first], row].concat())
            .collect())
    }
}

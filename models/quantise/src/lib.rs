//! Smaller weights: batch norm folded away, f16 and int8 wherever a gate admits them.
//!
//! A tensor is stored in the smallest type in which the whole model still decodes
//! what it decoded in f32, as far as the gate allows. Tensors are tried one after
//! the other, the largest first, int8 before f16; what has been admitted stays while
//! the next one is tried, so the gate always judges the weights as they would ship.

use candle_core::Tensor;
use decode::architecture::{Architecture, Layer};
use decode::weights::{self, Stored, Tensors, Values};
use domain::distance::Distance;
use domain::latent::{Dimension, LatentSpace};
use domain::model::InstanceShape;
use models::BundleError;
use models::bundle::WEIGHTS_FILE;
use models::card::{Card, Precision, Storage};
use rand::{Rng, RngExt};

mod compare;
pub mod compensate;
pub mod fold;
mod forward;
mod smaller;

use compare::{largest, pair_distances};
use forward::{Body, decoder_inputs, forward};
pub use smaller::{to_f16, to_int8};

/// How far a decoder may move when its weights are stored in fewer bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// Largest change of a pixel, or of a point of a series; none: not looked at.
    pub value_change: Option<f64>,
    /// Largest change of the distance between random pairs of instances.
    ///
    /// DIFFERENCE: of a distance that counts positions on one side of a cut, the mean
    /// change. It moves in whole steps (on a digit a pixel is 0.007), and a pixel that
    /// lies on the cut changes sides in any precision: by its largest change not even
    /// f16 would pass. The largest is on the card all the same.
    pub distance_change: f64,
    /// Whether int8 is tried at all.
    pub int8: bool,
}

impl Gate {
    /// A grey level of 255 as the picture is shown (of a series: that share of its lowest
    /// plot's height), and 0.002 of distance.
    #[must_use]
    pub fn of(card: &Card) -> Self {
        let display = &card.facts.display;
        let span = |[low, high]: [f64; 2]| high - low;
        let span = match (card.facts.shape, &display.series) {
            (InstanceShape::Series { channels, .. }, Some(axes)) => (0..channels)
                .map(|curve| span(axes.ends(curve)))
                .fold(f64::INFINITY, f64::min),
            _ => span(display.shades()),
        };
        Self {
            value_change: Some(span / 255.0),
            distance_change: 0.002,
            int8: true,
        }
    }

    /// Half precision wherever it moves no distance by more than 0.01, pixels not looked
    /// at: for models whose outlines are so sharp that any rounding moves some pixel.
    pub const HALF_BY_DISTANCE: Self = Self {
        value_change: None,
        distance_change: 0.01,
        int8: false,
    };

    fn admits(&self, change: Change) -> bool {
        self.value_change.is_none_or(|most| change.value <= most)
            && change.judged <= self.distance_change
    }
}

/// How far a decoder moved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Change {
    value: f64,
    distance: f64,
    mean_distance: f64,
    /// The one of the two that the gate looks at.
    judged: f64,
}

/// Tensors of fewer values are not worth a type of their own.
const WORTH_IT: usize = 512;
/// Latent vectors that the gate looks at.
pub const GATE_LATENTS: usize = 1000;
/// Latent vectors that int8 weights are rounded by.
const PRACTICE_LATENTS: usize = 2000;

/// Makes the weights of a model small: folds batch norm into its neighbours where it is
/// layers one after another, then stores each tensor in the smallest type the gate admits.
/// `latents` are the vectors it is judged on; the card's own draws where there are
/// none. Gives the card (architecture, hash and storage renewed) and the weights.
/// A formula comes back as it is, without weights.
///
/// # Errors
/// When the weights are not those of the card, are not f32, or cannot be computed with.
pub fn compress(
    card: &Card,
    weights: Option<&[u8]>,
    latents: &[Vec<f64>],
    gate: &Gate,
    rng: &mut impl Rng,
) -> Result<(Card, Option<Vec<u8>>), BundleError> {
    let Some(bytes) = weights else {
        return Ok((card.clone(), None));
    };
    // Of f32 alone: what was rounded before is no measure of what rounding costs.
    let (architecture, tensors) = match &card.architecture {
        Architecture::Sequential { layers } => {
            let (layers, tensors) = fold::batch_norm(layers, weights::read(WEIGHTS_FILE, bytes)?);
            (Architecture::Sequential { layers }, tensors)
        }
        Architecture::Graph(_) => (
            card.architecture.clone(),
            weights::read(WEIGHTS_FILE, bytes)?,
        ),
        Architecture::ClosedForm { .. } => return Ok((card.clone(), None)),
    };
    let body = match &architecture {
        Architecture::Sequential { layers } => Body::Layers(layers),
        Architecture::Graph(graph) => Body::Graph(graph),
        Architecture::ClosedForm { .. } => return Ok((card.clone(), None)),
    };
    let latents = match latents {
        [] => (0..GATE_LATENTS)
            .map(|_| card.sample(&[], rng))
            .collect::<Result<Vec<_>, _>>()?,
        rows => rows[..rows.len().min(GATE_LATENTS)].to_vec(),
    };
    let trial = Trial::new(card, body, &tensors, &latents, rng)?;
    let practice = practice(card, &latents, rng);

    let mut order: Vec<(&String, usize)> = tensors.iter().map(|(n, t)| (n, t.1.len())).collect();
    // A scale for each value of a bias would be larger than the bias.
    order.retain(|(name, values)| *values >= WORTH_IT && tensors[*name].0.len() > 1);
    order.sort_by_key(|&(name, values)| (std::cmp::Reverse(values), name));
    let mut chosen: Stored = tensors
        .iter()
        .map(|(name, (shape, values))| (name.clone(), (shape.clone(), Values::F32(values.clone()))))
        .collect();
    let mut storage = Storage {
        tensors: std::collections::BTreeMap::new(),
        instances: latents.len(),
        largest_value_change: 0.0,
        largest_distance_change: 0.0,
        mean_distance_change: None,
    };
    for (name, _) in order {
        let (shape, values) = &tensors[name];
        for (precision, candidate) in [
            (
                Precision::Int8,
                match gate.int8 {
                    true => Some(trial.int8(name, &tensors, &practice)?),
                    false => None,
                },
            ),
            (Precision::F16, to_f16(values)),
        ] {
            let Some(candidate) = candidate else { continue };
            let before = chosen.insert(name.clone(), (shape.clone(), candidate));
            let change = trial.change(&chosen)?;
            if gate.admits(change) {
                storage.tensors.insert(name.clone(), precision);
                storage.largest_value_change = change.value;
                storage.largest_distance_change = change.distance;
                storage.mean_distance_change = Some(change.mean_distance);
                break;
            }
            if let Some(before) = before {
                chosen.insert(name.clone(), before);
            }
        }
    }
    let bytes = weights::write_stored(WEIGHTS_FILE, &chosen)?;
    let mut card = card.clone();
    card.architecture = architecture;
    card.facts.weights_sha256 = weights::sha256_hex(&bytes);
    card.storage = (!storage.tensors.is_empty()).then_some(storage);
    Ok((card, Some(bytes)))
}

/// Latent vectors to round by: midpoints of random pairs of those the gate looks at, so
/// that nothing is judged on what it was fitted to.
fn practice(card: &Card, latents: &[Vec<f64>], rng: &mut impl Rng) -> Vec<Vec<f64>> {
    let dimensions = card.facts.latent.dimensions();
    (0..PRACTICE_LATENTS)
        .map(|_| {
            let mut pick = || &latents[rng.random_range(0..latents.len())];
            let (a, b) = (pick(), pick());
            let mixed = dimensions.iter().zip(a.iter().zip(b));
            mixed
                .map(|(dimension, (&a, &b))| match dimension {
                    Dimension::Continuous { .. } => a.midpoint(b),
                    Dimension::Discrete { .. } => a,
                })
                .collect()
        })
        .collect()
}

/// The decoder in f32, against which candidates are held.
struct Trial<'a> {
    latent: &'a LatentSpace,
    body: Body<'a>,
    distance: &'a Distance,
    inputs: Tensor,
    /// Instances in f32.
    expected: Vec<Vec<f32>>,
    /// For each instance the one it is paired with.
    partners: Vec<usize>,
    distances: Vec<f64>,
}

impl<'a> Trial<'a> {
    fn new(
        card: &'a Card,
        body: Body<'a>,
        tensors: &Tensors,
        latents: &[Vec<f64>],
        rng: &mut impl Rng,
    ) -> Result<Self, BundleError> {
        let inputs = decoder_inputs(&card.facts.latent, latents)?;
        let expected = body.forward(tensors, &inputs)?;
        let partners: Vec<usize> = (0..expected.len())
            .map(|_| rng.random_range(0..expected.len()))
            .collect();
        let distance = &card.facts.distance;
        let distances = pair_distances(distance, &expected, &partners)?;
        Ok(Self {
            latent: &card.facts.latent,
            body,
            distance,
            inputs,
            expected,
            partners,
            distances,
        })
    }

    /// A weight in int8: of a dense layer rounded by the inputs that `practice` gives it,
    /// of any other each value to the nearest.
    fn int8(
        &self,
        tensor: &str,
        tensors: &Tensors,
        practice: &[Vec<f64>],
    ) -> Result<Values, BundleError> {
        let (shape, values) = &tensors[tensor];
        let Some((index, layer)) = self.body.layer_of(tensor) else {
            return Ok(to_int8(values, shape, 0));
        };
        if let (Layer::Dense { inputs, .. }, Body::Layers(layers)) = (&layer, self.body) {
            let z = decoder_inputs(self.latent, practice)?;
            let activations = forward(&layers[..index], tensors, &z)?;
            if let Some(rounded) = compensate::round(values, *inputs, &activations)? {
                return Ok(rounded);
            }
        }
        Ok(to_int8(values, shape, layer.unit_axis()))
    }

    fn change(&self, stored: &Stored) -> Result<Change, BundleError> {
        let tensors = self.body.expand(stored.clone())?;
        let found = self.body.forward(&tensors, &self.inputs)?;
        let distances = pair_distances(self.distance, &found, &self.partners)?;
        let value = self
            .expected
            .iter()
            .flatten()
            .zip(found.iter().flatten())
            .map(|(a, b)| f64::from((a - b).abs()));
        let changes: Vec<f64> = self
            .distances
            .iter()
            .zip(&distances)
            .map(|(a, b)| (a - b).abs())
            .collect();
        let distance = largest(changes.iter().copied());
        #[allow(clippy::cast_precision_loss)] // at most GATE_LATENTS
        let mean_distance = changes.iter().sum::<f64>() / changes.len().max(1) as f64;
        Ok(Change {
            value: largest(value),
            distance,
            mean_distance,
            judged: if self.distance.counts_values() {
                mean_distance
            } else {
                distance
            },
        })
    }
}

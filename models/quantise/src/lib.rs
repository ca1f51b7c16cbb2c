//! Smaller weights: batch norm folded away, fewer bits wherever a gate admits them.
//!
//! A tensor is stored in the smallest type in which the whole model still decodes
//! what it decoded before, as far as the gate allows. Tensors are tried one after
//! the other, the largest first, four bits before int8 before f16; what has been admitted
//! stays while the next one is tried, so the gate always judges the weights as they would
//! ship.
//!
//! Deliberately absent: files, which the caller reads and writes; retraining.

use candle_core::Tensor;
use decode::architecture::{Architecture, Units};
use decode::weights::{self, StoredTensors, Tensors, Values};
use domain::model::InstanceShape;
use domain::model::ModelFacts;
use domain::model::latent::Dimension;
use models::BundleError;
use models::bundle::WEIGHTS_FILE;
use models::card::{Card, Precision, WeightStorage};
use rand::{Rng, RngExt};

mod compare;
pub mod compensate;
pub mod fold;
mod forward;
mod grid;
mod inputs;

use compare::{largest, pair_distances};
use compensate::CholeskyFactor;
use forward::{Body, decoder_inputs};
use grid::QuantisationGrid;
pub use grid::{to_f16, to_int8};

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
    /// What is tried, smallest first.
    pub precisions: &'static [Precision],
}

/// Every precision below f32, smallest first.
pub const ALL_PRECISIONS: &[Precision] = &[Precision::Int4, Precision::Int8, Precision::F16];

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
            precisions: ALL_PRECISIONS,
        }
    }

    /// Half precision wherever it moves no distance by more than 0.01, pixels not looked
    /// at: for models whose outlines are so sharp that any rounding moves some pixel.
    pub const HALF_BY_DISTANCE: Self = Self {
        value_change: None,
        distance_change: 0.01,
        precisions: &[Precision::F16],
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

/// Bytes of the values of these tensors, were all that are worth it stored in the smallest
/// type that suits them, and were they in half precision: a gate's choice lies between.
#[must_use]
pub fn sizes(stored: &StoredTensors) -> (usize, usize) {
    let each = stored.values().map(|(shape, values)| {
        let (n, units) = (values.len(), shape.iter().max().copied().unwrap_or(0));
        if n < WORTH_IT || shape.len() < 2 {
            return (4 * n, 4 * n);
        }
        match grid::fits_four_bits(shape, n) {
            true => (n / 2 + n / grid::GROUP + 4 * units.min(n), 2 * n),
            false => (n + 4 * units.min(n), 2 * n),
        }
    });
    each.fold((0, 0), |(a, b), (least, most)| (a + least, b + most))
}

/// Latent vectors that the gate looks at.
pub const GATE_LATENTS: usize = 1000;
/// Latent vectors that weights are rounded by.
const PRACTICE_LATENTS: usize = 8000;

/// Makes the weights of a model small: folds batch norm into its neighbours where it is
/// layers one after another, then stores each tensor in the smallest type the gate admits.
/// `latents` are the vectors it is judged on; the card's own draws where there are
/// none. Gives the card (architecture, hash and storage renewed) and the weights.
/// A formula comes back as it is, without weights.
///
/// Weights may be stored in fewer bits already, once: then they are what the new ones are
/// compared with, and the card says so.
///
/// # Errors
/// When the weights are not those of the card, were made smaller twice already, or cannot be
/// computed with.
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
    let before = card.storage.clone().map(Box::new);
    if before.as_ref().is_some_and(|b| b.compared_with.is_some()) {
        return Err(BundleError::Card {
            problem: "storage: the weights were made smaller twice already; each time may move a picture by as much as the gate admits, so begin with the original".to_owned(),
        });
    }
    let mut stored = weights::read_stored(WEIGHTS_FILE, bytes)?;
    let architecture = match &card.architecture {
        // Of f32 alone: a norm in a tensor of fewer bits would be one of its scales.
        Architecture::Sequential { layers } if before.is_none() => {
            let (layers, tensors) = fold::batch_norm(layers, weights::read(WEIGHTS_FILE, bytes)?);
            stored = candle_layers::graph::as_stored(&tensors);
            Architecture::Sequential { layers }
        }
        Architecture::ClosedForm { .. } => return Ok((card.clone(), None)),
        other => other.clone(),
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
    let tensors = body.expand(stored.clone())?;
    let trial = Trial::new(card, body, &tensors, &latents, rng)?;
    let practice = decoder_inputs(&card.facts.latent, &practice(card, &latents, rng))?;

    let mut order: Vec<(&String, usize)> = tensors.iter().map(|(n, t)| (n, t.1.len())).collect();
    let worth_it = match before {
        None => WORTH_IT,
        // Pictures shall not move once more for a hundredth of the weights.
        Some(_) => order.iter().map(|(_, values)| values).sum::<usize>() / 100,
    };
    // A scale for each value of a bias would be larger than the bias.
    order.retain(|(name, values)| *values >= worth_it && tensors[*name].0.len() > 1);
    order.sort_by_key(|&(name, values)| (std::cmp::Reverse(values), name));
    let mut chosen = stored;
    let mut storage = WeightStorage {
        tensors: before.iter().flat_map(|b| b.tensors.clone()).collect(),
        instances: latents.len(),
        largest_value_change: 0.0,
        largest_distance_change: 0.0,
        mean_distance_change: None,
        compared_with: None,
    };
    let mut smaller = false;
    for (name, _) in order {
        let (shape, values) = &tensors[name];
        let now = storage.tensors.get(name).copied();
        let smaller_ones = gate.precisions.iter().copied();
        let mut smaller_ones = smaller_ones
            .filter(|&precision| now.is_none_or(|now| precision > now))
            .peekable();
        if smaller_ones.peek().is_none() {
            continue;
        }
        let units = body.units(name);
        let known = body.factor(name, &tensors, &practice)?;
        for precision in smaller_ones {
            let rounded = rounded(precision, values, shape, units, known.as_ref());
            let Some(candidate) = rounded else { continue };
            let before = chosen.insert(name.clone(), (shape.clone(), candidate));
            let change = trial.change(&chosen)?;
            if gate.admits(change) {
                smaller = true;
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
    if smaller {
        storage.compared_with = before;
        card.storage = Some(storage);
    }
    Ok((card, Some(bytes)))
}

/// A weight in fewer bits: where it is known what it is multiplied with, its values make up
/// for each other; else each is rounded to the nearest. None when that precision does not
/// suit it.
fn rounded(
    precision: Precision,
    values: &[f32],
    shape: &[usize],
    units: Units,
    known: Option<&(CholeskyFactor, Units)>,
) -> Option<Values> {
    if precision == Precision::F16 {
        return to_f16(values);
    }
    let grid = QuantisationGrid::new(precision, values, shape, units)?;
    Some(match known {
        Some((factor, units)) => grid.compensated(values, *units, factor),
        None => grid.nearest(values),
    })
}

/// Latent vectors to round by, made of those that the gate looks at, so that nothing is
/// judged on what it was fitted to: midpoints of random pairs, and vectors that take every
/// dial from another one, since people bring dials together that no instance has.
fn practice(card: &Card, latents: &[Vec<f64>], rng: &mut impl Rng) -> Vec<Vec<f64>> {
    let dimensions = card.facts.latent.dimensions();
    let mut pick = || &latents[rng.random_range(0..latents.len())];
    (0..PRACTICE_LATENTS)
        .map(|nth| {
            if nth % 2 == 0 {
                return (0..dimensions.len()).map(|dial| pick()[dial]).collect();
            }
            let mixed = dimensions.iter().zip(pick().iter().zip(pick()));
            mixed
                .map(|(dimension, (&a, &b))| match dimension {
                    Dimension::Continuous { .. } => a.midpoint(b),
                    Dimension::Discrete { .. } => a,
                })
                .collect()
        })
        .collect()
}

/// The decoder as it was, against which candidates are held.
struct Trial<'a> {
    body: Body<'a>,
    facts: &'a ModelFacts,
    inputs: Tensor,
    /// Instances as they were.
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
        let distances = pair_distances(&card.facts, &expected, &partners)?;
        Ok(Self {
            body,
            facts: &card.facts,
            inputs,
            expected,
            partners,
            distances,
        })
    }

    fn change(&self, stored: &StoredTensors) -> Result<Change, BundleError> {
        let tensors = self.body.expand(stored.clone())?;
        let found = self.body.forward(&tensors, &self.inputs)?;
        let distances = pair_distances(self.facts, &found, &self.partners)?;
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
        let mean_distance = changes.iter().sum::<f64>() / changes.len().max(1) as f64;
        Ok(Change {
            value: largest(value),
            distance,
            mean_distance,
            judged: if self.facts.distance.counts_values() {
                mean_distance
            } else {
                distance
            },
        })
    }
}

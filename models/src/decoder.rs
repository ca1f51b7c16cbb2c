//! From latent vectors to instances.

use std::sync::{Arc, LazyLock};

use decode::architecture::{Architecture, Graph, Layer};
use decode::closed_form::ClosedForm;
use decode::plan::{DecodingPlan, PlanRunner};
use decode::weights::{self, StoredTensors};
use domain::model::latent::{LatentError, LatentSpace};

use crate::card::Decodable;
use crate::error::BundleError;
use crate::file_names::WEIGHTS_FILE;

#[cfg(feature = "candle")]
mod on_candle;
#[cfg(all(test, feature = "candle"))]
mod tests;
#[cfg(all(feature = "candle", not(target_arch = "wasm32")))]
mod timing;

#[cfg(feature = "candle")]
use on_candle::{GraphOnCandle, OnCandle};

/// Why a latent vector could not be decoded.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The vector is not in the latent space.
    #[error(transparent)]
    Latent(#[from] LatentError),
    /// The computation failed.
    #[error("decoding: {message}")]
    Compute {
        /// What candle said.
        message: String,
    },
}

#[cfg(all(feature = "candle", not(target_arch = "wasm32")))]
pub use timing::{DecodeTiming, FRAME_MS};

#[cfg(feature = "candle")]
pub use candle_layers::graph::{Backend, TimedStep};

/// g(z): a model ready to decode.
#[derive(Debug, Clone)]
pub struct Decoder {
    latent: LatentSpace,
    instance_len: usize,
    implementation: Arc<OnFirstUse>,
}

/// What decodes, made when something is decoded for the first time; or why it cannot be made.
type OnFirstUse = LazyLock<ImplementationResult, Box<dyn FnOnce() -> ImplementationResult + Send>>;

type ImplementationResult = Result<Implementation, String>;

#[derive(Debug)]
enum Implementation {
    /// Compiled: what nearly every decoder is.
    Plan(PlanRunner),
    /// candle's operations, for layers that the kernels do not take.
    #[cfg(feature = "candle")]
    Candle(OnCandle),
    /// Plans for the layers of a graph, kernels and candle between.
    #[cfg(feature = "candle")]
    Graph(GraphOnCandle),
    Formula(ClosedForm),
}

impl Implementation {
    /// With `with_kernels` as [`Decoder::load`]; without, candle does all of it.
    fn read(
        card: &Decodable,
        weights: Option<&[u8]>,
        with_kernels: bool,
    ) -> Result<Self, BundleError> {
        let width = card.latent.decoder_width();
        Ok(match Source::read(card, weights)? {
            Source::Formula(formula) => Self::Formula(formula.clone()),
            Source::Layers(layers, stored) => {
                let plan = with_kernels.then(|| DecodingPlan::compile(layers, width, &stored));
                match plan.flatten() {
                    Some(plan) => Self::Plan(plan.into()),
                    #[cfg(feature = "candle")]
                    None => Self::Candle(OnCandle::new(layers, stored)?),
                    #[cfg(not(feature = "candle"))]
                    None => return Err(BundleError::NoPlan),
                }
            }
            #[cfg(feature = "candle")]
            Source::Graph(graph, stored) => {
                Self::Graph(GraphOnCandle::new(graph, width, stored, with_kernels)?)
            }
            #[cfg(not(feature = "candle"))]
            Source::Graph(..) => return Err(BundleError::NoPlan),
        })
    }
}

impl Decoder {
    /// Makes the decoder that `card` describes from the bytes of its weights
    /// file; a formula takes none. Layers that do not compile to a plan are decoded on
    /// candle, and so is what has no kernel between the layers of a graph.
    ///
    /// # Errors
    /// When weights are missing or not wanted, are not those of the card (by
    /// SHA-256), or do not hold exactly the tensors that the layers read; without the
    /// feature `candle` also when the layers do not compile to a plan.
    pub fn load(card: &Decodable, weights: Option<&[u8]>) -> Result<Self, BundleError> {
        let made = Implementation::read(card, weights, true)?;
        Ok(Self::ready(card, made))
    }

    /// The same, checked at once, but with layers that are compiled when something is decoded for the first time: whoever
    /// has many models decodes with few of them.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub(crate) fn on_first_use(
        card: &Decodable,
        weights: Option<&Arc<[u8]>>,
    ) -> Result<Self, BundleError> {
        let bytes = weights.map(|weights| &**weights);
        // candle decodes all layers. Without it those that do not compile are refused here.
        if !cfg!(feature = "candle") || !matches!(Source::read(card, bytes)?, Source::Layers(..)) {
            return Self::load(card, bytes);
        }
        let (of, weights) = (card.clone(), weights.cloned());
        Ok(Self::new(card, move || {
            Implementation::read(&of, weights.as_deref(), true).map_err(|error| error.to_string())
        }))
    }

    /// The same without candle: `None` for a graph, and when the layers do not compile to
    /// a plan.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn compile(card: &Decodable, weights: Option<&[u8]>) -> Result<Option<Self>, BundleError> {
        Ok(match Source::read(card, weights)? {
            Source::Formula(formula) => {
                Some(Self::ready(card, Implementation::Formula(formula.clone())))
            }
            Source::Graph(..) => None,
            Source::Layers(layers, stored) => {
                let width = card.latent.decoder_width();
                DecodingPlan::compile(layers, width, &stored)
                    .map(|plan| Self::ready(card, Implementation::Plan(plan.into())))
            }
        })
    }

    fn ready(card: &Decodable, made: Implementation) -> Self {
        let decoder = Self::new(card, || Ok(made));
        LazyLock::force(&decoder.implementation);
        decoder
    }

    fn new(card: &Decodable, make: impl FnOnce() -> ImplementationResult + Send + 'static) -> Self {
        Self {
            latent: card.latent.clone(),
            instance_len: card.shape.len(),
            implementation: Arc::new(LazyLock::new(Box::new(make))),
        }
    }

    /// What decodes. The first call takes as long as compiling does.
    fn made(&self) -> Result<&Implementation, DecodeError> {
        let made = self.implementation.as_ref().as_ref();
        made.map_err(|message| DecodeError::Compute {
            message: message.clone(),
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
        let mut instance = vec![0.0; self.instance_len];
        self.decode_into(z, &mut instance)?;
        Ok(instance)
    }

    /// Writes the instance at `z` into `instance`. From the second time on this
    /// allocates nothing, unless candle does the work.
    ///
    /// # Errors
    /// When `z` is not in the latent space.
    ///
    /// # Panics
    /// When `instance` has not [`instance_len`](Self::instance_len) values.
    pub fn decode_into(&self, z: &[f64], instance: &mut [f32]) -> Result<(), DecodeError> {
        assert_eq!(instance.len(), self.instance_len, "values of an instance");
        match self.made()? {
            Implementation::Formula(formula) => {
                self.latent.validate(z)?;
                instance.copy_from_slice(&formula.decode(z));
                Ok(())
            }
            Implementation::Plan(compiled) => compiled.with_memory(|plan, memory| {
                self.latent.write_decoder_input(z, &mut memory.input)?;
                plan.run(&mut memory.scratch, &memory.input, instance);
                Ok(())
            }),
            #[cfg(feature = "candle")]
            Implementation::Candle(network) => {
                let found = network.decode(self.latent.decoder_input(z)?, 1)?;
                instance.copy_from_slice(&found);
                Ok(())
            }
            #[cfg(feature = "candle")]
            Implementation::Graph(graph) => {
                let found = graph.decode(&self.latent.decoder_input(z)?)?;
                instance.copy_from_slice(&found);
                Ok(())
            }
        }
    }

    /// What computes it, part by part: the steps of a graph, with the time that each took
    /// at `z`; a single line for anything else.
    ///
    /// # Errors
    /// When `z` is not in the latent space.
    #[cfg(all(feature = "candle", not(target_arch = "wasm32")))]
    pub fn parts(&self, z: &[f64]) -> Result<Vec<TimedStep>, DecodeError> {
        let started = std::time::Instant::now();
        let made = self.made()?;
        if let Implementation::Graph(graph) = made {
            return graph.timed(&self.latent.decoder_input(z)?);
        }
        self.decode(z)?;
        Ok(vec![TimedStep {
            name: String::new(),
            operation: match made {
                Implementation::Formula(_) => "formula",
                _ => "layers",
            },
            backend: match made {
                Implementation::Candle(_) => Backend::Candle,
                _ => Backend::Plan,
            },
            ms: started.elapsed().as_secs_f64() * 1000.0,
        }])
    }

    /// The instances at several vectors, in order; cheaper than one by one.
    ///
    /// # Errors
    /// When a vector is not in the latent space.
    pub fn decode_batch(&self, zs: &[Vec<f64>]) -> Result<Vec<Vec<f32>>, DecodeError> {
        let inputs = |zs: &[Vec<f64>]| -> Result<Vec<f32>, DecodeError> {
            let mut input = Vec::with_capacity(zs.len() * self.latent.decoder_width());
            for z in zs {
                input.extend(self.latent.decoder_input(z)?);
            }
            Ok(input)
        };
        match self.made()? {
            Implementation::Plan(compiled) => {
                let mut instances = Vec::with_capacity(zs.len());
                let mut all = Vec::new();
                for zs in zs.chunks(BATCH) {
                    let input = inputs(zs)?;
                    all.resize(zs.len() * self.instance_len, 0.0);
                    compiled.with_memory(|plan, memory| {
                        plan.run_batch(&mut memory.scratch, &input, &mut all, zs.len());
                    });
                    instances.extend(all.chunks_exact(self.instance_len).map(<[f32]>::to_vec));
                }
                Ok(instances)
            }
            #[cfg(feature = "candle")]
            Implementation::Candle(network) if !zs.is_empty() => {
                let all = network.decode(inputs(zs)?, zs.len())?;
                Ok(all.chunks(self.instance_len).map(<[f32]>::to_vec).collect())
            }
            #[cfg(feature = "candle")]
            Implementation::Candle(_) => Ok(Vec::new()),
            #[cfg(feature = "candle")]
            Implementation::Graph(_) => zs.iter().map(|z| self.decode(z)).collect(),
            Implementation::Formula(_) => zs.iter().map(|z| self.decode(z)).collect(),
        }
    }
}

/// What a decoder is made from: the card's, and read from the weights' file.
enum Source<'a> {
    Formula(&'a ClosedForm),
    Layers(&'a [Layer], StoredTensors),
    #[cfg_attr(not(feature = "candle"), allow(dead_code))] // then it is only refused
    Graph(&'a Graph, StoredTensors),
}

impl<'a> Source<'a> {
    /// Reads what the card describes, and checks that the weights are its.
    fn read(card: &'a Decodable, weights: Option<&[u8]>) -> Result<Self, BundleError> {
        card.check()?;
        match (&card.architecture, weights) {
            (Architecture::ClosedForm { formula }, None) => Ok(Self::Formula(formula)),
            (Architecture::ClosedForm { .. }, Some(_)) => Err(BundleError::Unexpected {
                file: WEIGHTS_FILE,
                why: "a formula has no weights",
            }),
            (Architecture::Sequential { .. } | Architecture::Graph(_), None) => {
                Err(BundleError::Missing { file: WEIGHTS_FILE })
            }
            (Architecture::Sequential { layers }, Some(bytes)) => {
                let stored = read_weights(card, bytes)?;
                weights::check(WEIGHTS_FILE, &stored, layers)?;
                Ok(Self::Layers(layers, stored))
            }
            (Architecture::Graph(graph), Some(bytes)) => {
                let stored = read_weights(card, bytes)?;
                #[cfg(feature = "candle")]
                weights::check_graph(WEIGHTS_FILE, &stored, graph)?;
                Ok(Self::Graph(graph, stored))
            }
        }
    }
}

/// The tensors of a weights file that is the card's.
fn read_weights(card: &Decodable, bytes: &[u8]) -> Result<StoredTensors, BundleError> {
    // Read before the sum is compared: a download cut short is worth naming as such.
    let stored = weights::read_stored(WEIGHTS_FILE, bytes)?;
    let found = weights::sha256_hex(bytes);
    let expected = &card.weights_sha256;
    if !found.eq_ignore_ascii_case(expected) {
        return Err(BundleError::Hash {
            file: WEIGHTS_FILE,
            expected: expected.clone(),
            found,
        });
    }
    Ok(stored)
}

/// Vectors decoded together; more gain nothing and need more memory.
const BATCH: usize = 64;

//! From latent vectors to instances.

use std::sync::{Arc, Mutex, PoisonError};

use decode::architecture::{Architecture, Layer};
use decode::closed_form::ClosedForm;
use decode::plan::{Plan, Scratch};
use decode::weights::{self, Stored};
use domain::latent::{LatentError, LatentSpace};

use crate::bundle::WEIGHTS_FILE;
use crate::card::Decodable;
use crate::error::BundleError;

#[cfg(feature = "candle")]
mod on_candle;
#[cfg(all(test, feature = "candle"))]
mod tests;

#[cfg(feature = "candle")]
use on_candle::OnCandle;

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

/// g(z): a model ready to decode.
#[derive(Debug, Clone)]
pub struct Decoder {
    latent: LatentSpace,
    instance_len: usize,
    engine: Engine,
}

#[derive(Debug, Clone)]
enum Engine {
    /// Compiled: what nearly every decoder is.
    Plan(Compiled),
    /// candle's operations, for layers that the kernels do not take.
    #[cfg(feature = "candle")]
    Candle(OnCandle),
    Formula(ClosedForm),
}

/// A plan, and the memory of the decode before, for the next to use.
#[derive(Debug)]
struct Compiled {
    plan: Arc<Plan>,
    idle: Mutex<Option<Memory>>,
}

#[derive(Debug)]
struct Memory {
    input: Vec<f32>,
    scratch: Scratch,
}

impl Compiled {
    /// Lends memory to `f`; decodes at the same time on other threads get their own.
    fn with_memory<T>(&self, f: impl FnOnce(&Plan, &mut Memory) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().take();
        let mut memory = taken.unwrap_or_else(|| Memory {
            input: vec![0.0; self.plan.width()],
            scratch: self.plan.scratch(),
        });
        let result = f(&self.plan, &mut memory);
        *idle() = Some(memory);
        result
    }
}

impl From<Plan> for Compiled {
    fn from(plan: Plan) -> Self {
        Self {
            plan: Arc::new(plan),
            idle: Mutex::new(None),
        }
    }
}

impl Clone for Compiled {
    /// The same plan, with memory of its own.
    fn clone(&self) -> Self {
        Self {
            plan: Arc::clone(&self.plan),
            idle: Mutex::new(None),
        }
    }
}

impl Decoder {
    /// Makes the decoder that `card` describes from the bytes of its weights
    /// file; a formula takes none. Layers that do not compile to a plan are decoded on
    /// candle.
    ///
    /// # Errors
    /// When weights are missing or not wanted, are not those of the card (by
    /// SHA-256), or do not hold exactly the tensors that the layers read; without the
    /// feature `candle` also when the layers do not compile to a plan.
    pub fn load(card: &Decodable, weights: Option<&[u8]>) -> Result<Self, BundleError> {
        Self::load_with(card, weights, Plan::compile)
    }

    /// The same without candle: `None` when the layers do not compile to a plan.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn compile(card: &Decodable, weights: Option<&[u8]>) -> Result<Option<Self>, BundleError> {
        Ok(match Source::read(card, weights)? {
            Source::Formula(formula) => Some(Self::new(card, Engine::Formula(formula.clone()))),
            Source::Layers(layers, stored) => {
                let width = card.latent.decoder_width();
                Plan::compile(layers, width, &stored)
                    .map(|plan| Self::new(card, Engine::Plan(plan.into())))
            }
        })
    }

    /// The same on candle, even where the layers would compile to a plan.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    #[cfg(feature = "candle")]
    pub fn on_candle(card: &Decodable, weights: Option<&[u8]>) -> Result<Self, BundleError> {
        Self::load_with(card, weights, |_, _, _| None)
    }

    fn load_with(
        card: &Decodable,
        weights: Option<&[u8]>,
        compile: impl Fn(&[Layer], usize, &Stored) -> Option<Plan>,
    ) -> Result<Self, BundleError> {
        let engine = match Source::read(card, weights)? {
            Source::Formula(formula) => Engine::Formula(formula.clone()),
            Source::Layers(layers, stored) => {
                match compile(layers, card.latent.decoder_width(), &stored) {
                    Some(plan) => Engine::Plan(plan.into()),
                    #[cfg(feature = "candle")]
                    None => Engine::Candle(OnCandle::new(layers, stored)?),
                    #[cfg(not(feature = "candle"))]
                    None => return Err(BundleError::NoPlan),
                }
            }
        };
        Ok(Self::new(card, engine))
    }

    fn new(card: &Decodable, engine: Engine) -> Self {
        Self {
            latent: card.latent.clone(),
            instance_len: card.shape.len(),
            engine,
        }
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
        match &self.engine {
            Engine::Formula(formula) => {
                self.latent.validate(z)?;
                instance.copy_from_slice(&formula.decode(z));
                Ok(())
            }
            Engine::Plan(compiled) => compiled.with_memory(|plan, memory| {
                self.latent.write_decoder_input(z, &mut memory.input)?;
                plan.run(&mut memory.scratch, &memory.input, instance);
                Ok(())
            }),
            #[cfg(feature = "candle")]
            Engine::Candle(network) => {
                let found = network.decode(self.latent.decoder_input(z)?, 1)?;
                instance.copy_from_slice(&found);
                Ok(())
            }
        }
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
        match &self.engine {
            Engine::Plan(compiled) => {
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
            Engine::Candle(network) if !zs.is_empty() => {
                let all = network.decode(inputs(zs)?, zs.len())?;
                Ok(all.chunks(self.instance_len).map(<[f32]>::to_vec).collect())
            }
            #[cfg(feature = "candle")]
            Engine::Candle(_) => Ok(Vec::new()),
            Engine::Formula(_) => zs.iter().map(|z| self.decode(z)).collect(),
        }
    }
}

/// What a decoder is made from: the card's, and read from the weights' file.
enum Source<'a> {
    Formula(&'a ClosedForm),
    Layers(&'a [Layer], Stored),
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
            (Architecture::Sequential { .. }, None) => {
                Err(BundleError::Missing { file: WEIGHTS_FILE })
            }
            (Architecture::Sequential { layers }, Some(bytes)) => {
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
                weights::check(WEIGHTS_FILE, &stored, layers)?;
                Ok(Self::Layers(layers, stored))
            }
        }
    }
}

/// Vectors decoded together; more gain nothing and need more memory.
const BATCH: usize = 64;

//! From latent vectors to instances.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use candle_core::{Device, Tensor};
use domain::latent::{LatentError, LatentSpace};

use crate::architecture::{Architecture, Layer};
use crate::bundle::WEIGHTS_FILE;
use crate::card::Card;
use crate::closed_form::ClosedForm;
use crate::error::BundleError;
use crate::network::Network;
use crate::plan::{Plan, Scratch};
use crate::weights::{self, Stored, Values};

/// Why a latent vector could not be decoded.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The vector is not in the latent space.
    #[error(transparent)]
    Latent(#[from] LatentError),
    /// The computation failed.
    #[error("decoding: {0}")]
    Compute(#[from] candle_core::Error),
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
    Network(Network),
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
    /// file; a formula takes none.
    ///
    /// # Errors
    /// When weights are missing or not wanted, are not those of the card (by
    /// SHA-256), or do not hold exactly the tensors that the layers read.
    pub fn load(card: &Card, weights: Option<&[u8]>) -> Result<Self, BundleError> {
        card.check()?;
        let engine = match (&card.architecture, weights) {
            (Architecture::ClosedForm { formula }, None) => Engine::Formula(formula.clone()),
            (Architecture::ClosedForm { .. }, Some(_)) => {
                return Err(BundleError::Unexpected {
                    file: WEIGHTS_FILE,
                    why: "a formula has no weights",
                });
            }
            (Architecture::Sequential { .. }, None) => {
                return Err(BundleError::Missing { file: WEIGHTS_FILE });
            }
            (Architecture::Sequential { layers }, Some(bytes)) => {
                // Read before the sum is compared: a download cut short is worth naming as such.
                let stored = weights::read_stored(WEIGHTS_FILE, bytes)?;
                let found = weights::sha256_hex(bytes);
                let expected = &card.facts.weights_sha256;
                if !found.eq_ignore_ascii_case(expected) {
                    return Err(BundleError::Hash {
                        file: WEIGHTS_FILE,
                        expected: expected.clone(),
                        found,
                    });
                }
                check(layers, &stored)?;
                match Plan::compile(layers, card.facts.latent.decoder_width(), &stored) {
                    Some(plan) => Engine::Plan(plan.into()),
                    None => {
                        let mut tensors = weights::expand(WEIGHTS_FILE, stored, layers)?;
                        Engine::Network(Network::new(layers, |name, shape| {
                            take(&mut tensors, name, shape)
                        })?)
                    }
                }
            }
        };
        Ok(Self {
            latent: card.facts.latent.clone(),
            instance_len: card.facts.shape.len(),
            engine,
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
            Engine::Network(network) => {
                let input = self.latent.decoder_input(z)?;
                let batch =
                    Tensor::from_vec(input, (1, self.latent.decoder_width()), &Device::Cpu)?;
                let found: Vec<f32> = channels_last(&network.forward(&batch)?)?
                    .flatten_all()?
                    .to_vec1()?;
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
            Engine::Network(network) if !zs.is_empty() => {
                let shape = (zs.len(), self.latent.decoder_width());
                let batch = Tensor::from_vec(inputs(zs)?, shape, &Device::Cpu)?;
                Ok(channels_last(&network.forward(&batch)?)?
                    .flatten_from(1)?
                    .to_vec2()?)
            }
            Engine::Network(_) | Engine::Formula(_) => zs.iter().map(|z| self.decode(z)).collect(),
        }
    }
}

/// Vectors decoded together; more gain nothing and need more memory.
const BATCH: usize = 64;

/// Checks that a file holds the tensors that the layers read, and no others.
fn check(layers: &[Layer], stored: &Stored) -> Result<(), BundleError> {
    let file = WEIGHTS_FILE;
    let mut extra: BTreeSet<&String> = stored.keys().collect();
    for layer in layers {
        for (tensor, expected) in layer.tensors() {
            let Some((found, values)) = stored.get(&tensor) else {
                return Err(BundleError::MissingTensor {
                    file,
                    tensor,
                    expected,
                });
            };
            if *found != expected {
                return Err(BundleError::Shape {
                    file,
                    tensor,
                    expected: format!("{expected:?}"),
                    found: found.clone(),
                });
            }
            let units = expected.get(layer.unit_axis()).copied().unwrap_or(1);
            if let Values::Int8 { scales, .. } = values
                && scales.len() != units
            {
                return Err(BundleError::Shape {
                    file,
                    tensor: format!("{tensor}.scale"),
                    expected: format!("[{units}]"),
                    found: vec![scales.len()],
                });
            }
            extra.remove(&tensor);
        }
    }
    match extra.into_iter().next() {
        Some(tensor) => Err(BundleError::ExtraTensor {
            file,
            tensor: tensor.clone(),
        }),
        None => Ok(()),
    }
}

/// Maps `[n, c, h, w]` as `[n, h, w, c]`; vectors as they are.
fn channels_last(x: &Tensor) -> candle_core::Result<Tensor> {
    if x.rank() == 4 {
        x.permute((0, 2, 3, 1))?.contiguous()
    } else {
        Ok(x.clone())
    }
}

/// A tensor for candle; all are there, with the shape they should have ([`check`]).
fn take(
    tensors: &mut weights::Tensors,
    name: &str,
    shape: &[usize],
) -> candle_core::Result<Tensor> {
    let (_, values) = tensors.remove(name).unwrap_or_default();
    Tensor::from_vec(values, shape, &Device::Cpu)
}

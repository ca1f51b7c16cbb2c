//! Reading and writing safetensors, with errors that name the tensor.

use std::collections::{BTreeMap, BTreeSet};

use half::f16;
use safetensors::tensor::{Dtype, SafeTensors};
use sha2::{Digest, Sha256};

#[cfg(feature = "graphs")]
use crate::architecture::graph::{Graph, Operation};
use crate::architecture::{Layer, Units};
use crate::error::WeightsError;

mod values;
mod writing;

pub use values::Values;
pub use writing::{write, write_stored};

/// Tensors of a file by name: shape and values, row by row.
pub type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// Tensors as they are stored, by name: shape and values, row by row.
pub type StoredTensors = BTreeMap<String, (Vec<usize>, Values)>;

/// What the scales of an int8 tensor are called.
const SCALE: &str = ".scale";
/// What the steps of the groups of a tensor in four bits are called.
const STEP: &str = ".step";

/// Reads every tensor of a safetensors file of f32.
///
/// # Errors
/// Names the file and the tensor: not safetensors, cut short, not f32, not finite.
pub fn read(file: &'static str, bytes: &[u8]) -> Result<Tensors, WeightsError> {
    read_stored(file, bytes)?
        .into_iter()
        .map(|(tensor, (shape, values))| match values {
            Values::F32(values) => Ok((tensor, (shape, values))),
            Values::F16(_) => Err(wrong_type(file, tensor, Dtype::F16)),
            Values::Int8 { .. } => Err(wrong_type(file, tensor, Dtype::I8)),
        })
        .collect()
}

/// Reads every tensor of a safetensors file of f32, f16, int8 (with its scales) and four bits
/// (with its scales and steps). In four bits, a tensor is one of bytes (U8) whose first axis
/// is half as long: the lower bits are the first half, the upper bits the second.
///
/// # Errors
/// Names the file and the tensor: not safetensors, cut short, of another type, not
/// finite, int8 without scales, four bits without steps.
pub fn read_stored(file: &'static str, bytes: &[u8]) -> Result<StoredTensors, WeightsError> {
    let parsed = SafeTensors::deserialize(bytes).map_err(|error| WeightsError::Safetensors {
        file,
        message: error.to_string(),
    })?;
    let mut stored = StoredTensors::new();
    let mut packed = Vec::new();
    for (tensor, view) in parsed.tensors() {
        let values = match view.dtype() {
            Dtype::F32 => Values::F32(
                view.data()
                    .chunks_exact(4)
                    .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                    .collect(),
            ),
            Dtype::F16 => Values::F16(
                view.data()
                    .chunks_exact(2)
                    .map(|b| u16::from_le_bytes([b[0], b[1]]))
                    .collect(),
            ),
            Dtype::I8 | Dtype::U8 => Values::Int8 {
                values: view.data().iter().map(|&b| b.cast_signed()).collect(),
                scales: Vec::new(),
                steps: Vec::new(),
            },
            other => return Err(wrong_type(file, tensor, other)),
        };
        let not_finite = match &values {
            Values::F32(values) => position(values, |v| !v.is_finite(), |v| v),
            Values::F16(bits) => position(
                bits,
                |b| !f16::from_bits(b).is_finite(),
                |b| f16::from_bits(b).to_f32(),
            ),
            Values::Int8 { .. } => None,
        };
        if let Some((position, value)) = not_finite {
            return Err(WeightsError::NotFinite {
                file,
                tensor,
                position,
                value,
            });
        }
        if view.dtype() == Dtype::U8 {
            packed.push(tensor.clone());
        }
        stored.insert(tensor, (view.shape().to_vec(), values));
    }
    unpack_groups(file, &mut stored, packed)?;
    join_scales(file, &mut stored)?;
    Ok(stored)
}

/// Unpacks every tensor of four bits with the steps that lie beside it.
fn unpack_groups(
    file: &'static str,
    stored: &mut StoredTensors,
    packed: Vec<String>,
) -> Result<(), WeightsError> {
    for name in packed {
        let of_groups = format!("{name}{STEP}");
        let Some((_, Values::Int8 { values: found, .. })) = stored.remove(&of_groups) else {
            return Err(missing(file, of_groups));
        };
        if let Some((shape, Values::Int8 { values, steps, .. })) = stored.get_mut(&name) {
            let count = 2 * values.len();
            if found.is_empty() || count % found.len() != 0 {
                return Err(WeightsError::Shape {
                    file,
                    tensor: of_groups,
                    expected: format!("a divisor of {count}"),
                    found: vec![found.len()],
                });
            }
            if let Some(first) = shape.first_mut() {
                *first *= 2;
            }
            *values = values::unpack(values, &found);
            *steps = found;
        }
    }
    Ok(())
}

fn missing(file: &'static str, tensor: String) -> WeightsError {
    WeightsError::MissingTensor {
        file,
        tensor,
        expected: Vec::new(),
    }
}

/// Gives every int8 tensor the scales that lie beside it.
fn join_scales(file: &'static str, stored: &mut StoredTensors) -> Result<(), WeightsError> {
    let whole: Vec<String> = stored
        .iter()
        .filter(|(_, (_, values))| matches!(values, Values::Int8 { .. }))
        .map(|(name, _)| name.clone())
        .collect();
    for name in whole {
        let scale = format!("{name}{SCALE}");
        match stored.remove(&scale) {
            Some((_, Values::F32(found))) => {
                if let Some((_, Values::Int8 { scales, .. })) = stored.get_mut(&name) {
                    *scales = found;
                }
            }
            Some((_, Values::F16(_))) => return Err(wrong_type(file, scale, Dtype::F16)),
            Some((_, Values::Int8 { .. })) => return Err(wrong_type(file, scale, Dtype::I8)),
            None => return Err(missing(file, scale)),
        }
    }
    Ok(())
}

fn position<T: Copy>(
    values: &[T],
    bad: impl Fn(T) -> bool,
    value: impl Fn(T) -> f32,
) -> Option<(usize, f32)> {
    values
        .iter()
        .position(|&v| bad(v))
        .map(|i| (i, value(values[i])))
}

fn wrong_type(file: &'static str, tensor: String, found: Dtype) -> WeightsError {
    WeightsError::Dtype {
        file,
        tensor,
        found: format!("{found:?}"),
    }
}

/// Checks that a file holds the tensors that the layers read, and no others.
///
/// # Errors
/// Names the first tensor that is missing, has the wrong shape, or belongs to no layer.
pub fn check(
    file: &'static str,
    stored: &StoredTensors,
    layers: &[Layer],
) -> Result<(), WeightsError> {
    check_tensors(file, stored, layers.iter().flat_map(wanted))
}

/// The same for the nodes of a graph. A constant's output units are counted by its first
/// axis.
///
/// # Errors
/// As [`check`].
#[cfg(feature = "graphs")]
pub fn check_graph(
    file: &'static str,
    stored: &StoredTensors,
    graph: &Graph,
) -> Result<(), WeightsError> {
    let constants = graph.nodes.iter().filter_map(|node| match &node.operation {
        Operation::Constant { shape } => Some((node.name.clone(), shape.clone(), Units::along(0))),
        _ => None,
    });
    check_tensors(
        file,
        stored,
        graph.layers().flat_map(wanted).chain(constants),
    )
}

/// The tensors of a layer: name, shape, and output units.
fn wanted(layer: &Layer) -> impl Iterator<Item = (String, Vec<usize>, Units)> {
    let units = layer.units();
    let tensors = layer.tensors().into_iter();
    tensors.map(move |(name, shape)| (name, shape, units))
}

fn check_tensors(
    file: &'static str,
    stored: &StoredTensors,
    wanted: impl Iterator<Item = (String, Vec<usize>, Units)>,
) -> Result<(), WeightsError> {
    let mut extra: BTreeSet<&String> = stored.keys().collect();
    for (tensor, expected, units) in wanted {
        let Some((found, values)) = stored.get(&tensor) else {
            return Err(WeightsError::MissingTensor {
                file,
                tensor,
                expected,
            });
        };
        if *found != expected {
            return Err(WeightsError::Shape {
                file,
                tensor,
                expected: format!("{expected:?}"),
                found: found.clone(),
            });
        }
        let units = units.count(&expected);
        if let Values::Int8 { scales, .. } = values
            && scales.len() != units
        {
            return Err(WeightsError::Shape {
                file,
                tensor: format!("{tensor}.scale"),
                expected: format!("[{units}]"),
                found: vec![scales.len()],
            });
        }
        extra.remove(&tensor);
    }
    match extra.into_iter().next() {
        Some(tensor) => Err(WeightsError::ExtraTensor {
            file,
            tensor: tensor.clone(),
        }),
        None => Ok(()),
    }
}

/// The tensors that some layers read, in single precision; tensors of no layer too,
/// for the caller to refuse.
///
/// # Errors
/// When an int8 tensor has not as many scales as its layer has output units.
pub fn expand(
    file: &'static str,
    stored: StoredTensors,
    layers: &[Layer],
) -> Result<Tensors, WeightsError> {
    let units: BTreeMap<String, Units> = layers
        .iter()
        .flat_map(wanted)
        .map(|(name, _, units)| (name, units))
        .collect();
    stored
        .into_iter()
        .map(|(tensor, (shape, values))| {
            let units = units.get(&tensor).copied().unwrap_or(Units::along(0));
            if let Values::Int8 { scales, .. } = &values {
                let count = units.count(&shape);
                if scales.len() != count {
                    return Err(WeightsError::Shape {
                        file,
                        tensor: format!("{tensor}{SCALE}"),
                        expected: format!("[{count}]"),
                        found: vec![scales.len()],
                    });
                }
            }
            let expanded = values.expand(&shape, units);
            Ok((tensor, (shape, expanded)))
        })
        .collect()
}

/// SHA-256 in lower-case hex.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

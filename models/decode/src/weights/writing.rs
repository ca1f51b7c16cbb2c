//! Writing safetensors.

use std::collections::BTreeMap;

use safetensors::tensor::{Dtype, TensorView};

use super::values::pack;
use super::{SCALE, STEP, StoredTensors, Tensors, Values};
use crate::error::WeightsError;

/// Writes tensors of f32 as a safetensors file.
///
/// # Errors
/// When a tensor's shape and number of values disagree.
pub fn write(file: &'static str, tensors: &Tensors) -> Result<Vec<u8>, WeightsError> {
    let stored = tensors
        .iter()
        .map(|(name, (shape, values))| (name.clone(), (shape.clone(), Values::F32(values.clone()))))
        .collect();
    write_stored(file, &stored)
}

/// Writes tensors as a safetensors file, each in the precision it has.
///
/// # Errors
/// When a tensor's shape and number of values disagree.
pub fn write_stored(file: &'static str, stored: &StoredTensors) -> Result<Vec<u8>, WeightsError> {
    let refuse = |error: safetensors::SafeTensorError| WeightsError::Safetensors {
        file,
        message: error.to_string(),
    };
    let mut parts: BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)> = BTreeMap::new();
    for (name, (shape, values)) in stored {
        let mut shape = shape.clone();
        let (dtype, bytes) = match values {
            Values::F32(values) => (Dtype::F32, le_bytes(values)),
            Values::F16(bits) => (
                Dtype::F16,
                bits.iter().flat_map(|b| b.to_le_bytes()).collect(),
            ),
            Values::Int8 {
                values,
                scales,
                steps,
            } => {
                parts.insert(
                    format!("{name}{SCALE}"),
                    (Dtype::F32, vec![scales.len()], le_bytes(scales)),
                );
                if steps.is_empty() {
                    (Dtype::I8, as_bytes(values))
                } else {
                    parts.insert(
                        format!("{name}{STEP}"),
                        (Dtype::I8, vec![steps.len()], as_bytes(steps)),
                    );
                    // An odd first axis does not fit the bytes, and is refused below.
                    if let Some(first) = shape.first_mut() {
                        *first /= 2;
                    }
                    (Dtype::U8, as_bytes(&pack(values, steps)))
                }
            }
        };
        parts.insert(name.clone(), (dtype, shape, bytes));
    }
    let mut views = Vec::with_capacity(parts.len());
    for (name, (dtype, shape, bytes)) in &parts {
        views.push((
            name,
            TensorView::new(*dtype, shape.clone(), bytes).map_err(refuse)?,
        ));
    }
    safetensors::serialize(views, None).map_err(refuse)
}

fn as_bytes(values: &[i8]) -> Vec<u8> {
    values.iter().map(|v| v.cast_unsigned()).collect()
}

fn le_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

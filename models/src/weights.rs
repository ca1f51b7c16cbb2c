//! Reading and writing safetensors, with errors that name the tensor.

use std::collections::BTreeMap;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use sha2::{Digest, Sha256};

use crate::error::BundleError;

/// Tensors of a file by name: shape and values, row by row.
pub type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// Reads every tensor of a safetensors file of f32.
///
/// # Errors
/// Names the file and the tensor: not safetensors, cut short, not f32, not finite.
pub fn read(file: &'static str, bytes: &[u8]) -> Result<Tensors, BundleError> {
    let parsed = SafeTensors::deserialize(bytes).map_err(|error| BundleError::Safetensors {
        file,
        message: error.to_string(),
    })?;
    let mut tensors = Tensors::new();
    for (tensor, view) in parsed.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(BundleError::Dtype {
                file,
                tensor,
                found: format!("{:?}", view.dtype()),
            });
        }
        let values: Vec<f32> = view
            .data()
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        if let Some(position) = values.iter().position(|v| !v.is_finite()) {
            return Err(BundleError::NotFinite {
                file,
                tensor,
                position,
                value: values[position],
            });
        }
        tensors.insert(tensor, (view.shape().to_vec(), values));
    }
    Ok(tensors)
}

/// Writes tensors as a safetensors file.
///
/// # Errors
/// When a tensor's shape and number of values disagree.
pub fn write(file: &'static str, tensors: &Tensors) -> Result<Vec<u8>, BundleError> {
    let refuse = |error: safetensors::SafeTensorError| BundleError::Safetensors {
        file,
        message: error.to_string(),
    };
    let bytes: BTreeMap<&String, Vec<u8>> = tensors
        .iter()
        .map(|(name, (_, values))| (name, values.iter().flat_map(|v| v.to_le_bytes()).collect()))
        .collect();
    let mut views = Vec::with_capacity(tensors.len());
    for (name, (shape, _)) in tensors {
        views.push((
            name,
            TensorView::new(Dtype::F32, shape.clone(), &bytes[name]).map_err(refuse)?,
        ));
    }
    safetensors::serialize(views, None).map_err(refuse)
}

/// SHA-256 in lower-case hex.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

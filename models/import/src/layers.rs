//! A decoder written down: layers in JSON, tensors in a safetensors file, which may hold the
//! layers, too.

use decode::architecture::{Architecture, Flow, Layer, flows};
use decode::weights::Tensors;
use safetensors::tensor::{Dtype, SafeTensors};

use super::builder::Builder;
use super::error::ImportError;
use super::exported::ExportedDecoder;

/// Largest number of inputs of a decoder that starts with a layer that does not say.
const MAX_INPUTS: usize = 1 << 16;

/// Reads layers from JSON and their tensors from a safetensors file, by the names that
/// the layers give them (`NAME.weight`, `NAME.bias`, …). A bias that is not in the file is
/// zero; f16, bf16 and f64 become f32. Gives the decoder and the names of the tensors
/// that no layer reads.
///
/// # Errors
/// Names the layer or the tensor that is wrong or missing.
pub fn read(json: &[u8], bytes: &[u8]) -> Result<(ExportedDecoder, Vec<String>), ImportError> {
    let layers = layers(json)?;
    let width = match layers.first() {
        Some(Layer::Dense { inputs, .. }) => *inputs,
        Some(Layer::Reshape {
            channels,
            height,
            width,
            ..
        }) => channels
            .checked_mul(*height)
            .and_then(|n| n.checked_mul(*width))
            .filter(|&n| n <= MAX_INPUTS)
            .unwrap_or(0),
        _ => {
            return Err(ImportError::file(
                "architecture: the first layer must be dense or reshape, which say how many values a decoder takes",
            ));
        }
    };
    let flows = flows(&layers, width)
        .map_err(|error| ImportError::file(format!("architecture: {error}")))?;
    let flow = flows.last().copied().unwrap_or(Flow::Flat(width));
    let file = SafeTensors::deserialize(bytes)
        .map_err(|error| ImportError::file(format!("not a complete safetensors file: {error}")))?;
    let mut tensors = Tensors::new();
    for (name, shape) in layers.iter().flat_map(Layer::tensors) {
        let values = tensor(&file, &name, &shape)?;
        tensors.insert(name, (shape, values));
    }
    let unread = file.names().into_iter();
    // PyTorch's count of batches is of no use in decoding.
    let unread = unread.filter(|name| !name.ends_with(".num_batches_tracked"));
    let unread = unread.filter(|name| !tensors.contains_key(*name));
    let mut unread: Vec<String> = unread.map(str::to_owned).collect();
    unread.sort();
    let shape = match flow {
        Flow::Flat(n) => vec![n],
        Flow::Maps {
            channels,
            height,
            width,
        } => vec![channels, height, width],
    };
    let builder = Builder {
        layers,
        tensors,
        flow,
    };
    let exported = ExportedDecoder::of_layers(builder, width, shape, None);
    Ok((exported, unread))
}

/// Where a safetensors file's metadata hold its layers.
pub const METADATA: &str = "redial";

/// The layers in JSON that a safetensors file holds in its metadata, under [`METADATA`]; none
/// where it holds none.
///
/// # Errors
/// When it is no safetensors file.
pub fn within(bytes: &[u8]) -> Result<Option<Vec<u8>>, ImportError> {
    let (_, header) = SafeTensors::read_metadata(bytes)
        .map_err(|error| ImportError::file(format!("not a complete safetensors file: {error}")))?;
    let metadata = header.metadata().as_ref();
    let layers = metadata.and_then(|metadata| metadata.get(METADATA));
    Ok(layers.map(|json| json.clone().into_bytes()))
}

/// A list of layers, or an architecture as on a card.
fn layers(json: &[u8]) -> Result<Vec<Layer>, ImportError> {
    let bad = |problem: String| ImportError::file(format!("architecture: {problem}"));
    let value: serde_json::Value =
        serde_json::from_slice(json).map_err(|error| bad(error.to_string()))?;
    if value.is_array() {
        return serde_json::from_value(value).map_err(|error| bad(error.to_string()));
    }
    // A whole card will do, too.
    let architecture = value.get("architecture").cloned().unwrap_or(value);
    if architecture.get("kind").is_none() {
        return Err(bad(
            "it must be a list of layers, or an object with the fields \"kind\": \"sequential\" and \"layers\", or a card with an \"architecture\" (docs/bring-your-own-model.md)".to_owned(),
        ));
    }
    match serde_json::from_value(architecture).map_err(|error| bad(error.to_string()))? {
        Architecture::Sequential { layers } => Ok(layers),
        Architecture::Graph(_) => Err(bad(
            "a graph is not written by hand; export the decoder as ONNX".to_owned(),
        )),
        Architecture::ClosedForm { .. } => {
            Err(bad("a formula has no weights to import".to_owned()))
        }
    }
}

fn tensor(file: &SafeTensors, name: &str, shape: &[usize]) -> Result<Vec<f32>, ImportError> {
    let count: usize = shape.iter().product();
    let view = match file.tensor(name) {
        Ok(view) => view,
        Err(_) if name.ends_with(".bias") => return Ok(vec![0.0; count]),
        Err(_) => {
            return Err(ImportError::tensor(
                name,
                format!("it is not in the file; a layer needs it, of shape {shape:?}"),
            ));
        }
    };
    if view.shape() != shape {
        return Err(ImportError::tensor(
            name,
            format!(
                "its shape is {:?}, the layer needs {shape:?} (Keras keeps weights transposed: export ONNX instead)",
                view.shape()
            ),
        ));
    }
    let data = view.data();
    let values: Vec<f32> = match view.dtype() {
        Dtype::F32 => data
            .as_chunks()
            .0
            .iter()
            .map(|&b| f32::from_le_bytes(b))
            .collect(),
        Dtype::F64 => data
            .as_chunks()
            .0
            .iter()
            .map(|&b| f64::from_le_bytes(b) as f32)
            .collect(),
        Dtype::F16 => data
            .as_chunks()
            .0
            .iter()
            .map(|&b| half::f16::from_le_bytes(b).to_f32())
            .collect(),
        Dtype::BF16 => data
            .as_chunks()
            .0
            .iter()
            .map(|&b| half::bf16::from_le_bytes(b).to_f32())
            .collect(),
        other => {
            return Err(ImportError::tensor(
                name,
                format!("values of type {other:?} are not read; save it in float32"),
            ));
        }
    };
    match values.iter().position(|v| !v.is_finite()) {
        Some(at) => Err(ImportError::tensor(
            name,
            format!(
                "it holds {} at position {at}; did the training diverge?",
                values[at]
            ),
        )),
        None => Ok(values),
    }
}

//! ONNX files: graphs of operators, followed from the latent vector to the instance.
//!
//! What exporters put around the layers is computed away with a batch of 1; values that
//! are only moved (transposes, reshapes, repeats) end up in our layers' own order.

use prost::Message as _;

use super::builder::{Builder, Places};
use super::error::ImportError;

mod arithmetic;
mod constant;
mod convolution;
mod lower;
mod moves;
mod node;
mod operators;
pub mod proto;
mod resize;

pub use constant::Beside;

/// A decoder as the graph has it.
#[derive(Debug, Clone)]
pub struct Exported {
    /// Its layers.
    pub(super) builder: Builder,
    /// Number of values it takes.
    pub(super) width: usize,
    /// Shape of its output, with a batch of 1 in front.
    pub(super) shape: Vec<usize>,
    /// Where the output's values are in what the layers give.
    pub(super) places: Places,
}

/// Reads an ONNX file. `beside` gives the bytes of a file that lies beside it, where
/// large exports keep their weights; `output` names the output, if there are several.
///
/// # Errors
/// Names the node or the tensor that cannot be read, and what can be done.
pub fn read(bytes: &[u8], beside: Beside, output: Option<&str>) -> Result<Exported, ImportError> {
    let model = proto::ModelProto::decode(bytes).map_err(|error| {
        ImportError::file(format!(
            "not an ONNX file, or cut short ({})",
            error
                .to_string()
                .trim_start_matches("failed to decode Protobuf message: ")
        ))
    })?;
    lower::lower(&model, beside, output)
}

//! What a decoder is made of, as a card describes it.

use serde::{Deserialize, Serialize};

use crate::closed_form::ClosedForm;

pub mod check;

pub use check::{ArchitectureError, Flow, flows};

/// How a decoder computes instances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Architecture {
    /// Layers applied one after another, with weights.
    Sequential {
        /// The layers, first one first.
        layers: Vec<Layer>,
    },
    /// A formula without weights.
    ClosedForm {
        /// The formula.
        formula: ClosedForm,
    },
}

/// One layer. Layers with weights carry the name that prefixes their tensors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "layer", rename_all = "snake_case", deny_unknown_fields)]
pub enum Layer {
    /// y = W x + b. Tensors `NAME.weight` `[outputs, inputs]` and `NAME.bias` `[outputs]`.
    Dense {
        /// Prefix of its tensors.
        name: String,
        /// Number of values it takes.
        inputs: usize,
        /// Number of values it gives.
        outputs: usize,
    },
    /// Reads a flat vector as maps: channels first, then rows, then columns.
    Reshape {
        /// Number of maps.
        channels: usize,
        /// Rows of a map.
        height: usize,
        /// Columns of a map.
        width: usize,
    },
    /// Transposed convolution, square, without output padding. Tensors
    /// `NAME.weight` `[inputs, outputs, kernel, kernel]` and `NAME.bias` `[outputs]`.
    /// A side of n becomes (n − 1)·stride − 2·padding + kernel.
    ConvTranspose {
        /// Prefix of its tensors.
        name: String,
        /// Number of maps it takes.
        inputs: usize,
        /// Number of maps it gives.
        outputs: usize,
        /// Side of the kernel.
        kernel: usize,
        /// Step of the kernel on the output.
        stride: usize,
        /// Rows and columns cut from each edge of the output.
        padding: usize,
    },
    /// y = (x − mean) / √(variance + eps) · weight + bias per channel (of maps) or
    /// per value (of a flat vector). Tensors `NAME.weight`, `NAME.bias`,
    /// `NAME.running_mean`, `NAME.running_var`, each `[channels]`.
    BatchNorm {
        /// Prefix of its tensors.
        name: String,
        /// Number of maps, or of values.
        channels: usize,
        /// Added to the variance.
        eps: f64,
    },
    /// A function of each value on its own.
    Activation {
        /// Which function.
        function: Activation,
    },
    /// Maps to a flat vector: channels first, then rows, then columns.
    Flatten,
}

/// A function applied to each value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Activation {
    /// max(x, 0)
    Relu,
    /// x above zero, slope·x below.
    LeakyRelu {
        /// Slope below zero.
        slope: f64,
    },
    /// 1 / (1 + e^−x)
    Sigmoid,
    /// Hyperbolic tangent.
    Tanh,
    /// x above zero, e^x − 1 below.
    Elu,
    /// ln(1 + e^x)
    Softplus,
}

impl Layer {
    /// The kind, as written on a card.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Dense { .. } => "dense",
            Self::Reshape { .. } => "reshape",
            Self::ConvTranspose { .. } => "conv_transpose",
            Self::BatchNorm { .. } => "batch_norm",
            Self::Activation { .. } => "activation",
            Self::Flatten => "flatten",
        }
    }

    /// Prefix of its tensors, if it has any.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Dense { name, .. }
            | Self::ConvTranspose { name, .. }
            | Self::BatchNorm { name, .. } => Some(name),
            Self::Reshape { .. } | Self::Activation { .. } | Self::Flatten => None,
        }
    }

    /// The tensors it reads: name and shape.
    #[must_use]
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        match self {
            Self::Dense {
                name,
                inputs,
                outputs,
            } => vec![
                (format!("{name}.weight"), vec![*outputs, *inputs]),
                (format!("{name}.bias"), vec![*outputs]),
            ],
            Self::ConvTranspose {
                name,
                inputs,
                outputs,
                kernel,
                ..
            } => vec![
                (
                    format!("{name}.weight"),
                    vec![*inputs, *outputs, *kernel, *kernel],
                ),
                (format!("{name}.bias"), vec![*outputs]),
            ],
            Self::BatchNorm { name, channels, .. } => {
                ["weight", "bias", "running_mean", "running_var"]
                    .iter()
                    .map(|part| (format!("{name}.{part}"), vec![*channels]))
                    .collect()
            }
            Self::Reshape { .. } | Self::Activation { .. } | Self::Flatten => Vec::new(),
        }
    }
}

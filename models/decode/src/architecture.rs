//! The parts of a decoder, as a card describes them.

use crate::closed_form::ClosedForm;

pub mod check;
mod flow;
#[cfg(feature = "graphs")]
pub mod graph;
#[cfg(not(feature = "graphs"))]
#[path = "architecture/unread_graph.rs"]
pub mod graph;
mod units;

pub use check::ArchitectureError;
pub use flow::{Flow, LayerError, flows};
pub use graph::Graph;
pub use kernels::{Activation, Padding};
pub use units::Units;

json_tree::tagged! {
    "kind", deny_unknown_fields;
    /// How a decoder computes instances.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Architecture {
        /// Layers applied one after another, with weights.
        Sequential {
            /// The layers, first one first.
            layers: Vec<Layer>,
        },
        /// Named values, with weights: for what is not one layer after another.
        Graph(Graph),
        /// A formula without weights.
        ClosedForm {
            /// The formula.
            formula: ClosedForm,
        },
    }
}

json_tree::tagged! {
    "layer", deny_unknown_fields;
    /// One layer. Layers with weights carry the name that prefixes their tensors.
    #[derive(Debug, Clone, PartialEq)]
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
        /// Reads a flat vector as maps: channels first, then rows, then columns, as
        /// PyTorch does; or, `channels_last`, rows, then columns, then channels, as
        /// Keras does.
        Reshape {
            /// Number of maps.
            channels: usize,
            /// Rows of a map.
            height: usize,
            /// Columns of a map.
            width: usize,
            /// Whether the channels of a pixel lie side by side in the vector.
            #[serde(default, skip_serializing_if = "is_false")]
            channels_last: bool,
        },
        /// Convolution (that is, cross-correlation) with a square kernel. Tensors
        /// `NAME.weight` `[outputs, inputs / groups, kernel, kernel]` and `NAME.bias`
        /// `[outputs]`. A side of n becomes ⌊(n + padding at both ends − kernel) / stride⌋ + 1.
        Conv {
            /// Prefix of its tensors.
            name: String,
            /// Number of maps it takes.
            inputs: usize,
            /// Number of maps it gives.
            outputs: usize,
            /// Side of the kernel.
            kernel: usize,
            /// Step of the kernel on the input.
            stride: usize,
            /// Rows and columns of zeros around the input; none negative.
            padding: Padding,
            /// Equal parts of the input's maps, each of which gives as many of the output's,
            /// in order: as many as maps in a depthwise convolution, 1 if left out.
            #[serde(default = "one", skip_serializing_if = "is_one")]
            groups: usize,
        },
        /// Transposed convolution with a square kernel. Tensors `NAME.weight`
        /// `[inputs, outputs / groups, kernel, kernel]` and `NAME.bias` `[outputs]`.
        /// A side of n becomes (n − 1)·stride + kernel − padding at both ends.
        ///
        /// Output padding, as other frameworks call it, is less padding at the bottom
        /// and on the right: padding 1 with output padding 1 is `[1, 1, 0, 0]` here,
        /// padding 0 with output padding 1 is `[0, 0, -1, -1]`.
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
            /// Rows and columns cut from the edges of the output; a negative number
            /// adds as many, which no input reaches: they hold the bias.
            padding: Padding,
            /// As of [`Conv`](Self::Conv).
            #[serde(default = "one", skip_serializing_if = "is_one")]
            groups: usize,
        },
        /// Repeats every row and every column of a map `scale` times (nearest neighbour).
        Upsample {
            /// How many times.
            scale: usize,
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
        /// Maps to a flat vector, in either order of [`Reshape`](Self::Reshape).
        Flatten {
            /// Whether the channels of a pixel lie side by side in the vector.
            #[serde(default, skip_serializing_if = "is_false")]
            channels_last: bool,
        },
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn one() -> usize {
    1
}

fn is_one(value: &usize) -> bool {
    *value == 1
}

/// Maps of one group. No number of groups divides by zero here: a check of the layers says it.
fn of_group(maps: usize, groups: usize) -> usize {
    maps / groups.max(1)
}

json_tree::named!(Layer::kind:
    Dense, Reshape, Conv, ConvTranspose, Upsample, BatchNorm, Activation, Flatten
);

impl Layer {
    /// Prefix of its tensors, if it has any.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Dense { name, .. }
            | Self::Conv { name, .. }
            | Self::ConvTranspose { name, .. }
            | Self::BatchNorm { name, .. } => Some(name),
            Self::Reshape { .. }
            | Self::Upsample { .. }
            | Self::Activation { .. }
            | Self::Flatten { .. } => None,
        }
    }

    /// Gives it another name, if it has one: its tensors are then to be called otherwise.
    pub fn rename(&mut self, new: &str) {
        match self {
            Self::Dense { name, .. }
            | Self::Conv { name, .. }
            | Self::ConvTranspose { name, .. }
            | Self::BatchNorm { name, .. } => new.clone_into(name),
            Self::Reshape { .. }
            | Self::Upsample { .. }
            | Self::Activation { .. }
            | Self::Flatten { .. } => {}
        }
    }

    /// Which values of its tensors belong to which of its output units.
    #[must_use]
    pub fn units(&self) -> Units {
        match self {
            Self::ConvTranspose { groups, .. } => Units::in_groups(1, *groups),
            _ => Units::along(0),
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
            Self::Conv {
                name,
                inputs,
                outputs,
                kernel,
                groups,
                ..
            } => vec![
                (
                    format!("{name}.weight"),
                    vec![*outputs, of_group(*inputs, *groups), *kernel, *kernel],
                ),
                (format!("{name}.bias"), vec![*outputs]),
            ],
            Self::ConvTranspose {
                name,
                inputs,
                outputs,
                kernel,
                groups,
                ..
            } => vec![
                (
                    format!("{name}.weight"),
                    vec![*inputs, of_group(*outputs, *groups), *kernel, *kernel],
                ),
                (format!("{name}.bias"), vec![*outputs]),
            ],
            Self::BatchNorm { name, channels, .. } => {
                ["weight", "bias", "running_mean", "running_var"]
                    .iter()
                    .map(|part| (format!("{name}.{part}"), vec![*channels]))
                    .collect()
            }
            Self::Reshape { .. }
            | Self::Upsample { .. }
            | Self::Activation { .. }
            | Self::Flatten { .. } => Vec::new(),
        }
    }
}

//! Decoders as graphs of named values: what a list of layers cannot say.
//!
//! A value is an array of f32, row by row, with one shape for every latent vector. Runs of
//! layers that kernels take are one node ([`Operation::Layers`]); everything between them
//! is an operation on whole arrays.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Activation, Layer};

mod resize;
mod shapes;

pub use resize::{Coordinates, Interpolation, ResizeTaps};

/// Name of the value that enters a graph: the decoder's input, a vector.
pub const INPUT: &str = "z";
/// Largest number of nodes: some thirty for each layer of a large transformer.
pub const MAX_NODES: usize = 1 << 13;
/// Largest number of values that may be computed in one decode, all nodes together.
pub const MAX_COMPUTED: usize = 1 << 27;
/// Largest number of products of one operation: minutes of work for a processor.
pub const MAX_PRODUCTS: u64 = 1 << 36;

/// A decoder as a graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    /// The values, each after those that it is made of.
    pub nodes: Vec<GraphNode>,
    /// Name of the value that is the instance: row by row, channels last.
    pub output: String,
}

/// A value, and how it is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphNode {
    /// Its name.
    pub name: String,
    /// Names of the values that it is made of, in the operation's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<String>,
    /// What is done with them.
    pub operation: Operation,
}

/// What makes a value. Axes count from 0; shapes that differ in axes of size 1 are
/// stretched to fit each other where numpy would.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// The tensor that has the node's name.
    Constant {
        /// Its shape.
        shape: Vec<usize>,
    },
    /// Layers, fed the value as a flat vector. Maps come out channels first.
    Layers {
        /// The layers, first one first.
        layers: Vec<Layer>,
        /// Shape of what comes out.
        shape: Vec<usize>,
    },
    /// An activation of each value on its own.
    Activation {
        /// Which.
        function: Activation,
    },
    /// Any other function of each value on its own.
    Map {
        /// Which.
        function: Function,
    },
    /// A function of two values, pair by pair.
    Pair {
        /// Which.
        function: PairFunction,
    },
    /// Where the first is not 0 the second, else the third.
    Where,
    /// The same values in another shape.
    Reshape {
        /// The shape.
        shape: Vec<usize>,
    },
    /// The axes in another order.
    Transpose {
        /// Which axis comes first, second, …
        order: Vec<usize>,
    },
    /// Stretched: axes of size 1 are repeated, axes in front are added.
    Expand {
        /// The shape.
        shape: Vec<usize>,
    },
    /// One after the other along an axis.
    Concat {
        /// The axis.
        axis: usize,
    },
    /// A part.
    Slice {
        /// Along which axis.
        axis: usize,
        /// First place.
        start: usize,
        /// Number of places.
        length: usize,
    },
    /// Chosen places.
    Gather {
        /// Along which axis.
        axis: usize,
        /// The places, in the order wanted.
        places: Vec<usize>,
    },
    /// A frame of one number.
    Pad {
        /// Places before, for each axis.
        before: Vec<usize>,
        /// Places after, for each axis.
        after: Vec<usize>,
        /// The number.
        value: f64,
    },
    /// Another number of places along an axis, each between old ones.
    Resize {
        /// The axis.
        axis: usize,
        /// Number of places.
        size: usize,
        /// How old places are mixed.
        interpolation: Interpolation,
        /// Where a new place lies among the old ones.
        coordinates: Coordinates,
        /// New places for each old one; the size divided by the old size if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scale: Option<f64>,
    },
    /// Matrix product over the last two axes.
    MatMul,
    /// One number of all along some axes, which stay with size 1.
    Reduce {
        /// Which number.
        function: Reduction,
        /// The axes.
        axes: Vec<usize>,
    },
    /// e^x over the sum of all e^x along an axis.
    Softmax {
        /// The axis.
        axis: usize,
    },
    /// (x − mean) / √(variance + eps) over the last axes.
    Normalise {
        /// Number of axes that mean and variance are taken over.
        last: usize,
        /// Added to the variance.
        eps: f64,
    },
    /// Place of the largest (first one of several) along an axis, which stays with size 1.
    ArgMax {
        /// The axis.
        axis: usize,
    },
    /// Sums of all values up to each place along an axis.
    Cumulate {
        /// The axis.
        axis: usize,
        /// Whether the value at the place itself is left out.
        exclusive: bool,
        /// Whether sums begin at the end.
        reverse: bool,
    },
    /// The largest values along an axis, largest first (of equal ones the first).
    Top {
        /// The axis.
        axis: usize,
        /// How many.
        count: usize,
        /// The smallest instead, smallest first.
        smallest: bool,
        /// Their places instead of the values.
        places: bool,
    },
    /// Convolution of maps `[1, inputs, rows, columns]` with a weight
    /// `[outputs, inputs / groups, …]`, and a bias `[outputs]` if there is a third value.
    Conv {
        /// Its sides.
        window: Window,
        /// Number of groups that maps are taken in.
        groups: usize,
    },
    /// Transposed convolution of maps `[1, inputs, rows, columns]` with a weight
    /// `[inputs, outputs / groups, …]`, and a bias if there is a third value. Padding is
    /// cut off; where it is negative, places are added.
    ConvTranspose {
        /// Its sides.
        window: Window,
        /// Number of groups that maps are taken in.
        groups: usize,
    },
    /// The largest or the mean of each window of maps `[1, maps, rows, columns]`.
    Pool {
        /// Which.
        function: Pooling,
        /// Rows and columns of a window.
        kernel: [usize; 2],
        /// Its sides.
        window: Window,
    },
    /// A recurrent layer over a series `[steps, inputs]`: gives `[steps, hidden]`. Further
    /// values: weight `[gates · hidden, inputs]`, recurrent weight `[gates · hidden,
    /// hidden]`, the bias of each, the first state, and for a long short-term memory
    /// the first cell.
    Recurrent {
        /// Which kind.
        cell: RecurrentCell,
        /// Number of values of a state.
        hidden: usize,
        /// Whether the last step comes first.
        reverse: bool,
        /// Whether it gives the cells of a long short-term memory instead of its states.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cells: bool,
    },
}

/// How a kernel moves over maps: rows, then columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Step.
    pub stride: [usize; 2],
    /// Distance between two of its places.
    pub dilation: [usize; 2],
    /// Top, left, bottom, right.
    pub padding: [i64; 4],
}

/// A function of one value, in the usual notation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs)] // named after the function
pub enum Function {
    Absolute,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Ceil,
    /// Not below `min`, not above `max`.
    Clip {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<f64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<f64>,
    },
    Cos,
    Cosh,
    Erf,
    Exp,
    Floor,
    /// x times the standard normal distribution at x.
    Gelu,
    /// The same by a hyperbolic tangent.
    GeluTanh,
    /// max(0, min(1, alpha·x + beta))
    HardSigmoid {
        alpha: f64,
        beta: f64,
    },
    /// x · max(0, min(1, x/6 + 1/2))
    HardSwish,
    Log,
    Negate,
    /// 1 where x is 0, else 0.
    Not,
    Reciprocal,
    /// To the nearest whole number, halves to the even one.
    Round,
    Sign,
    /// x · sigmoid(x)
    Silu,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    /// Without what is behind the decimal point.
    Truncate,
}

/// A function of two values. Truth values are 1 and 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // named after the function
pub enum PairFunction {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Max,
    Min,
    Equal,
    Greater,
    GreaterOrEqual,
}

/// One number of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // named after the number
pub enum Reduction {
    Sum,
    Mean,
    Max,
    Min,
    Product,
}

/// What becomes of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Its largest value; padding is not looked at.
    Max,
    /// The mean of its values; padding is not counted.
    Mean,
    /// The mean of its values; padding counts as zeros.
    MeanWithPadding,
}

/// Kind of a recurrent layer. Gates are in ONNX's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecurrentCell {
    /// Long short-term memory; gates: input, output, forget, cell.
    Lstm,
    /// Gated recurrent unit; gates: update, reset, hidden.
    Gru,
    /// The same, where the reset gate works on what the state was multiplied to, as in
    /// PyTorch.
    GruResetAfter,
}

impl RecurrentCell {
    /// Number of gates.
    #[must_use]
    pub fn gates(self) -> usize {
        match self {
            Self::Lstm => 4,
            Self::Gru | Self::GruResetAfter => 3,
        }
    }
}

/// Why a graph cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A node is wrong.
    #[error("node {name:?} ({operation}): {problem}")]
    Node {
        /// Its name.
        name: String,
        /// What it does.
        operation: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// The graph as a whole is wrong.
    #[error("{0}")]
    Whole(String),
}

impl Graph {
    /// Number of values of an instance, for a decoder input of `width` values.
    ///
    /// # Errors
    /// As [`shapes`](Self::shapes).
    pub fn instance_len(&self, width: usize) -> Result<Option<usize>, GraphError> {
        let shapes = self.shapes(width)?;
        let output = shapes.get(self.output.as_str());
        Ok(Some(output.map_or(0, |shape| shape.iter().product())))
    }

    /// The shape of every value, for a decoder input of `width` values, by name.
    ///
    /// # Errors
    /// Names the first node that cannot be computed, or is too large to be.
    pub fn shapes(&self, width: usize) -> Result<BTreeMap<&str, Vec<usize>>, GraphError> {
        if self.nodes.len() > MAX_NODES {
            return Err(GraphError::Whole(format!(
                "{} nodes; at most {MAX_NODES} are computed",
                self.nodes.len()
            )));
        }
        let mut shapes = BTreeMap::from([(INPUT, vec![width])]);
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut computed = 0_usize;
        for node in &self.nodes {
            let refuse = |problem: String| GraphError::Node {
                name: node.name.clone(),
                operation: node.operation.kind(),
                problem,
            };
            let of: Vec<&[usize]> = node
                .of
                .iter()
                .map(|name| {
                    let shape = shapes.get(name.as_str()).map(Vec::as_slice);
                    shape.ok_or_else(|| refuse(format!("no value before it is named {name:?}")))
                })
                .collect::<Result<_, _>>()?;
            let shape = node.operation.shape(&of).map_err(refuse)?;
            computed = computed.saturating_add(shape.iter().product());
            if computed > MAX_COMPUTED {
                return Err(refuse(format!(
                    "up to here more than {MAX_COMPUTED} values are computed, which is more than a decoder may"
                )));
            }
            for (name, _) in node.tensors() {
                if !names.insert(name.clone()) {
                    return Err(refuse(format!("tensor {name:?} is another node's, too")));
                }
            }
            if shapes.insert(&node.name, shape).is_some() {
                return Err(refuse("there is another value of that name".to_owned()));
            }
        }
        if shapes.contains_key(self.output.as_str()) {
            Ok(shapes)
        } else {
            Err(GraphError::Whole(format!(
                "no value is named {:?}, which is said to be the output",
                self.output
            )))
        }
    }

    /// The layers of all its runs of layers.
    pub fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.nodes.iter().flat_map(|node| match &node.operation {
            Operation::Layers { layers, .. } => layers.as_slice(),
            _ => &[],
        })
    }
}

impl GraphNode {
    /// The tensors it reads: name and shape.
    #[must_use]
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        match &self.operation {
            Operation::Constant { shape } => vec![(self.name.clone(), shape.clone())],
            Operation::Layers { layers, .. } => layers.iter().flat_map(Layer::tensors).collect(),
            _ => Vec::new(),
        }
    }
}

json_tree::named!(Operation::kind:
    Constant, Layers, Activation, Map, Pair, Where, Reshape, Transpose, Expand, Concat, Slice,
    Gather, Pad, Resize, MatMul, Reduce, Softmax, Normalise, ArgMax, Cumulate, Top, Conv,
    ConvTranspose, Pool, Recurrent
);

#[cfg(test)]
mod tests;

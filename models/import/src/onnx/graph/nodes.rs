//! One node of a graph, with what it is fed.

use std::collections::{BTreeMap, BTreeSet};

use decode::architecture::Activation;
use decode::architecture::graph::{Function, Operation, PairFunction};

use super::super::super::error::ImportError;
use super::super::super::graph::{GraphBuilder, Wire};
use super::super::constant::Constant;
use super::super::node::Node;
use super::super::unsupported::flowing;
use super::GraphValue;

/// A node, what it is fed, and the drawing that it becomes a part of.
pub struct NodeLowering<'a> {
    pub node: Node<'a>,
    pub inputs: &'a [Option<GraphValue>],
    /// Size of the batch that was traced into the graph.
    pub batch: usize,
    pub builder: &'a mut GraphBuilder,
    /// Names of constants that are nodes already.
    pub wires: &'a mut BTreeMap<String, Wire>,
    /// Names of values that something needs.
    pub used: &'a BTreeSet<String>,
}

/// What a node gives: a value for each of its outputs.
pub type WiresResult = Result<Vec<Wire>, ImportError>;
/// A single value.
pub type WireResult = Result<Wire, ImportError>;

impl NodeLowering<'_> {
    /// What the node gives, as operations.
    pub fn lower(mut self) -> WiresResult {
        let one = |wire: WireResult| wire.map(|wire| vec![wire]);
        match self.node.operator() {
            "Split" => return self.split(),
            "LSTM" | "GRU" => return self.recurrent(),
            "TopK" => return self.top(),
            _ => {}
        }
        let operator = self.node.operator();
        one(match operator {
            "Identity" => self.wire(0),
            "Attention" => self.attention(),
            "CumSum" => self.cumulate(),
            "Cast" => self.cast(),
            "Dropout" | "Reshape" | "Flatten" | "Squeeze" | "Unsqueeze" => self.reshaped(),
            "Transpose" => self.transpose(),
            "Slice" => self.slice(),
            "Concat" => self.concat(),
            "Gather" => self.gather(),
            "Tile" => self.tile(),
            "Expand" => self.expand(),
            "Pad" => self.pad(),
            "DepthToSpace" => self.depth_to_space(),
            "SpaceToDepth" => self.space_to_depth(),
            "GatherElements" => self.gather_elements(),
            "GatherND" => self.gather_nd(),
            "ScatterND" => self.scatter_nd(),
            "ScatterElements" => self.scatter_elements(),
            "Trilu" => self.triangle(),
            "MatMul" => self.mat_mul(),
            "Gemm" => self.gemm(),
            "Einsum" => self.einsum(),
            "Conv" => self.conv(false),
            "ConvTranspose" => self.conv(true),
            "MaxPool" | "AveragePool" => self.pool(),
            "GlobalAveragePool" | "GlobalMaxPool" => self.global_pool(),
            "Resize" | "Upsample" => self.resize(),
            "BatchNormalization" => self.batch_norm(),
            "LayerNormalization" => self.layer_norm(),
            "RMSNormalization" => self.rms_norm(),
            "InstanceNormalization" => self.instance_norm(),
            "GroupNormalization" => self.group_norm(),
            "LpNormalization" => self.lp_norm(),
            "Softmax" => self.softmax(false),
            "LogSoftmax" => self.softmax(true),
            "ArgMax" | "ArgMin" => self.arg_max(),
            _ if operator.starts_with("Reduce") => self.reduce(),
            _ => match self.elementwise() {
                Some(made) => made,
                None => Err(flowing(self.node)),
            },
        })
    }

    /// The value that the node is fed in this place.
    pub fn wire(&mut self, nth: usize) -> WireResult {
        match self.inputs.get(nth) {
            Some(Some(GraphValue::Flow(wire))) => Ok(wire.clone()),
            Some(Some(GraphValue::Constant(constant))) => {
                let name = &self.node.0.input[nth];
                if let Some(wire) = self.wires.get(name) {
                    return Ok(wire.clone());
                }
                let made = self
                    .builder
                    .constant(name, &constant.shape, &constant.floats());
                let wire = made.map_err(|problem| self.node.error(problem))?;
                self.wires.insert(name.clone(), wire.clone());
                Ok(wire)
            }
            _ => Err(self.node.error("an input is missing")),
        }
    }

    /// Whether it is fed anything in this place.
    pub fn has(&self, nth: usize) -> bool {
        matches!(self.inputs.get(nth), Some(Some(_)))
    }

    /// The constant that the node is fed in this place, if it is one.
    pub fn constant(&self, nth: usize) -> Option<&Constant> {
        match self.inputs.get(nth) {
            Some(Some(GraphValue::Constant(constant))) => Some(constant),
            _ => None,
        }
    }

    /// The whole numbers that it is fed in this place, or has as an attribute (older
    /// files); `None` if there are none.
    pub fn ints(&self, nth: usize, attribute: &str) -> Result<Option<Vec<i64>>, ImportError> {
        match (self.constant(nth), self.has(nth)) {
            (Some(constant), _) => match constant.to_ints() {
                Some(values) => Ok(Some(values.to_vec())),
                None if constant.len() == 0 => Ok(Some(Vec::new())),
                None => Err(self
                    .node
                    .error(format!("its {attribute} are no whole numbers"))),
            },
            (None, true) => Err(self.node.error(format!(
                "its {attribute} depend on the latent vector; a decoder's shapes must be fixed"
            ))),
            (None, false) => Ok(self.node.ints(attribute).map(<[i64]>::to_vec)),
        }
    }

    /// Adds an operation, named after what the node gives.
    pub fn add(&mut self, operation: Operation, of: &[&Wire]) -> WireResult {
        let wish = self.node.0.output.first().map_or("", String::as_str);
        let made = self.builder.add(wish, operation, of);
        made.map_err(|problem| self.node.error(problem))
    }

    /// Adds a single number.
    pub fn number(&mut self, number: f32) -> WireResult {
        let made = self.builder.constant("number", &[1], &[number]);
        made.map_err(|problem| self.node.error(problem))
    }

    pub fn map(&mut self, function: Function, x: &Wire) -> WireResult {
        self.add(Operation::Map { function }, &[x])
    }

    pub fn activation(&mut self, function: Activation, x: &Wire) -> WireResult {
        self.add(Operation::Activation { function }, &[x])
    }

    pub fn pair(&mut self, function: PairFunction, a: &Wire, b: &Wire) -> WireResult {
        self.add(Operation::Pair { function }, &[a, b])
    }

    /// A function of a value and a number.
    pub fn with_number(&mut self, function: PairFunction, x: &Wire, number: f32) -> WireResult {
        let number = self.number(number)?;
        let made = self.pair(function, x, &number)?;
        // A single value without axes stays one.
        self.reshape_to(&made, x.shape.clone())
    }

    pub fn reshape_to(&mut self, x: &Wire, shape: Vec<usize>) -> WireResult {
        self.add(Operation::Reshape { shape }, &[x])
    }

    pub fn transpose_to(&mut self, x: &Wire, order: Vec<usize>) -> WireResult {
        self.add(Operation::Transpose { order }, &[x])
    }
}

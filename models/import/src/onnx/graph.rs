//! ONNX graphs that are no chain of layers: every node becomes operations on whole arrays,
//! and runs of nodes that kernels take become layers again ([`segments`]).
//!
//! Longer than most files: one walk over the nodes, from the first to the assembled graph.

use std::collections::{BTreeMap, BTreeSet};

use candle_layers::GraphNetwork;
use candle_layers::graph::as_stored;

use super::super::error::ImportError;
use super::super::exported::Exported;
use super::super::graph::{Drawing, Wire};
use super::constant::{Beside, Constant, Data};
use super::ends::{input_shape, without_batch};

use super::moves::{moved, volume};
use super::node::Node;
use super::proto::{GraphProto, NodeProto, ValueInfoProto};
use super::unknown::unknown;
use super::{arithmetic, attributes, fixed};

mod elementwise;
mod moving;
mod nodes;
mod norms;
mod recurrent;
mod scatter;
mod segments;
mod sums;
mod windows;

use nodes::At;

/// A value of the graph.
#[derive(Debug, Clone)]
pub enum Value {
    /// The same for every latent vector.
    Constant(Constant),
    /// What the decoder computes.
    Flow(Wire),
}

/// The graph as far as it has been followed.
pub struct Following<'a> {
    graph: &'a GraphProto,
    beside: Beside<'a>,
    /// Version of ONNX's operators.
    version: i64,
    /// Size of the batch that was traced into the graph; 1 where none was.
    batch: usize,
    drawing: Drawing,
    values: BTreeMap<String, Value>,
    /// Shapes of values inside runs of layers.
    inside: BTreeMap<String, Vec<usize>>,
    /// Names of constants that are nodes already.
    wires: BTreeMap<String, Wire>,
    /// Names of values that something needs.
    used: BTreeSet<String>,
}

/// Reads a graph with these inputs, one after the other in a latent vector.
pub fn lower(
    graph: &GraphProto,
    version: i64,
    inputs: &[&ValueInfoProto],
    output: &str,
    needed: &BTreeSet<&str>,
    batch: usize,
    beside: Beside,
) -> Result<Exported, ImportError> {
    let shapes = inputs
        .iter()
        .map(|input| Ok((input.name.clone(), input_shape(input)?)))
        .collect::<Result<Vec<_>, ImportError>>()?;
    let widths: Vec<(String, usize)> = shapes
        .iter()
        .map(|(name, shape)| match volume(shape) {
            Some(n) if n > 0 => Ok((name.clone(), n)),
            _ => Err(ImportError::file(format!(
                "the shape {shape:?} of the input {name:?} is impossible"
            ))),
        })
        .collect::<Result<_, _>>()?;
    let width = widths.iter().map(|&(_, n)| n).sum();
    let mut following = Following {
        graph,
        beside,
        version,
        batch,
        drawing: Drawing::new(width),
        values: BTreeMap::new(),
        inside: BTreeMap::new(),
        wires: BTreeMap::new(),
        used: BTreeSet::new(),
    };
    following.enter(&shapes, &widths)?;
    for tensor in &graph.initializer {
        if needed.contains(tensor.name.as_str()) {
            let constant = Constant::read(tensor, beside)?;
            following
                .values
                .insert(tensor.name.clone(), Value::Constant(constant));
        }
    }
    let order: Vec<usize> = (0..graph.node.len())
        .filter(|&at| {
            let outputs = &graph.node[at].output;
            outputs.iter().any(|name| needed.contains(name.as_str()))
        })
        .collect();
    let uses = segments::uses(graph, &order, output);
    following.used = uses.keys().cloned().collect();
    for &at in &order {
        if following.is_done(&graph.node[at]) {
            continue;
        }
        if !following.run_of_layers(at, &uses)? {
            following.follow(&graph.node[at])?;
        }
    }
    match following.values.remove(output) {
        Some(Value::Flow(wire)) => Ok(Exported::of_graph(
            following.drawing,
            wire.clone(),
            without_batch(wire.shape),
            widths,
        )),
        Some(Value::Constant(_)) => Err(ImportError::file(format!(
            "the output {output:?} is the same for every latent vector; name another with --node"
        ))),
        None => Err(ImportError::file(format!(
            "nothing computes the output {output:?}"
        ))),
    }
}

impl<'a> Following<'a> {
    /// The graph's inputs, as parts of the decoder's.
    fn enter(
        &mut self,
        shapes: &[(String, Vec<usize>)],
        widths: &[(String, usize)],
    ) -> Result<(), ImportError> {
        use decode::architecture::graph::Operation;
        let mut start = 0;
        for ((name, shape), &(_, length)) in shapes.iter().zip(widths) {
            let mut wire = self.drawing.input();
            if widths.len() > 1 {
                let slice = Operation::Slice {
                    axis: 0,
                    start,
                    length,
                };
                wire = self
                    .drawing
                    .add(name, slice, &[&wire])
                    .map_err(ImportError::file)?;
            }
            let shape = shape.clone();
            let wire = self
                .drawing
                .add(name, Operation::Reshape { shape }, &[&wire])
                .map_err(ImportError::file)?;
            self.values.insert(name.clone(), Value::Flow(wire));
            start += length;
        }
        Ok(())
    }

    fn is_done(&self, node: &NodeProto) -> bool {
        let known = |name: &String| {
            name.is_empty() || self.values.contains_key(name) || self.inside.contains_key(name)
        };
        node.output.iter().all(known)
    }

    /// Computes what a node gives.
    fn follow(&mut self, proto: &'a NodeProto) -> Result<(), ImportError> {
        let node = Node(proto);
        attributes::check(node)?;
        if let Some(constant) = self.as_constant(node)? {
            if let Some(name) = proto.output.first() {
                self.values.insert(name.clone(), Value::Constant(constant));
            }
            return Ok(());
        }
        let inputs = self.inputs(node)?;
        if inputs
            .iter()
            .flatten()
            .all(|v| matches!(v, Value::Constant(_)))
        {
            let constants = self.computed_apart(node, &inputs)?;
            for (name, constant) in proto.output.iter().zip(constants) {
                self.values.insert(name.clone(), Value::Constant(constant));
            }
            return Ok(());
        }
        let wires = At {
            node,
            inputs: &inputs,
            version: self.version,
            batch: self.batch,
            drawing: &mut self.drawing,
            wires: &mut self.wires,
            used: &self.used,
        }
        .lower()?;
        for (name, wire) in proto.output.iter().zip(wires) {
            self.values.insert(name.clone(), Value::Flow(wire));
        }
        Ok(())
    }

    fn inputs(&self, node: Node) -> Result<Vec<Option<Value>>, ImportError> {
        let of = |name: &String| match self.values.get(name) {
            Some(value) => Ok(Some(value.clone())),
            None if name.is_empty() => Ok(None),
            None => Err(node.error(format!("nothing computes its input {name:?}"))),
        };
        node.0.input.iter().map(of).collect()
    }

    /// What a node gives if that is a constant which shapes and whole numbers decide.
    fn as_constant(&self, node: Node) -> Result<Option<Constant>, ImportError> {
        let operator = node.0.op_type.as_str();
        if operator == "Constant" {
            return fixed::constant(node, self.beside).map(Some);
        }
        if let ("Shape" | "Size", Some(of)) = (operator, node.0.input.first()) {
            let shape = match (self.values.get(of), self.inside.get(of)) {
                (Some(Value::Constant(constant)), _) => constant.shape.clone(),
                (Some(Value::Flow(wire)), _) => wire.shape.clone(),
                (None, Some(shape)) => shape.clone(),
                (None, None) => return Ok(None),
            };
            if operator == "Shape" {
                return fixed::shape(node, &shape).map(Some);
            }
            let count = i64::try_from(shape.iter().product::<usize>()).unwrap_or(i64::MAX);
            return Ok(Some(Constant {
                shape: Vec::new(),
                data: Data::Ints(vec![count]),
            }));
        }
        let inputs = self.inputs(node)?;
        let constants: Vec<Option<&Constant>> = inputs
            .iter()
            .map(|input| match input {
                Some(Value::Constant(constant)) => Some(constant),
                _ => None,
            })
            .collect();
        let all = inputs
            .iter()
            .zip(&constants)
            .all(|(i, c)| i.is_none() == c.is_none());
        let Some(first) = constants.first().copied().flatten().filter(|_| all) else {
            return Ok(None);
        };
        if node.0.output.len() > 1 {
            return Ok(None);
        }
        if let Some(Ok(moved)) = moved(node, &first.shape, &constants[1..], 1) {
            return Ok(Some(match moved.from {
                Some(from) => first.gathered(moved.shape, &from),
                None => Constant {
                    shape: moved.shape,
                    ..first.clone()
                },
            }));
        }
        Ok(match arithmetic::computed(node, &constants) {
            Some(Ok(constant)) => Some(constant),
            // Computed as what flows would be; that says what is wrong, too.
            Some(Err(_)) | None => None,
        })
    }

    /// A constant that a node further on needs, before its own turn; `inside` are the
    /// values of a run that is being followed.
    fn ahead(
        &self,
        node: &NodeProto,
        inside: &BTreeMap<String, Vec<usize>>,
        depth: usize,
    ) -> Option<Constant> {
        /// Arithmetic on shapes is not nested deeper.
        const DEEPEST: usize = 32;
        if depth > DEEPEST {
            return None;
        }
        if let ("Shape", Some(shape)) = (node.op_type.as_str(), inside.get(node.input.first()?)) {
            return fixed::shape(Node(node), shape).ok();
        }
        if node.op_type == "Constant" {
            return fixed::constant(Node(node), self.beside).ok();
        }
        let mut constants = Vec::with_capacity(node.input.len());
        for name in &node.input {
            constants.push(match self.values.get(name) {
                _ if name.is_empty() => None,
                Some(Value::Constant(constant)) => Some(constant.clone()),
                Some(Value::Flow(_)) => return None,
                None => {
                    let makes = |node: &&NodeProto| node.output.first() == Some(name);
                    let maker = self.graph.node.iter().find(makes)?;
                    Some(self.ahead(maker, inside, depth + 1)?)
                }
            });
        }
        let constants: Vec<Option<&Constant>> = constants.iter().map(Option::as_ref).collect();
        let first = constants.first().copied().flatten()?;
        if let Some(Ok(moved)) = moved(Node(node), &first.shape, &constants[1..], 1) {
            return Some(match moved.from {
                Some(from) => first.gathered(moved.shape, &from),
                None => Constant {
                    shape: moved.shape,
                    ..first.clone()
                },
            });
        }
        arithmetic::computed(Node(node), &constants)?.ok()
    }

    /// Computes a node of constants as it would be computed in the decoder, but now.
    fn computed_apart(
        &self,
        node: Node,
        inputs: &[Option<Value>],
    ) -> Result<Vec<Constant>, ImportError> {
        let mut drawing = Drawing::new(1);
        let mut wires = BTreeMap::new();
        let outputs = At {
            node,
            inputs,
            version: self.version,
            batch: 1,
            drawing: &mut drawing,
            wires: &mut wires,
            used: &self.used,
        }
        .lower()?;
        let whole = inputs
            .iter()
            .flatten()
            .all(|value| matches!(value, Value::Constant(c) if matches!(c.data, Data::Ints(_))));
        let outputs = outputs.into_iter().map(|wire| {
            let (graph, tensors) = drawing.clone().for_trial(&wire);
            let values = GraphNetwork::new(&graph, 1, &as_stored(&tensors), &tensors, false)
                .and_then(|network| network.decode(&[0.0]))
                .map_err(|error| node.error(error.to_string()))?;
            Ok(Constant {
                shape: wire.shape,
                data: if whole {
                    #[allow(clippy::cast_possible_truncation)] // whole numbers that are small
                    Data::Ints(values.into_iter().map(|v| v as i64).collect())
                } else {
                    Data::Floats(values)
                },
            })
        });
        outputs.collect()
    }
}

//! ONNX graphs that are no chain of layers: every node becomes operations on whole arrays,
//! and runs of nodes that kernels take become layers again ([`segments`]).

use std::collections::{BTreeMap, BTreeSet};

use super::super::error::ImportError;
use super::super::exported::ExportedDecoder;
use super::super::graph::{GraphBuilder, Wire};
use super::constant::{Constant, ExternalData};
use super::fixed;
use super::interface::{input_shape, needed, without_batch};
use super::node::Node;
use super::opsets::Opsets;
use super::proto::{GraphProto, NodeProto, ValueInfoProto};
use super::rearranging::volume;

mod attention;
pub(super) mod constant_folding;
mod elementwise;
mod indexing;
mod matmul;
mod nodes;
mod norms;
mod recurrent;
mod reductions;
mod reshaping;
mod scatter;
mod segments;
mod windows;

pub use nodes::NodeLowering;

/// A value of the graph.
#[derive(Debug, Clone)]
pub enum GraphValue {
    /// The same for every latent vector.
    Constant(Constant),
    /// What the decoder computes.
    Flow(Wire),
}

/// The graph as far as it has been followed.
pub struct GraphLowering<'a> {
    graph: &'a GraphProto,
    sets: &'a Opsets,
    external_data: ExternalData<'a>,
    /// Size of the batch that was traced into the graph; 1 where none was.
    batch: usize,
    builder: GraphBuilder,
    values: BTreeMap<String, GraphValue>,
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
    sets: &Opsets,
    inputs: &[&ValueInfoProto],
    output: &str,
    batch: usize,
    external_data: ExternalData,
) -> Result<ExportedDecoder, ImportError> {
    let (builder, value, widths) = follow(graph, sets, inputs, output, batch, external_data)?;
    match value {
        GraphValue::Flow(wire) => Ok(ExportedDecoder::of_graph(
            builder,
            wire.clone(),
            without_batch(wire.shape),
            widths,
        )),
        GraphValue::Constant(_) => Err(ImportError::file(format!(
            "the output {output:?} is the same for every latent vector; name another with --node"
        ))),
    }
}

/// What a value of a graph is, if it is the same for every latent vector.
///
/// # Errors
/// When it cannot be computed at all.
pub fn constant(
    graph: &GraphProto,
    sets: &Opsets,
    inputs: &[&ValueInfoProto],
    name: &str,
    external_data: ExternalData,
) -> Result<Option<Constant>, ImportError> {
    let (_, value, _) = follow(graph, sets, inputs, name, 1, external_data)?;
    Ok(match value {
        GraphValue::Constant(constant) => Some(constant),
        GraphValue::Flow(_) => None,
    })
}

/// Names and numbers of values of inputs.
type Widths = Vec<(String, usize)>;

/// Follows a graph up to a value.
fn follow(
    graph: &GraphProto,
    sets: &Opsets,
    inputs: &[&ValueInfoProto],
    output: &str,
    batch: usize,
    external_data: ExternalData,
) -> Result<(GraphBuilder, GraphValue, Widths), ImportError> {
    let needed = needed(graph, output);
    let shapes = inputs
        .iter()
        .map(|input| Ok((input.name.clone(), input_shape(input)?)))
        .collect::<Result<Vec<_>, ImportError>>()?;
    let widths: Widths = shapes
        .iter()
        .map(|(name, shape)| match volume(shape) {
            Some(n) if n > 0 => Ok((name.clone(), n)),
            _ => Err(ImportError::file(format!(
                "the shape {shape:?} of the input {name:?} is impossible"
            ))),
        })
        .collect::<Result<_, _>>()?;
    let width = widths.iter().map(|&(_, n)| n).sum();
    let mut following = GraphLowering {
        graph,
        sets,
        external_data,
        batch,
        builder: GraphBuilder::new(width),
        values: BTreeMap::new(),
        inside: BTreeMap::new(),
        wires: BTreeMap::new(),
        used: BTreeSet::new(),
    };
    following.enter(&shapes, &widths)?;
    for tensor in &graph.initializer {
        if needed.contains(tensor.name.as_str()) {
            let constant = Constant::read(tensor, external_data)?;
            following
                .values
                .insert(tensor.name.clone(), GraphValue::Constant(constant));
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
    let value = following.values.remove(output);
    let value = value
        .ok_or_else(|| ImportError::file(format!("nothing computes the output {output:?}")))?;
    Ok((following.builder, value, widths))
}

impl<'a> GraphLowering<'a> {
    /// The graph's inputs, as parts of the decoder's.
    fn enter(
        &mut self,
        shapes: &[(String, Vec<usize>)],
        widths: &[(String, usize)],
    ) -> Result<(), ImportError> {
        use decode::architecture::graph::Operation;
        let mut start = 0;
        for ((name, shape), &(_, length)) in shapes.iter().zip(widths) {
            let mut wire = self.builder.input();
            if widths.len() > 1 {
                let slice = Operation::Slice {
                    axis: 0,
                    start,
                    length,
                };
                wire = self
                    .builder
                    .add(name, slice, &[&wire])
                    .map_err(ImportError::file)?;
            }
            let shape = shape.clone();
            let wire = self
                .builder
                .add(name, Operation::Reshape { shape }, &[&wire])
                .map_err(ImportError::file)?;
            self.values.insert(name.clone(), GraphValue::Flow(wire));
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
        let node = self.sets.node(proto)?;
        let values: Vec<GraphValue> = match self.constants(node)? {
            Some(constants) => constants.into_iter().map(GraphValue::Constant).collect(),
            None => {
                let inputs = self.inputs(node)?;
                let wires = NodeLowering {
                    node,
                    inputs: &inputs,
                    batch: self.batch,
                    builder: &mut self.builder,
                    wires: &mut self.wires,
                    used: &self.used,
                }
                .lower()?;
                wires.into_iter().map(GraphValue::Flow).collect()
            }
        };
        self.values.extend(proto.output.iter().cloned().zip(values));
        Ok(())
    }

    fn inputs(&self, node: Node) -> Result<Vec<Option<GraphValue>>, ImportError> {
        let of = |name: &String| match self.values.get(name) {
            Some(value) => Ok(Some(value.clone())),
            None if name.is_empty() => Ok(None),
            None => Err(node.error(format!("nothing computes its input {name:?}"))),
        };
        node.0.input.iter().map(of).collect()
    }

    /// What a node gives, if that is the same for every latent vector.
    fn constants(&self, node: Node) -> Result<Option<Vec<Constant>>, ImportError> {
        if let Some(of) = node.0.input.first() {
            let shape = match (self.values.get(of), self.inside.get(of)) {
                (Some(GraphValue::Flow(wire)), _) => Some(&wire.shape),
                (_, inside) => inside,
            };
            if let Some(sizes) = shape.and_then(|shape| fixed::sizes(node, shape)) {
                return Ok(Some(vec![sizes]));
            }
        }
        let inputs = self.inputs(node)?;
        let constants = inputs.iter().map(|input| match input {
            None => Some(None),
            Some(GraphValue::Constant(constant)) => Some(Some(constant)),
            Some(GraphValue::Flow(_)) => None,
        });
        match constants.collect::<Option<Vec<_>>>() {
            Some(constants) => {
                constant_folding::computed(node, &constants, self.external_data).map(Some)
            }
            None => Ok(None),
        }
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
        let operator = self.sets.node(node).ok()?;
        let shape = node.input.first().and_then(|name| inside.get(name));
        if let Some(sizes) = shape.and_then(|shape| fixed::sizes(operator, shape)) {
            return Some(sizes);
        }
        let mut constants = Vec::with_capacity(node.input.len());
        for name in &node.input {
            constants.push(match self.values.get(name) {
                _ if name.is_empty() => None,
                Some(GraphValue::Constant(constant)) => Some(constant.clone()),
                Some(GraphValue::Flow(_)) => return None,
                None => {
                    let makes = |node: &&NodeProto| node.output.first() == Some(name);
                    let maker = self.graph.node.iter().find(makes)?;
                    Some(self.ahead(maker, inside, depth + 1)?)
                }
            });
        }
        let constants: Vec<Option<&Constant>> = constants.iter().map(Option::as_ref).collect();
        constant_folding::at_once(operator, &constants, self.external_data)?.ok()
    }
}

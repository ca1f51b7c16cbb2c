//! From a graph to layers, node by node.

use std::collections::{BTreeMap, BTreeSet};

use super::super::builder::{Builder, Places};
use super::super::error::ImportError;
use super::super::exported::Exported;
use super::constant::{Beside, Constant};
use super::ends::{
    check_output, check_version, input_shape, inputs, needed, the_output, traced_batch,
};
use super::moves::{self, moved};
use super::node::Node;
use super::operators;
use super::proto::{GraphProto, ModelProto, NodeProto, ValueInfoProto};
use super::{arithmetic, attributes, fixed, graph, rewrite};

/// What is said of a graph that is no chain.
const ONE_AFTER_ANOTHER: &str = "only layers one after another are read, no branches, skip connections, or gates such as SiLU (softplus with a beta other than 1 is read when exported with dynamo=False)";

/// Something that flows from the latent vector to the instance.
#[derive(Debug, Clone)]
pub struct View {
    /// Its shape in the graph, with a batch of 1 in front.
    pub shape: Vec<usize>,
    /// Where its values are in what the layers so far give.
    pub places: Places,
    /// Number of layers of the graph before it: it can be used as long as there is no other.
    pub stage: usize,
}

/// A value of the graph.
#[derive(Debug, Clone)]
pub enum Value {
    /// The same for every latent vector.
    Constant(Constant),
    /// What the decoder computes.
    Flow(View),
}

/// The graph as far as it has been followed.
pub struct Lowering {
    /// The layers so far.
    pub builder: Builder,
    /// Number of the graph's layers so far.
    pub stage: usize,
    /// Size of the batch that was traced into the graph; 1 where none was.
    batch: usize,
    values: BTreeMap<String, Value>,
}

/// Follows a graph from its inputs to its output: as layers one after another if it is
/// that, else as a graph.
pub fn lower(
    model: ModelProto,
    beside: Beside,
    output: Option<&str>,
) -> Result<Exported, ImportError> {
    let mut graph = model
        .graph
        .ok_or_else(|| ImportError::file("the file holds no graph; is it an ONNX file?"))?;
    let version = check_version(&model.opset_import)?;
    rewrite::softplus(&mut graph);
    let graph = &graph;
    let output = the_output(graph, output)?;
    check_output(graph, output)?;
    let needed = needed(graph, output);
    let inputs = inputs(graph, &needed)?;
    let batch = traced_batch(graph, inputs[0], output);
    let as_graph = || graph::lower(graph, version, &inputs, output, &needed, batch, beside);
    if let [input] = inputs[..]
        && let Ok(exported) = chain(graph, input, output, &needed, batch, beside)
    {
        return match exported.is_rearranged().then(as_graph) {
            Some(Ok(graph)) => Ok(exported.or(graph)),
            _ => Ok(exported),
        };
    }
    // A softmax is no layer, so what ends in one is a graph.
    let exported = as_graph()?;
    let last = graph
        .node
        .iter()
        .find(|node| node.output.iter().any(|name| name == output));
    Ok(match last.map(|node| node.op_type.as_str()) {
        Some("Softmax" | "LogSoftmax") => exported.of_softmax(),
        _ => exported,
    })
}

/// Follows a graph that is layers one after another.
fn chain(
    graph: &GraphProto,
    input: &ValueInfoProto,
    output: &str,
    needed: &BTreeSet<&str>,
    batch: usize,
    beside: Beside,
) -> Result<Exported, ImportError> {
    let shape = input_shape(input)?;
    let width = moves::volume(&shape)
        .filter(|&n| n > 0)
        .ok_or_else(|| ImportError::file(format!("the input's shape {shape:?} is impossible")))?;
    let mut lowering = Lowering::new(width, batch);
    for tensor in &graph.initializer {
        if needed.contains(tensor.name.as_str()) {
            let constant = Constant::read(tensor, beside)?;
            lowering
                .values
                .insert(tensor.name.clone(), Value::Constant(constant));
        }
    }
    lowering.values.insert(
        input.name.clone(),
        Value::Flow(View {
            shape,
            places: None,
            stage: 0,
        }),
    );
    for node in &graph.node {
        if node
            .output
            .iter()
            .any(|name| needed.contains(name.as_str()))
        {
            lowering.follow(node, beside)?;
        }
    }
    match lowering.values.remove(output) {
        Some(Value::Flow(view)) if view.stage == lowering.stage => Ok(Exported::of_layers(
            lowering.builder,
            width,
            without_batch(view.shape),
            view.places,
        )),
        _ => Err(ImportError::file(
            "the output does not come from the last layer",
        )),
    }
}

/// A shape without the batch of 1 in front.
pub fn without_batch(mut shape: Vec<usize>) -> Vec<usize> {
    if shape.len() > 1 && shape[0] == 1 {
        shape.remove(0);
    }
    shape
}

impl Lowering {
    /// Nothing yet of a decoder that takes `width` values.
    pub fn new(width: usize, batch: usize) -> Self {
        Self {
            builder: Builder::new(width),
            stage: 0,
            batch,
            values: BTreeMap::new(),
        }
    }

    /// Computes what a node gives.
    fn follow(&mut self, proto: &NodeProto, beside: Beside) -> Result<(), ImportError> {
        let node = Node(proto);
        let mut inputs = Vec::with_capacity(proto.input.len());
        for name in &proto.input {
            inputs.push(match self.values.get(name) {
                Some(value) => Some(value.clone()),
                None if name.is_empty() => None,
                None => return Err(node.error(format!("nothing computes its input {name:?}"))),
            });
        }
        if let ("Split", Some(Some(Value::Constant(whole)))) =
            (node.0.op_type.as_str(), inputs.first())
        {
            return self.split(node, whole, inputs.get(1));
        }
        let value = self.value(node, &inputs, beside)?;
        if let Some(name) = proto.output.first() {
            self.values.insert(name.clone(), value);
        }
        Ok(())
    }

    /// A vector of constants in parts: sizes that are put together anew.
    fn split(
        &mut self,
        node: Node,
        whole: &Constant,
        sizes: Option<&Option<Value>>,
    ) -> Result<(), ImportError> {
        attributes::check(node)?;
        let &[length] = &whole.shape[..] else {
            return Err(node.error("only vectors of constants are split"));
        };
        let sizes = match sizes {
            Some(Some(Value::Constant(sizes))) => Some(sizes),
            Some(Some(Value::Flow(_))) => {
                return Err(node.error("its parts depend on the latent vector"));
            }
            _ => None,
        };
        let mut start = 0;
        for (name, size) in node.0.output.iter().zip(moves::parts(node, length, sizes)?) {
            let places: Vec<usize> = (start..start + size).collect();
            let part = whole.gathered(vec![size], &places);
            self.values.insert(name.clone(), Value::Constant(part));
            start += size;
        }
        Ok(())
    }

    /// What a node gives that is fed these.
    ///
    /// # Errors
    /// When it is no layer, or constants do not fit.
    pub fn value(
        &mut self,
        node: Node,
        inputs: &[Option<Value>],
        beside: Beside,
    ) -> Result<Value, ImportError> {
        attributes::check(node)?;
        if node.0.op_type == "Constant" {
            return fixed::constant(node, beside).map(Value::Constant);
        }
        let constants: Vec<Option<&Constant>> = inputs
            .iter()
            .map(|input| match input {
                Some(Value::Constant(constant)) => Some(constant),
                _ => None,
            })
            .collect();
        let flows: Vec<(usize, &View)> = inputs
            .iter()
            .enumerate()
            .filter_map(|(i, input)| match input {
                Some(Value::Flow(view)) => Some((i, view)),
                _ => None,
            })
            .collect();
        match flows[..] {
            [] => {
                if node.0.op_type == "Shape"
                    && let Some(constant) = constants.first().copied().flatten()
                {
                    return fixed::shape(node, &constant.shape).map(Value::Constant);
                }
                if let Some(constant) = constants.first().copied().flatten()
                    && let Some(moved) = moved(node, &constant.shape, &constants[1..], 1)
                {
                    let moved = moved?;
                    return Ok(Value::Constant(match moved.from {
                        Some(from) => constant.gathered(moved.shape, &from),
                        None => Constant {
                            shape: moved.shape,
                            ..constant.clone()
                        },
                    }));
                }
                arithmetic::computed(node, &constants)
                    .unwrap_or_else(|| Err(operators::unknown(node)))
                    .map(Value::Constant)
            }
            [(place, view)] => {
                if node.0.op_type == "Shape" {
                    return fixed::shape(node, &view.shape).map(Value::Constant);
                }
                if view.stage != self.stage {
                    return Err(node.error(format!(
                        "it uses a value that another layer has used before: {ONE_AFTER_ANOTHER}"
                    )));
                }
                if place == 0
                    && let Some(moved) = moved(node, &view.shape, &constants[1..], self.batch)
                {
                    return moved.map(|moved| {
                        Value::Flow(View {
                            shape: moved.shape,
                            places: compose(&view.places, moved.from),
                            stage: view.stage,
                        })
                    });
                }
                operators::layer(self, node, view, place, &constants).map(Value::Flow)
            }
            _ => Err(node.error(format!(
                "it brings together two values that depend on the latent vector: {ONE_AFTER_ANOTHER}"
            ))),
        }
    }
}

/// Places of a value after it has been moved.
pub fn compose(places: &Places, from: Option<Vec<usize>>) -> Places {
    match (places, from) {
        (places, None) => places.clone(),
        (None, from) => from,
        (Some(places), Some(from)) => Some(from.into_iter().map(|i| places[i]).collect()),
    }
}

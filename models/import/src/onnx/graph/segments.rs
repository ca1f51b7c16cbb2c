//! Runs of nodes that kernels take: they become layers.

use std::collections::BTreeMap;

use decode::architecture::{Flow, Layer};

use super::super::super::builder::Builder;
use super::super::super::error::ImportError;
use super::super::constant::Constant;
use super::super::lowering::{self, Lowering, View};
use super::super::node;
use super::super::proto::{GraphProto, NodeProto};
use super::{GraphLowering, GraphValue};

/// For each value the nodes that it goes into, as far as they are needed; the graph's own
/// output goes into no node.
pub type Uses = BTreeMap<String, Vec<usize>>;

/// No node.
const NONE: usize = usize::MAX;

/// Which nodes use which values. Nodes that only ask for a shape do not count.
pub fn uses(graph: &GraphProto, order: &[usize], output: &str) -> Uses {
    let mut uses = Uses::from([(output.to_owned(), vec![NONE])]);
    for &at in order {
        let node = &graph.node[at];
        if !matches!(node.op_type.as_str(), "Shape" | "Size") {
            for name in &node.input {
                uses.entry(name.clone()).or_default().push(at);
            }
        }
    }
    uses
}

/// A run as far as it has been followed.
struct Run {
    lowering: Lowering,
    view: View,
    /// The values after each node: name and shape.
    values: Vec<(String, Vec<usize>)>,
    /// Number of nodes after which the values lie as the graph has them.
    whole: usize,
}

impl GraphLowering<'_> {
    /// Takes a run of nodes from this one on, if they become layers with weights.
    pub(super) fn run_of_layers(&mut self, at: usize, uses: &Uses) -> Result<bool, ImportError> {
        let graph = self.graph;
        let starts = matches!(
            graph.node[at].op_type.as_str(),
            "Conv" | "ConvTranspose" | "Gemm" | "MatMul" | "Resize" | "Upsample"
        );
        if !starts {
            return Ok(false);
        }
        let chain = self.chain(at, uses);
        let Some(run) = self.run(&chain, usize::MAX) else {
            return Ok(false);
        };
        if run.whole == 0 {
            return Ok(false);
        }
        // What came after the last place where all lay as it should is done otherwise.
        let run = if run.whole < run.values.len() {
            match self.run(&chain, run.whole) {
                Some(run) => run,
                None => return Ok(false),
            }
        } else {
            run
        };
        let weighs = |layer: &Layer| {
            matches!(
                layer,
                Layer::Dense { .. } | Layer::Conv { .. } | Layer::ConvTranspose { .. }
            )
        };
        let mut builder = run.lowering.builder;
        if !builder.layers.iter().any(weighs) {
            return Ok(false);
        }
        builder.flatten();
        let input = graph.node[chain[0]]
            .input
            .first()
            .cloned()
            .unwrap_or_default();
        let Some(GraphValue::Flow(x)) = self.values.get(&input).cloned() else {
            return Ok(false);
        };
        let Some((name, shape)) = run.values.last().cloned() else {
            return Ok(false);
        };
        let Builder {
            layers, tensors, ..
        } = builder;
        let made = self.builder.layers(&name, layers, tensors, &x, shape);
        let wire = made.map_err(|problem| node::at(&graph.node[at], problem))?;
        for (name, shape) in run.values {
            self.inside.insert(name, shape);
        }
        self.values.insert(name, GraphValue::Flow(wire));
        Ok(true)
    }

    /// The nodes from this one on that are each the only use of the one before.
    fn chain(&self, first: usize, uses: &Uses) -> Vec<usize> {
        let mut chain = vec![first];
        let mut at = first;
        loop {
            let outputs = &self.graph.node[at].output;
            let next = match outputs.first().and_then(|name| uses.get(name)) {
                Some(uses) => match uses[..] {
                    [only] if only != NONE => only,
                    _ => return chain,
                },
                None => return chain,
            };
            let node = &self.graph.node[next];
            // A value that goes in twice, or not first, is not passed on.
            if node.input.first() != outputs.first() || next <= at {
                return chain;
            }
            chain.push(next);
            at = next;
        }
    }

    /// Follows at most `limit` nodes of a chain, as far as they become layers.
    fn run(&self, chain: &[usize], limit: usize) -> Option<Run> {
        let first = &self.graph.node[*chain.first()?];
        let Some(GraphValue::Flow(x)) = self.values.get(first.input.first()?) else {
            return None;
        };
        let width: usize = x.shape.iter().product();
        let mut run = Run {
            lowering: Lowering::new(width, self.batch),
            view: View {
                shape: x.shape.clone(),
                places: None,
                stage: 0,
            },
            values: Vec::new(),
            whole: 0,
        };
        for &at in chain.iter().take(limit) {
            let proto = &self.graph.node[at];
            let Some(view) = self.step(&mut run, proto) else {
                break;
            };
            let count: usize = view.shape.iter().product();
            let natural = view.places.is_none()
                && count == run.lowering.builder.flow().len()
                && matches!(
                    run.lowering.builder.flow(),
                    Flow::Maps { .. } | Flow::Flat(_)
                );
            run.values
                .push((proto.output.first()?.clone(), view.shape.clone()));
            if natural {
                run.whole = run.values.len();
            }
            run.view = view;
        }
        Some(run)
    }

    /// One node more, if it becomes layers.
    fn step(&self, run: &mut Run, proto: &NodeProto) -> Option<View> {
        let node = self.sets.node(proto).ok()?;
        let mut inputs = vec![Some(lowering::ChainValue::Flow(run.view.clone()))];
        for name in proto.input.iter().skip(1) {
            inputs.push(match name.as_str() {
                "" => None,
                name => Some(lowering::ChainValue::Constant(self.known(name, run)?)),
            });
        }
        match run
            .lowering
            .value(node, &inputs, self.external_data)
            .ok()?
            .pop()?
        {
            lowering::ChainValue::Flow(view) => Some(view),
            lowering::ChainValue::Constant(_) => None,
        }
    }

    /// A constant that is there, or that shapes in the run so far decide.
    fn known(&self, name: &str, run: &Run) -> Option<Constant> {
        if let Some(value) = self.values.get(name) {
            return match value {
                GraphValue::Constant(constant) => Some(constant.clone()),
                GraphValue::Flow(_) => None,
            };
        }
        let makes = |node: &&NodeProto| node.output.first().is_some_and(|output| output == name);
        let maker = self.graph.node.iter().find(makes)?;
        let inside = run.values.iter().cloned();
        self.ahead(maker, &inside.collect(), 0)
    }
}

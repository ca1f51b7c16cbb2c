//! From a graph that is a chain to layers, node by node.

use std::collections::BTreeSet;

use super::super::builder::compose;
use super::super::error::ImportError;
use super::super::exported::ExportedDecoder;
use super::constant::{Constant, ExternalData};
use super::fixed;
use super::graph::constant_folding;
use super::interface::{input_shape, without_batch};
use super::lowering::{ChainValue, Lowering, View};
use super::node::Node;
use super::operators;
use super::opsets::Opsets;
use super::proto::{GraphProto, NodeProto, ValueInfoProto};
use super::rearranging::{self, rearranged};

/// What is said of a graph that is no chain.
const ONE_AFTER_ANOTHER: &str = "only layers one after another are read, no branches, skip connections, or gates such as SiLU (softplus with a beta other than 1 is read when exported with dynamo=False)";

/// Follows a graph that is layers one after another.
pub fn chain(
    graph: &GraphProto,
    sets: &Opsets,
    input: &ValueInfoProto,
    output: &str,
    needed: &BTreeSet<&str>,
    batch: usize,
    external_data: ExternalData,
) -> Result<ExportedDecoder, ImportError> {
    let shape = input_shape(input)?;
    let width = rearranging::volume(&shape)
        .filter(|&n| n > 0)
        .ok_or_else(|| ImportError::file(format!("the input's shape {shape:?} is impossible")))?;
    let mut lowering = Lowering::new(width, batch);
    for tensor in &graph.initializer {
        if needed.contains(tensor.name.as_str()) {
            let constant = Constant::read(tensor, external_data)?;
            lowering
                .values
                .insert(tensor.name.clone(), ChainValue::Constant(constant));
        }
    }
    lowering.values.insert(
        input.name.clone(),
        ChainValue::Flow(View {
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
            lowering.follow(node, sets, external_data)?;
        }
    }
    match lowering.values.remove(output) {
        Some(ChainValue::Flow(view)) if view.stage == lowering.stage => {
            Ok(ExportedDecoder::of_layers(
                lowering.builder,
                width,
                without_batch(view.shape),
                view.places,
            ))
        }
        _ => Err(ImportError::file(
            "the output does not come from the last layer",
        )),
    }
}

impl Lowering {
    /// Computes what a node gives.
    fn follow(
        &mut self,
        proto: &NodeProto,
        sets: &Opsets,
        external_data: ExternalData,
    ) -> Result<(), ImportError> {
        let node = sets.node(proto)?;
        let mut inputs = Vec::with_capacity(proto.input.len());
        for name in &proto.input {
            inputs.push(match self.values.get(name) {
                Some(value) => Some(value.clone()),
                None if name.is_empty() => None,
                None => return Err(node.error(format!("nothing computes its input {name:?}"))),
            });
        }
        let values = self.value(node, &inputs, external_data)?;
        for (name, value) in proto.output.iter().zip(values) {
            self.values.insert(name.clone(), value);
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
        inputs: &[Option<ChainValue>],
        external_data: ExternalData,
    ) -> Result<Vec<ChainValue>, ImportError> {
        let constants: Vec<Option<&Constant>> = inputs
            .iter()
            .map(|input| match input {
                Some(ChainValue::Constant(constant)) => Some(constant),
                _ => None,
            })
            .collect();
        let flows: Vec<(usize, &View)> = inputs
            .iter()
            .enumerate()
            .filter_map(|(i, input)| match input {
                Some(ChainValue::Flow(view)) => Some((i, view)),
                _ => None,
            })
            .collect();
        match flows[..] {
            [] => {
                let computed = constant_folding::computed(node, &constants, external_data)?;
                Ok(computed.into_iter().map(ChainValue::Constant).collect())
            }
            [(place, view)] => {
                if let Some(sizes) = fixed::sizes(node, &view.shape) {
                    return Ok(vec![ChainValue::Constant(sizes)]);
                }
                if view.stage != self.stage {
                    return Err(node.error(format!(
                        "it uses a value that another layer has used before: {ONE_AFTER_ANOTHER}"
                    )));
                }
                if place == 0
                    && let Some(rearranged) = rearranged(node, &view.shape, &constants[1..], self.batch)
                {
                    return rearranged.map(|rearranged| {
                        vec![ChainValue::Flow(View {
                            shape: rearranged.shape,
                            places: compose(&view.places, rearranged.from),
                            stage: view.stage,
                        })]
                    });
                }
                operators::layer(self, node, view, place, &constants)
                    .map(|view| vec![ChainValue::Flow(view)])
            }
            _ => Err(node.error(format!(
                "it brings together two values that depend on the latent vector: {ONE_AFTER_ANOTHER}"
            ))),
        }
    }
}

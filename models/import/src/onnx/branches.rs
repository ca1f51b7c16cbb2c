//! Branches (`If`) whose condition no latent vector changes: the branch that is taken is written in
//! the place of the node.

use std::collections::BTreeMap;

use super::super::error::ImportError;
use super::constant::ExternalData;
use super::graph;
use super::interface::needed;
use super::node::at;
use super::opsets::Opsets;
use super::proto::{GraphProto, NodeProto, ValueInfoProto};

/// Most branches that are taken in a file.
const MOST: usize = 1 << 10;

/// Takes every branch that the output needs.
///
/// # Errors
/// When a condition depends on the latent vector, or cannot be computed.
pub fn take(
    graph: &mut GraphProto,
    sets: &Opsets,
    output: &str,
    external_data: ExternalData,
) -> Result<(), ImportError> {
    for nth in 0.. {
        let wanted = needed(graph, output);
        let branches = |node: &NodeProto| {
            sets.operator(node).is_some_and(|o| o.name == "If")
                && node
                    .output
                    .iter()
                    .any(|name| wanted.contains(name.as_str()))
        };
        let Some(place) = graph.node.iter().position(branches) else {
            break;
        };
        let node = graph.node[place].clone();
        let refuse = |problem: &str| at(&node, problem);
        if nth == MOST {
            return Err(refuse("there are more branches than are read"));
        }
        let condition = node
            .input
            .first()
            .ok_or_else(|| refuse("it has no condition"))?;
        let condition_needs = needed(graph, condition);
        let weights = |name: &str| graph.initializer.iter().any(|tensor| tensor.name == name);
        let inputs: Vec<&ValueInfoProto> = graph
            .input
            .iter()
            .filter(|value| condition_needs.contains(value.name.as_str()) && !weights(&value.name))
            .collect();
        let found = graph::constant(graph, sets, &inputs, condition, external_data)?;
        let found = found.and_then(|constant| constant.floats().first().copied());
        let name = match found {
            Some(0.0) => "else_branch",
            Some(_) => "then_branch",
            None => {
                return Err(refuse(
                    "its condition depends on the latent vector; write it with torch.where, which computes both sides and chooses for each value",
                ));
            }
        };
        let attribute = node
            .attribute
            .iter()
            .find(|attribute| attribute.name == name);
        let branch = attribute.and_then(|attribute| attribute.g.as_deref());
        let branch = branch.ok_or_else(|| refuse("a branch is missing"))?;
        let (nodes, weights) = written_out(&node, branch);
        graph.node.splice(place..=place, nodes);
        graph.initializer.extend(weights);
    }
    Ok(())
}

/// A branch's nodes and constants, whose own names begin with that of the node.
fn written_out(
    node: &NodeProto,
    branch: &GraphProto,
) -> (Vec<NodeProto>, Vec<super::proto::TensorProto>) {
    let prefix = node.output.first().map_or("", String::as_str);
    let made = branch.node.iter().flat_map(|node| &node.output);
    let held = branch.initializer.iter().map(|tensor| &tensor.name);
    let names: BTreeMap<String, String> = made
        .chain(held)
        .filter(|name| !name.is_empty())
        .map(|name| (name.clone(), format!("{prefix}/{name}")))
        .collect();
    let mut nodes = branch.node.clone();
    nodes.iter_mut().for_each(|node| rename(node, &names));
    for (inner, outer) in branch.output.iter().zip(&node.output) {
        let inner = &inner.name;
        nodes.push(NodeProto {
            input: vec![names.get(inner).unwrap_or(inner).clone()],
            output: vec![outer.clone()],
            op_type: "Identity".to_owned(),
            ..NodeProto::default()
        });
    }
    let mut weights = branch.initializer.clone();
    for tensor in &mut weights {
        if let Some(name) = names.get(&tensor.name) {
            tensor.name.clone_from(name);
        }
    }
    (nodes, weights)
}

/// Gives values their new names, those that branches inside of it look at, too.
fn rename(node: &mut NodeProto, names: &BTreeMap<String, String>) {
    for name in node.input.iter_mut().chain(&mut node.output) {
        if let Some(new) = names.get(name) {
            name.clone_from(new);
        }
    }
    let graphs = node
        .attribute
        .iter_mut()
        .filter_map(|attribute| attribute.g.as_mut());
    for graph in graphs {
        graph.node.iter_mut().for_each(|node| rename(node, names));
        for output in &mut graph.output {
            if let Some(new) = names.get(&output.name) {
                output.name.clone_from(new);
            }
        }
    }
}

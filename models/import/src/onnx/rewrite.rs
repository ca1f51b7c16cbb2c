//! Detours that exporters make, taken out before a graph is followed.

use super::constant::Constant;
use super::fixed;
use super::opsets::Opsets;
use super::proto::{GraphProto, NodeProto};

/// Above this x and softplus(x) = ln(1 + e^x) are the same f32.
const SOFTPLUS_IS_X: f32 = 17.0;

/// PyTorch's newer exporter writes softplus as `x > 20 ? x : Softplus(x)`, which is
/// Softplus(x) in single precision: such a `Where` becomes an `Identity`.
pub fn softplus(graph: &mut GraphProto, sets: &Opsets) {
    let name = |node: &NodeProto| sets.operator(node).map(|operator| operator.name);
    let made_by = |name: &str| -> Option<&NodeProto> {
        let makes = |node: &&NodeProto| node.output.first().is_some_and(|output| output == name);
        graph.node.iter().find(makes)
    };
    let found: Vec<(usize, String)> = graph
        .node
        .iter()
        .enumerate()
        .filter_map(|(index, node)| {
            let (Some("Where"), [condition, x, soft]) = (name(node), &node.input[..]) else {
                return None;
            };
            let (condition, smooth) = (made_by(condition)?, made_by(soft)?);
            let (Some("Greater"), [compared, bound]) = (name(condition), &condition.input[..])
            else {
                return None;
            };
            let same = name(smooth) == Some("Softplus") && smooth.input[..] == [x.clone()];
            let bound = number(graph, sets, made_by(bound), bound)?;
            (same && compared == x && bound >= SOFTPLUS_IS_X).then(|| (index, soft.clone()))
        })
        .collect();
    for (index, soft) in found {
        let node = &mut graph.node[index];
        "Identity".clone_into(&mut node.op_type);
        node.input = vec![soft];
    }
}

/// A constant that is one number.
fn number(
    graph: &GraphProto,
    sets: &Opsets,
    made_by: Option<&NodeProto>,
    name: &str,
) -> Option<f32> {
    let constant = match made_by {
        Some(node) if sets.operator(node)?.name == "Constant" => {
            fixed::constant(sets.node(node).ok()?, &|_| Err("there is none".to_owned()))
        }
        Some(_) => return None,
        None => {
            let tensor = graph.initializer.iter().find(|t| t.name == name)?;
            Constant::read(tensor, &|_| Err("there is none".to_owned()))
        }
    };
    match constant.ok()?.floats()[..] {
        [number] => Some(number),
        _ => None,
    }
}

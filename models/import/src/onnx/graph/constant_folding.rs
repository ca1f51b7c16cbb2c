//! Values that depend on no input are computed when a graph is read.

use std::collections::{BTreeMap, BTreeSet};

use candle_layers::GraphNetwork;
use candle_layers::graph::as_stored;

use super::super::super::error::ImportError;
use super::super::super::graph::GraphBuilder;
use super::super::constant::{Constant, Data, ExternalData};
use super::super::node::Node;
use super::super::proto::DataType;
use super::super::rearranging::rearranged;
use super::super::{arithmetic, fixed};
use super::{GraphValue, NodeLowering};

/// What a node gives that is fed constants alone: a constant for each of its outputs.
///
/// # Errors
/// When they do not fit the node, or nothing here computes it.
pub fn computed(
    node: Node,
    inputs: &[Option<&Constant>],
    external_data: ExternalData,
) -> Result<Vec<Constant>, ImportError> {
    match at_once(node, inputs, external_data) {
        Some(Ok(constant)) => Ok(vec![constant]),
        // Computed as what flows would be; that says what is wrong, too.
        Some(Err(_)) | None => apart(node, inputs),
    }
}

/// The same, for what takes no network to compute: constants themselves, shapes, moves and
/// arithmetic. `None` for other operators.
pub fn at_once(
    node: Node,
    inputs: &[Option<&Constant>],
    external_data: ExternalData,
) -> Option<Result<Constant, ImportError>> {
    if node.operator() == "Constant" {
        return Some(fixed::constant(node, external_data));
    }
    if let Some(first) = inputs.first().copied().flatten() {
        if let Some(sizes) = fixed::sizes(node, &first.shape) {
            return Some(Ok(sizes));
        }
        if let Some(rearranged) = rearranged(node, &first.shape, &inputs[1..], 1) {
            return Some(rearranged.map(|rearranged| match rearranged.from {
                Some(from) => first.gathered(rearranged.shape, &from),
                None => Constant {
                    shape: rearranged.shape,
                    ..first.clone()
                },
            }));
        }
    }
    arithmetic::computed(node, inputs)
}

/// Computes a node of constants as it would be computed in the decoder, but now.
fn apart(node: Node, inputs: &[Option<&Constant>]) -> Result<Vec<Constant>, ImportError> {
    let mut builder = GraphBuilder::new(1);
    let mut wires = BTreeMap::new();
    let used: BTreeSet<String> = node.0.output.iter().cloned().collect();
    let values: Vec<Option<GraphValue>> = inputs
        .iter()
        .map(|input| input.map(|constant| GraphValue::Constant(constant.clone())))
        .collect();
    let outputs = NodeLowering {
        node,
        inputs: &values,
        batch: 1,
        builder: &mut builder,
        wires: &mut wires,
        used: &used,
    }
    .lower()?;
    let outputs = outputs.into_iter().enumerate().map(|(nth, wire)| {
        let (graph, tensors) = builder.clone().for_trial(&wire);
        let values = GraphNetwork::new(&graph, 1, &as_stored(&tensors), &tensors, false)
            .and_then(|network| network.decode(&[0.0]))
            .map_err(|error| node.error(error.to_string()))?;
        Ok(Constant {
            shape: wire.shape,
            data: if is_whole(node, inputs, nth) {
                Data::Ints(values.into_iter().map(|v| v as i64).collect())
            } else {
                Data::Floats(values)
            },
        })
    });
    outputs.collect()
}

/// Whether a node gives whole numbers, or truth values, as its `nth` output.
fn is_whole(node: Node, inputs: &[Option<&Constant>], nth: usize) -> bool {
    let of = |place: usize| {
        let input = inputs.get(place).copied().flatten();
        input.is_some_and(|constant| constant.to_ints().is_some())
    };
    match node.operator() {
        "And" | "ArgMax" | "ArgMin" | "Equal" | "Greater" | "GreaterOrEqual" | "IsInf"
        | "IsNaN" | "Less" | "LessOrEqual" | "Not" | "Or" | "Xor" => true,
        "Cast" => {
            let to = i32::try_from(node.int("to")).map(DataType::try_from);
            matches!(
                to,
                Ok(Ok(DataType::Int32 | DataType::Int64 | DataType::Bool))
            )
        }
        "OneHot" => of(2),
        "TopK" => nth == 1 || of(0),
        "Where" => of(1) && of(2),
        "Add" | "Sub" | "Mul" | "Div" | "Mod" | "Max" | "Min" | "Sum" | "Pow" => {
            (0..inputs.len()).all(of)
        }
        _ => of(0),
    }
}

//! Convolutions of a graph as layers.

use decode::architecture::{Flow, Layer};

use super::super::error::ImportError;
use super::constant::Constant;
use super::convolution;
use super::lowering::{Lowering, View, whole};
use super::node::{Node, name};
use super::rearranging::volume;

/// A `Conv` or, `transposed`, a `ConvTranspose` node.
pub fn convolved(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    constants: &[Option<&Constant>],
    transposed: bool,
) -> Result<View, ImportError> {
    let Some(weight) = constants.get(1).copied().flatten() else {
        return Err(node.error("its weight is missing"));
    };
    let bias = constants.get(2).copied().flatten();
    let conv = convolution::read(node, transposed, &view.shape, weight, bias)?;
    let [inputs, height, width] = conv.input;
    let [outputs, rows, columns] = conv.output;
    if volume(&[outputs, rows, columns]).is_none_or(|n| n == 0) {
        return Err(node.error("its output is empty or too large"));
    }
    let arranged = graph
        .builder
        .arrange_maps(inputs, height, width, &view.places);
    arranged.map_err(|problem| node.error(problem))?;
    let (kernel, stride, padding, groups) = (conv.kernel, conv.stride, conv.padding, conv.groups);
    let flow = Flow::Maps {
        channels: outputs,
        height: rows,
        width: columns,
    };
    graph.builder.on_maps(
        &name(node),
        (conv.shape, conv.weight),
        conv.bias,
        flow,
        |name| {
            if transposed {
                Layer::ConvTranspose {
                    name,
                    inputs,
                    outputs,
                    kernel,
                    stride,
                    padding,
                    groups,
                }
            } else {
                Layer::Conv {
                    name,
                    inputs,
                    outputs,
                    kernel,
                    stride,
                    padding,
                    groups,
                }
            }
        },
    );
    let shape = if view.shape.len() == 3 {
        vec![1, outputs, columns]
    } else {
        vec![1, outputs, rows, columns]
    };
    Ok(whole(graph, shape))
}

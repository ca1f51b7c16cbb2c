//! Operators that become layers.

use decode::architecture::Activation;

use super::super::error::ImportError;
use super::constant::Constant;
use super::linear::{gemm, matmul};
use super::lowering::{Lowering, View};
use super::maps::convolved;
use super::node::{Node, decimal};
use super::proto::DataType;
use super::resize;
use super::scaling::{affine, batch_norm};
use super::unsupported::flowing;

/// Turns a node with one flowing input, its `place`-th, into layers.
pub fn layer(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    place: usize,
    constants: &[Option<&Constant>],
) -> Result<View, ImportError> {
    let second = constants.get(1).copied().flatten();
    let other = constants.get(1 - place.min(1)).copied().flatten();
    match (node.operator(), place) {
        ("Relu", 0) => Ok(activation(graph, view, Activation::Relu)),
        ("Sigmoid", 0) => Ok(activation(graph, view, Activation::Sigmoid)),
        ("Tanh", 0) => Ok(activation(graph, view, Activation::Tanh)),
        ("Softplus", 0) => Ok(activation(graph, view, Activation::Softplus)),
        ("LeakyRelu", 0) => {
            let slope = decimal(node.float("alpha"));
            Ok(activation(graph, view, Activation::LeakyRelu { slope }))
        }
        ("Elu", 0) => {
            let alpha = decimal(node.float("alpha"));
            Ok(activation(graph, view, Activation::Elu { alpha }))
        }
        ("PRelu", 0) => match second.map(Constant::floats).as_deref() {
            Some([slope]) => {
                let slope = decimal(*slope);
                Ok(activation(graph, view, Activation::LeakyRelu { slope }))
            }
            _ => Err(node.error("only one slope for all maps is read; use leaky ReLU")),
        },
        ("Clip", 0) => clip(graph, node, view, constants),
        ("Cast", 0) => {
            let to = i32::try_from(node.int("to")).map(DataType::try_from);
            match to {
                Ok(Ok(kind)) if kind.is_float() => Ok(view.clone()),
                _ => {
                    Err(node.error("values that flow can be cast to float only; export in float32"))
                }
            }
        }
        ("Gemm", 0) => gemm(graph, node, view, constants),
        ("MatMul", 0) => match second {
            Some(weight) => matmul(graph, node, view, weight),
            None => Err(node.error("its weight is missing")),
        },
        ("Conv", 0) => convolved(graph, node, view, constants, false),
        ("ConvTranspose", 0) => convolved(graph, node, view, constants, true),
        ("BatchNormalization", 0) => batch_norm(graph, node, view, constants),
        ("Resize" | "Upsample", 0) => resize::resized(node, view, constants),
        ("Add" | "Sub" | "Mul" | "Div", 0 | 1) => match other {
            Some(constant) => affine(graph, node, view, constant, place == 1),
            None => Err(node.error("an input is missing")),
        },
        _ => Err(flowing(node)),
    }
}

fn activation(graph: &mut Lowering, view: &View, function: Activation) -> View {
    graph.builder.activation(function);
    graph.stage += 1;
    View {
        stage: graph.stage,
        ..view.clone()
    }
}

fn clip(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    constants: &[Option<&Constant>],
) -> Result<View, ImportError> {
    let end = |nth: usize, name: &str, unless_set: f32| {
        let input = constants.get(nth).copied().flatten();
        let input = input.and_then(|c| c.floats().first().copied());
        let attribute = || node.given(name).and_then(|a| a.f);
        input.or_else(attribute).unwrap_or(unless_set)
    };
    let (min, max) = (end(1, "min", f32::MIN), end(2, "max", f32::MAX));
    match (min == 0.0, min <= f32::MIN, max >= f32::MAX) {
        (true, _, true) => Ok(activation(graph, view, Activation::Relu)),
        (_, true, true) => Ok(view.clone()),
        _ => Err(flowing(node)),
    }
}

//! Operators that become layers.

use decode::architecture::Activation;

use super::super::error::ImportError;
use super::constant::Constant;
use super::linear::{gemm, matmul};
use super::lower::{Lowering, View};
use super::maps::convolved;
use super::node::Node;
use super::proto::DataType;
use super::resize;
use super::scaling::{affine, batch_norm};

/// What is said of an operator that no layer here can compute.
pub fn unknown(node: Node) -> ImportError {
    let advice = match node.0.op_type.as_str() {
        "RandomNormal" | "RandomNormalLike" | "RandomUniform" | "RandomUniformLike"
        | "Bernoulli" | "Multinomial" => {
            "it draws random numbers, and the same dials must always give the same instance; export the decoder alone, without the sampling of z, with noise as fixed buffers"
        }
        "Loop" | "Scan" | "If" => {
            "its steps are not fixed; export with fixed shapes (dynamo=True, without dynamic axes but the batch), so that loops are written out"
        }
        "NonZero" | "Unique" | "TopK" | "NonMaxSuppression" | "Compress" => {
            "the size of what it gives depends on values, and an instance has one shape; decode to all values, without picking some"
        }
        "Attention" | "MultiHeadAttention" | "RotaryEmbedding" => {
            "export with an opset of 18 to 22, which write it as products of matrices"
        }
        "QuantizeLinear" | "DequantizeLinear" | "QLinearConv" | "QLinearMatMul" => {
            "export the decoder before it is quantised; `redial models compress` makes it smaller afterwards"
        }
        "GridSample" | "AffineGrid" => {
            "sample at fixed places with interpolate, or with a product with a fixed matrix"
        }
        "RNN" => "use a GRU or an LSTM",
        _ if !node.0.domain.is_empty() => {
            "it is no operator of ONNX itself; export with dynamo=False, or with optimisation"
        }
        _ => {
            "docs/bring-your-own-model.md lists the operators that are read; write it with these, or with an older opset (18), and export again"
        }
    };
    node.error(format!("this operator cannot be computed here: {advice}"))
}

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
    match (node.0.op_type.as_str(), place) {
        ("Relu", 0) => Ok(activation(graph, view, Activation::Relu)),
        ("Sigmoid", 0) => Ok(activation(graph, view, Activation::Sigmoid)),
        ("Tanh", 0) => Ok(activation(graph, view, Activation::Tanh)),
        ("Softplus", 0) => Ok(activation(graph, view, Activation::Softplus)),
        ("LeakyRelu", 0) => {
            let slope = decimal(node.float("alpha", 0.01));
            Ok(activation(graph, view, Activation::LeakyRelu { slope }))
        }
        ("Elu", 0) => {
            let alpha = decimal(node.float("alpha", 1.0));
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
            let to = i32::try_from(node.int("to", 0)).map(DataType::try_from);
            match to {
                Ok(Ok(DataType::Float | DataType::Double)) => Ok(view.clone()),
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
        _ => Err(unknown(node)),
    }
}

/// The number that was meant: 0.2 rather than the nearest f32 written with 17 digits.
pub fn decimal(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
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
        input.unwrap_or_else(|| node.float(name, unless_set))
    };
    let (min, max) = (end(1, "min", f32::MIN), end(2, "max", f32::MAX));
    match (min == 0.0, min <= f32::MIN, max >= f32::MAX) {
        (true, _, true) => Ok(activation(graph, view, Activation::Relu)),
        (_, true, true) => Ok(view.clone()),
        _ => Err(unknown(node)),
    }
}

/// The view of what the last layer gives, all of it in its own order.
pub fn whole(graph: &mut Lowering, shape: Vec<usize>) -> View {
    graph.stage += 1;
    View {
        shape,
        places: None,
        stage: graph.stage,
    }
}

/// What a layer made of this node is called: after its weight, else after the node.
pub fn name(node: Node) -> String {
    let weight = node
        .0
        .input
        .get(1)
        .and_then(|name| name.strip_suffix(".weight"));
    if let Some(weight) = weight {
        return weight.to_owned();
    }
    let mut parts = node.0.name.split('/').filter(|part| !part.is_empty()).rev();
    let last = parts.next().unwrap_or_default();
    // PyTorch and TensorFlow call nodes MODULE/OPERATION.
    parts.next().unwrap_or(last).to_owned()
}

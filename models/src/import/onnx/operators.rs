//! Operators that become layers.

use super::super::builder::Places;
use super::super::error::ImportError;
use super::arithmetic::{broadcast, stretched};
use super::constant::{Beside, Constant, Data};
use super::lower::{Lowering, View};
use super::moves::volume;
use super::node::Node;
use super::proto::DataType;
use super::{convolution, resize};
use crate::architecture::{Activation, Flow, Layer};

/// The value of a `Constant` node.
pub fn constant(node: Node, beside: Beside) -> Result<Constant, ImportError> {
    let attribute = node.0.attribute.first();
    let attribute = attribute.ok_or_else(|| node.error("it holds no value"))?;
    Ok(match (attribute.name.as_str(), &attribute.t) {
        (_, Some(tensor)) => {
            Constant::read(tensor, beside).map_err(|error| node.error(error.to_string()))?
        }
        ("value_int", _) => Constant {
            shape: Vec::new(),
            data: Data::Ints(vec![attribute.i.unwrap_or(0)]),
        },
        ("value_float", _) => Constant {
            shape: Vec::new(),
            data: Data::Floats(vec![attribute.f.unwrap_or(0.0)]),
        },
        ("value_ints", _) => Constant::ints(attribute.ints.clone()),
        ("value_floats", _) => Constant {
            shape: vec![attribute.floats.len()],
            data: Data::Floats(attribute.floats.clone()),
        },
        (other, _) => return Err(node.error(format!("a constant given as {other:?} is not read"))),
    })
}

/// The sizes that a `Shape` node gives.
pub fn shape(node: Node, shape: &[usize]) -> Result<Constant, ImportError> {
    let sizes: Vec<i64> = shape
        .iter()
        .filter_map(|&n| i64::try_from(n).ok())
        .collect();
    let place = |at: i64| {
        let rank = i64::try_from(sizes.len()).unwrap_or(0);
        let at = if at < 0 { at.saturating_add(rank) } else { at };
        usize::try_from(at.clamp(0, rank)).unwrap_or(0)
    };
    let (start, end) = (
        place(node.int("start", 0)),
        place(node.int("end", i64::MAX)),
    );
    Ok(Constant::ints(
        sizes.get(start..end).unwrap_or_default().to_vec(),
    ))
}

/// What is said of an operator that no layer here can compute.
pub fn unknown(node: Node) -> ImportError {
    let advice = match node.0.op_type.as_str() {
        "LayerNormalization" | "InstanceNormalization" | "GroupNormalization" => {
            "use batch normalisation"
        }
        "Gelu" | "Erf" | "Mish" | "Selu" | "Celu" | "HardSwish" | "HardSigmoid" | "Clip" => {
            "use ReLU, leaky ReLU, ELU, softplus, tanh or sigmoid"
        }
        "DepthToSpace" => "use a transposed convolution, or nearest upsampling and a convolution",
        "MaxPool" | "AveragePool" | "GlobalAveragePool" => {
            "export the decoder alone, without the encoder"
        }
        "RandomNormal" | "RandomNormalLike" => {
            "export the decoder alone, without the sampling of z"
        }
        _ if !node.0.domain.is_empty() => {
            "it is no operator of ONNX itself; export with dynamo=False, or with optimisation"
        }
        _ => {
            "known are Gemm, MatMul, Add, Sub, Mul, Div, Conv, ConvTranspose, BatchNormalization, Relu, LeakyRelu, PRelu, Sigmoid, Tanh, Elu, Softplus, Resize and Upsample (nearest), and what moves values: Reshape, Flatten, Transpose, Squeeze, Unsqueeze, Tile, Slice, Gather"
        }
    };
    node.error(format!("this operator cannot be computed here; {advice}"))
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
fn decimal(value: f32) -> f64 {
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
fn whole(graph: &mut Lowering, shape: Vec<usize>) -> View {
    graph.stage += 1;
    View {
        shape,
        places: None,
        stage: graph.stage,
    }
}

fn gemm(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    constants: &[Option<&Constant>],
) -> Result<View, ImportError> {
    let Some(weight) = constants.get(1).copied().flatten() else {
        return Err(node.error("its weight is missing"));
    };
    let ([1, inputs], [rows, columns], 0) =
        (&view.shape[..], &weight.shape[..], node.int("transA", 0))
    else {
        return Err(node.error(format!(
            "it is fed a value of shape {:?} with a weight of shape {:?}; a vector and a matrix are read",
            view.shape, weight.shape
        )));
    };
    let transposed = node.int("transB", 0) == 1;
    let (takes, outputs) = if transposed {
        (*columns, *rows)
    } else {
        (*rows, *columns)
    };
    if takes != *inputs {
        return Err(node.error(format!("its weight takes {takes} values and gets {inputs}")));
    }
    let alpha = node.float("alpha", 1.0);
    let beta = node.float("beta", 1.0);
    let mut values = matrix(weight, transposed);
    values.iter_mut().for_each(|v| *v *= alpha);
    let bias = constants.get(2).copied().flatten().map(|bias| {
        let target = [1, outputs];
        if broadcast(&bias.shape, &target).as_deref() != Some(&target[..]) {
            return Err(node.error(format!(
                "a bias of shape {:?} for {outputs} values",
                bias.shape
            )));
        }
        let values = bias.floats();
        Ok(stretched(&bias.shape, &target)
            .into_iter()
            .map(|i| values[i] * beta)
            .collect())
    });
    dense(graph, node, view, &values, bias.transpose()?, outputs)?;
    Ok(whole(graph, vec![1, outputs]))
}

/// The weight as `[outputs, inputs]`.
fn matrix(weight: &Constant, transposed: bool) -> Vec<f32> {
    let values = weight.floats();
    match weight.shape[..] {
        [inputs, outputs] if !transposed => (0..outputs)
            .flat_map(|o| (0..inputs).map(move |i| i * outputs + o))
            .map(|at| values[at])
            .collect(),
        _ => values,
    }
}

fn dense(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    weight: &[f32],
    bias: Option<Vec<f32>>,
    outputs: usize,
) -> Result<(), ImportError> {
    if outputs == 0 {
        return Err(node.error("it gives nothing"));
    }
    let name = name(node);
    let made = graph.builder.dense(&name, weight, bias, &view.places);
    made.map_err(|problem| node.error(problem))
}

fn matmul(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    weight: &Constant,
) -> Result<View, ImportError> {
    let (Some((&inputs, before)), [takes, outputs]) = (view.shape.split_last(), &weight.shape[..])
    else {
        return Err(node.error(format!("a weight of shape {:?} is not read", weight.shape)));
    };
    if *takes != inputs || before.iter().any(|&n| n != 1) {
        return Err(node.error(format!(
            "it is fed a value of shape {:?} with a weight of shape {:?}; a vector and a matrix are read (for a layer on every pixel use a 1×1 convolution)",
            view.shape, weight.shape
        )));
    }
    dense(graph, node, view, &matrix(weight, false), None, *outputs)?;
    let shape = before.iter().copied().chain([*outputs]).collect();
    Ok(whole(graph, shape))
}

fn convolved(
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
    let (kernel, stride, padding) = (conv.kernel, conv.stride, conv.padding);
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
                }
            } else {
                Layer::Conv {
                    name,
                    inputs,
                    outputs,
                    kernel,
                    stride,
                    padding,
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

fn batch_norm(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    constants: &[Option<&Constant>],
) -> Result<View, ImportError> {
    if node.int("training_mode", 0) == 1 {
        return Err(node.error("it is in training mode; call model.eval() before the export"));
    }
    let [1, channels, ..] = view.shape[..] else {
        return Err(node.error(format!("a value of shape {:?} is not read", view.shape)));
    };
    let mut parts: [Vec<f32>; 4] = Default::default();
    for (i, part) in parts.iter_mut().enumerate() {
        *part = constants
            .get(i + 1)
            .copied()
            .flatten()
            .map(Constant::floats)
            .filter(|values| values.len() == channels)
            .ok_or_else(|| node.error(format!("it needs four constants of {channels} values")))?;
    }
    let eps = decimal(node.float("epsilon", 1e-5));
    if parts[3].iter().any(|&v| f64::from(v) + eps <= 0.0) {
        return Err(node.error("it holds a variance that is not positive"));
    }
    let natural = view.places.is_none() && graph.builder.channels() == channels;
    let per_map = matches!(graph.builder.flow(), Flow::Maps { .. }) == (view.shape.len() > 2);
    if natural && per_map {
        graph.builder.batch_norm(&name(node), parts, eps);
        graph.stage += 1;
        return Ok(View {
            stage: graph.stage,
            ..view.clone()
        });
    }
    // As scale and shift it can go wherever the values are.
    let [weight, bias, mean, variance] = parts;
    let scale: Vec<f64> = weight
        .iter()
        .zip(&variance)
        .map(|(&w, &v)| f64::from(w) / (f64::from(v) + eps).sqrt())
        .collect();
    let shift: Vec<f64> = bias
        .iter()
        .zip(&mean)
        .zip(&scale)
        .map(|((&b, &m), s)| f64::from(b) - f64::from(m) * s)
        .collect();
    let inner: usize = view.shape[2..].iter().product();
    let spread = |values: &[f64]| -> Vec<f64> {
        values
            .iter()
            .flat_map(|&v| std::iter::repeat_n(v, inner))
            .collect()
    };
    scaled(graph, node, view, &spread(&scale), &spread(&shift))
}

/// y = x ∘ constant, or constant ∘ x where `reversed`.
fn affine(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    constant: &Constant,
    reversed: bool,
) -> Result<View, ImportError> {
    // Spreading a vector over more axes is the one way in which this could change the shape.
    let shape = broadcast(&view.shape, &constant.shape)
        .filter(|shape| volume(shape).is_some() && volume(shape) == volume(&view.shape))
        .ok_or_else(|| {
            node.error(format!(
                "a value of shape {:?} and a constant of shape {:?} do not fit",
                view.shape, constant.shape
            ))
        })?;
    let values = constant.floats();
    let each = stretched(&constant.shape, &shape)
        .into_iter()
        .map(|i| f64::from(values[i]));
    let (scale, shift): (Vec<f64>, Vec<f64>) = match (node.0.op_type.as_str(), reversed) {
        ("Add", _) => each.map(|c| (1.0, c)).unzip(),
        ("Sub", false) => each.map(|c| (1.0, -c)).unzip(),
        ("Sub", true) => each.map(|c| (-1.0, c)).unzip(),
        ("Mul", _) => each.map(|c| (c, 0.0)).unzip(),
        (_, false) => each.map(|c| (1.0 / c, 0.0)).unzip(),
        (_, true) => return Err(node.error("dividing by a value that flows is not read")),
    };
    if !scale.iter().all(|s| s.is_finite()) {
        return Err(node.error("it divides by zero"));
    }
    let view = View {
        shape,
        ..view.clone()
    };
    scaled(graph, node, &view, &scale, &shift)
}

/// Scales and shifts every value of a view.
fn scaled(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    scale: &[f64],
    shift: &[f64],
) -> Result<View, ImportError> {
    let pairs = in_channels(graph.builder.flow(), &view.places, scale, shift);
    let Some(pairs) = pairs else {
        return Err(node.error(
            "its constants differ within a map; only one number for all, or one for each map, is read",
        ));
    };
    let (scale, shift): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    graph.builder.affine(&name(node), &scale, &shift);
    graph.stage += 1;
    Ok(View {
        stage: graph.stage,
        ..view.clone()
    })
}

/// Scale and shift of each channel of what flows; `None` if a channel would need two.
#[allow(clippy::float_cmp)] // the same constant, at another place
fn in_channels(
    flow: Flow,
    places: &Places,
    scale: &[f64],
    shift: &[f64],
) -> Option<Vec<(f64, f64)>> {
    let (channels, inner) = match flow {
        Flow::Flat(n) => (n, 1),
        Flow::Maps {
            channels,
            height,
            width,
        } => (channels, height * width),
    };
    let mut pairs: Vec<Option<(f64, f64)>> = vec![None; channels];
    for (i, pair) in scale.iter().copied().zip(shift.iter().copied()).enumerate() {
        let place = places.as_ref().map_or(i, |places| places[i]);
        match pairs.get_mut(place / inner)? {
            Some(held) if *held != pair => return None,
            slot => *slot = Some(pair),
        }
    }
    // A channel that nothing uses stays as it is.
    Some(
        pairs
            .into_iter()
            .map(|pair| pair.unwrap_or((1.0, 0.0)))
            .collect(),
    )
}

/// What a layer made of this node is called: after its weight, else after the node.
fn name(node: Node) -> String {
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

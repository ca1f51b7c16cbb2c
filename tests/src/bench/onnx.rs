//! A card's layers as an ONNX file, for engines that read nothing else.

use anyhow::{Context, Result, bail};
use import::onnx::proto::{
    AttributeKind, AttributeProto, DataType, DimensionProto, GraphProto, IR_VERSION, ModelProto,
    NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto, TensorTypeProto, TypeProto,
    ValueInfoProto,
};
use models::architecture::{Activation, Layer, Padding};
use models::weights::Tensors;
use prost::Message as _;

/// Operators are meant as in this version of ONNX's set.
const OPSET: i64 = 20;
/// Name of the one input, `[1, inputs]`.
pub const INPUT: &str = "z";
/// Name of the one output.
pub const OUTPUT: &str = "x";

/// Writes a decoder of these layers that takes `inputs` numbers. Maps come out channels first.
///
/// # Errors
/// On a layer that no decoder measured so far has, and on a tensor that is missing.
pub fn write(layers: &[Layer], tensors: &Tensors, inputs: usize) -> Result<Vec<u8>> {
    let mut graph = empty(inputs);
    let mut x = INPUT.to_owned();
    for (at, layer) in layers.iter().enumerate() {
        x = add(&mut graph, &x, at, layer, tensors).with_context(|| format!("layer {at}"))?;
    }
    let rank = if flat_at_the_end(layers) { 2 } else { 4 };
    file(graph, &vec![None; rank])
}

/// The graph of a decoder that takes `inputs` numbers, without nodes.
pub fn empty(inputs: usize) -> GraphProto {
    GraphProto {
        name: "decoder".to_owned(),
        input: vec![value(INPUT, &[Some(1), Some(inputs)])],
        ..GraphProto::default()
    }
}

/// A file of the graph, whose last node gives the instance, with these sizes as far as they are said.
///
/// # Errors
/// When the graph has no node.
pub fn file(mut graph: GraphProto, sizes: &[Option<usize>]) -> Result<Vec<u8>> {
    let last = graph.node.last_mut().context("a decoder has layers")?;
    last.output = vec![OUTPUT.to_owned()];
    graph.output = vec![value(OUTPUT, sizes)];
    let model = ModelProto {
        ir_version: IR_VERSION,
        producer_name: "redial".to_owned(),
        graph: Some(graph),
        opset_import: vec![OperatorSetIdProto {
            domain: String::new(),
            version: OPSET,
        }],
        ..ModelProto::default()
    };
    Ok(model.encode_to_vec())
}

fn geometry(kernel: usize, stride: usize, padding: Padding, groups: usize) -> Vec<AttributeProto> {
    let pads = [padding.top, padding.left, padding.bottom, padding.right];
    vec![
        ints("kernel_shape", [whole(kernel); 2].to_vec()),
        ints("strides", [whole(stride); 2].to_vec()),
        ints("pads", pads.map(i64::from).to_vec()),
        int("group", whole(groups)),
    ]
}

/// Adds a layer's nodes and constants; returns the name of what it gives.
fn add(
    graph: &mut GraphProto,
    x: &str,
    at: usize,
    layer: &Layer,
    tensors: &Tensors,
) -> Result<String> {
    for (name, _) in layer.tensors() {
        let (shape, values) = tensors.get(&name).with_context(|| name.clone())?;
        let raw_data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        graph
            .initializer
            .push(constant(&name, DataType::Float, shape, raw_data));
    }
    let names: Vec<String> = layer.tensors().into_iter().map(|(name, _)| name).collect();
    let mut node = match layer {
        Layer::Dense { .. } => node("Gemm", vec![int("transB", 1)]),
        Layer::Conv {
            kernel,
            stride,
            padding,
            groups,
            ..
        } => node("Conv", geometry(*kernel, *stride, *padding, *groups)),
        Layer::ConvTranspose {
            kernel,
            stride,
            padding,
            groups,
            ..
        } => node(
            "ConvTranspose",
            geometry(*kernel, *stride, *padding, *groups),
        ),
        Layer::Upsample { scale } => {
            let scales = format!("scales{at}");
            let values = [1.0, 1.0, *scale as f32, *scale as f32];
            let raw_data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            graph
                .initializer
                .push(constant(&scales, DataType::Float, &[4], raw_data));
            let attributes = vec![
                text("mode", "nearest"),
                text("nearest_mode", "floor"),
                text("coordinate_transformation_mode", "asymmetric"),
            ];
            let mut resize = node("Resize", attributes);
            // No region of interest.
            resize.input.extend([String::new(), scales]);
            resize
        }
        Layer::BatchNorm { eps, .. } => node("BatchNormalization", vec![float("epsilon", *eps)]),
        Layer::Reshape {
            channels,
            height,
            width,
            channels_last: false,
        } => {
            let shape = format!("shape{at}");
            let sizes = [1, *channels, *height, *width];
            let raw_data = sizes.iter().flat_map(|&n| whole(n).to_le_bytes()).collect();
            graph
                .initializer
                .push(constant(&shape, DataType::Int64, &[4], raw_data));
            let mut reshape = node("Reshape", Vec::new());
            reshape.input.push(shape);
            reshape
        }
        Layer::Flatten {
            channels_last: false,
        } => node("Flatten", Vec::new()),
        Layer::Activation { function } => activation(*function),
        other => bail!(
            "no decoder measured so far has a layer '{}' of this kind",
            other.kind()
        ),
    };
    node.input.insert(0, x.to_owned());
    node.input.extend(names);
    let output = format!("x{at}");
    node.output = vec![output.clone()];
    graph.node.push(node);
    Ok(output)
}

fn activation(function: Activation) -> NodeProto {
    match function {
        Activation::Relu => node("Relu", Vec::new()),
        Activation::LeakyRelu { slope } => node("LeakyRelu", vec![float("alpha", slope)]),
        Activation::Sigmoid => node("Sigmoid", Vec::new()),
        Activation::Tanh => node("Tanh", Vec::new()),
        Activation::Elu { alpha } => node("Elu", vec![float("alpha", alpha)]),
        Activation::Softplus => node("Softplus", Vec::new()),
    }
}

fn flat_at_the_end(layers: &[Layer]) -> bool {
    let turn = |layer: &&Layer| matches!(layer, Layer::Reshape { .. } | Layer::Flatten { .. });
    !matches!(layers.iter().rev().find(turn), Some(Layer::Reshape { .. }))
}

/// A node that reads and gives nothing yet.
pub fn node(operator: &str, attribute: Vec<AttributeProto>) -> NodeProto {
    NodeProto {
        op_type: operator.to_owned(),
        attribute,
        ..NodeProto::default()
    }
}

/// A whole number.
pub fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        i: Some(value),
        kind: AttributeKind::Int.into(),
        ..AttributeProto::default()
    }
}

/// Several whole numbers.
pub fn ints(name: &str, values: Vec<i64>) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        ints: values,
        kind: AttributeKind::Ints.into(),
        ..AttributeProto::default()
    }
}

/// A number in single precision.
pub fn float(name: &str, value: f64) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        f: Some(value as f32),
        kind: AttributeKind::Float.into(),
        ..AttributeProto::default()
    }
}

/// A word.
pub fn text(name: &str, value: &str) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        s: Some(value.as_bytes().to_vec()),
        kind: AttributeKind::String.into(),
        ..AttributeProto::default()
    }
}

/// A tensor of this type and shape, with its values as little-endian bytes.
pub fn constant(name: &str, kind: DataType, shape: &[usize], raw_data: Vec<u8>) -> TensorProto {
    TensorProto {
        name: name.to_owned(),
        dims: shape.iter().map(|&n| whole(n)).collect(),
        data_type: kind.into(),
        raw_data,
        ..TensorProto::default()
    }
}

/// A tensor of single precision with these sizes, as far as they are said.
fn value(name: &str, sizes: &[Option<usize>]) -> ValueInfoProto {
    let dim = sizes.iter().map(|size| DimensionProto {
        dim_value: size.map(whole),
        dim_param: None,
    });
    ValueInfoProto {
        name: name.to_owned(),
        r#type: Some(TypeProto {
            tensor_type: Some(TensorTypeProto {
                elem_type: DataType::Float.into(),
                shape: Some(TensorShapeProto { dim: dim.collect() }),
            }),
        }),
    }
}

/// A size as ONNX has it. Sizes on a card are checked to be far below its limit.
pub fn whole(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

//! Graphs by plans and kernels against the same on candle, one operation after the other. Many
//! more, over all operators, are compared with ONNX Runtime in `models/import/tests`.
#![allow(clippy::unwrap_used)]

use candle_layers::GraphNetwork;
use candle_layers::graph::{Backend, as_stored};
use decode::architecture::graph::{GraphNode, Operation, PairFunction};
use decode::architecture::{Activation, Graph, Layer, Padding};
use decode::weights::Tensors;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CHANNELS: usize = 16;
const SIDE: usize = 4;
const PIXELS: usize = SIDE * SIDE;

fn node(name: &str, of: &[&str], operation: Operation) -> GraphNode {
    GraphNode {
        name: name.to_owned(),
        of: of.iter().map(|&name| name.to_owned()).collect(),
        operation,
    }
}

fn pair(name: &str, function: PairFunction, of: [&str; 2]) -> GraphNode {
    node(name, &of, Operation::Pair { function })
}

fn reshape(name: &str, of: &str, shape: &[usize]) -> GraphNode {
    let shape = shape.to_vec();
    node(name, &[of], Operation::Reshape { shape })
}

fn transpose(name: &str, of: &str, order: &[usize]) -> GraphNode {
    let order = order.to_vec();
    node(name, &[of], Operation::Transpose { order })
}

/// A convolution that keeps the sides.
fn conv(name: &str) -> Layer {
    Layer::Conv {
        name: name.to_owned(),
        inputs: CHANNELS,
        outputs: CHANNELS,
        kernel: 3,
        stride: 1,
        padding: Padding::all(1),
        groups: 1,
    }
}

/// A block with a group norm and a gate, then attention over pixels.
fn graph() -> Graph {
    let maps = [1, CHANNELS, SIDE, SIDE];
    let to_maps = Layer::Reshape {
        channels: CHANNELS,
        height: SIDE,
        width: SIDE,
        channels_last: false,
    };
    let flat = Layer::Flatten {
        channels_last: false,
    };
    let dense = Layer::Dense {
        name: "fc".to_owned(),
        inputs: 3,
        outputs: CHANNELS * PIXELS,
    };
    let layers = |layers: Vec<Layer>| Operation::Layers {
        layers,
        shape: maps.to_vec(),
    };
    let first = layers(vec![dense, to_maps.clone(), conv("a"), flat.clone()]);
    let second = layers(vec![to_maps, conv("b"), flat]);
    let of_channels = || Operation::Constant {
        shape: vec![CHANNELS, 1, 1],
    };
    let function = Activation::Sigmoid;
    Graph {
        nodes: vec![
            node("maps", &["z"], first),
            reshape("groups", "maps", &[4, CHANNELS * PIXELS / 4]),
            node(
                "norm",
                &["groups"],
                Operation::Normalise { last: 1, eps: 1e-5 },
            ),
            reshape("back", "norm", &maps),
            node("weight", &[], of_channels()),
            node("bias", &[], of_channels()),
            pair("scaled", PairFunction::Multiply, ["back", "weight"]),
            pair("shifted", PairFunction::Add, ["bias", "scaled"]),
            node("gate", &["shifted"], Operation::Activation { function }),
            pair("silu", PairFunction::Multiply, ["shifted", "gate"]),
            node("inner", &["silu"], second),
            pair("sum", PairFunction::Add, ["maps", "inner"]),
            reshape("columns", "sum", &[1, CHANNELS, PIXELS]),
            transpose("tokens", "columns", &[0, 2, 1]),
            node("scores", &["tokens", "columns"], Operation::MatMul),
            node("shares", &["scores"], Operation::Softmax { axis: 2 }),
            node("mixed", &["shares", "tokens"], Operation::MatMul),
            transpose("turned", "mixed", &[0, 2, 1]),
            pair("all", PairFunction::Subtract, ["columns", "turned"]),
            reshape("flat", "all", &[CHANNELS, PIXELS]),
            transpose("pixels", "flat", &[1, 0]),
        ],
        output: "pixels".to_owned(),
    }
}

#[test]
fn maps_stay_channels_last_from_the_first_plan_to_the_picture() {
    let graph = graph();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut tensors = Tensors::new();
    for (name, shape) in graph.nodes.iter().flat_map(GraphNode::tensors) {
        let count = shape.iter().product();
        let values = (0..count).map(|_| rng.random_range(-0.2..0.2f32)).collect();
        tensors.insert(name, (shape, values));
    }
    let network = |with_kernels| {
        GraphNetwork::new(&graph, 3, &as_stored(&tensors), &tensors, with_kernels).unwrap()
    };
    let (ours, candle) = (network(true), network(false));
    for z in [[0.3, -1.2, 2.0], [-0.1, 0.0, 1.0]] {
        let (found, expected) = (ours.decode(&z).unwrap(), candle.decode(&z).unwrap());
        assert_eq!(found.len(), CHANNELS * PIXELS);
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-5, "{found} is not {expected}");
        }
        // The same again, from memory that was used before.
        assert_eq!(ours.decode(&z).unwrap(), found);
    }
    let steps: Vec<(&str, Backend)> = ours
        .timed(&[0.0; 3])
        .unwrap()
        .iter()
        .map(|step| (step.operation, step.backend))
        .collect();
    // The norm takes its scale and shift; nothing is moved to another order.
    let expected = [
        ("layers", Backend::Plan),
        ("normalise", Backend::Kernel),
        ("map", Backend::Kernel),
        ("layers", Backend::Plan),
        ("pair", Backend::Kernel),
        ("mat_mul", Backend::Kernel),
        ("softmax", Backend::Kernel),
        ("mat_mul", Backend::Kernel),
        ("pair", Backend::Kernel),
    ];
    assert_eq!(steps, expected);
    let on_candle = candle.timed(&[0.0; 3]).unwrap();
    assert!(on_candle.iter().all(|step| step.backend == Backend::Candle));
}

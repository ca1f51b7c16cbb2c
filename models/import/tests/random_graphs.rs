//! Every operator that is read, in every version of it, and random graphs over them compute what
//! ONNX Runtime computes.
//!
//! The fixtures are made by `opsets.py` and `random_graphs.py`; the long test has the latter draw five
//! hundred more.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use candle_layers::GraphNetwork;
use candle_layers::graph::as_stored;
use decode::architecture::graph::{GraphNode, Operation};
use decode::architecture::{Architecture, Graph};
use domain::model::InstanceShape;
use import::onnx::proto::ModelProto;
use import::{Layout, onnx};
use prost::Message as _;

/// Largest difference, as a share of max(1, |value|).
const TOLERANCE: f64 = 1e-5;

/// A graph, and what ONNX Runtime makes of an input.
struct Drawn<'a> {
    onnx: &'a [u8],
    input: Vec<f32>,
    output: Vec<f32>,
}

fn drawn(mut bytes: &[u8]) -> Vec<Drawn<'_>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let (head, rest) = bytes.split_at(12);
        let number =
            |i: usize| u32::from_le_bytes(head[4 * i..4 * i + 4].try_into().unwrap()) as usize;
        let (onnx, rest) = rest.split_at(number(0));
        let (input, rest) = rest.split_at(4 * number(1));
        let (output, rest) = rest.split_at(4 * number(2));
        let floats = |bytes: &[u8]| {
            let each = bytes.chunks_exact(4);
            each.map(|b| f32::from_le_bytes(b.try_into().unwrap()))
                .collect()
        };
        all.push(Drawn {
            onnx,
            input: floats(input),
            output: floats(output),
        });
        bytes = rest;
    }
    all
}

/// What is decoded here from the graph, with plans or all on candle.
fn decoded(drawn: &Drawn, with_plans: bool) -> Result<Vec<f32>, String> {
    let exported = onnx::read(drawn.onnx, &|_| Err("there is none".to_owned()), None)
        .map_err(|error| error.to_string())?;
    let points = drawn.output.len();
    let layout = Layout::of(
        exported.shape(),
        Some(InstanceShape::series(points, 1)),
        None,
    )
    .map_err(|error| error.to_string())?;
    let width = exported.width();
    let (architecture, tensors) = exported
        .into_architecture(&layout)
        .map_err(|error| error.to_string())?;
    let graph = match architecture {
        Architecture::Graph(graph) => graph,
        Architecture::Sequential { layers } => Graph {
            nodes: vec![GraphNode {
                name: "x".to_owned(),
                of: vec!["z".to_owned()],
                operation: Operation::Layers {
                    layers,
                    shape: vec![points],
                },
            }],
            output: "x".to_owned(),
        },
        Architecture::ClosedForm { .. } => unreachable!("nothing is imported as a formula"),
    };
    // As a card stores it.
    let json = serde_json::to_string(&graph).unwrap();
    let graph: Graph = serde_json::from_str(&json).unwrap();
    GraphNetwork::new(&graph, width, &as_stored(&tensors), &tensors, with_plans)
        .and_then(|network| network.decode(&drawn.input))
        .map_err(|error| error.to_string())
}

/// The operators of a graph and their version.
fn told(drawn: &Drawn) -> String {
    let model = ModelProto::decode(drawn.onnx).unwrap();
    let nodes = model.graph.unwrap().node;
    let names: Vec<&str> = nodes.iter().map(|node| node.op_type.as_str()).collect();
    format!("{} of {}", names.join(" "), model.opset_import[0].version)
}

fn all_agree(bytes: &[u8], count: usize) {
    let all = drawn(bytes);
    assert_eq!(all.len(), count);
    let mut wrong = Vec::new();
    for (nth, drawn) in all.iter().enumerate() {
        for with_plans in [true, false] {
            match decoded(drawn, with_plans) {
                Err(error) => wrong.push(format!("{nth} ({}): {error}", told(drawn))),
                Ok(found) => {
                    assert_eq!(found.len(), drawn.output.len());
                    let differences = found.iter().zip(&drawn.output).map(|(&a, &b)| {
                        let (a, b) = (f64::from(a), f64::from(b));
                        (a - b).abs() / b.abs().max(1.0)
                    });
                    // What is no number is the largest difference of all.
                    let largest = differences.fold(0.0, |m, d| if d <= m { m } else { d });
                    if largest.is_nan() || largest > TOLERANCE {
                        wrong.push(format!(
                            "{nth} ({}), plans: {with_plans}: off by {largest:.2e}",
                            told(drawn)
                        ));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

#[test]
fn every_operator_in_every_version() {
    let bytes = std::fs::read(folder().join("fixtures/opsets.bin")).unwrap();
    all_agree(&bytes, 719);
}

#[test]
fn no_version_of_an_operator_is_left_out() {
    let bytes = std::fs::read(folder().join("fixtures/opsets.bin")).unwrap();
    let mut seen = Vec::new();
    for drawn in drawn(&bytes) {
        let model = ModelProto::decode(drawn.onnx).unwrap();
        let version = model.opset_import[0].version;
        let nodes = model.graph.unwrap().node.into_iter();
        seen.extend(nodes.map(|node| (node.op_type, version)));
    }
    let all: Vec<_> = onnx::operators().collect();
    for (domain, operator) in &all {
        // Branches have tests of their own, and only tf2onnx knows an Erfc.
        if ["If", "Erfc"].contains(&operator.name) {
            continue;
        }
        let newer = all.iter().map(|(_, other)| other);
        let newer = newer.filter(|o| o.name == operator.name && o.since > operator.since);
        let until = newer.map(|o| o.since).min().unwrap_or(i64::MAX);
        let (name, since) = (operator.name, operator.since);
        assert!(
            seen.iter()
                .any(|(op, version)| op == name && (since..until).contains(version)),
            "{domain} {name} of version {since} is compared with nothing"
        );
    }
}

#[test]
fn forty_graphs() {
    let bytes = std::fs::read(folder().join("fixtures/random-graphs.bin")).unwrap();
    all_agree(&bytes, 40);
}

#[test]
#[ignore = "runs Python with numpy, onnx and onnxruntime"]
fn five_hundred_graphs() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let drawn = Command::new(python)
        .arg(folder().join("random_graphs.py"))
        .args(["500", "2"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&drawn.stderr);
    assert!(drawn.status.success(), "{said}");
    println!("{said}");
    all_agree(&drawn.stdout, 500);
}

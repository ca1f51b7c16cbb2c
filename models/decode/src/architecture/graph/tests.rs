//! Graphs that cannot be computed are refused before anything is, with the node's name.

use serde_json::json;

use super::*;

/// What the last test's command prints first.
const BICUBIC: [f32; 5] = [-0.096, 0.172_000_9, 1.0, 2.908_000_2, 4.288_000_6];

fn graph(nodes: serde_json::Value, output: &str) -> Graph {
    serde_json::from_value(json!({"nodes": nodes, "output": output})).unwrap()
}

fn refused(nodes: serde_json::Value, output: &str) -> String {
    graph(nodes, output).shapes(4).unwrap_err().to_string()
}

#[test]
fn a_graph_is_written_as_it_is_read() {
    let nodes = json!([
        {"name": "maps", "of": ["z"], "operation": {"kind": "reshape", "shape": [1, 1, 2, 2]}},
        {"name": "kernel", "operation": {"kind": "constant", "shape": [3, 1, 2, 2]}},
        {"name": "conv", "of": ["maps", "kernel"], "operation": {
            "kind": "conv", "groups": 1,
            "window": {"stride": [1, 2], "dilation": [1, 1], "padding": [0, 1, 1, 1]}}},
        {"name": "gate", "of": ["conv"], "operation": {"kind": "map", "function": {"kind": "silu"}}},
        {"name": "wide", "of": ["gate"], "operation": {
            "kind": "resize", "axis": 3, "size": 5, "coordinates": "align_corners",
            "interpolation": {"kind": "linear"}}},
    ]);
    let read = graph(nodes.clone(), "wide");
    let shapes = read.shapes(4).unwrap();
    // (2 + 0 + 1 − 2) / 1 + 1 rows, (2 + 1 + 1 − 2) / 2 + 1 columns.
    assert_eq!(shapes["conv"], [1, 3, 2, 2]);
    assert_eq!(shapes["wide"], [1, 3, 2, 5]);
    let written = serde_json::to_value(&read).unwrap();
    assert_eq!(written, json!({"nodes": nodes, "output": "wide"}));
    let whole = json!({"kind": "graph", "nodes": nodes, "output": "wide"});
    let architecture: super::super::Architecture = serde_json::from_value(whole).unwrap();
    architecture.check(4, 4, 30).unwrap();
    let wrong = architecture.check(4, 4, 31).unwrap_err().to_string();
    assert!(wrong.contains("an instance has 31 values"), "{wrong}");
}

#[test]
fn names_are_of_values_before_and_of_one_value() {
    let unknown = refused(
        json!([{"name": "a", "of": ["b"], "operation": {"kind": "softmax", "axis": 0}}]),
        "a",
    );
    assert!(
        unknown.contains("node \"a\" (softmax)") && unknown.contains("\"b\""),
        "{unknown}"
    );
    let softmax = json!({"name": "a", "of": ["z"], "operation": {"kind": "softmax", "axis": 0}});
    let twice = refused(json!([softmax, softmax]), "a");
    assert!(twice.contains("another value of that name"), "{twice}");
    let output = refused(json!([softmax]), "x");
    assert!(output.contains("\"x\""), "{output}");
}

#[test]
fn what_would_take_all_memory_or_no_end_is_refused() {
    let expanded = |side: usize| json!({"name": "wide", "of": ["z"], "operation": {"kind": "expand", "shape": [side, 4]}});
    let large = refused(json!([expanded(1 << 23)]), "wide");
    assert!(large.contains("more than 16777216 values"), "{large}");
    let overflowing = refused(json!([expanded(usize::MAX)]), "wide");
    assert!(
        overflowing.contains("more than 16777216 values"),
        "{overflowing}"
    );
    let mut nodes = vec![expanded(1 << 21)];
    for i in 0..20 {
        let of = if i == 0 {
            "wide".to_owned()
        } else {
            format!("n{}", i - 1)
        };
        let map = json!({"kind": "map", "function": {"kind": "exp"}});
        nodes.push(json!({"name": format!("n{i}"), "of": [of], "operation": map}));
    }
    let many = refused(json!(nodes), "n19");
    assert!(many.contains("134217728 values are computed"), "{many}");
    let product = refused(
        json!([
            {"name": "a", "operation": {"kind": "constant", "shape": [4096, 4096]}},
            {"name": "b", "of": ["a", "a"], "operation": {"kind": "mat_mul"}},
            {"name": "c", "of": ["b", "z"], "operation": {"kind": "mat_mul"}},
        ]),
        "b",
    );
    assert!(
        product.contains("products") || product.contains("matrices"),
        "{product}"
    );
    let empty = refused(
        json!([{"name": "a", "of": ["z"], "operation": {"kind": "slice", "axis": 0, "start": 2, "length": 0}}]),
        "a",
    );
    assert!(empty.contains("empty"), "{empty}");
}

/// python3 -c "
/// import torch
/// x = torch.tensor([[[[0., 1., 4.]]]])
/// f = torch.nn.functional.interpolate
/// print(f(x, (1, 5), mode='bicubic'), f(x, (1, 5), mode='bilinear', align_corners=True))"
#[test]
fn places_are_mixed_as_in_pytorch() {
    let mixed = |interpolation: Interpolation, coordinates| -> Vec<f32> {
        let x = [0.0, 1.0, 4.0];
        let taps = interpolation.taps(coordinates, 3, 5, None);
        taps.iter()
            .map(|taps| taps.iter().map(|&(place, part)| part * x[place]).sum())
            .collect()
    };
    let cubic = Interpolation::Cubic {
        coefficient: -0.75,
        exclude_outside: false,
    };
    let near = |found: Vec<f32>, expected: [f32; 5]| {
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-5, "{found:?} is not {expected:?}");
        }
    };
    near(mixed(cubic, Coordinates::HalfPixel), BICUBIC);
    let linear = mixed(Interpolation::Linear, Coordinates::AlignCorners);
    near(linear, [0.0, 0.5, 1.0, 2.5, 4.0]);
}

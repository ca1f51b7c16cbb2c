//! Bundles with folded batch norm and weights in fewer bits decode what they did.
#![allow(clippy::unwrap_used)]

use decode::architecture::{Architecture, Layer};
use decode::weights::{self, Tensors};
use models::bundle::Bundle;
use models::card::{Card, Precision};
use quantise::{ALL_PRECISIONS, Gate, compress, sizes};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

const LAYERS: &str = r#"[
    {"layer": "dense", "name": "a", "inputs": 3, "outputs": 40},
    {"layer": "batch_norm", "name": "na", "channels": 40, "eps": 0.001},
    {"layer": "activation", "function": {"kind": "leaky_relu", "slope": 0.2}},
    {"layer": "dense", "name": "b", "inputs": 40, "outputs": 72},
    {"layer": "activation", "function": {"kind": "relu"}},
    {"layer": "reshape", "channels": 8, "height": 3, "width": 3},
    {"layer": "conv_transpose", "name": "c", "inputs": 8, "outputs": 6, "kernel": 4, "stride": 2, "padding": 1},
    {"layer": "batch_norm", "name": "nc", "channels": 6, "eps": 0.001},
    {"layer": "activation", "function": {"kind": "relu"}},
    {"layer": "conv_transpose", "name": "d", "inputs": 6, "outputs": 1, "kernel": 4, "stride": 2, "padding": 1},
    {"layer": "activation", "function": {"kind": "sigmoid"}}
]"#;

/// What was there before four bits.
const EIGHT_BITS: &[Precision] = &[Precision::Int8, Precision::F16];

struct TestBundle {
    card: Card,
    weights: Vec<u8>,
}

/// Maps of very different sizes, in groups.
const IN_GROUPS: &str = r#"[
    {"layer": "dense", "name": "a", "inputs": 3, "outputs": 144},
    {"layer": "reshape", "channels": 16, "height": 3, "width": 3},
    {"layer": "conv_transpose", "name": "c", "inputs": 16, "outputs": 32, "kernel": 4, "stride": 2, "padding": 1, "groups": 4},
    {"layer": "batch_norm", "name": "nc", "channels": 32, "eps": 0.001},
    {"layer": "conv", "name": "d", "inputs": 32, "outputs": 32, "kernel": 5, "stride": 1, "padding": 2, "groups": 32},
    {"layer": "batch_norm", "name": "nd", "channels": 32, "eps": 0.001},
    {"layer": "conv_transpose", "name": "e", "inputs": 32, "outputs": 32, "kernel": 4, "stride": 2, "padding": 1, "groups": 32},
    {"layer": "conv", "name": "f", "inputs": 32, "outputs": 1, "kernel": 1, "stride": 1, "padding": 0},
    {"layer": "activation", "function": {"kind": "sigmoid"}}
]"#;

fn made(rng: &mut impl Rng) -> TestBundle {
    made_of(LAYERS, rng)
}

fn made_of(layers: &str, rng: &mut impl Rng) -> TestBundle {
    let layers: Vec<Layer> = serde_json::from_str(layers).unwrap();
    let mut tensors = Tensors::new();
    for (name, shape) in layers.iter().flat_map(Layer::tensors) {
        let length: usize = shape.iter().product();
        // A variance is positive; the rest may be anything.
        let positive = name.ends_with("running_var");
        let values = (0..length)
            .map(|_| match rng.random::<f32>() {
                u if positive => 0.2 + u,
                u => 0.8 * (u - 0.5),
            })
            .collect();
        tensors.insert(name, (shape, values));
    }
    let weights = weights::write("weights", &tensors).unwrap();
    let dimension = json!({"kind": "continuous", "min": -2.0, "max": 2.0, "step": 0.01});
    let uniform = json!({"kind": "uniform", "min": -2.0, "max": 2.0});
    let card = json!({
        "format": 2, "name": "made", "title": "Made", "latent": vec![dimension; 3],
        "shape": {"kind": "image", "height": 12, "width": 12, "channels": 1},
        "display": {"arrangement": "apart"},
        "distance": {"kind": "bray_curtis"}, "threshold": 0.1, "skip_after_s": 30.0,
        "weights_sha256": weights::sha256_hex(&weights),
        "architecture": {"kind": "sequential", "layers": layers},
        "sampling": {"kind": "distributions", "dimensions": vec![uniform; 3]},
        "provenance": {"dataset": "random weights"}
    });
    let card = Card::from_json(card.to_string().as_bytes()).unwrap();
    TestBundle { card, weights }
}

fn bundle(card: &Card, weights: &[u8]) -> Bundle {
    let json = serde_json::to_vec(card).unwrap();
    Bundle::from_bytes(&json, Some(weights), None).unwrap()
}

#[test]
fn what_the_card_says_about_stored_weights_is_what_they_decode() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let made = made(&mut rng);
    let original = bundle(&made.card, &made.weights);
    let wide = Gate {
        value_change: Some(0.05),
        distance_change: 0.05,
        precisions: EIGHT_BITS,
    };
    let none = Gate {
        value_change: Some(0.0),
        distance_change: 0.0,
        precisions: EIGHT_BITS,
    };
    for (gate, expected_int8) in [(wide, true), (none, false)] {
        let (card, weights) =
            compress(&made.card, Some(&made.weights), &[], &gate, &mut rng).unwrap();
        let weights = weights.unwrap();
        let Architecture::Sequential { layers } = &card.architecture else {
            panic!("layers are kept");
        };
        assert!(!layers.iter().any(|l| matches!(l, Layer::BatchNorm { .. })));
        assert_eq!(
            layers
                .iter()
                .filter(|l| matches!(l, Layer::Activation { .. }))
                .count(),
            4
        );
        let small = bundle(&card, &weights);
        let mut change = 0.0f32;
        for _ in 0..300 {
            let z: Vec<f64> = (0..3).map(|_| 4.0 * rng.random::<f64>() - 2.0).collect();
            let (a, b) = (
                original.decoder().decode(&z).unwrap(),
                small.decoder().decode(&z).unwrap(),
            );
            for (x, y) in a.iter().zip(&b) {
                change = change.max((x - y).abs());
            }
        }
        match card.storage {
            Some(storage) => {
                assert!(expected_int8);
                assert!(storage.tensors.values().any(|&p| p == Precision::Int8));
                assert!(weights.len() < made.weights.len() / 2);
                assert!(
                    storage.largest_value_change > 1e-4 && storage.largest_value_change <= 0.05
                );
                // Other vectors than the gate's: a little beyond what it saw, at most.
                assert!(
                    f64::from(change) < 1.5 * storage.largest_value_change,
                    "{change}"
                );
            }
            None => {
                assert!(!expected_int8);
                assert!(change < 2e-6, "folding alone moved a pixel by {change}");
            }
        }
    }
}

/// Batch norms make the maps of every other group 900 times as large as those of the others:
/// with scales that groups share, weights of the small ones would all be zero.
#[test]
fn maps_in_groups_have_a_scale_each() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut made = made_of(IN_GROUPS, &mut rng);
    let mut tensors = weights::read("weights", &made.weights).unwrap();
    for (name, odd) in [("nc.weight", 30.0), ("nd.weight", 1.0 / 30.0)] {
        let (_, gains) = tensors.get_mut(name).unwrap();
        for (map, gain) in gains.iter_mut().enumerate() {
            *gain = if map / 8 % 2 == 1 { odd } else { 1.0 / odd };
        }
    }
    made.weights = weights::write("weights", &tensors).unwrap();
    made.card.facts.weights_sha256 = weights::sha256_hex(&made.weights);
    let gate = Gate {
        value_change: Some(0.02),
        distance_change: 0.02,
        precisions: &[Precision::Int8],
    };
    let (card, weights) = compress(&made.card, Some(&made.weights), &[], &gate, &mut rng).unwrap();
    let weights = weights.unwrap();
    let storage = card.storage.as_ref().unwrap();
    for name in ["c.weight", "d.weight", "e.weight"] {
        assert_eq!(storage.tensors.get(name), Some(&Precision::Int8), "{name}");
    }
    let stored = weights::read_stored("weights", &weights).unwrap();
    for (name, shape) in [
        ("c.weight", [16, 8, 4, 4]),
        ("d.weight", [32, 1, 5, 5]),
        ("e.weight", [32, 1, 4, 4]),
    ] {
        let (found, weights::Values::Int8 { scales, .. }) = &stored[name] else {
            panic!("whole numbers");
        };
        assert_eq!((found.as_slice(), scales.len()), (&shape[..], 32), "{name}");
    }
    // By the plan, too.
    let (original, small) = (bundle(&made.card, &made.weights), bundle(&card, &weights));
    for _ in 0..100 {
        let z: Vec<f64> = (0..3).map(|_| 4.0 * rng.random::<f64>() - 2.0).collect();
        let decoded = [&original, &small].map(|bundle| bundle.decoder().decode(&z).unwrap());
        for (a, b) in decoded[0].iter().zip(&decoded[1]) {
            assert!((a - b).abs() < 0.03, "{a} {b}");
        }
    }
}

#[test]
fn half_precision_alone_is_never_int8_and_weights_are_made_smaller_twice_at_most() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let made = made(&mut rng);
    let gate = Gate::HALF_BY_DISTANCE;
    let (card, weights) = compress(&made.card, Some(&made.weights), &[], &gate, &mut rng).unwrap();
    let storage = card.storage.as_ref().unwrap();
    assert!(storage.tensors.values().all(|&p| p == Precision::F16));
    assert!(storage.largest_distance_change <= 0.01);
    let half = weights.unwrap();
    let gate = Gate {
        value_change: Some(0.05),
        distance_change: 0.05,
        precisions: ALL_PRECISIONS,
    };
    let (card, weights) = compress(&card, Some(&half), &[], &gate, &mut rng).unwrap();
    let weights = weights.unwrap();
    assert!(weights.len() < half.len());
    let again = card.storage.as_ref().unwrap();
    assert_eq!(again.compared_with.as_deref(), Some(storage));
    bundle(&card, &weights);
    let error = compress(&card, Some(&weights), &[], &gate, &mut rng).unwrap_err();
    assert!(error.to_string().contains("twice"), "{error}");
}

#[test]
fn four_bits_are_half_of_eight_and_decode_as_the_card_says() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let made = made(&mut rng);
    let original = bundle(&made.card, &made.weights);
    let gate = Gate {
        value_change: None,
        distance_change: 1.0,
        precisions: ALL_PRECISIONS,
    };
    let (card, weights) = compress(&made.card, Some(&made.weights), &[], &gate, &mut rng).unwrap();
    let weights = weights.unwrap();
    let storage = card.storage.as_ref().unwrap();
    assert_eq!(storage.tensors["b.weight"], Precision::Int4);
    assert_eq!(storage.tensors["c.weight"], Precision::Int4);
    let stored = weights::read_stored("weights", &weights).unwrap();
    let (shape, weights::Values::Int8 { values, steps, .. }) = &stored["b.weight"] else {
        panic!("whole numbers");
    };
    // 32 values have a step together, and are at most seven of it.
    assert_eq!((shape.as_slice(), steps.len()), (&[72, 40][..], 90));
    for (values, &step) in values.chunks(32).zip(steps) {
        assert!(
            values
                .iter()
                .all(|v| v % step == 0 && (v / step).abs() <= 7)
        );
    }
    assert_eq!(weights::write_stored("weights", &stored).unwrap(), weights);

    let plain = weights::read_stored("weights", &made.weights).unwrap();
    let (least, most) = sizes(&plain);
    assert!((least..most).contains(&weights.len()), "{least} {most}");
    let small = bundle(&card, &weights);
    let mut change = 0.0f32;
    for _ in 0..300 {
        let z: Vec<f64> = (0..3).map(|_| 4.0 * rng.random::<f64>() - 2.0).collect();
        let (a, b) = (
            original.decoder().decode(&z).unwrap(),
            small.decoder().decode(&z).unwrap(),
        );
        for (x, y) in a.iter().zip(&b) {
            change = change.max((x - y).abs());
        }
    }
    assert!(change > 1e-3 && f64::from(change) < 1.5 * storage.largest_value_change);
}

#[test]
fn weights_of_graphs_make_up_for_errors_too() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let nodes = json!([
        {"name": "w", "operation": {"kind": "constant", "shape": [64, 64]}},
        {"name": "h", "of": ["z"], "operation": {"kind": "layers", "shape": [1, 64], "layers": [
            {"layer": "dense", "name": "a", "inputs": 3, "outputs": 64},
            {"layer": "activation", "function": {"kind": "relu"}},
            {"layer": "dense", "name": "b", "inputs": 64, "outputs": 64},
            {"layer": "activation", "function": {"kind": "tanh"}}
        ]}},
        {"name": "y", "of": ["h", "w"], "operation": {"kind": "mat_mul"}},
        {"name": "x", "of": ["y"], "operation": {"kind": "activation", "function": {"kind": "sigmoid"}}}
    ]);
    let mut tensors = Tensors::new();
    for (name, shape) in [
        ("w", vec![64, 64]),
        ("a.weight", vec![64, 3]),
        ("a.bias", vec![64]),
        ("b.weight", vec![64, 64]),
        ("b.bias", vec![64]),
    ] {
        let length: usize = shape.iter().product();
        let values = (0..length).map(|_| 0.6 * (rng.random::<f32>() - 0.5));
        tensors.insert(name.to_owned(), (shape, values.collect()));
    }
    let weights = weights::write("weights", &tensors).unwrap();
    let mut card = made(&mut rng).card;
    card.format = 3;
    card.facts.shape =
        serde_json::from_value(json!({"kind": "image", "height": 8, "width": 8, "channels": 1}))
            .unwrap();
    card.facts.weights_sha256 = weights::sha256_hex(&weights);
    card.architecture =
        serde_json::from_value(json!({"kind": "graph", "nodes": nodes, "output": "x"})).unwrap();
    // Four bits of 64 inputs, two layers of them.
    let gate = Gate {
        value_change: Some(0.012),
        distance_change: 1.0,
        precisions: &[Precision::Int4],
    };
    let (card, small) = compress(&card, Some(&weights), &[], &gate, &mut rng).unwrap();
    let storage = card.storage.as_ref().unwrap();
    assert_eq!(storage.tensors.len(), 2, "{storage:?}");
    bundle(&card, &small.unwrap());
}

#[test]
fn stored_weights_that_are_at_odds_are_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let made = made(&mut rng);
    let wide = Gate {
        value_change: None,
        distance_change: 1.0,
        precisions: EIGHT_BITS,
    };
    let (card, weights) = compress(&made.card, Some(&made.weights), &[], &wide, &mut rng).unwrap();
    let stored = weights::read_stored("weights", &weights.unwrap()).unwrap();
    let refused = |stored: &weights::StoredTensors, bytes: Option<Vec<u8>>| {
        let bytes = bytes.unwrap_or_else(|| weights::write_stored("weights", stored).unwrap());
        let mut card = card.clone();
        card.facts.weights_sha256 = weights::sha256_hex(&bytes);
        let json = serde_json::to_vec(&card).unwrap();
        Bundle::from_bytes(&json, Some(&bytes), None)
            .unwrap_err()
            .to_string()
    };
    let mut few = stored.clone();
    for (_, values) in few.values_mut() {
        if let weights::Values::Int8 { scales, .. } = values {
            scales.pop();
        }
    }
    let error = refused(&few, None);
    assert!(
        error.contains(".weight.scale") && error.contains("not [72]"),
        "{error}"
    );

    let mut infinite = stored.clone();
    for (_, values) in infinite.values_mut() {
        if let weights::Values::Int8 { scales, .. } = values {
            scales[0] = f32::INFINITY;
        }
    }
    let error = refused(&infinite, None);
    assert!(error.contains(".scale") && error.contains("inf"), "{error}");
}

#[test]
fn steps_that_are_missing_or_do_not_come_out_even_are_refused() {
    let tensor = |dtype: &str, shape: &[usize], from: usize, to: usize| json!({"dtype": dtype, "shape": shape, "data_offsets": [from, to]});
    let read = |header: serde_json::Value, bytes: usize| {
        let header = header.to_string();
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        file.extend(vec![1u8; bytes]);
        weights::read_stored("weights", &file).map_err(|error| error.to_string())
    };
    let packed = tensor("U8", &[4, 8], 0, 32);
    let missing = read(json!({"w": packed}), 32).unwrap_err();
    assert!(missing.contains("w.step"), "{missing}");
    let odd = read(
        json!({"w": packed, "w.step": tensor("I8", &[3], 32, 35)}),
        35,
    )
    .unwrap_err();
    assert!(
        odd.contains("w.step") && odd.contains("a divisor of 64"),
        "{odd}"
    );
    let none = read(
        json!({"w": packed, "w.step": tensor("I8", &[0], 32, 32)}),
        32,
    )
    .unwrap_err();
    assert!(none.contains("w.step"), "{none}");
    // A scale is read as f32: 0x01010101.
    let scales = tensor("F32", &[8], 34, 66);
    let whole = read(
        json!({"w": packed, "w.step": tensor("I8", &[2], 32, 34), "w.scale": scales}),
        66,
    )
    .unwrap();
    let (shape, weights::Values::Int8 { values, .. }) = &whole["w"] else {
        panic!("whole numbers");
    };
    assert_eq!(shape, &[8, 8]);
    // Lower bits 1, upper bits 0.
    assert_eq!(values[..], [[1; 32], [0; 32]].concat()[..]);
}

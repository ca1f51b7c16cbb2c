//! Bundles with folded batch norm and weights in fewer bits decode what they did.
#![allow(clippy::unwrap_used)]

use decode::architecture::{Architecture, Layer};
use decode::weights::{self, Tensors};
use models::bundle::Bundle;
use models::card::{Card, Precision};
use quantise::{Gate, compress};
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

struct Made {
    card: Card,
    weights: Vec<u8>,
}

fn made(rng: &mut impl Rng) -> Made {
    let layers: Vec<Layer> = serde_json::from_str(LAYERS).unwrap();
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
    Made { card, weights }
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
        int8: true,
    };
    let none = Gate {
        value_change: Some(0.0),
        distance_change: 0.0,
        int8: true,
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

#[test]
fn half_precision_alone_is_never_int8_and_small_weights_are_not_compressed_again() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let made = made(&mut rng);
    let gate = Gate::HALF_BY_DISTANCE;
    let (card, weights) = compress(&made.card, Some(&made.weights), &[], &gate, &mut rng).unwrap();
    let storage = card.storage.as_ref().unwrap();
    assert!(storage.tensors.values().all(|&p| p == Precision::F16));
    assert!(storage.largest_distance_change <= 0.01);
    let weights = weights.unwrap();
    let error = compress(&card, Some(&weights), &[], &gate, &mut rng).unwrap_err();
    assert!(error.to_string().contains("F16"), "{error}");
}

#[test]
fn stored_weights_that_are_at_odds_are_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let made = made(&mut rng);
    let wide = Gate {
        value_change: None,
        distance_change: 1.0,
        int8: true,
    };
    let (card, weights) = compress(&made.card, Some(&made.weights), &[], &wide, &mut rng).unwrap();
    let stored = weights::read_stored("weights", &weights.unwrap()).unwrap();
    let refused = |stored: &weights::Stored, bytes: Option<Vec<u8>>| {
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

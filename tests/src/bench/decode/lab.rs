//! Decoders as labs build them, which the zoo has none of: colours, convolutions, upsampling. Their
//! weights are random, which costs as much time as weights that mean something.

use anyhow::Result;
use models::Bundle;
use models::architecture::{Architecture, Layer};
use models::weights::{self, Tensors};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

/// Continuous dimensions of each.
const DIMENSIONS: usize = 10;

/// A DCGAN of 64×64 pixels in colour, and a convolutional decoder that upsamples as many.
///
/// # Errors
/// When a decoder is not one.
pub fn bundles() -> Result<Vec<Bundle>> {
    let mut dcgan = vec![dense(256 * 4 * 4), relu(), maps(256, 4)];
    for (i, [inputs, outputs]) in [[256, 128], [128, 64], [64, 32]].into_iter().enumerate() {
        dcgan.extend([up(i, inputs, outputs), norm(i, outputs), relu()]);
    }
    dcgan.extend([up(3, 32, 3), sigmoid()]);
    let mut upsampled = vec![dense(128 * 8 * 8), leaky(), maps(128, 8)];
    for (i, [inputs, outputs]) in [[128, 64], [64, 32], [32, 16]].into_iter().enumerate() {
        let twice = json!({ "layer": "upsample", "scale": 2 });
        upsampled.extend([twice, conv(i, inputs, outputs), leaky()]);
    }
    upsampled.extend([conv(3, 16, 3), sigmoid()]);
    [("lab-dcgan", dcgan), ("lab-upsampling", upsampled)]
        .into_iter()
        .map(|(name, layers)| bundle(name, serde_json::from_value(json!(layers))?))
        .collect()
}

fn dense(outputs: usize) -> Value {
    json!({ "layer": "dense", "name": "dense", "inputs": DIMENSIONS, "outputs": outputs })
}

fn maps(channels: usize, side: usize) -> Value {
    json!({ "layer": "reshape", "channels": channels, "height": side, "width": side })
}

fn up(i: usize, inputs: usize, outputs: usize) -> Value {
    json!({ "layer": "conv_transpose", "name": format!("up{i}"), "inputs": inputs,
            "outputs": outputs, "kernel": 4, "stride": 2, "padding": 1 })
}

fn conv(i: usize, inputs: usize, outputs: usize) -> Value {
    json!({ "layer": "conv", "name": format!("conv{i}"), "inputs": inputs,
            "outputs": outputs, "kernel": 3, "stride": 1, "padding": 1 })
}

fn norm(i: usize, channels: usize) -> Value {
    json!({ "layer": "batch_norm", "name": format!("norm{i}"), "channels": channels, "eps": 1e-5 })
}

fn relu() -> Value {
    json!({ "layer": "activation", "function": { "kind": "relu" } })
}

fn leaky() -> Value {
    json!({ "layer": "activation", "function": { "kind": "leaky_relu", "slope": 0.2 } })
}

fn sigmoid() -> Value {
    json!({ "layer": "activation", "function": { "kind": "sigmoid" } })
}

fn bundle(name: &str, layers: Vec<Layer>) -> Result<Bundle> {
    let weights = weights::write("weights.safetensors", &tensors(&layers))?;
    let card = json!({
        "format": 2,
        "name": name,
        "title": name,
        "latent": vec![json!({ "kind": "continuous", "min": -3, "max": 3, "step": 0.05 }); DIMENSIONS],
        "shape": { "kind": "image", "height": 64, "width": 64, "channels": 3 },
        "display": { "arrangement": "apart" },
        "distance": { "kind": "bray_curtis" },
        "threshold": 0.1,
        "skip_after_s": 30,
        "weights_sha256": weights::sha256_hex(&weights),
        "architecture": Architecture::Sequential { layers },
        "sampling": {
            "kind": "distributions",
            "dimensions": vec![json!({ "kind": "uniform", "min": -3, "max": 3 }); DIMENSIONS],
        },
        "provenance": { "dataset": "none", "note": "Random weights, for a benchmark." },
    });
    Ok(Bundle::from_bytes(
        card.to_string().as_bytes(),
        Some(&weights),
        None,
    )?)
}

/// Random tensors, such that values neither vanish nor grow from layer to layer (He et al. 2015).
fn tensors(layers: &[Layer]) -> Tensors {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut tensors = Tensors::new();
    for layer in layers {
        // Values that an output is the sum of.
        let terms = match *layer {
            Layer::Dense { inputs, .. } => inputs,
            Layer::Conv {
                inputs,
                kernel,
                groups,
                ..
            } => inputs / groups * kernel * kernel,
            Layer::ConvTranspose {
                inputs,
                kernel,
                stride,
                groups,
                ..
            } => inputs / groups * (kernel / stride).pow(2),
            _ => 1,
        };
        let spread = (6.0 / terms as f32).sqrt();
        for (name, shape) in layer.tensors() {
            let mut draw = || {
                let value = rng.random_range(-1.0..1.0f32);
                match (name.ends_with("running_var"), shape.len() > 1) {
                    (true, _) => value.abs() + 0.5,
                    (false, true) => value * spread,
                    (false, false) => value * 0.5,
                }
            };
            let values = (0..shape.iter().product()).map(|_| draw()).collect();
            tensors.insert(name, (shape, values));
        }
    }
    tensors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_decode_to_pictures_that_are_not_all_alike() {
        for bundle in bundles().unwrap() {
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            let decoder = bundle.decoder();
            let [a, b] = [(); 2].map(|()| decoder.decode(&bundle.sample(&mut rng)).unwrap());
            assert_eq!(a.len(), 64 * 64 * 3);
            let off = a
                .iter()
                .zip(&b)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f32::max);
            assert!(off > 0.05, "{}: {off}", bundle.name());
        }
    }
}

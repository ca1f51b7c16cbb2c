//! Decoders of newer kinds, exported by both of PyTorch's exporters, decode what PyTorch
//! itself decodes, part by plan and part on candle.
//!
//! The files under `fixtures` are made by `graphs_from_pytorch.py`, outputs included.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use decode::architecture::Architecture;
use decode::architecture::graph::Operation;
use domain::model::InstanceShape;
use import::assemble::{Decoded, decode};
use import::latents::{LatentOptions, Latents};
use import::reference::OutputMapping;
use import::{Layout, NumericArray, onnx};

const TOLERANCE: f64 = 1e-5;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn table(name: &str) -> NumericArray {
    NumericArray::read(name, &std::fs::read(folder().join(name)).unwrap()).unwrap()
}

/// Imports a fixture of either exporter and compares what it decodes.
fn agrees(file: &str, data: &str, shape: Option<InstanceShape>) -> Decoded {
    agree(&format!("graph-{file}"), &format!("graph-{data}"), shape)
}

fn agree(file: &str, data: &str, shape: Option<InstanceShape>) -> Decoded {
    let exported = onnx::open(&folder().join(format!("{file}.onnx")), None)
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    let layout = Layout::of(exported.shape(), shape, None).unwrap();
    let latents = table(&format!("{data}.latents.npy"));
    let latents = Latents::of(&latents, exported.width(), &LatentOptions::default()).unwrap();
    let decoded = decode(exported, layout, OutputMapping::AsTheyAre, latents)
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    let outputs = table(&format!("{data}.outputs.npy"));
    let comparison = decoded.compare(&outputs).unwrap();
    println!("{file}: {:.2e}", comparison.largest);
    assert_eq!(comparison.instances, 6);
    assert!(comparison.largest <= TOLERANCE, "{file}: {comparison:?}");
    decoded
}

/// Number of runs of layers and of other operations in each exporter's graph; none where it
/// is one list of layers.
fn both(name: &str, shape: Option<InstanceShape>) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    for file in [name.to_owned(), format!("{name}-older")] {
        let decoded = agrees(&file, name, shape);
        if let Architecture::Graph(graph) = decoded.architecture() {
            let is_layers = |operation: &Operation| matches!(operation, Operation::Layers { .. });
            let layers = graph.nodes.iter().filter(|node| is_layers(&node.operation));
            let layers = layers.count();
            parts.push((layers, graph.nodes.len() - layers));
        }
    }
    println!("{name}: {parts:?}");
    parts
}

/// The first six rows of two that `wide_from_pytorch.py` makes, as the older exporter writes them.
#[test]
fn slots_in_the_place_of_a_batch_and_tokens_put_in_order() {
    agrees("slots-older", "slots", None);
    agrees("masked-older", "masked", None);
}

/// A latent's dimensions chosen by a mask (`NonZero`), and tiles whose number a branch (`If`) decides by
/// shapes, as PyTorch's older exporter writes `z[:, mask]` and `tile`. The outputs are ONNX Runtime's:
///
/// ```python
/// import numpy as np, onnxruntime as ort
/// z = np.random.default_rng(5).standard_normal((6, 4)).astype("f4")
/// for n in ("mask", "tile"):
///     s = ort.InferenceSession(f"fixed-{n}.onnx")
///     np.save(f"fixed-{n}.latents.npy", z)
///     np.save(f"fixed-{n}.outputs.npy", np.concatenate([s.run(None, {"z": r[None]})[0] for r in z]))
/// ```
#[test]
fn what_depends_on_no_input_is_computed_away() {
    for name in ["fixed-mask", "fixed-tile"] {
        agree(name, name, None);
    }
}

#[test]
fn residual() {
    for (layers, _) in both("residual", None) {
        assert!(layers >= 4, "{layers}");
    }
}

#[test]
fn self_attention() {
    both("attention", None);
}

#[test]
fn latent_diffusion_with_nearest_upsampling() {
    for (layers, _) in both("diffusion-nearest", None) {
        assert!(layers >= 10, "{layers}");
    }
}

#[test]
fn latent_diffusion_with_bilinear_upsampling() {
    both("diffusion-bilinear", None);
}

#[test]
fn sub_pixel() {
    both("sub-pixel", None);
}

#[test]
fn gated() {
    both("gated", None);
}

#[test]
fn spatial_broadcast() {
    both("broadcast", None);
}

#[test]
fn coordinate_network() {
    both("coordinates", None);
}

#[test]
fn recurrent() {
    both("recurrent", Some(InstanceShape::series(20, 1)));
}

#[test]
fn normalising_flow() {
    both("flow", Some(InstanceShape::series(24, 1)));
}

#[test]
fn style_synthesis_with_fixed_noise() {
    both("style", None);
}

#[test]
fn transformer_decoder() {
    both("transformer", None);
}

#[test]
fn bicubic_pooled_and_strided_differently_along_both_axes() {
    both("bicubic", None);
}

#[test]
fn a_class_and_z_as_two_inputs() {
    both("conditional", None);
    let exported = onnx::open(&folder().join("graph-conditional.onnx"), None).unwrap();
    let inputs = [("class".to_owned(), 3), ("z".to_owned(), 2)];
    assert_eq!(exported.inputs(), inputs);
}

#[test]
fn separable_convolutions_and_layer_norm() {
    both("separable", None);
}

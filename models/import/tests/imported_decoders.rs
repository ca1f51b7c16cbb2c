//! Decoders exported by PyTorch and Keras decode what the framework itself decodes.
//!
//! The files under `fixtures` are made by `from_pytorch.py`, `from_keras.py` and, by ONNX
//! Runtime, `grouped_from_onnx.py`, outputs included. What is decoded is what a bundle made of the
//! file decodes, by its latents.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use domain::model::distance::Distance;
use domain::model::latent::Dimension;
use domain::model::{Arrangement, Display, InstanceShape};
use import::assemble::{CardFacts, Decoded, decode};
use import::latents::{LatentOptions, Latents};
use import::reference::OutputMapping;
use import::{ExportedDecoder, Layout, NumericArray, layers, onnx};

const TOLERANCE: f64 = 1e-5;

fn file(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read(folder.join(name)).unwrap()
}

fn table(name: &str) -> NumericArray {
    NumericArray::read(name, &file(name)).unwrap()
}

fn exported(name: &str) -> ExportedDecoder {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    onnx::open(&folder.join(format!("{name}.onnx")), None).unwrap()
}

const fn image(height: usize, width: usize, channels: usize) -> InstanceShape {
    InstanceShape::image(height, width, channels)
}

/// How a fixture is read, and what is told of it.
struct Description {
    shape: Option<InstanceShape>,
    channels_last: Option<bool>,
    choices: Vec<u16>,
    mapping: OutputMapping,
}

const NOTHING: Description = Description {
    shape: None,
    channels_last: None,
    choices: Vec::new(),
    mapping: OutputMapping::AsTheyAre,
};

/// Decodes the latents of `data` and asserts that they decode to its outputs.
fn agrees(exported: ExportedDecoder, data: &str, described: &Description) -> Decoded {
    let layout = Layout::of(exported.shape(), described.shape, described.channels_last).unwrap();
    let dials = LatentOptions {
        choices: described.choices.clone(),
        ..LatentOptions::default()
    };
    let latents = table(&format!("{data}.latents.npy"));
    let latents = Latents::of(&latents, exported.width(), &dials).unwrap();
    let decoded = decode(exported, layout, described.mapping, latents).unwrap();
    let outputs = table(&format!("{data}.outputs.npy"));
    let comparison = decoded.compare(&outputs).unwrap();
    println!("{data}: {comparison:?}");
    assert_eq!(comparison.instances, 10);
    assert!(comparison.largest <= TOLERANCE, "{data}: {comparison:?}");
    decoded
}

#[test]
fn grey_pictures_of_pytorch_from_either_exporter() {
    for name in ["torch-grey", "torch-grey-older"] {
        let decoded = agrees(exported(name), "torch-grey", &NOTHING);
        assert_eq!(decoded.shape(), image(20, 12, 1));
    }
}

#[test]
fn a_batch_that_was_traced_into_the_graph_is_seen_through() {
    let described = Description {
        shape: Some(image(6, 4, 1)),
        ..NOTHING
    };
    let exported = exported("torch-traced");
    assert_eq!(exported.shape(), [24]);
    agrees(exported, "torch-traced", &described);
}

#[test]
fn colour_pictures_of_pytorch_flattened() {
    let described = Description {
        shape: Some(image(16, 12, 3)),
        channels_last: Some(false),
        ..NOTHING
    };
    for name in ["torch-rgb", "torch-rgb-older"] {
        agrees(exported(name), "torch-rgb", &described);
    }
}

#[test]
fn curves_of_pytorch_with_a_choice() {
    let described = Description {
        shape: Some(InstanceShape::series(24, 1)),
        choices: vec![3],
        ..NOTHING
    };
    let decoded = agrees(exported("torch-series"), "torch-series", &described);
    let dimensions = decoded.latents().space.dimensions();
    assert_eq!(dimensions[0], Dimension::Discrete { values: 3 });
    assert_eq!(dimensions.len(), 3);
}

#[test]
fn pictures_from_minus_one_to_one_are_rescaled() {
    let described = Description {
        mapping: OutputMapping::Rescaled {
            black: -1.0,
            white: 1.0,
        },
        ..NOTHING
    };
    agrees(exported("torch-tanh"), "torch-tanh", &described);
    let latents = table("torch-tanh.latents.npy");
    let untold = exported("torch-tanh");
    let layout = Layout::of(untold.shape(), None, None).unwrap();
    let latents = Latents::of(&latents, 3, &LatentOptions::default()).unwrap();
    let refused = decode(untold, layout, OutputMapping::AsTheyAre, latents).unwrap_err();
    assert!(refused.to_string().contains("--values -1:1"), "{refused}");
}

#[test]
fn pictures_and_curves_of_keras() {
    let decoded = agrees(exported("keras-grey"), "keras-grey", &NOTHING);
    assert_eq!(decoded.shape(), image(20, 12, 1));
    let described = Description {
        shape: Some(image(12, 16, 3)),
        channels_last: Some(true),
        ..NOTHING
    };
    agrees(exported("keras-rgb"), "keras-rgb", &described);
    let described = Description {
        shape: Some(InstanceShape::series(24, 1)),
        ..NOTHING
    };
    agrees(exported("keras-series"), "keras-series", &described);
    let described = Description {
        shape: Some(InstanceShape::series(20, 1)),
        ..NOTHING
    };
    agrees(exported("keras-cropped"), "keras-cropped", &described);
}

/// `grouped_from_onnx.py` prints how many weights there are; holes in a kernel are zeros here.
#[test]
fn convolutions_in_groups_have_the_weights_that_the_file_has() {
    let holes = 10 * (5 * 5 - 3 * 3);
    for (name, weights) in [
        ("depthwise", 2655),
        ("several", 2555),
        ("large", 6845),
        ("transposed", 1047),
        ("strided", 3253 + holes),
    ] {
        let name = format!("grouped-{name}");
        let decoded = agrees(exported(&name), &name, &NOTHING);
        assert_eq!(decoded.parameters(), weights, "{name}");
    }
}

#[test]
fn layers_written_down_by_hand() {
    let (json, tensors) = (file("torch-grey.json"), file("torch-grey.safetensors"));
    let (decoder, unread) = layers::read(&json, &tensors).unwrap();
    assert_eq!(unread, [] as [&str; 0]);
    agrees(decoder, "torch-grey", &NOTHING);

    let text = String::from_utf8(json).unwrap();
    let wrong = |from: &str, to: &str| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        layers::read(changed.as_bytes(), &tensors)
            .unwrap_err()
            .to_string()
    };
    assert!(wrong("\"maps.4\"", "\"maps.5\"").contains("\"maps.5.weight\""));
    assert!(
        wrong(
            "\"kernel\": 3, \"stride\": 2",
            "\"kernel\": 4, \"stride\": 2"
        )
        .contains("\"maps.0.weight\"")
    );
    assert!(wrong("leaky_relu", "gelu").contains("gelu"));
    assert!(wrong("\"dense\",", "\"upsample\",").contains("architecture"));
    let card = format!(r#"{{"architecture": {{"kind": "sequential", "layers": {text}}}}}"#);
    layers::read(card.as_bytes(), &tensors).unwrap();
}

#[test]
fn distances_by_which_no_question_can_be_asked_are_refused() {
    let decoded = agrees(exported("torch-grey"), "torch-grey", &NOTHING);
    let said = |distance, threshold| {
        let refused = decoded.check_distance(&distance, threshold);
        refused.map_or_else(|error| error.to_string(), |()| "good".to_owned())
    };
    assert_eq!(said(Distance::BrayCurtis, 0.005), "good");
    let above_white = said(Distance::Iou { binarise_at: 2.0 }, 0.1);
    assert!(above_white.contains("none could be asked"), "{above_white}");
    // The share of values that differ is as good a distance of pictures as of curves, if its
    // tolerance is.
    let jaccard = |tolerance: f64| Distance::Jaccard {
        tolerance: tolerance.into(),
    };
    let coarse = said(jaccard(0.5), 0.1);
    assert!(coarse.contains("none could be asked"), "{coarse}");
    assert_eq!(said(jaccard(0.01), 0.1), "good");
}

#[test]
fn reference_outputs_are_of_the_same_rows_as_the_latents() {
    let decoded = agrees(exported("torch-grey"), "torch-grey", &NOTHING);
    let mut outputs = table("torch-grey.outputs.npy");
    outputs.values.extend(outputs.values.clone());
    outputs.shape[0] *= 2;
    let said = decoded.compare(&outputs).unwrap_err().to_string();
    assert!(said.contains("20 rows, the latents 10"), "{said}");
}

#[test]
fn a_bundle_is_written_whole_and_not_over_another() {
    let decoded = agrees(exported("torch-grey"), "torch-grey", &NOTHING);
    let facts = CardFacts {
        name: "my-vae".to_owned(),
        title: "My VAE".to_owned(),
        display: Display {
            arrangement: Arrangement::Apart,
            binarise_at: None,
            value_range: None,
            series: None,
        },
        distance: Distance::BrayCurtis,
        threshold: 0.005,
        skip_after_s: 30.0,
        provenance: models::card::Provenance::default(),
    };
    let out = std::env::temp_dir().join(format!("redial-import-{}", std::process::id()));
    let files = decoded.files(facts.clone()).unwrap();
    let folder = files.write(&out, false).unwrap();
    let bundle = models::Bundle::read(&folder).unwrap();
    assert_eq!(bundle.held_out().len(), 10);
    let decoder = bundle.decoder();
    assert_eq!(
        decoder.decode(&bundle.held_out()[3]).unwrap(),
        decoded.instances[3]
    );

    std::fs::write(folder.join("README"), "mine").unwrap();
    let again = files.write(&out, false).unwrap_err();
    assert!(again.to_string().contains("is there already"), "{again}");
    let sharper = CardFacts {
        threshold: 0.004,
        ..facts
    };
    decoded.files(sharper).unwrap().write(&out, true).unwrap();
    let replaced = models::Bundle::read(&folder).unwrap();
    assert!((replaced.card().facts.threshold - 0.004).abs() < 1e-12);
    let mut left: Vec<_> = std::fs::read_dir(&out)
        .unwrap()
        .chain(std::fs::read_dir(&folder).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(
        left,
        [
            "README",
            "card.json",
            "held_out.safetensors",
            "my-vae",
            "weights.safetensors"
        ]
    );
    std::fs::remove_dir_all(&out).unwrap();
}

#[test]
fn an_encoder_makes_the_latents() {
    // A decoder will do as an encoder: what matters is that rows go in and vectors come out.
    let outputs = table("torch-grey.outputs.npy");
    let latents = table("torch-grey.latents.npy");
    let made = import::encoder::encode(exported("torch-grey"), &latents).unwrap();
    assert_eq!(made.rows(), outputs.rows());
    for (a, b) in made.values.iter().zip(&outputs.values) {
        assert!((a - b).abs() < TOLERANCE, "{a} {b}");
    }
    let wrong = import::encoder::encode(exported("torch-grey"), &outputs);
    assert!(wrong.unwrap_err().to_string().contains("takes 5"));
}

#[test]
fn latents_may_lie_inside_the_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let path = folder.join("torch-grey-older.onnx");
    let weight = onnx::initialiser(&path, "maps.4.weight").unwrap();
    assert_eq!(weight.shape, [1, 4, 3, 3]);
    let none = onnx::initialiser(&path, "z").unwrap_err().to_string();
    assert!(none.contains("maps.4.weight"), "{none}");
}

//! Every kind of output, as PyTorch exported it: several curves, pictures that are not square, large
//! ones, values that need no clipping; and what is no instance, refused by its name.
//!
//! The files are made by `outputs_from_pytorch.py`.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use domain::model::InstanceShape;
use domain::model::distance::{Distance, PerChannel};
use import::assemble::{Decoded, decode};
use import::latents::{LatentOptions, Latents};
use import::reference::OutputMapping;
use import::suggestion::DistanceChoice;
use import::{ExportedDecoder, ImportError, Layout, NumericArray, onnx};

const TOLERANCE: f64 = 1e-5;
const ROWS: usize = 8;

const CURVES: InstanceShape = InstanceShape::series(32, 3);

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    folder.join(format!("out-{name}"))
}

fn table(name: &str) -> NumericArray {
    NumericArray::read(name, &std::fs::read(file(name)).unwrap()).unwrap()
}

fn open(name: &str) -> ExportedDecoder {
    onnx::open(&file(&format!("{name}.onnx")), None).unwrap()
}

fn latents(name: &str) -> Latents {
    Latents::of(
        &table(&format!("{name}.latents.npy")),
        3,
        &LatentOptions::default(),
    )
    .unwrap()
}

fn decoded(name: &str, layout: Layout, mapping: OutputMapping) -> Result<Decoded, ImportError> {
    decode(open(name), layout, mapping, latents(name))
}

fn agrees(name: &str, layout: Layout, mapping: OutputMapping) -> Decoded {
    let decoded = decoded(name, layout, mapping).unwrap();
    let found = decoded
        .compare(&table(&format!("{name}.outputs.npy")))
        .unwrap();
    assert_eq!(found.instances, ROWS);
    assert!(found.largest <= TOLERANCE, "{name}: {found:?}");
    decoded
}

#[test]
fn curves_of_different_scales_have_a_tolerance_each() {
    let exported = open("curves");
    assert_eq!(exported.shape(), [3, 32]);
    let asked = exported.layout(None, None).unwrap_err().to_string();
    assert!(asked.contains("32x3 for 3 curves"), "{asked}");
    let layout = exported.layout(Some(CURVES), None).unwrap();
    assert!(!layout.channels_last);
    let decoded = agrees("curves", layout, OutputMapping::AsTheyAre);

    // The curves' values at a point lie side by side.
    let outputs = table("curves.outputs.npy").values;
    for (curve, first) in [0, 32, 64].into_iter().enumerate() {
        let off = f64::from(decoded.instances[0][curve]) - outputs[first];
        assert!(off.abs() < 1e-4, "{curve}: {off}");
    }

    // python3 -c "import numpy as np
    // x = np.load('out-curves.outputs.npy'); print(0.025 * (x.max((0, 2)) - x.min((0, 2))))"
    let Distance::Jaccard { tolerance } = decoded.suggested_distance(None) else {
        panic!("another distance");
    };
    assert_eq!(tolerance.numbers(), [0.11, 2.1, 0.058]);
    let distance = Distance::Jaccard { tolerance };
    let threshold = decoded.suggested_threshold(&distance).unwrap();
    assert!(threshold > 0.0 && threshold <= 0.1, "{threshold}");
    decoded.check_distance(&distance, threshold).unwrap();
}

#[test]
fn pictures_that_are_not_square_keep_their_sides() {
    let layout = open("wide").layout(None, None).unwrap();
    let wide = InstanceShape::image(24, 48, 3);
    assert_eq!((layout.shape, layout.channels_last), (wide, false));
    let decoded = agrees("wide", layout, OutputMapping::AsTheyAre);
    assert_eq!(decoded.suggested_distance(None), Distance::BrayCurtis);
    let cut = Distance::Iou { binarise_at: 0.3 };
    assert_eq!(decoded.suggested_distance(Some(0.3)), cut);
}

#[test]
fn values_that_need_no_clipping_stay_as_they_are() {
    let layout = open("heat").layout(None, None).unwrap();
    let tall = InstanceShape::image(24, 16, 1);
    assert_eq!(layout.shape, tall);
    let refused = decoded("heat", layout, OutputMapping::AsTheyAre).unwrap_err();
    assert!(refused.to_string().contains("--unclipped"), "{refused}");
    let decoded = agrees("heat", layout, OutputMapping::Unclipped);
    let (low, high) = decoded.ends();
    assert!(low < -1.0 && high > 2.0, "{low} {high}");
    let Distance::MeanAbsolute { range } = decoded.suggested_distance(None) else {
        panic!("another distance");
    };
    let whole = f64::from(high - low);
    assert!((range.of(0) - whole).abs() < 0.05 * whole, "{range:?}");
    let told = DistanceChoice::Given(Distance::MeanAbsolute {
        range: PerChannel::from(5.0),
    });
    assert_eq!(
        decoded.distance(&told),
        Distance::MeanAbsolute { range: 5.0.into() }
    );
}

#[test]
fn large_colour_pictures_decode_to_what_pytorch_decodes() {
    let layout = open("large").layout(None, None).unwrap();
    let decoded = decoded("large", layout, OutputMapping::AsTheyAre).unwrap();
    assert_eq!(decoded.shape().len(), 256 * 256 * 3);
    let (places, sampled) = (table("large.places.npy"), table("large.sampled.npy"));
    let count = places.values.len();
    let plane = 256 * 256;
    for (instance, expected) in decoded.instances.iter().zip(sampled.values.chunks(count)) {
        for (&place, expected) in places.values.iter().zip(expected) {
            let place = place as usize;
            // Colour by colour there, pixel by pixel here.
            let found = instance[place % plane * 3 + place / plane];
            let off = (f64::from(found) - expected).abs();
            assert!(off <= TOLERANCE, "{place}: {off}");
        }
    }
}

#[test]
fn clouds_and_text_are_refused_by_name() {
    let cloud = open("cloud");
    assert_eq!(cloud.shape(), [64, 3]);
    let said = cloud.layout(None, None).unwrap_err().to_string();
    assert!(
        said.contains("64x3 for 3 curves") && said.contains("point cloud"),
        "{said}"
    );
    // Only a person knows whether these are three curves after all.
    let curves = InstanceShape::series(64, 3);
    assert!(cloud.layout(Some(curves), None).unwrap().channels_last);

    let scores = open("scores");
    let said = scores.layout(None, None).unwrap_err().to_string();
    assert!(
        said.contains("30 tokens at 12 places") && said.contains("text is no"),
        "{said}"
    );
    let picture = InstanceShape::image(12, 30, 1);
    assert!(scores.layout(Some(picture), None).is_ok());

    let tokens = onnx::open(&file("tokens.onnx"), None)
        .unwrap_err()
        .to_string();
    assert!(
        tokens.contains("Int64") && tokens.contains("text is no"),
        "{tokens}"
    );
}

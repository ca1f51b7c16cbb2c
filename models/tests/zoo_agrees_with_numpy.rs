//! The shipped decoders against an independent implementation: `reference.py`
//! beside this file, which made the fixtures with numpy from the same weights.
#![cfg(feature = "zoo")]
#![allow(clippy::unwrap_used)]

use std::path::Path;

use models::{Zoo, weights};

/// What single precision loses: PyTorch 2.15 in f32 is itself up to 1.3e-5 away from
/// float64 on the edges of `dsprites-gt5`, the sharpest of them; the others are within
/// 1e-5.
const TOLERANCE: f32 = 3e-5;

#[test]
fn every_shipped_decoder_agrees_with_numpy() {
    let zoo = Zoo::shipped().unwrap();
    let names: Vec<&str> = zoo.names().collect();
    assert_eq!(
        names,
        [
            "circles",
            "dsprites-ae5",
            "dsprites-gt5",
            "dsprites-vae5",
            "mnist-ae10",
            "mnist-ae5",
            "mnist-botcl20",
            "mnist-ig5",
            "mnist-ss10",
            "mnist-ss5",
            "mnist-tc10",
            "mnist-tc5",
            "mnist-vae5",
            "shapes",
            "sinelines-ae5",
            "sinelines-gt5",
            "sinelines-vae5"
        ]
    );
    for bundle in zoo.iter() {
        let name = bundle.name();
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/fixtures/{name}.safetensors"));
        let fixture = weights::read("fixture", &std::fs::read(path).unwrap()).unwrap();
        let (shape, z) = &fixture["z"];
        let zs: Vec<Vec<f64>> = z
            .chunks_exact(shape[1])
            .map(|z| z.iter().map(|&v| f64::from(v)).collect())
            .collect();
        assert_eq!(zs.len(), 20, "{name}");
        let expected: Vec<&[f32]> = fixture["x"]
            .1
            .chunks_exact(bundle.card().facts.shape.len())
            .collect();
        let batch = bundle.decoder().decode_batch(&zs).unwrap();
        for ((z, expected), in_batch) in zs.iter().zip(expected).zip(batch) {
            let alone = bundle.decoder().decode(z).unwrap();
            for found in [&alone, &in_batch] {
                assert_eq!(found.len(), expected.len(), "{name}");
                let worst = found
                    .iter()
                    .zip(expected)
                    .map(|(a, b)| (a - b).abs())
                    .fold(0.0, f32::max);
                assert!(worst <= TOLERANCE, "{name} at {z:?}: off by {worst}");
            }
        }
    }
}

#[test]
fn shipped_bundles_give_questions_their_dials_can_show() {
    use rand::SeedableRng;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    for bundle in Zoo::shipped().unwrap().iter() {
        let space = &bundle.card().facts.latent;
        for _ in 0..200 {
            let z = bundle.sample(&mut rng);
            space.validate(&z).unwrap();
            assert_eq!(space.snap(&z).unwrap(), z, "{}", bundle.name());
            bundle.decoder().decode(&z).unwrap();
        }
    }
}

#[test]
fn the_zoo_reads_the_same_from_its_folder() {
    let shipped = Zoo::shipped().unwrap();
    let read = Zoo::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("zoo")).unwrap();
    let prints = |zoo: &Zoo| {
        zoo.iter()
            .map(|b| (b.name().to_owned(), b.fingerprint().to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(prints(&shipped), prints(&read));
}

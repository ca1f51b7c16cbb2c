//! Decoders that do not compile to a plan.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use super::*;
use crate::bundle::Bundle;

fn shipped(name: &str) -> Bundle {
    let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("zoo");
    Bundle::read(&zoo.join(name)).unwrap()
}

#[test]
fn what_does_not_compile_is_decoded_on_candle() {
    for name in ["sinelines-ae5", "dsprites-ae5"] {
        let bundle = shipped(name);
        let card = bundle.card().decodable();
        let made = Implementation::read(&card, bundle.weights(), false).unwrap();
        let fallback = Decoder::ready(&card, made);
        assert!(
            matches!(fallback.made(), Ok(Implementation::Candle(_))),
            "{name}"
        );
        let zs = &bundle.held_out()[..3];
        let planned = bundle.decoder().decode_batch(zs).unwrap();
        let found = fallback.decode_batch(zs).unwrap();
        assert_eq!(found.len(), zs.len());
        for ((found, planned), z) in found.iter().zip(&planned).zip(zs) {
            for (a, b) in found.iter().zip(planned) {
                assert!((a - b).abs() < 3e-5, "{name}: {a} is not {b}");
            }
            let alone = fallback.decode(z).unwrap();
            for (a, b) in found.iter().zip(&alone) {
                assert!((a - b).abs() < 3e-5, "{name}: {a} is not {b}");
            }
        }
        assert!(fallback.decode_batch(&[]).unwrap().is_empty());
    }
}

#[test]
fn a_formula_needs_neither_plan_nor_candle() {
    let bundle = shipped("circles");
    let made = Implementation::read(&bundle.card().decodable(), None, false).unwrap();
    assert!(matches!(made, Implementation::Formula(_)));
    assert!(
        Decoder::compile(&bundle.card().decodable(), None)
            .unwrap()
            .is_some()
    );
}

#[test]
fn layers_of_a_bundle_are_compiled_when_it_decodes() {
    let bundle = shipped("sinelines-ae5");
    let is_made = |decoder: &Decoder| !format!("{decoder:?}").contains("<uninit>");
    assert!(!is_made(bundle.decoder()));
    let shared = bundle.decoder().clone();
    let z = &bundle.held_out()[0];
    let eager = Decoder::load(&bundle.card().decodable(), bundle.weights()).unwrap();
    assert!(is_made(&eager));
    assert_eq!(shared.decode(z).unwrap(), eager.decode(z).unwrap());
    assert!(is_made(bundle.decoder()));
}

#[test]
fn weights_are_checked_whatever_decodes_them() {
    let bundle = shipped("sinelines-ae5");
    let mut other = bundle.card().decodable();
    other.weights_sha256 = "0".repeat(64);
    for refused in [
        Decoder::load(&other, bundle.weights()).map(Some),
        Decoder::compile(&other, bundle.weights()),
    ] {
        assert!(matches!(refused, Err(BundleError::Hash { .. })));
    }
}

//! Every way a bundle can be broken gives an error that says where.
#![allow(clippy::unwrap_used)]

use models::bundle::{Bundle, HELD_OUT_FILE, HELD_OUT_TENSOR, WEIGHTS_FILE};
use models::weights::{self, Tensors};
use serde_json::{Value, json};

/// A bundle of one dense layer, 2 → 3, that a test can spoil.
struct Draft {
    card: Value,
    weights: Option<Vec<u8>>,
    held_out: Option<Vec<u8>>,
}

fn file(name: &'static str, tensors: &[(&str, &[usize], &[f32])]) -> Vec<u8> {
    let tensors: Tensors = tensors
        .iter()
        .map(|(name, shape, values)| ((*name).to_owned(), (shape.to_vec(), values.to_vec())))
        .collect();
    weights::write(name, &tensors).unwrap()
}

const WEIGHT: (&str, &[usize], &[f32]) = ("out.weight", &[3, 2], &[1.0, 0.0, 0.0, 1.0, 0.5, 0.5]);
const BIAS: (&str, &[usize], &[f32]) = ("out.bias", &[3], &[0.0, 0.25, 0.0]);

impl Draft {
    fn sound() -> Self {
        let weights = file(WEIGHTS_FILE, &[WEIGHT, BIAS]);
        let dial = json!({ "kind": "continuous", "min": -1.0, "max": 1.0, "step": 0.01 });
        let card = json!({
            "format": 1,
            "name": "tiny",
            "title": "Tiny",
            "latent": [dial, dial],
            "shape": { "kind": "series", "points": 3 },
            "display": {
                "arrangement": "overlaid",
                "series": { "x_start": 0.0, "x_step": 1.0, "y_min": -1.0, "y_max": 1.0 }
            },
            "distance": { "kind": "bray_curtis" },
            "threshold": 0.1,
            "skip_after_s": 30.0,
            "weights_sha256": weights::sha256_hex(&weights),
            "architecture": {
                "kind": "sequential",
                "layers": [{ "layer": "dense", "name": "out", "inputs": 2, "outputs": 3 }]
            },
            "sampling": { "kind": "held_out" },
            "provenance": { "dataset": "none" }
        });
        let held_out = file(
            HELD_OUT_FILE,
            &[(HELD_OUT_TENSOR, &[2, 2], &[0.1, 0.2, -0.3, 0.4])],
        );
        Self {
            card,
            weights: Some(weights),
            held_out: Some(held_out),
        }
    }

    /// Replaces the weights, and their sum on the card.
    fn with_weights(mut self, weights: Vec<u8>) -> Self {
        self.card["weights_sha256"] = weights::sha256_hex(&weights).into();
        self.weights = Some(weights);
        self
    }

    fn with_card(mut self, pointer: &str, value: Value) -> Self {
        *self.card.pointer_mut(pointer).unwrap() = value;
        self
    }

    fn with_held_out(mut self, held_out: Vec<u8>) -> Self {
        self.held_out = Some(held_out);
        self
    }

    fn load(&self) -> Result<Bundle, models::BundleError> {
        Bundle::from_bytes(
            self.card.to_string().as_bytes(),
            self.weights.as_deref(),
            self.held_out.as_deref(),
        )
    }

    fn refused_with(self, parts: &[&str]) {
        let error = self.load().unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "{error:?} does not say {part:?}");
        }
    }
}

#[test]
fn the_draft_itself_is_sound() {
    let bundle = Draft::sound().load().unwrap();
    assert_eq!(
        bundle.decoder().decode(&[0.5, -0.5]).unwrap(),
        [0.5, -0.25, 0.0]
    );
    assert_eq!(bundle.held_out().len(), 2);
    let out_of_range = bundle
        .decoder()
        .decode(&[0.5, 1.5])
        .unwrap_err()
        .to_string();
    assert!(
        out_of_range.contains("dimension 1 is 1.5"),
        "{out_of_range}"
    );
}

#[test]
fn files_missing_and_unwanted() {
    Draft {
        weights: None,
        ..Draft::sound()
    }
    .refused_with(&["weights.safetensors is missing"]);
    Draft {
        held_out: None,
        ..Draft::sound()
    }
    .refused_with(&["held_out.safetensors is missing"]);
    Draft::sound()
        .with_card(
            "/architecture",
            json!({ "kind": "closed_form", "formula": { "kind": "circles", "size": 2 } }),
        )
        .with_card("/shape", json!({ "kind": "series", "points": 4 }))
        .with_card("/weights_sha256", "".into())
        .refused_with(&["weights.safetensors is there", "a formula has no weights"]);
}

#[test]
fn cards_that_cannot_be_read() {
    for (bytes, part) in [
        (&b"{"[..], "EOF"),
        (b"{}", "missing field `format`"),
        (b"[1]", "card.json"),
    ] {
        let error = Bundle::from_bytes(bytes, None, None)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("card.json") && error.contains(part),
            "{error}"
        );
    }
    Draft::sound()
        .with_card("/format", 4.into())
        .refused_with(&["card.json", "format 4; this version reads 1 to 3"]);
    Draft::sound()
        .with_card("/threshold", 1.5.into())
        .refused_with(&["threshold: 1.5"]);
    Draft::sound()
        .with_card("/name", "../etc".into())
        .refused_with(&["name", "../etc"]);
    Draft::sound()
        .with_card("/display/series", Value::Null)
        .refused_with(&["display.series"]);
    Draft::sound()
        .with_card("/weights_sha256", "abc".into())
        .refused_with(&["64 hexadecimal digits"]);
    Draft::sound()
        .with_card("/latent", json!([]))
        .refused_with(&["card.json", "at least one dimension"]);
    Draft::sound()
        .with_card(
            "/sampling",
            json!({ "kind": "distributions", "dimensions": [] }),
        )
        .refused_with(&["0 distributions for 2 dimensions"]);
    Draft::sound()
        .with_card("/architecture/layers/0/inputs", 4.into())
        .refused_with(&["layer 0 (dense) takes a vector of 4 and gets a vector of 2"]);
    Draft::sound()
        .with_card("/shape/points", 5.into())
        .refused_with(&["the decoder gives a vector of 3, an instance has 5 values"]);
}

#[test]
fn layers_that_cannot_be() {
    let with_layers = |layers: Value| Draft::sound().with_card("/architecture/layers", layers);
    let reshape = json!({ "layer": "reshape", "channels": 2, "height": 1, "width": 1 });
    let conv = |padding: Value| {
        json!({ "layer": "conv", "name": "out", "inputs": 2, "outputs": 3,
                "kernel": 1, "stride": 1, "padding": padding })
    };
    for (layers, part) in [
        (
            json!([reshape, conv(json!([0, 0]))]),
            "[top, left, bottom, right]",
        ),
        (
            json!([reshape, conv(json!(-1))]),
            "the padding of a convolution is not negative",
        ),
        (
            json!([reshape, conv(json!([0, 0, 0, 1]))]),
            "3 maps of 1×2, an instance has 3 values",
        ),
        (
            json!([reshape, { "layer": "upsample", "scale": -2 }]),
            "invalid value: integer `-2`",
        ),
        (
            json!([reshape, { "layer": "upsample", "scale": 0 }]),
            "layer 1 (upsample): its output is empty",
        ),
        (
            json!([{ "layer": "flatten", "order": "C" }]),
            "unknown field `order`",
        ),
        (json!([{ "layer": "pool" }]), "unknown variant `pool`"),
        (
            json!([{ "layer": "activation", "function": { "kind": "elu", "alpha": 1e39 } }]),
            "slope or alpha is too large",
        ),
    ] {
        with_layers(layers).refused_with(&["card.json", part]);
    }
    // Sound as far as the card goes: what is missing then is the weights' shape.
    with_layers(json!([reshape, conv(json!(0))]))
        .refused_with(&["\"out.weight\" has shape [3, 2], not [3, 2, 1, 1]"]);
}

#[test]
fn weights_that_are_not_the_cards() {
    let mut truncated = Draft::sound();
    let short = truncated
        .weights
        .take()
        .map(|bytes| bytes[..bytes.len() - 5].to_vec());
    truncated.weights = short;
    truncated.refused_with(&["weights.safetensors", "not a complete safetensors file"]);

    let mut other = Draft::sound();
    other.weights = Some(file(WEIGHTS_FILE, &[WEIGHT, ("out.bias", &[3], &[9.0; 3])]));
    other.refused_with(&["weights.safetensors: SHA-256 is", "the card says"]);

    Draft::sound()
        .with_weights(b"PK\x03\x04 not this".to_vec())
        .refused_with(&["not a complete safetensors file"]);
    Draft::sound()
        .with_weights(Vec::new())
        .refused_with(&["not a complete safetensors file"]);
    Draft::sound()
        .with_weights(file(WEIGHTS_FILE, &[WEIGHT]))
        .refused_with(&["tensor \"out.bias\" [3] is missing"]);
    Draft::sound()
        .with_weights(file(
            WEIGHTS_FILE,
            &[("out.weight", &[2, 3], WEIGHT.2), BIAS],
        ))
        .refused_with(&["\"out.weight\" has shape [2, 3], not [3, 2]"]);
    Draft::sound()
        .with_weights(file(WEIGHTS_FILE, &[WEIGHT, BIAS, ("spare", &[1], &[0.0])]))
        .refused_with(&["\"spare\" belongs to no layer"]);
    Draft::sound()
        .with_weights(file(
            WEIGHTS_FILE,
            &[WEIGHT, ("out.bias", &[3], &[0.0, f32::NAN, 0.0])],
        ))
        .refused_with(&["\"out.bias\" holds NaN at position 1"]);

    let view =
        safetensors::tensor::TensorView::new(safetensors::Dtype::F64, vec![1], &[0; 8]).unwrap();
    let doubles = safetensors::serialize([("out.bias", view)], None).unwrap();
    Draft::sound()
        .with_weights(doubles)
        .refused_with(&["\"out.bias\" is of type F64, not F32"]);
}

#[test]
fn held_out_latents_outside_the_space() {
    let held_out =
        |shape: &[usize], values: &[f32]| file(HELD_OUT_FILE, &[(HELD_OUT_TENSOR, shape, values)]);
    Draft::sound()
        .with_held_out(held_out(&[2, 2], &[0.0, 0.0, 0.0, 1.5]))
        .refused_with(&["held_out.safetensors: row 1", "dimension 1 is 1.5"]);
    Draft::sound()
        .with_held_out(held_out(&[1, 3], &[0.0; 3]))
        .refused_with(&["held_out.safetensors", "shape [1, 3], not [rows, 2]"]);
    Draft::sound()
        .with_held_out(held_out(&[0, 2], &[]))
        .refused_with(&["shape [0, 2]"]);
    Draft::sound()
        .with_held_out(file(HELD_OUT_FILE, &[("latents", &[1, 2], &[0.0; 2])]))
        .refused_with(&["held_out.safetensors: tensor \"z\" [1, 2] is missing"]);
    Draft::sound()
        .with_held_out(vec![0; 4])
        .refused_with(&["held_out.safetensors", "not a complete"]);
}

#[test]
fn any_change_to_any_file_changes_the_fingerprint() {
    let print = |draft: Draft| draft.load().unwrap().fingerprint().to_owned();
    let sound = print(Draft::sound());
    assert_eq!(sound, print(Draft::sound()));
    let changed = [
        Draft::sound().with_card("/title", "Other".into()),
        Draft::sound().with_weights(file(WEIGHTS_FILE, &[WEIGHT, ("out.bias", &[3], &[0.0; 3])])),
        Draft::sound().with_held_out(file(
            HELD_OUT_FILE,
            &[(HELD_OUT_TENSOR, &[1, 2], &[0.0; 2])],
        )),
    ];
    for draft in changed {
        assert_ne!(sound, print(draft));
    }
}

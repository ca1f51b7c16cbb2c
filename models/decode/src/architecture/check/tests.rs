//! The checks of layers.

use kernels::{side_down, side_up};

use super::*;
use crate::architecture::{Activation, Layer, Padding};

fn dense(name: &str, inputs: usize, outputs: usize) -> Layer {
    Layer::Dense {
        name: name.to_owned(),
        inputs,
        outputs,
    }
}

fn up(name: &str, inputs: usize, outputs: usize) -> Layer {
    Layer::ConvTranspose {
        name: name.to_owned(),
        inputs,
        outputs,
        kernel: 4,
        stride: 2,
        padding: Padding::all(1),
        groups: 1,
    }
}

fn conv(inputs: usize, kernel: usize, stride: usize, padding: Padding) -> Layer {
    Layer::Conv {
        name: "c".to_owned(),
        inputs,
        outputs: 1,
        kernel,
        stride,
        padding,
        groups: 1,
    }
}

fn edges(top: i32, left: i32, bottom: i32, right: i32) -> Padding {
    Padding {
        top,
        left,
        bottom,
        right,
    }
}

fn check(layers: Vec<Layer>, expected: &str) {
    let found = match (Architecture::Sequential { layers }).check(5, 5, 64) {
        Ok(()) => "fits".to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected);
}

#[test]
fn sizes_must_meet() {
    let reshape = Layer::Reshape {
        channels: 4,
        height: 4,
        width: 4,
        channels_last: false,
    };
    check(vec![dense("a", 5, 64)], "fits");
    check(
        vec![dense("a", 5, 64), reshape.clone(), up("b", 4, 1)],
        "fits",
    );
    check(vec![], "a sequential decoder needs at least one layer");
    check(
        vec![dense("a", 6, 64)],
        "layer 0 (dense) takes a vector of 6 and gets a vector of 5",
    );
    check(
        vec![dense("a", 5, 64), reshape.clone(), dense("b", 64, 64)],
        "layer 2 (dense) takes a vector of 64 and gets 4 maps of 4×4",
    );
    check(
        vec![dense("a", 5, 63), reshape.clone()],
        "layer 1 (reshape) takes a vector of 4·4·4 and gets a vector of 63",
    );
    check(
        vec![dense("a", 5, 64), reshape.clone(), up("b", 3, 1)],
        "layer 2 (conv_transpose) takes 3 maps and gets 4 maps of 4×4",
    );
    check(
        vec![dense("a", 5, 64), reshape, up("b", 4, 2)],
        "the decoder gives 2 maps of 8×8, an instance has 64 values",
    );
    check(
        vec![dense("a", 5, 9), dense("a", 9, 64)],
        "layers 0 and 1 are both named \"a\"",
    );
    check(
        vec![dense("a", 5, usize::MAX)],
        "layer 0 (dense): its output is empty or too large",
    );
    check(
        vec![Layer::Flatten {
            channels_last: false,
        }],
        "layer 0 (flatten) takes maps and gets a vector of 5",
    );
}

#[test]
fn groups_divide_the_maps_on_both_sides() {
    let reshape = Layer::Reshape {
        channels: 4,
        height: 4,
        width: 4,
        channels_last: false,
    };
    let grouped = |outputs: usize, groups: usize| Layer::Conv {
        name: "c".to_owned(),
        inputs: 4,
        outputs,
        kernel: 3,
        stride: 1,
        padding: Padding::all(1),
        groups,
    };
    let wrong = |outputs, groups| {
        format!("layer 1 (conv): 4 maps in and {outputs} out do not come in {groups} equal groups")
    };
    let layers = |layer| vec![reshape.clone(), layer];
    for (outputs, groups, fits) in [
        (4, 4, true),
        (4, 2, true),
        (4, 3, false),
        (6, 4, false),
        (4, 0, false),
    ] {
        let found = flows(&layers(grouped(outputs, groups)), 64);
        let found = found.map_or_else(|error| error.to_string(), |_| "fits".to_owned());
        let expected = if fits {
            "fits".to_owned()
        } else {
            wrong(outputs, groups)
        };
        assert_eq!(found, expected);
    }
}

/// A card that says nothing of groups has one; one group is not written down.
#[test]
fn groups_on_a_card() {
    let card = r#"{"layer":"conv_transpose","name":"c","inputs":6,"outputs":4,"kernel":3,"stride":2,"padding":1}"#;
    let whole: Layer = serde_json::from_str(card).unwrap();
    assert_eq!(whole.tensors()[0].1, [6, 4, 3, 3]);
    assert_eq!(serde_json::to_string(&whole).unwrap(), card);
    let card = card.replace("}", r#","groups":2}"#);
    let grouped: Layer = serde_json::from_str(&card).unwrap();
    assert_eq!(grouped.tensors()[0].1, [6, 2, 3, 3]);
    assert_eq!(serde_json::to_string(&grouped).unwrap(), card);
    let card = card.replace("conv_transpose", "conv");
    let grouped: Layer = serde_json::from_str(&card).unwrap();
    assert_eq!(grouped.tensors()[0].1, [4, 3, 3, 3]);
}

#[test]
fn sides_of_convolutions() {
    // torch.nn.Conv2d and ConvTranspose2d, by their documented formulas.
    for (n, kernel, stride, padding, up, down) in [
        (4, 4, 2, 2, Some(8), Some(2)),
        (5, 3, 2, 0, Some(11), Some(2)),
        (5, 3, 2, -1, Some(12), Some(1)),
        (3, 2, 2, 0, Some(6), Some(1)),
        (2, 3, 1, 0, Some(4), None),
        (1, 1, 1, 1, None, Some(2)),
        (usize::MAX, 3, 2, 0, None, None),
        (3, 2, 2, i64::MIN, None, None),
    ] {
        assert_eq!(side_up(n, kernel, stride, padding), up);
        assert_eq!(side_down(n, kernel, stride, padding), down);
    }
}

#[test]
fn maps_through_convolutions_and_upsampling() {
    let to_maps = |channels, height, width| {
        [
            dense("a", 5, 64),
            Layer::Reshape {
                channels,
                height,
                width,
                channels_last: true,
            },
        ]
    };
    let then = |maps: [Layer; 2], layer: Layer| [maps.to_vec(), vec![layer]].concat();
    let scale = |scale| Layer::Upsample { scale };
    let slope = |slope| Layer::Activation {
        function: Activation::LeakyRelu { slope },
    };
    for (layers, expected) in [
        (
            then(to_maps(1, 8, 8), conv(1, 3, 1, Padding::all(1))),
            "fits",
        ),
        (
            then(to_maps(1, 8, 8), conv(1, 2, 1, edges(1, 0, 0, 1))),
            "fits",
        ),
        (then(to_maps(16, 2, 2), scale(1)), "fits"),
        (
            then(to_maps(4, 4, 4), scale(2)),
            "the decoder gives 4 maps of 8×8, an instance has 64 values",
        ),
        (
            then(to_maps(4, 4, 4), scale(0)),
            "layer 2 (upsample): its output is empty or too large",
        ),
        (
            then(to_maps(4, 4, 4), scale(usize::MAX)),
            "layer 2 (upsample): its output is empty or too large",
        ),
        (
            vec![scale(2)],
            "layer 0 (upsample) takes maps and gets a vector of 5",
        ),
        (
            then(to_maps(4, 4, 4), conv(3, 3, 1, Padding::all(1))),
            "layer 2 (conv) takes 3 maps and gets 4 maps of 4×4",
        ),
        (
            then(to_maps(4, 4, 4), conv(4, 0, 1, Padding::NONE)),
            "layer 2 (conv): kernel and stride must be positive",
        ),
        (
            then(to_maps(4, 4, 4), conv(4, 5, 1, Padding::NONE)),
            "layer 2 (conv): the padding leaves no output",
        ),
        (
            then(to_maps(4, 4, 4), conv(4, 3, 1, edges(1, 1, 1, -1))),
            "layer 2 (conv): the padding of a convolution is not negative",
        ),
        (
            then(to_maps(4, 4, 4), conv(4, 1, 1, Padding::all(i32::MAX))),
            "layer 2 (conv): its output is empty or too large",
        ),
        (
            vec![slope(1e300), dense("a", 5, 64)],
            "layer 0 (activation): its slope or alpha is too large a number",
        ),
    ] {
        check(layers, expected);
    }
}

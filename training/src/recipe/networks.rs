//! The layers of encoders and decoders. The training twin in Python has the same ones
//! under the same names.

use models::architecture::{Activation, Layer, Padding};

use crate::mnist;

/// Slope of the leaky rectifier below zero.
const LEAK: f64 = 0.2;

fn relu() -> Layer {
    Layer::Activation {
        function: Activation::Relu,
    }
}

fn leaky() -> Layer {
    Layer::Activation {
        function: Activation::LeakyRelu { slope: LEAK },
    }
}

fn sigmoid() -> Layer {
    Layer::Activation {
        function: Activation::Sigmoid,
    }
}

fn dense(name: &str, inputs: usize, outputs: usize) -> Layer {
    Layer::Dense {
        name: name.to_owned(),
        inputs,
        outputs,
    }
}

/// A convolution that halves every side.
fn down(name: &str, inputs: usize, outputs: usize) -> Layer {
    Layer::Conv {
        name: name.to_owned(),
        inputs,
        outputs,
        kernel: 4,
        stride: 2,
        padding: Padding::all(1),
        groups: 1,
    }
}

/// A transposed convolution that doubles every side.
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

fn norm(name: &str, channels: usize) -> Layer {
    Layer::BatchNorm {
        name: name.to_owned(),
        channels,
        eps: 1e-3,
    }
}

fn maps(channels: usize, side: usize) -> Layer {
    Layer::Reshape {
        channels,
        height: side,
        width: side,
        channels_last: false,
    }
}

fn flatten() -> Layer {
    Layer::Flatten {
        channels_last: false,
    }
}

/// Two hidden layers of 256 and a linear output.
pub(super) fn perceptron(prefix: &str, inputs: usize, outputs: usize) -> Vec<Layer> {
    const HIDDEN: usize = 256;
    vec![
        dense(&format!("{prefix}.dense1"), inputs, HIDDEN),
        relu(),
        dense(&format!("{prefix}.dense2"), HIDDEN, HIDDEN),
        relu(),
        dense(&format!("{prefix}.dense3"), HIDDEN, outputs),
    ]
}

/// The decoder of Burgess et al. (2018).
pub(super) fn dsprites_decoder(inputs: usize) -> Vec<Layer> {
    vec![
        dense("decoder.dense1", inputs, 256),
        relu(),
        dense("decoder.dense2", 256, 512),
        relu(),
        maps(32, 4),
        up("decoder.up1", 32, 32),
        relu(),
        up("decoder.up2", 32, 32),
        relu(),
        up("decoder.up3", 32, 32),
        relu(),
        up("decoder.up4", 32, 1),
        sigmoid(),
    ]
}

/// Its mirror image, with two dense layers of 256.
pub(super) fn dsprites_encoder(outputs: usize) -> Vec<Layer> {
    vec![
        maps(1, 64),
        down("encoder.conv1", 1, 32),
        relu(),
        down("encoder.conv2", 32, 32),
        relu(),
        down("encoder.conv3", 32, 32),
        relu(),
        down("encoder.conv4", 32, 32),
        relu(),
        flatten(),
        dense("encoder.dense1", 512, 256),
        relu(),
        dense("encoder.dense2", 256, 256),
        relu(),
        dense("encoder.dense3", 256, outputs),
    ]
}

/// Values of the last maps of the MNIST encoder, and of the first ones of the decoder.
const MNIST_MAPS: usize = 128 * 7 * 7;

/// The decoder that Ross et al. used on MNIST.
pub(super) fn mnist_decoder(inputs: usize) -> Vec<Layer> {
    vec![
        dense("decoder.dense1", inputs, 1024),
        norm("decoder.norm1", 1024),
        leaky(),
        dense("decoder.dense2", 1024, MNIST_MAPS),
        norm("decoder.norm2", MNIST_MAPS),
        leaky(),
        maps(128, 7),
        up("decoder.up1", 128, 64),
        norm("decoder.norm3", 64),
        leaky(),
        up("decoder.up2", 64, 1),
        sigmoid(),
    ]
}

/// Its mirror image.
pub(super) fn mnist_encoder(outputs: usize) -> Vec<Layer> {
    let mut layers = mnist_trunk("encoder", relu);
    layers.push(dense("encoder.dense2", 1024, outputs));
    layers
}

/// The encoder up to its 1024 features.
fn mnist_trunk(prefix: &str, activation: fn() -> Layer) -> Vec<Layer> {
    let named = |name: &str| format!("{prefix}.{name}");
    vec![
        maps(1, mnist::SIDE),
        down(&named("conv1"), 1, 64),
        activation(),
        down(&named("conv2"), 64, 128),
        norm(&named("norm1"), 128),
        activation(),
        flatten(),
        dense(&named("dense1"), MNIST_MAPS, 1024),
        norm(&named("norm2"), 1024),
        activation(),
    ]
}

/// Features of a picture that discriminator and recogniser share.
pub(crate) fn gan_trunk() -> Vec<Layer> {
    mnist_trunk("discriminator", leaky)
}

/// From features to the logit of being a picture of the data.
pub(crate) fn gan_head() -> Vec<Layer> {
    vec![dense("discriminator.dense2", 1024, 1)]
}

/// From features to what the codes were: logits of the digit, then the others.
pub(crate) fn gan_recogniser(codes: usize) -> Vec<Layer> {
    vec![
        dense("recogniser.dense1", 1024, 128),
        norm("recogniser.norm1", 128),
        leaky(),
        dense("recogniser.dense2", 128, mnist::DIGITS + codes),
    ]
}

/// Rows and columns of BotCL's feature maps.
pub(crate) const BOTCL_SIDE: usize = 7;
/// Numbers of a feature, a key and a query of BotCL.
pub(crate) const BOTCL_FEATURES: usize = 32;

/// BotCL's features: two convolutions that halve every side, and one of single pixels. The features of a position lie
/// side by side.
pub(crate) fn botcl_features() -> Vec<Layer> {
    let conv = |name: &str, inputs, outputs, kernel, stride| Layer::Conv {
        name: format!("encoder.{name}"),
        inputs,
        outputs,
        kernel,
        stride,
        padding: Padding::all((kernel as i32 - 1) / 2),
        groups: 1,
    };
    vec![
        maps(1, mnist::SIDE),
        conv("conv1", 1, 16, 3, 2),
        relu(),
        conv("conv2", 16, BOTCL_FEATURES, 3, 2),
        relu(),
        conv("conv3", BOTCL_FEATURES, BOTCL_FEATURES, 1, 1),
        relu(),
        Layer::Flatten {
            channels_last: true,
        },
    ]
}

/// From a feature with its position to its key.
pub(crate) fn botcl_keys() -> Vec<Layer> {
    let layer = |number| {
        let name = format!("encoder.keys{number}");
        dense(&name, BOTCL_FEATURES, BOTCL_FEATURES)
    };
    vec![layer(1), relu(), layer(2), relu(), layer(3)]
}

/// A query for each concept, as the rows of a matrix. The bias is what a bias of the keys would come to.
pub(crate) fn botcl_queries(concepts: usize) -> Vec<Layer> {
    vec![dense("encoder.queries", BOTCL_FEATURES, concepts)]
}

/// From activations of concepts to classes.
pub(crate) fn botcl_classes(concepts: usize) -> Vec<Layer> {
    vec![dense("encoder.classes", concepts, mnist::DIGITS)]
}

/// All of BotCL that looks at a picture, in order; between the first two parts the code of the position is added.
pub(super) fn botcl_encoder(concepts: usize) -> Vec<Layer> {
    [
        botcl_features(),
        botcl_keys(),
        botcl_queries(concepts),
        botcl_classes(concepts),
    ]
    .concat()
}

/// BotCL's concept decoder: two linear layers.
pub(super) fn botcl_decoder(concepts: usize) -> Vec<Layer> {
    const HIDDEN: usize = 400;
    vec![
        dense("decoder.dense1", concepts, HIDDEN),
        relu(),
        dense("decoder.dense2", HIDDEN, mnist::SIDE * mnist::SIDE),
        maps(1, mnist::SIDE),
        sigmoid(),
    ]
}

/// Tells digits apart; see [`crate::categories`].
pub(crate) fn digit_classifier() -> Vec<Layer> {
    vec![
        dense("classifier.dense1", mnist::SIDE * mnist::SIDE, 256),
        relu(),
        dense("classifier.dense2", 256, mnist::DIGITS),
    ]
}

//! Losses, gradients, running statistics and outputs against PyTorch:
//! `training/twin/reference.py` made the fixture.

use std::collections::BTreeMap;

use candle_core::backprop::GradStore;
use candle_core::{Device, Tensor, Var};
use models::architecture::{Activation, Layer, Padding};
use models::weights::{self, Tensors};

use crate::data::Rows;
use crate::gan::Discriminator;
use crate::model::TrainableModel;
use crate::net::Net;
use crate::recipe::{Objective, ReconstructionLoss};
use crate::tensors::one_hot;
use crate::terms::Terms;

/// As in `reference.py`.
const DIMENSIONS: usize = 3;
const BATCH: usize = 6;
const ROWS_IN_ALL: usize = 1000;

struct Fixture(Tensors);

impl Fixture {
    fn read() -> Self {
        let bytes = include_bytes!("../tests/fixtures/twin.safetensors");
        Self(weights::read("fixture", bytes).unwrap())
    }

    fn values(&self, name: &str) -> &[f32] {
        let (_, values) = self.0.get(name).unwrap_or_else(|| panic!("no {name}"));
        values
    }

    fn tensor(&self, name: &str) -> Tensor {
        let (shape, values) = self.0.get(name).unwrap_or_else(|| panic!("no {name}"));
        Tensor::from_slice(values, shape.as_slice(), &Device::Cpu).unwrap()
    }

    fn rows(&self) -> Rows {
        Rows {
            len: BATCH,
            factors: Vec::new(),
            labels: self.values("labels").iter().map(|&v| v as u8).collect(),
            instances: self.values("x").to_vec(),
        }
    }

    fn net(&self, kind: &str, layers: Vec<Layer>, parameters: &mut BTreeMap<String, Var>) -> Net {
        Net::new(layers, |name, shape| {
            let var = Var::from_tensor(&self.tensor(&format!("{kind}.parameter.{name}"))).unwrap();
            assert_eq!(var.dims(), shape, "{name}");
            parameters.insert(name.to_owned(), var.clone());
            Ok::<_, String>(var)
        })
        .unwrap()
    }

    fn model(&self, kind: &str, objective: Objective) -> TrainableModel {
        let outputs = if objective.is_variational() { 2 } else { 1 } * DIMENSIONS;
        let inputs = if objective.takes_digit() { 10 } else { 0 } + DIMENSIONS;
        let mut parameters = BTreeMap::new();
        let encoder = match objective {
            Objective::InfoGan => Vec::new(),
            _ => encoder(outputs),
        };
        let encoder = self.net(kind, encoder, &mut parameters);
        let decoder = self.net(kind, decoder(inputs), &mut parameters);
        let discriminator = (objective == Objective::InfoGan).then(|| {
            let head = vec![dense("discriminator.dense2", 6, 1)];
            let recogniser = vec![
                dense("recogniser.dense1", 6, 5),
                norm("recogniser.norm1", 5),
                LEAKY,
                dense("recogniser.dense2", 5, 10 + DIMENSIONS),
            ];
            Discriminator {
                trunk: self.net(kind, trunk("discriminator", LEAKY), &mut parameters),
                head: self.net(kind, head, &mut parameters),
                recogniser: self.net(kind, recogniser, &mut parameters),
            }
        });
        TrainableModel {
            objective,
            reconstruction: ReconstructionLoss::Bernoulli,
            dimensions: DIMENSIONS,
            decoder_layers: Vec::new(),
            parameters,
            encoder,
            decoder,
            discriminator,
            bottleneck: None,
        }
    }

    fn assert_terms(&self, kind: &str, terms: &Terms, names: &[&str]) {
        for name in names {
            let expected = f64::from(self.values(&format!("{kind}.term.{name}"))[0]);
            let found = terms.get(name).unwrap();
            assert!(
                (found - expected).abs() < 1e-5 * expected.abs().max(1.0),
                "{kind}, {name}: {found} is not {expected}"
            );
        }
    }

    /// Compares the gradient of every parameter whose name passes `which`; gives their number.
    fn assert_gradients(
        &self,
        kind: &str,
        model: &TrainableModel,
        grads: &GradStore,
        which: impl Fn(&str) -> bool,
    ) -> usize {
        let mut compared = 0;
        for (name, var) in &model.parameters {
            if name.contains("running") || !which(name) {
                continue;
            }
            let found = grads
                .get(var)
                .unwrap_or_else(|| panic!("no gradient of {name}"));
            self.assert_close(&format!("{kind}.gradient.{name}"), found);
            compared += 1;
        }
        compared
    }

    fn assert_statistics(&self, kind: &str, model: &TrainableModel) {
        for (name, var) in &model.parameters {
            if name.contains("running") {
                self.assert_close(&format!("{kind}.after.{name}"), var);
            }
        }
    }

    /// Within 1e-5 of the largest value, or of 1.
    fn assert_close(&self, name: &str, found: &Tensor) {
        let expected = self.values(name);
        let found: Vec<f32> = found.flatten_all().unwrap().to_vec1().unwrap();
        assert_eq!(found.len(), expected.len(), "{name}");
        let scale = expected.iter().fold(1.0_f32, |m, v| m.max(v.abs()));
        for (i, (a, b)) in found.iter().zip(expected).enumerate() {
            assert!(
                (a - b).abs() < 1e-5 * scale,
                "{name}, {i}: {a} is not {b} (scale {scale})"
            );
        }
    }
}

const RELU: Layer = Layer::Activation {
    function: Activation::Relu,
};
const LEAKY: Layer = Layer::Activation {
    function: Activation::LeakyRelu { slope: 0.2 },
};

fn dense(name: &str, inputs: usize, outputs: usize) -> Layer {
    Layer::Dense {
        name: name.to_owned(),
        inputs,
        outputs,
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

fn trunk(prefix: &str, activation: Layer) -> Vec<Layer> {
    let conv = |name: &str, inputs, outputs| Layer::Conv {
        name: format!("{prefix}.{name}"),
        inputs,
        outputs,
        kernel: 4,
        stride: 2,
        padding: Padding::all(1),
        groups: 1,
    };
    vec![
        maps(1, 8),
        conv("conv1", 1, 3),
        activation.clone(),
        conv("conv2", 3, 4),
        norm(&format!("{prefix}.norm1"), 4),
        activation.clone(),
        Layer::Flatten {
            channels_last: false,
        },
        dense(&format!("{prefix}.dense1"), 16, 6),
        norm(&format!("{prefix}.norm2"), 6),
        activation,
    ]
}

fn encoder(outputs: usize) -> Vec<Layer> {
    let mut layers = trunk("encoder", RELU);
    layers.push(dense("encoder.dense2", 6, outputs));
    layers
}

fn decoder(inputs: usize) -> Vec<Layer> {
    let up = |name: &str, inputs, outputs| Layer::ConvTranspose {
        name: name.to_owned(),
        inputs,
        outputs,
        kernel: 4,
        stride: 2,
        padding: Padding::all(1),
        groups: 1,
    };
    vec![
        dense("decoder.dense1", inputs, 6),
        norm("decoder.norm1", 6),
        LEAKY,
        dense("decoder.dense2", 6, 16),
        norm("decoder.norm2", 16),
        LEAKY,
        maps(4, 2),
        up("decoder.up1", 4, 3),
        norm("decoder.norm3", 3),
        LEAKY,
        up("decoder.up2", 3, 1),
        Layer::Activation {
            function: Activation::Sigmoid,
        },
    ]
}

#[test]
fn every_encoded_loss_agrees() {
    let fixture = Fixture::read();
    let noise = fixture.tensor("noise");
    for (kind, objective, terms) in [
        ("ae", Objective::Autoencoder, &["reconstruction"][..]),
        ("vae", Objective::Variational, &["reconstruction", "kl"]),
        (
            "tc",
            Objective::TotalCorrelation,
            &["reconstruction", "kl", "tc"],
        ),
        (
            "ss",
            Objective::SemiSupervised,
            &["reconstruction", "kl", "tc"],
        ),
    ] {
        let model = fixture.model(kind, objective);
        let rows = fixture.rows();
        // Before the running statistics move: the model as it is used after training.
        let trained = model.trained().unwrap();
        let encoding = trained.encode(&rows).unwrap();
        let encoded = match &encoding.log_variance {
            Some(log_variance) => Tensor::cat(&[&encoding.mean, log_variance], 1).unwrap(),
            None => encoding.mean,
        };
        fixture.assert_close(&format!("{kind}.encoded"), &encoded);
        let input = model.decoder_input(&noise, &rows.labels).unwrap();
        let decoded = trained.decode(&input).unwrap();
        fixture.assert_close(&format!("{kind}.decoded"), &decoded);

        let (loss, found) = model.loss_with(&rows, ROWS_IN_ALL, &noise).unwrap();
        fixture.assert_terms(kind, &found, terms);
        let total = f64::from(loss.to_scalar::<f32>().unwrap());
        assert!((total - found.total()).abs() < 1e-4, "{kind}: {total}");
        let grads = loss.backward().unwrap();
        let compared = fixture.assert_gradients(kind, &model, &grads, |_| true);
        assert_eq!(compared, 26, "{kind}");
        fixture.assert_statistics(kind, &model);
    }
}

#[test]
fn both_players_of_infogan_agree() {
    let fixture = Fixture::read();
    let model = fixture.model("ig", Objective::InfoGan);
    let rows = fixture.rows();
    let digits = one_hot(rows.labels.iter().map(|&l| usize::from(l))).unwrap();
    let fakes = model.fakes_of(digits, fixture.tensor("codes")).unwrap();
    let discriminator = model.discriminator.as_ref().unwrap();
    let of_decoder = |name: &str| name.starts_with("decoder.");

    let (loss, terms) = discriminator.own_loss(&rows, &fakes).unwrap();
    fixture.assert_terms("ig", &terms, &["discriminator"]);
    let grads = loss.backward().unwrap();
    let compared = fixture.assert_gradients("ig", &model, &grads, |name| !of_decoder(name));
    assert_eq!(compared, 18);

    let (loss, terms) = discriminator.decoder_loss(&fakes).unwrap();
    fixture.assert_terms("ig", &terms, &["generator", "category", "continuous"]);
    let grads = loss.backward().unwrap();
    let compared = fixture.assert_gradients("ig", &model, &grads, of_decoder);
    assert_eq!(compared, 14);
    fixture.assert_statistics("ig", &model);
}

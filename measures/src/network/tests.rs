#![allow(clippy::unwrap_used)]

use super::pass::{LayerSlopes, Pass};
use super::*;

fn layout(activation: Activation, outputs: usize) -> Layout {
    Layout {
        inputs: 3,
        hidden: vec![5, 4],
        outputs,
        activation,
    }
}

/// One hundred rows of three normal numbers, and two targets that depend on them.
fn rows() -> (Array, Vec<Vec<f64>>) {
    let mut random = Random::new(5, 0);
    let values: Vec<f64> = (0..300).map(|_| random.normal()).collect();
    let first = values
        .chunks(3)
        .map(|x| f64::from(u8::from(x[0] * x[1] > 0.0)));
    let second = values.chunks(3).map(|x| f64::from(u8::from(x[2] > 0.3)));
    let targets = vec![first.collect(), second.collect()];
    (Array::new(vec![100, 3], values).unwrap(), targets)
}

/// The mean cross entropy, written out again in the plainest way.
fn loss(network: &Network, inputs: &Array, targets: &[Vec<f64>]) -> f64 {
    let found = network.probabilities(inputs);
    let mut sum = 0.0;
    for row in 0..inputs.rows() {
        for (p, t) in found.iter().zip(targets) {
            let (p, t) = (p[row], t[row]);
            sum -= match network.activation {
                Activation::Sigmoid => (if t == 1.0 { p } else { 1.0 - p }).ln(),
                Activation::Softmax if t == 1.0 => p.ln(),
                Activation::Softmax => 0.0,
            };
        }
    }
    sum / inputs.rows() as f64
}

/// The slopes that a pass back gives, block by block.
fn slopes(network: &Network, inputs: &Array, targets: &[Vec<f64>]) -> Vec<LayerSlopes> {
    let mut found: Vec<LayerSlopes> = network
        .layers
        .iter()
        .map(|layer| LayerSlopes {
            weights: vec![0.0; layer.weights.len()],
            biases: vec![0.0; layer.biases.len()],
        })
        .collect();
    let probabilities = network.probabilities(inputs);
    let all: Vec<usize> = (0..inputs.rows()).collect();
    let mut pass = Pass::new(&network.layers);
    for block in all.chunks(pass::BLOCK) {
        pass.load(block.len(), |place| inputs.row(block[place]));
        pass.forward(&network.layers);
        let (_, slopes) = pass.outputs_and_slopes();
        slopes.fill(0.0);
        for (output, (p, t)) in probabilities.iter().zip(targets).enumerate() {
            for (place, &row) in block.iter().enumerate() {
                slopes[output * pass::BLOCK + place] = (p[row] - t[row]) / all.len() as f64;
            }
        }
        pass.backward(&network.layers, &mut found);
    }
    found
}

#[test]
fn slopes_are_those_of_central_differences() {
    let (inputs, mut targets) = rows();
    for activation in [Activation::Sigmoid, Activation::Softmax] {
        if activation == Activation::Softmax {
            targets[1] = targets[0].iter().map(|t| 1.0 - t).collect();
        }
        let network = Network::glorot(&layout(activation, 2), &mut Random::new(8, 0));
        let found = slopes(&network, &inputs, &targets);
        for (depth, layer) in network.layers.iter().enumerate() {
            for weight in 0..layer.weights.len() {
                let moved = |by: f64| {
                    let mut moved = network.clone();
                    moved.layers[depth].weights[weight] += by;
                    loss(&moved, &inputs, &targets)
                };
                let wanted = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                let slope = found[depth].weights[weight];
                assert!((slope - wanted).abs() < 1e-7, "{slope}, not {wanted}");
            }
            for bias in 0..layer.biases.len() {
                let moved = |by: f64| {
                    let mut moved = network.clone();
                    moved.layers[depth].biases[bias] += by;
                    loss(&moved, &inputs, &targets)
                };
                let wanted = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                let slope = found[depth].biases[bias];
                assert!((slope - wanted).abs() < 1e-7, "{slope}, not {wanted}");
            }
        }
    }
}

#[test]
fn training_learns_what_a_straight_cut_cannot_tell() {
    let mut random = Random::new(2, 0);
    let values: Vec<f64> = (0..1200).map(|_| random.normal()).collect();
    let target = values
        .chunks(3)
        .map(|x| f64::from(u8::from(x[0] * x[1] > 0.0)));
    let targets = vec![target.collect::<Vec<f64>>()];
    let inputs = Array::new(vec![400, 3], values).unwrap();
    let all: Vec<usize> = (0..400).collect();
    let training = Training {
        learning_rate: 1e-2,
        l2: 1e-4,
        batch: 64,
        stop: Stop::StandsStill {
            epochs: 10,
            tolerance: 1e-4,
            at_most: 1000,
        },
    };
    let fitted = training.fit(
        &layout(Activation::Sigmoid, 1),
        &inputs,
        &targets,
        &all,
        1,
        |_| {},
    );
    assert!(fitted.settled && fitted.epochs < 1000, "{}", fitted.epochs);
    // Any straight cut is near ln 2 = 0.69 here.
    let left = loss(&fitted.network, &inputs, &targets);
    assert!(left < 0.35, "{left}");
    let again = training.fit(
        &layout(Activation::Sigmoid, 1),
        &inputs,
        &targets,
        &all,
        1,
        |_| {},
    );
    assert_eq!(fitted, again);
    let other = training.fit(
        &layout(Activation::Sigmoid, 1),
        &inputs,
        &targets,
        &all,
        2,
        |_| {},
    );
    assert_ne!(fitted.network, other.network);
}

#[test]
fn without_rows_a_network_stays_as_it_began() {
    let (inputs, targets) = rows();
    let training = Training {
        learning_rate: 1e-2,
        l2: 0.0,
        batch: 64,
        stop: Stop::Epochs(3),
    };
    let fitted = training.fit(
        &layout(Activation::Softmax, 2),
        &inputs,
        &targets,
        &[],
        4,
        |_| {},
    );
    let start = Network::glorot(&layout(Activation::Softmax, 2), &mut Random::new(4, 2));
    assert_eq!(fitted.network, start);
    assert_eq!(fitted.network.logits(&inputs).len(), 2);
}

//! Networks that tell the labels of one column.

use super::auc::{auc, one_against_rest};
use crate::array::Array;
use crate::checks::LabelColumn;
use crate::network::{Activation, Layout, Stop, Training};
use crate::outcome::Flag;
use crate::split::Split;

/// How the released code trains the networks of a purity matrix.
const EPOCHS: usize = 25;
/// Rows of a batch in the released code, or all where there are fewer.
pub(super) const BATCH: usize = 512;
/// Adam's learning rate in the released code.
pub(super) const LEARNING_RATE: f64 = 1e-3;

/// The targets of a network's outputs: for two labels one output, 1 for the second; for more one each. Gives a list
/// for each output, with a number for each row.
pub(super) fn targets(labels: &LabelColumn) -> (Activation, Vec<Vec<f64>>) {
    let is = |class: usize| -> Vec<f64> {
        let places = labels.places.iter();
        places
            .map(|&place| f64::from(u8::from(place as usize == class)))
            .collect()
    };
    if labels.classes.len() <= 2 {
        (Activation::Sigmoid, vec![is(1)])
    } else {
        (
            Activation::Softmax,
            (0..labels.classes.len()).map(is).collect(),
        )
    }
}

/// The AUC of a network with these hidden layers that tells `labels` from all numbers of a row, on the rows judged;
/// none when a single label is among them.
pub(super) fn test_auc(
    inputs: &Array,
    labels: &LabelColumn,
    split: &Split,
    hidden: &[usize],
    seed: u64,
) -> Option<f64> {
    let present = labels.counts(&split.test);
    if present.iter().filter(|&&count| count > 0).count() < 2 {
        return None;
    }
    let (activation, targets) = targets(labels);
    let layout = Layout {
        inputs: inputs.columns() * inputs.depth(),
        hidden: hidden.to_vec(),
        outputs: targets.len(),
        activation,
    };
    let training = Training {
        learning_rate: LEARNING_RATE,
        l2: 0.0,
        batch: BATCH,
        stop: Stop::Epochs(EPOCHS),
    };
    let fitted = training.fit(&layout, inputs, &targets, &split.train, seed, |_| {});
    let found = fitted.network.probabilities(&inputs.pick(&split.test));
    let places: Vec<usize> = split
        .test
        .iter()
        .map(|&row| labels.places[row] as usize)
        .collect();
    match activation {
        Activation::Sigmoid => {
            let second: Vec<bool> = places.iter().map(|&place| place == 1).collect();
            auc(&found[0], &second)
        }
        Activation::Softmax => one_against_rest(&found, &places),
    }
}

/// Flags for the effects of a split on labels: columns with one class, classes that are missing from a part.
pub(super) fn label_flags(
    array: &'static str,
    columns: &[LabelColumn],
    split: &Split,
) -> Vec<Flag> {
    let mut flags = Vec::new();
    for (column, labels) in columns.iter().enumerate() {
        let judged = labels.counts(&split.test);
        if judged.iter().filter(|&&count| count > 0).count() < 2 {
            flags.push(Flag::OneClass { array, column });
        }
        for (rows, counts) in [
            ("judge on", judged),
            ("fit to", labels.counts(&split.train)),
        ] {
            let absent = counts
                .iter()
                .zip(&labels.classes)
                .filter(|(count, _)| **count == 0);
            flags.extend(absent.map(|(_, &class)| Flag::ClassAbsent {
                array,
                column,
                class,
                rows,
            }));
        }
    }
    flags
}

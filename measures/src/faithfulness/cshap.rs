//! C-SHAP's trained surrogate, as a measure.

use super::agreement::{RANDOM, SCORES, compared};
use super::cost::{self, Sizes};
use super::decoder::{LastLayer, Loss, Training};
use super::explained::{bias, directions, outputs, weights};
use super::surrogates::project;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Measure, Parameter, Settings, Variant};
use crate::outcome::Outcome;
use crate::problem::Checked;
use crate::split::Split;

/// The hidden units of the surrogate's network.
pub(super) const HIDDEN: Parameter = Parameter {
    name: "hidden",
    says: "Hidden units of the network that makes codes of concepts.",
    default: 500.0,
    range: (1.0, 100_000.0),
    whole: true,
    source: "Kumar and Ahuja, appendix A.2.3",
};

/// How long the surrogate's network is trained.
pub(super) const EPOCHS: Parameter = Parameter {
    name: "epochs",
    says: "Passes over the samples at most.",
    default: 100.0,
    range: (0.0, 100_000.0),
    whole: true,
    source: "Kumar and Ahuja, appendix A.2.3",
};

/// The losses that the surrogate's network is trained to make small.
pub(super) const LOSSES: &[Variant] = &[
    Variant {
        name: "cross-entropy",
        says: "trained on the cross entropy between the model's probabilities and the surrogate's",
    },
    Variant {
        name: "l1",
        says: "trained on the mean absolute difference of outputs",
    },
];

/// The share of samples that the surrogate is judged on.
const TEST: f64 = 0.2;

/// C-SHAP as a measure.
pub static CSHAP: Measure = Measure {
    name: "cshap",
    title: "C-SHAP's faithfulness",
    tells: "How well a network that is trained for it makes the model's codes of concepts.",
    source: "Yeh et al. 2020, as Kumar and Ahuja have it: equations 7, 8 and 14, appendix A.2.3",
    formula: "ŷ_i = f_i · ψ(p_i) + b_i with p_i = h · v_ik and ψ a network of one hidden layer, trained on four \
              fifths of the samples; losses on the others: C-SHAP 1 = (accuracy of ŷ − a_r) / (accuracy of y − a_r)",
    needs: &[Need::Codes, Need::Weights, Need::Directions, Need::Outputs],
    takes: &[Need::Bias, Need::Task],
    parameters: &[HIDDEN, EPOCHS, RANDOM],
    variants: LOSSES,
    estimators: &[],
    scores: SCORES,
    cost: "Epochs × samples × outputs × hidden units × concepts.",
    not_for: "Judging explanations: what it learns is not in them, and importances play no part. It is there to \
              compare with.",
    seeded: true,
    compute: measured,
};

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let mut checks = Checks::of(settings);
    let directions = directions(inputs, &mut checks);
    let codes = inputs.needed(Need::Codes);
    let outputs = outputs(inputs, inputs.get(Need::Task), &mut checks);
    let layer = LastLayer {
        weights: weights(inputs, directions, &mut checks),
        bias: bias(inputs),
    };
    checks.at_least("codes", "rows", codes.rows(), 2);
    checks.done()?;
    let split = Split::random(codes.rows(), TEST, settings.seed);
    let parts = project(codes, directions);
    let told = |share: f64| settings.progress(share);
    let (train, seed) = (&split.train, settings.seed);
    let decoder = training(settings).fit(&parts, outputs, layer, train, seed, told);
    let surrogate = decoder.outputs(&parts.pick(&split.test), layer);
    let mut judged = Inputs::default().with(Need::Outputs, outputs.pick(&split.test));
    if let Some(task) = inputs.get(Need::Task) {
        judged = judged.with(Need::Task, task.pick(&split.test));
    }
    let mut outcome = compared(&judged, settings, &CSHAP, &surrogate)?;
    let (sizes, hidden) = (Sizes::of(directions), settings.parameter("hidden") as u64);
    let parameters = cost::cshap_parameters(sizes, hidden);
    let flops = cost::cshap_flops(sizes, hidden);
    outcome.tables.push(cost::table(parameters, flops));
    Ok(outcome)
}

/// How the network is trained, as the settings of a measure with these parameters and variants say.
pub(super) fn training(settings: &Settings) -> Training {
    Training {
        hidden: settings.parameter("hidden") as usize,
        epochs: settings.parameter("epochs") as usize,
        loss: match settings.variant {
            "l1" => Loss::L1,
            _ => Loss::CrossEntropy,
        },
    }
}

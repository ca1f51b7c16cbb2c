//! Niche purity and impurity of a trained label predictor, at one β and as curves over β.

use super::TEST_SHARE;
use super::classifier::{BATCH, LEARNING_RATE, label_flags, targets};
use super::niche::{Masked, NicheScores, correlations, inside, niches, outside, scores_from};
use crate::array::Array;
use crate::checks::{Checks, LabelColumn, labels};
use crate::inputs::{Inputs, Model, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings, Variant};
use crate::network::{Activation, Fitted, Layout, Logits, Stop, Training};
use crate::outcome::{Flag, Outcome, Table, constant, mean_of_defined, names};
use crate::problem::Checked;
use crate::split::Split;

/// NPS and NIS as a measure.
pub static NICHE: Measure = Measure {
    name: "niche",
    title: "Niche purity and impurity (NPS, NIS)",
    tells: "How well the codes that a label depends on tell it, and how well the others still do.",
    source: "Espinosa Zarlenga et al. (concept quality), definitions 3 to 6, appendix 6.5; training as in the released code",
    formula: "niche of label j = {i : |ρ(ĉ_i, f(ĉ)_j)| > β}, f a ReLU network with 20 and 20 units; NPS = mean AUC for label j of f on the niche, all other codes 0; NIS = the same on the complement",
    needs: &[Need::Codes, Need::Task],
    takes: &[],
    parameters: &[Parameter {
        name: "beta",
        says: "A code is in a niche when its correlation is above this.",
        default: 0.2,
        range: (0.0, 1.0),
        whole: false,
        source: "Espinosa Zarlenga et al. (concept quality)",
    }],
    variants: &[
        Variant {
            name: "printed",
            says: "f(ĉ)_j is the probability of label j. The paper does not say which of the two.",
        },
        Variant {
            name: "logit",
            says: "f(ĉ)_j is what the last layer holds before its activation.",
        },
    ],
    estimators: &[],
    scores: &[
        Score {
            name: "nps",
            title: "NPS",
            direction: Direction::Higher,
            range: (Some(0.0), Some(1.0)),
            chance: Chance::Is(0.5),
        },
        Score {
            name: "nis",
            title: "NIS",
            direction: Direction::Lower,
            range: (Some(0.0), Some(1.0)),
            chance: Chance::Is(0.5),
        },
        Score {
            name: "niche_size",
            title: "Mean niche size",
            direction: Direction::Lower,
            range: (Some(0.0), None),
            chance: Chance::Depends("near 0 for codes that know nothing, at β = 0.2 and many rows"),
        },
    ],
    cost: "One network on all codes, up to 1,000 passes over four fifths of the rows; then two calls of it for each label and β.",
    not_for: "NIS alone: codes that know nothing have the best one, so read it beside NPS. Codes far from 0 on average: setting them to 0 is then no lack of knowledge but another input.",
    seeded: true,
    compute: measured,
};

/// Steps of the curves over β.
const STEPS: usize = 20;
/// Units of the hidden layers (paper 000, after definition 4).
const HIDDEN: [usize; 2] = [20, 20];

/// The share of the work that is done when the predictor is fitted.
pub(super) const FITTED: f64 = 0.8;

/// A label predictor, the rows it was fitted to, and what holds of the others.
pub(super) struct Predictor {
    pub fitted: Fitted,
    pub split: Split,
    pub train: Array,
    pub test: Array,
    /// For each label whether it holds of each row judged.
    pub truth: Vec<Vec<bool>>,
    /// The columns that were predicted.
    pub columns: Vec<LabelColumn>,
    /// The name of each label: its class in a single column, else its column.
    pub names: Vec<usize>,
}

impl Predictor {
    /// Fits a predictor of labels that were checked: a single column of classes, or several of 0 and 1. Tells progress up
    /// to [`FITTED`].
    pub fn fit(codes: &Array, label_array: &Array, settings: &Settings) -> Self {
        let seed = settings.seed;
        let columns = labels(label_array).columns;
        let (activation, targets) = if columns.len() == 1 {
            targets(&columns[0])
        } else {
            (Activation::Sigmoid, label_array.by_column())
        };
        let split = Split::random(codes.rows(), TEST_SHARE, seed);
        let layout = Layout {
            inputs: codes.columns() * codes.depth(),
            hidden: HIDDEN.to_vec(),
            outputs: targets.len(),
            activation,
        };
        let training = Training {
            learning_rate: LEARNING_RATE,
            l2: 1e-4,
            batch: BATCH,
            stop: Stop::StandsStill {
                epochs: 10,
                tolerance: 1e-4,
                at_most: 1000,
            },
        };
        let told = |share: f64| settings.progress(FITTED * share);
        let train = &split.train;
        let fitted = training.fit(&layout, codes, &targets, train, seed, told);
        let names = match &columns[..] {
            // Of two classes the second is predicted.
            [one] if targets.len() == 1 => one
                .classes
                .last()
                .map(|&c| c as usize)
                .into_iter()
                .collect(),
            [one] => one.classes.iter().map(|&class| class as usize).collect(),
            several => (0..several.len()).collect(),
        };
        let holds = |list: &Vec<f64>| split.test.iter().map(|&row| list[row] > 0.5).collect();
        Self {
            truth: targets.iter().map(holds).collect(),
            train: codes.pick(&split.train),
            test: codes.pick(&split.test),
            fitted,
            split,
            columns,
            names,
        }
    }

    /// The flags of the fit and of the labels that a reader must know.
    pub fn flags(&self, array: &'static str) -> Vec<Flag> {
        let mut flags = label_flags(array, &self.columns, &self.split);
        flags.extend((!self.fitted.settled).then(|| Flag::NotConverged {
            fit: "the label predictor".to_owned(),
        }));
        let columns = self.train.by_column();
        let depth = self.train.depth();
        for (column, entries) in columns.chunks(depth).enumerate() {
            if constant("codes", entries).count() == depth {
                let array = "codes";
                flags.push(Flag::Constant { array, column });
            }
        }
        flags
    }
}

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, task) = (inputs.needed(Need::Codes), inputs.needed(Need::Task));
    let mut checks = Checks::of(settings);
    checks
        .rows((task, "task"), (codes, "codes"))
        .at_least("codes", "rows", codes.rows(), 2);
    if task.columns() == 1 {
        checks.labels(task, "task");
    } else {
        checks.binary(task, "task", "several columns say which labels hold");
    }
    checks.done()?;
    let predictor = Predictor::fit(codes, task, settings);
    settings.progress(FITTED);
    let logits = Logits(&predictor.fitted.network);
    let model: &dyn Model = if settings.variant == "logit" {
        &logits
    } else {
        &predictor.fitted.network
    };
    let of_train = model.outputs(&predictor.train).by_column();
    let found = correlations(&predictor.train, &of_train);
    let beta = settings.parameter("beta");
    let steps = (0..=STEPS).map(|step| step as f64 * 0.05);
    let betas: Vec<f64> = steps.chain([beta]).collect();
    let curve = curve(model, &predictor, &found, &betas, settings);
    let mut outcome = Outcome::new(&NICHE, settings, codes.rows());
    let (at_beta, curve) = match curve.split_last() {
        Some((at_beta, curve)) => (at_beta, curve),
        None => return Ok(outcome),
    };
    outcome.push("nps", mean_of_defined(&at_beta.purity));
    outcome.push("nis", mean_of_defined(&at_beta.impurity));
    outcome.push("niche_size", Some(mean_size(at_beta)));
    for (place, &label) in predictor.names.iter().enumerate() {
        let of = || Some(label.to_string());
        outcome.push_of("nps", of(), at_beta.purity[place]);
        outcome.push_of("nis", of(), at_beta.impurity[place]);
        outcome.push_of("niche_size", of(), Some(at_beta.sizes[place] as f64));
        if at_beta.sizes[place] == 0 {
            outcome.flags.push(Flag::EmptyNiche { label, beta });
        }
    }
    outcome.flags.extend(predictor.flags("task"));
    outcome.flags.extend(below_half(at_beta, &predictor.names));
    outcome.tables.push(Table {
        title: "Niches over β",
        columns: ["β", "NPS", "NIS", "mean niche size"]
            .map(str::to_owned)
            .to_vec(),
        row_names: names("step", curve.len()),
        rows: curve
            .iter()
            .zip(&betas)
            .map(|(scores, &beta)| row(scores, beta))
            .collect(),
    });
    outcome.tables.push(Table {
        title: "|ρ| of codes and what the predictor says of labels",
        columns: predictor
            .names
            .iter()
            .map(|label| format!("label {label}"))
            .collect(),
        row_names: names("code", found.len()),
        rows: found,
    });
    Ok(outcome)
}

/// Scores at each β.
fn curve(
    model: &dyn Model,
    predictor: &Predictor,
    correlations: &[Vec<Option<f64>>],
    betas: &[f64],
    settings: &Settings,
) -> Vec<NicheScores> {
    let at: Vec<_> = betas
        .iter()
        .map(|&beta| niches(correlations, beta))
        .collect();
    let masks = at.iter().flat_map(|niches| {
        let all = 0..predictor.truth.len();
        all.flat_map(|label| [inside(niches, label), outside(niches, label)])
    });
    let told = |share: f64| settings.progress(FITTED + (1.0 - FITTED) * share);
    let asked = Masked::new(model, &predictor.test, masks, settings.threads, told);
    let scores = at
        .iter()
        .map(|niches| scores_from(&asked, &predictor.truth, niches));
    scores.collect()
}

fn row(scores: &NicheScores, beta: f64) -> Vec<Option<f64>> {
    vec![
        Some(beta),
        mean_of_defined(&scores.purity),
        mean_of_defined(&scores.impurity),
        Some(mean_size(scores)),
    ]
}

fn mean_size(scores: &NicheScores) -> f64 {
    scores.sizes.iter().sum::<usize>() as f64 / scores.sizes.len().max(1) as f64
}

/// A flag for each label whose niche tells it worse than chance.
fn below_half(scores: &NicheScores, names: &[usize]) -> Vec<Flag> {
    let areas = scores.purity.iter().zip(names);
    let low = areas.filter_map(|(area, label)| Some((label, area.filter(|&area| area < 0.5)?)));
    low.map(|(label, auc)| Flag::AucBelowHalf {
        of: format!("the niche of label {label}"),
        auc,
    })
    .collect()
}

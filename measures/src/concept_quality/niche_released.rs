//! The niche impurity score as the authors' code computes it, in its two versions.

use super::auc::auc;
use super::niche::{Masked, correlations, niches, outside};
use super::niche_measure::{FITTED, Predictor};
use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Model, Need};
use crate::measure::{Chance, Direction, Measure, Score, Settings, Variant};
use crate::outcome::{Outcome, Table, mean_of_defined, names};
use crate::problem::Checked;
use crate::softmax::softmax_by_class;

/// NIS as released, as a measure.
pub static NICHE_RELEASED: Measure = Measure {
    name: "nis-released",
    title: "Niche impurity score as released",
    tells: "How well codes that do not correlate with a concept still tell it, over all thresholds.",
    source: "Espinosa Zarlenga et al. (concept quality), released code",
    formula: "∫ NIS(β) dβ by trapezoids over β = 0, 0.05 … 0.95, niches from |ρ(ĉ_i, c_j)| > β with the true concepts c, NIS(β) the mean AUC for concept j of a network on the codes outside its niche",
    needs: &[Need::Codes, Need::Labels],
    takes: &[],
    parameters: &[],
    variants: &[
        Variant {
            name: "concept-quality",
            says: "A softmax over the concepts before the AUC (mateoespinosa/concept-quality).",
        },
        Variant {
            name: "cem",
            says: "Without that softmax (mateoespinosa/cem).",
        },
    ],
    estimators: &[],
    scores: &[Score {
        name: "nis_released",
        title: "NIS as released",
        direction: Direction::Lower,
        range: (Some(0.0), Some(0.95)),
        chance: Chance::Is(0.475),
    }],
    cost: "As for niche.",
    not_for: "Numbers beside the paper's definition: it integrates over β from 0 to 0.95, so that ½ everywhere gives 0.475. Codes of several entries, for which the released code is no definition.",
    seeded: true,
    compute: measured,
};

/// β at each step of the integral.
const STEP: f64 = 0.05;
/// Steps of the integral.
const STEPS: usize = 20;

/// The curve over β and its integral.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleasedImpurity {
    /// NIS at each β; none where no label has two classes.
    pub curve: Vec<Option<f64>>,
    /// Σ (two neighbours) · 0.05 / 2; none where one of the curve's numbers is.
    pub score: Option<f64>,
}

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, truth) = (inputs.needed(Need::Codes), inputs.needed(Need::Labels));
    Checks::of(settings)
        .flat(codes, "codes")
        .binary(
            truth,
            "labels",
            "each is predicted as a probability of its own",
        )
        .rows((truth, "labels"), (codes, "codes"))
        .at_least("codes", "rows", codes.rows(), 2)
        .done()?;
    let predictor = Predictor::fit(codes, truth, settings);
    settings.progress(FITTED);
    let truth_of_train = truth.pick(&predictor.split.train).by_column();
    let found = correlations(&predictor.train, &truth_of_train);
    let released = released_impurity(
        &predictor.fitted.network,
        &predictor.test,
        &predictor.truth,
        &found,
        settings.variant == "concept-quality",
    );
    let mut outcome = Outcome::new(&NICHE_RELEASED, settings, codes.rows());
    outcome.push("nis_released", released.score);
    outcome.flags.extend(predictor.flags("labels"));
    outcome.tables.push(Table {
        title: "NIS over β",
        columns: vec!["β".to_owned(), "NIS".to_owned()],
        row_names: names("step", released.curve.len()),
        rows: released
            .curve
            .iter()
            .enumerate()
            .map(|(step, &value)| vec![Some(step as f64 * STEP), value])
            .collect(),
    });
    Ok(outcome)
}

/// The released score of a model that says something of each label, from the correlations of codes with the true
/// labels. `labels` has a list for each label, with whether it holds of each row of `codes`. With `softmax_first`,
/// what the model says of all labels, each from the codes outside its own niche, goes through a softmax over labels
/// before the AUC.
///
/// # Panics
/// When the model says less of a row than there are labels.
#[must_use]
pub fn released_impurity(
    model: &dyn Model,
    codes: &Array,
    labels: &[Vec<bool>],
    correlations: &[Vec<Option<f64>>],
    softmax_first: bool,
) -> ReleasedImpurity {
    let at: Vec<_> = (0..STEPS)
        .map(|step| niches(correlations, step as f64 * STEP))
        .collect();
    let all = 0..labels.len();
    let masks = at
        .iter()
        .flat_map(|niches| all.clone().map(|label| outside(niches, label)));
    let asked = Masked::new(model, codes, masks, 1, |_| {});
    let of_niches = |niches: &Vec<Vec<bool>>| {
        let said = all
            .clone()
            .map(|label| asked.of(&outside(niches, label), label).to_vec());
        let mut said: Vec<Vec<f64>> = said.collect();
        if softmax_first {
            softmax_by_class(&mut said);
        }
        let areas = said
            .iter()
            .zip(labels)
            .map(|(said, holds)| auc(said, holds));
        mean_of_defined(&areas.collect::<Vec<_>>())
    };
    let curve: Vec<Option<f64>> = at.iter().map(of_niches).collect();
    let pairs = curve
        .windows(2)
        .map(|pair| Some((pair[0]? + pair[1]?) * (STEP / 2.0)));
    ReleasedImpurity {
        score: pairs.sum(),
        curve,
    }
}

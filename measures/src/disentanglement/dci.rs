//! Disentanglement, completeness, informativeness (Eastwood and Williams 2018), with
//! gradient-boosted trees.

use super::boosting::{self, Growth};
use super::both;
use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Score, Settings, Variant};
use crate::outcome::{Flag, Outcome, Table, all_defined, constant, mean_of_defined, names};
use crate::parallel;
use crate::problem::Checked;
use crate::split::Split;

/// DCI as a measure.
pub static DCI: Measure = Measure {
    name: "dci",
    title: "Disentanglement, completeness, informativeness (DCI)",
    tells: "Whether a code matters to one factor only, whether a factor takes one code only, and how well factors are predicted.",
    source: "Eastwood and Williams 2018; Ross et al. (CHI 2021), section 4.1 and table 2",
    formula: "Σ_i ρ_i (1 − H(R_i)), R_i the importances of predictor i for the targets, ρ_i its share of all importance, entropy to the base of the number of targets; completeness likewise over targets; informativeness: mean R² on held-out rows",
    needs: &[Need::Codes, Need::Labels],
    takes: &[],
    parameters: &[],
    variants: &[
        Variant {
            name: "standard",
            says: "Predicts factors from codes, as Eastwood and Williams define it.",
        },
        Variant {
            name: "as-published",
            says: "Predicts codes from factors, as Ross et al. printed it in table 2.",
        },
    ],
    estimators: &[],
    scores: &[
        Score {
            name: "disentanglement",
            title: "Disentanglement",
            direction: Direction::Higher,
            range: (Some(0.0), Some(1.0)),
            chance: Chance::Depends("near 0 for many rows, above it for few"),
        },
        Score {
            name: "completeness",
            title: "Completeness",
            direction: Direction::Higher,
            range: (Some(0.0), Some(1.0)),
            chance: Chance::Depends("near 0 for many rows, above it for few"),
        },
        Score {
            name: "informativeness",
            title: "Informativeness (R²)",
            direction: Direction::Higher,
            range: (None, Some(1.0)),
            chance: Chance::Depends("0 or a little below"),
        },
    ],
    cost: "Targets × trees × predictors × rows, and a sort of each predictor.",
    not_for: "A single factor or a single code, whose entropy has no base. Importances of trees depend on how targets are scaled against each other only through ties.",
    seeded: true,
    compute: measured,
};

/// Share of the rows that informativeness is judged on (Ross et al.: 90/10).
const TEST_SHARE: f64 = 0.1;

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, labels) = (inputs.needed(Need::Codes), inputs.needed(Need::Labels));
    super::agree(Checks::of(settings), codes, labels)?;
    let direction = if settings.variant == "standard" {
        PredictionDirection::Standard
    } else {
        PredictionDirection::AsPublished
    };
    let split = Split::random(codes.rows(), TEST_SHARE, settings.seed);
    let told = |share: f64| settings.progress(share);
    let found = dci_with_progress(codes, labels, &split, direction, settings.threads, &told)?;
    let mut outcome = Outcome::new(&DCI, settings, codes.rows());
    outcome.push("disentanglement", found.disentanglement);
    outcome.push("completeness", found.completeness);
    outcome.push("informativeness", mean_of_defined(&found.informativeness));
    for (target, r_squared) in found.informativeness.iter().enumerate() {
        outcome.push_of("informativeness", Some(target.to_string()), *r_squared);
    }
    for (name, value) in [
        ("disentanglement", found.disentanglement),
        ("completeness", found.completeness),
    ] {
        if value.is_none() {
            outcome.flags.push(Flag::Undefined {
                of: name.to_owned(),
                why: "an entropy over a single column has no base",
            });
        }
    }
    outcome.flags.extend(constant("codes", &codes.by_column()));
    outcome
        .flags
        .extend(constant("labels", &labels.by_column()));
    let (rows, columns) = match direction {
        PredictionDirection::Standard => ("code", "factor"),
        PredictionDirection::AsPublished => ("factor", "code"),
    };
    outcome.tables.push(Table {
        title: "Importance of predictors (rows) to targets (columns)",
        columns: names(columns, found.informativeness.len()),
        row_names: names(rows, found.importance.len()),
        rows: all_defined(&found.importance),
    });
    Ok(outcome)
}

/// The direction of prediction between factors and codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PredictionDirection {
    /// Factors from codes: Eastwood and Williams. Disentanglement asks whether a code
    /// matters to one factor only.
    Standard,
    /// Codes from factors: what Ross et al. printed in table 2. Disentanglement asks
    /// whether a factor matters to one code only.
    AsPublished,
}

/// The three measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Dci {
    /// Importance of each predictor (rows) to each target (columns).
    pub importance: Vec<Vec<f64>>,
    /// Σ ρ_i (1 − H(R_i)) over rows, ρ_i the row's share of all importance, entropy to
    /// the base of the number of columns. None for a single column.
    pub disentanglement: Option<f64>,
    /// The same over columns, to the base of the number of rows. None for a single row.
    pub completeness: Option<f64>,
    /// R² of each target on the rows judged; none where the target is constant there.
    pub informativeness: Vec<Option<f64>>,
}

/// Fits one regressor for each target, on up to `threads` threads, and measures.
///
/// # Errors
/// When arrays are empty, of unequal length, with more than a number at a place, or hold what is not finite; when
/// the split names rows that are not there, or none.
pub fn dci(
    codes: &Array,
    factors: &Array,
    split: &Split,
    direction: PredictionDirection,
    threads: usize,
) -> Checked<Dci> {
    dci_with_progress(codes, factors, split, direction, threads, &|_| {})
}

fn dci_with_progress(
    codes: &Array,
    factors: &Array,
    split: &Split,
    direction: PredictionDirection,
    threads: usize,
    told: &(dyn Fn(f64) + Sync),
) -> Checked<Dci> {
    let (codes, factors) = both(codes, factors)?;
    let (predictors, targets) = match direction {
        PredictionDirection::Standard => (codes, factors),
        PredictionDirection::AsPublished => (factors, codes),
    };
    let problems = split.problems(targets[0].len());
    if !problems.is_empty() {
        return Err(problems);
    }
    let train: Vec<Vec<f64>> = predictors.iter().map(|c| pick(c, &split.train)).collect();
    let test: Vec<Vec<f64>> = predictors.iter().map(|c| pick(c, &split.test)).collect();
    let fitted = parallel::map(
        targets.len(),
        threads,
        |done| told(done as f64 / targets.len() as f64),
        |target| {
            let target = &targets[target];
            let fitted = boosting::fit(&train, &pick(target, &split.train), Growth::default());
            let truth = pick(target, &split.test);
            let found = (0..truth.len()).map(|row| fitted.predict(&test, row));
            let r_squared = r_squared(&truth, found);
            (fitted.importances, r_squared)
        },
    );
    let importance: Vec<Vec<f64>> = (0..predictors.len())
        .map(|predictor| fitted.iter().map(|(shares, _)| shares[predictor]).collect())
        .collect();
    let (disentanglement, completeness) = scores(&importance);
    Ok(Dci {
        importance,
        disentanglement,
        completeness,
        informativeness: fitted.into_iter().map(|(_, r_squared)| r_squared).collect(),
    })
}

fn pick(column: &[f64], rows: &[usize]) -> Vec<f64> {
    rows.iter().map(|&row| column[row]).collect()
}

fn r_squared(truth: &[f64], found: impl Iterator<Item = f64>) -> Option<f64> {
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let total: f64 = truth.iter().map(|y| (y - mean).powi(2)).sum();
    let left: f64 = truth.iter().zip(found).map(|(y, f)| (y - f).powi(2)).sum();
    (total > 0.0).then(|| 1.0 - left / total)
}

/// Disentanglement and completeness of an importance matrix, none where an entropy would be over a single number.
/// A matrix of zeros counts as uniform.
#[must_use]
pub fn scores(importance: &[Vec<f64>]) -> (Option<f64>, Option<f64>) {
    let width = importance.first().map_or(0, Vec::len);
    let transposed: Vec<Vec<f64>> = (0..width)
        .map(|column| importance.iter().map(|row| row[column]).collect())
        .collect();
    (score(importance), score(&transposed))
}

/// Keeps the logarithm of a zero finite, as in the authors' and disentanglement_lib's code.
const TINY: f64 = 1e-11;

fn score(rows: &[Vec<f64>]) -> Option<f64> {
    if rows.first().is_none_or(|row| row.len() < 2) {
        return None;
    }
    let total: f64 = rows.iter().flatten().sum();
    let score = rows
        .iter()
        .map(|row| {
            let share = if total > 0.0 {
                row.iter().sum::<f64>() / total
            } else {
                1.0 / rows.len() as f64
            };
            let sum: f64 = row.iter().map(|v| v + TINY).sum();
            let entropy: f64 = row
                .iter()
                .map(|v| (v + TINY) / sum)
                .map(|p| -p * p.ln())
                .sum();
            share * (1.0 - entropy / (row.len() as f64).ln())
        })
        .sum();
    Some(score)
}

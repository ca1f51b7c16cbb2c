//! Explicitness: how well all codes together tell a factor by a straight cut (Ridgeway and Mozer 2018).

use crate::array::Array;
use crate::checks::{Checks, LabelColumn, labels};
use crate::concept_quality::auc::auc;
use crate::inputs::{Inputs, Need};
use crate::logistic::{Design, Penalty};
use crate::measure::{Chance, Direction, Measure, Score, Settings};
use crate::outcome::{Flag, Outcome, constant_codes, mean_of_defined};
use crate::parallel;
use crate::problem::Checked;
use crate::split::Split;

/// Explicitness as a measure.
pub static EXPLICITNESS: Measure = Measure {
    name: "explicitness",
    title: "Explicitness",
    tells: "How well a straight cut through all codes tells each value of a factor.",
    source: "Ridgeway and Mozer 2018; table 1 of Espinosa Zarlenga et al. (concept quality)",
    formula: "mean over factors and their values of the AUC of a logistic regression, one value against the rest, on held-out rows",
    needs: &[Need::Codes, Need::Labels],
    takes: &[],
    parameters: &[],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "explicitness",
        title: "Explicitness (AUC)",
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Is(0.5),
    }],
    cost: "Rows × codes × values of all factors, about a hundred times.",
    not_for: "Codes that hold a factor along a curve or in several codes at once: a straight cut does not see it.",
    seeded: true,
    compute: measured,
};

/// Share of the rows that is judged on, as for the purity matrix. Ridgeway and Mozer judge on the rows fitted to.
const TEST_SHARE: f64 = 0.2;
/// That of scikit-learn's `LogisticRegression`: it keeps separable classes finite.
const PENALTY: Penalty = Penalty::Ridge(1.0);

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, truth) = (inputs.needed(Need::Codes), inputs.needed(Need::Labels));
    Checks::of(settings)
        .labels(truth, "labels")
        .rows((truth, "labels"), (codes, "codes"))
        .at_least("codes", "rows", codes.rows(), 2)
        .done()?;
    let factors = labels(truth).columns;
    let split = Split::random(codes.rows(), TEST_SHARE, settings.seed);
    let checked = split.problems(codes.rows());
    if !checked.is_empty() {
        return Err(checked);
    }
    let design = Design::new(codes, &split.train);
    let told = |done: usize| settings.progress(done as f64 / factors.len() as f64);
    let found = parallel::map(factors.len(), settings.threads, told, |factor| {
        of_factor(codes, &design, &factors[factor], &split)
    });
    let mut outcome = Outcome::new(&EXPLICITNESS, settings, codes.rows());
    let values: Vec<Option<f64>> = found.iter().flat_map(|f| f.values.clone()).collect();
    outcome.push("explicitness", mean_of_defined(&values));
    outcome.flags.extend(constant_codes(codes));
    for (column, factor) in found.into_iter().enumerate() {
        let mean = mean_of_defined(&factor.values);
        outcome.push_of("explicitness", Some(column.to_string()), mean);
        if mean.is_none() {
            let array = "labels";
            outcome.flags.push(Flag::OneClass { array, column });
        }
        outcome
            .flags
            .extend(factor.unsettled.then(|| Flag::NotConverged {
                fit: format!("the regression on factor {column}"),
            }));
    }
    Ok(outcome)
}

/// The results of the regressions on one factor.
struct OfFactor {
    /// The AUC of each value against the others; none where it is not among the rows judged, or nothing else is.
    values: Vec<Option<f64>>,
    /// Whether a regression was ended before it stood still.
    unsettled: bool,
}

fn of_factor(codes: &Array, design: &Design, factor: &LabelColumn, split: &Split) -> OfFactor {
    // Of two values the second says what the first does.
    let values = if factor.classes.len() == 2 {
        1..2
    } else {
        0..factor.classes.len()
    };
    let mut found = OfFactor {
        values: Vec::new(),
        unsettled: false,
    };
    for value in values {
        let is = |row: &usize| factor.places[*row] as usize == value;
        let targets: Vec<usize> = split.train.iter().map(|row| usize::from(is(row))).collect();
        let fitted = design.fit(&targets, 2, None, PENALTY);
        let scores: Vec<f64> = split
            .test
            .iter()
            .map(|&row| fitted.logits(codes.row(row))[0])
            .collect();
        let truth: Vec<bool> = split.test.iter().map(is).collect();
        found.values.push(auc(&scores, &truth));
        found.unsettled |= !fitted.settled;
    }
    found
}

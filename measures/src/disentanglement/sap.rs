//! Separated attribute predictability: how much better the best code predicts a factor than the second best
//! (Kumar et al. 2018).

use super::both;
use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Score, Settings};
use crate::outcome::{Flag, Outcome, Table, constant, mean_of_defined, names};
use crate::problem::Checked;

/// SAP as a measure.
pub static SAP: Measure = Measure {
    name: "sap",
    title: "Separated attribute predictability (SAP)",
    tells: "How much more of a factor's variance the best code explains by a straight line than the second best.",
    source: "Kumar et al. 2018, for continuous factors",
    formula: "mean over factors of largest − second largest R²(code; factor), R² = cov² / (var · var)",
    needs: &[Need::Codes, Need::Labels],
    takes: &[],
    parameters: &[],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "sap",
        title: "SAP",
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends("near 0: about 1 divided by the number of rows"),
    }],
    cost: "Rows × codes × factors.",
    not_for: "Factors without an order (a shape's kind), and codes that follow a factor by a curve that turns.",
    seeded: false,
    compute: measured,
};

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, labels) = (inputs.needed(Need::Codes), inputs.needed(Need::Labels));
    super::agree(Checks::of(settings), codes, labels)?;
    let explained = explained(codes, labels)?;
    let gaps = gaps(&explained);
    let mut outcome = Outcome::new(&SAP, settings, codes.rows());
    outcome.push("sap", mean_of_defined(&gaps));
    for (factor, gap) in gaps.iter().enumerate() {
        outcome.push_of("sap", Some(factor.to_string()), *gap);
    }
    outcome.flags.extend(constant("codes", &codes.by_column()));
    outcome
        .flags
        .extend(constant("labels", &labels.by_column()));
    if codes.columns() == 1 {
        outcome.flags.push(Flag::Undefined {
            of: "the gap".to_owned(),
            why: "a single code has no second one beside it",
        });
    }
    outcome.tables.push(Table {
        title: "Share of the factor's variance that the code explains (R²)",
        columns: names("code", codes.columns()),
        row_names: names("factor", explained.len()),
        rows: explained,
    });
    Ok(outcome)
}

/// R² of a straight line from each code to each factor: a row for each factor, a column for each code. A code that
/// does not vary explains nothing (0); a factor that does not vary has no variance to explain (none).
///
/// # Errors
/// When arrays are empty, of unequal length, with more than a number at a place, or hold what is not finite.
pub fn explained(codes: &Array, factors: &Array) -> Checked<Vec<Vec<Option<f64>>>> {
    let (mut codes, mut factors) = both(codes, factors)?;
    codes.iter_mut().chain(&mut factors).for_each(|c| centre(c));
    let squares = |of: &[Vec<f64>]| -> Vec<f64> { of.iter().map(|c| product(c, c)).collect() };
    let (code_squares, factor_squares) = (squares(&codes), squares(&factors));
    let row = |(factor, &variance): (&Vec<f64>, &f64)| {
        let cell = |(code, &spread): (&Vec<f64>, &f64)| match (variance > 0.0, spread > 0.0) {
            (false, _) => None,
            (true, false) => Some(0.0),
            // Divided one after the other: the product of two small variances can be 0.
            (true, true) => {
                let shared = product(code, factor);
                Some(shared / spread * shared / variance)
            }
        };
        codes.iter().zip(&code_squares).map(cell).collect()
    };
    Ok(factors.iter().zip(&factor_squares).map(row).collect())
}

/// The largest less the second largest of each row; none where there is no second, or nothing is defined.
#[must_use]
pub fn gaps(explained: &[Vec<Option<f64>>]) -> Vec<Option<f64>> {
    let gap = |row: &Vec<Option<f64>>| {
        let mut sorted: Vec<f64> = row.iter().copied().collect::<Option<_>>()?;
        sorted.sort_by(|a, b| b.total_cmp(a));
        match sorted[..] {
            [first, second, ..] => Some(first - second),
            _ => None,
        }
    };
    explained.iter().map(gap).collect()
}

/// Takes the mean off. A constant column becomes exactly 0, which its rounded mean does not see to.
fn centre(column: &mut [f64]) {
    let first = column[0];
    column.iter_mut().for_each(|v| *v -= first);
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    column.iter_mut().for_each(|v| *v -= mean);
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

//! The sanity check of faithfulness measures as a table (paper 004, table 3): the measure `faithfulness-sanity` with both
//! losses of C-SHAP, beside what the paper prints, and whether each expectation of the paper holds.

use crate::array::Array;
use crate::faithfulness::sanity::STEPS;
use crate::faithfulness::sanity_check::FAITHFULNESS_SANITY;
use crate::inputs::{Inputs, Need};
use crate::logistic::{Design, Penalty};
use crate::measure::Request;
use crate::outcome::Outcome;
use crate::problem::Checked;
use serde::Serialize;

/// The names of the columns, in the paper's order.
pub const COLUMNS: [&str; 7] = [
    "Top-1 (%)",
    "Rank corr.",
    "Norm L1",
    "MAE",
    "EMD",
    "Params learnt",
    "FLOPs",
];

/// Surrogates, in the paper's order.
pub const SURROGATES: [&str; 4] = ["C-SHAP (CEL)", "C-SHAP (L1)", "ICE", "SURF"];

/// The numbers of the paper's table 3, step by step, in the order of [`SURROGATES`].
pub const PAPER: [[f64; 7]; 12] = [
    [9.02, -0.02, 1.27, 1.97, 0.865, 1e6, 205e6],
    [6.13, 0.08, 2.15, 0.54, 0.883, 1e6, 205e6],
    [100.0, 1.0, 0.0, 0.0, 0.0, 0.0, 614e3],
    [100.0, 1.0, 0.0, 0.0, 0.0, 0.0, 200.0],
    [9.02, -0.02, 1.27, 1.97, 0.865, 1e6, 205e6],
    [6.13, 0.08, 2.15, 0.54, 0.883, 1e6, 205e6],
    [100.0, 1.0, 0.0, 0.0, 0.0, 0.0, 614e3],
    [97.5, 0.13, 0.83, 2.70, 0.862, 0.0, 200.0],
    [97.6, 0.02, 181.7, 168.2, 0.125, 1e6, 205e6],
    [6.1, 0.08, 3.59, 1.721, 0.883, 1e6, 205e6],
    [3.3, 0.0, 1.0, 3.17, 0.882, 0.0, 614e3],
    [1.3, 0.0, 1.01, 3.17, 0.883, 0.0, 200.0],
];

/// One surrogate at one step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The step.
    pub step: &'static str,
    /// The surrogate.
    pub surrogate: &'static str,
    /// Ours, in the order of [`COLUMNS`]; none where a number is not defined.
    pub ours: [Option<f64>; 7],
    /// The paper's.
    pub paper: [f64; 7],
}

/// Something that the paper expects, or found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// What: a sentence.
    pub says: &'static str,
    /// Whether it holds here.
    pub holds: bool,
}

/// The table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SanityTable {
    /// How many rows of codes it is computed from.
    pub rows: usize,
    /// How often things were drawn.
    pub repetitions: usize,
    /// Surrogates at each step, in the paper's order.
    pub table: Vec<Row>,
    /// The paper's expectations, and whether they hold.
    pub verdicts: Vec<Verdict>,
}

/// Makes the table for a layer: codes, weights, and a bias and a task where there are any. `request` says repetitions,
/// seed and threads; its variant is not looked at.
///
/// # Errors
/// The problems for which the measure refuses.
pub fn sanity(inputs: &Inputs, repetitions: usize, request: &Request) -> Checked<SanityTable> {
    let run = |variant: &str| {
        let mut request = Request {
            variant: Some(variant.to_owned()),
            ..request.clone()
        };
        request
            .parameters
            .push(("repetitions".to_owned(), repetitions as f64));
        FAITHFULNESS_SANITY.run(inputs, &request)
    };
    let (entropy, absolute) = (run("cross-entropy")?, run("l1")?);
    let mut table = Vec::new();
    for (at, step) in STEPS.into_iter().enumerate() {
        for (of, surrogate) in SURROGATES.into_iter().enumerate() {
            let name = surrogate.split(' ').next().unwrap_or(surrogate);
            let outcome = if of == 1 { &absolute } else { &entropy };
            table.push(Row {
                step,
                surrogate,
                ours: ours(outcome, &format!("{name}, {step}")),
                paper: PAPER[at * SURROGATES.len() + of],
            });
        }
    }
    let verdicts = verdicts(&table);
    Ok(SanityTable {
        rows: entropy.rows,
        repetitions,
        table,
        verdicts,
    })
}

/// The numbers of one row of the measure's table, in the paper's order.
fn ours(outcome: &Outcome, name: &str) -> [Option<f64>; 7] {
    let Some(table) = outcome.tables.first() else {
        return [None; 7];
    };
    let row = table.row_names.iter().position(|it| it == name);
    let value = |column: &str| -> Option<f64> {
        let place = table.columns.iter().position(|it| it == column)?;
        table.rows.get(row?)?.get(place).copied().flatten()
    };
    [
        value("same class").map(|share| 100.0 * share),
        value("rank correlation"),
        value("relative L1"),
        value("MAE"),
        value("EMD"),
        value("parameters learnt"),
        value("FLOPs"),
    ]
}

fn verdicts(table: &[Row]) -> Vec<Verdict> {
    let cell = |step: usize, surrogate: usize, column: usize| {
        let row = table.get(step * SURROGATES.len() + surrogate);
        row.and_then(|row| row.ours[column])
    };
    let (mae, emd) = (3, 4);
    let (entropy, absolute, ice, surf) = (0, 1, 2, 3);
    let rises = |surrogate, column, from| {
        let (a, b) = (
            cell(from, surrogate, column),
            cell(from + 1, surrogate, column),
        );
        a.zip(b).is_some_and(|(a, b)| b > a)
    };
    let same =
        |surrogate| (0..5).all(|column| cell(0, surrogate, column) == cell(1, surrogate, column));
    let none = |surrogate, column| cell(0, surrogate, column).is_some_and(|v| v.abs() < 1e-9);
    let verdict = |says, holds| Verdict { says, holds };
    vec![
        verdict(
            "SURF is perfect for the perfect explanation",
            none(surf, mae) && none(surf, emd),
        ),
        verdict(
            "SURF's MAE is worse with random importances, and worse again with random vectors",
            rises(surf, mae, 0) && rises(surf, mae, 1),
        ),
        verdict(
            "SURF's EMD is worse with random importances, and worse again with random vectors",
            rises(surf, emd, 0) && rises(surf, emd, 1),
        ),
        verdict("ICE does not notice random importances", same(ice)),
        verdict(
            "ICE notices random vectors",
            rises(ice, mae, 1) && rises(ice, emd, 1),
        ),
        verdict(
            "C-SHAP does not notice random importances, with either loss",
            same(entropy) && same(absolute),
        ),
        verdict(
            "C-SHAP is not perfect for the perfect explanation, with either loss",
            !none(entropy, emd) && !none(absolute, emd),
        ),
    ]
}

/// A last, linear layer that tells the classes of a task from codes, where a model has none: multinomial logistic
/// regression with a ridge penalty of 1, as scikit-learn's `LogisticRegression` fits it. Adds weights and bias to inputs
/// that have codes, samples × codes, and a task of at least two classes from 0 on; the others stay as they are.
#[must_use]
pub fn with_fitted_layer<'a>(inputs: Inputs<'a>) -> Inputs<'a> {
    let (Some(codes), Some(task)) = (inputs.get(Need::Codes), inputs.get(Need::Task)) else {
        return inputs;
    };
    let targets: Vec<usize> = task.values().iter().map(|class| *class as usize).collect();
    let classes = targets.iter().max().map_or(0, |most| most + 1);
    if classes < 2 || codes.depth() != 1 || targets.len() != codes.rows() {
        return inputs;
    }
    let rows: Vec<usize> = (0..codes.rows()).collect();
    let fitted = Design::new(codes, &rows).fit(&targets, classes, None, Penalty::Ridge(1.0));
    let mut coefficients = fitted.coefficients;
    if coefficients.len() == 1 {
        // Of two classes the second has the logit, and the first none.
        coefficients.insert(0, vec![0.0; codes.columns() + 1]);
    }
    let bias = coefficients.iter().map(|of| of[0]).collect();
    let weights = (1..=codes.columns()).flat_map(|at| coefficients.iter().map(move |of| of[at]));
    let weights = Array::new(vec![codes.columns(), classes], weights.collect());
    let bias = Array::new(vec![classes], bias);
    match (weights, bias) {
        (Some(weights), Some(bias)) => inputs.with(Need::Weights, weights).with(Need::Bias, bias),
        _ => inputs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Codes of four classes: the class's own corner, with noise.
    fn made_up() -> Inputs<'static> {
        let mut random = Random::new(3, 0);
        let rows = 120;
        let class = |row: usize| (row % 4) as f64;
        let codes = (0..rows).flat_map(|row| {
            let corner = [row % 2, row / 2 % 2, usize::from(row % 4 == 3)];
            corner.map(|at| 2.0 * at as f64 + 0.5 * random.normal())
        });
        let codes = Array::new(vec![rows, 3], codes.collect()).unwrap();
        let task = Array::new(vec![rows], (0..rows).map(class).collect()).unwrap();
        Inputs::default()
            .with(Need::Codes, codes)
            .with(Need::Task, task)
    }

    #[test]
    fn surf_is_worse_at_both_steps_and_ice_is_blind_to_the_first() {
        let inputs = with_fitted_layer(made_up());
        let request = Request {
            parameters: vec![("epochs".to_owned(), 3.0), ("hidden".to_owned(), 8.0)],
            seed: 1,
            ..Request::default()
        };
        let found = sanity(&inputs, 10, &request).unwrap();
        assert_eq!((found.rows, found.table.len()), (120, 12));
        for verdict in &found.verdicts[..6] {
            assert!(verdict.holds, "{verdict:?}");
        }
        let surf = &found.table[3];
        assert_eq!((surf.step, surf.surrogate), ("Perfect", "SURF"));
        assert_eq!(surf.ours[0], Some(100.0));
        assert_eq!(surf.paper, PAPER[3]);
    }

    #[test]
    fn a_layer_is_fitted_only_where_there_are_classes() {
        let without =
            Inputs::default().with(Need::Codes, Array::new(vec![2, 1], vec![1.0, 2.0]).unwrap());
        assert!(!with_fitted_layer(without).has(Need::Weights));
        let fitted = with_fitted_layer(made_up());
        assert_eq!(fitted.needed(Need::Weights).shape(), [3, 4]);
        assert_eq!(fitted.needed(Need::Bias).shape(), [4]);
    }
}

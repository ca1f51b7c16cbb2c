//! The oracle impurity score: how far what codes tell of concepts is from what the concepts tell of each other
//! (paper 000, definition 2).

use super::TEST_SHARE;
use super::classifier::label_flags;
use super::purity::{PurityMatrix, of_codes_and_concepts};
use crate::checks::{Checks, labels};
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Score, Settings, Variant};
use crate::outcome::{Flag, Outcome, Table, constant_codes, names};
use crate::problem::Checked;
use crate::split::Split;

/// OIS as a measure.
pub static OIS: Measure = Measure {
    name: "ois",
    title: "Oracle impurity score (OIS)",
    tells: "How far what each code tells of all concepts is from what the concepts themselves tell of each other.",
    source: "Espinosa Zarlenga et al. (concept quality), definition 2, appendices 6.3 and 6.4; training as in the released code",
    formula: "2 ‖π(ĉ, c) − π(c, c)‖ / k, π_ij = test AUC of a ReLU network with 32 units that tells concept j from code i; with more codes than concepts each concept takes the code that tells it best, in descending order of AUC",
    needs: &[Need::Codes, Need::Labels],
    takes: &[],
    parameters: &[],
    variants: &[
        Variant {
            name: "printed",
            says: "Beside the concepts' own purity matrix, times 2/k, as the paper prints it.",
        },
        Variant {
            name: "non-oracle",
            says: "Beside 1 on the diagonal and ½ off it, as if concepts were independent (paper 000, figure 3).",
        },
        Variant {
            name: "released",
            says: "The oracle's diagonal is 1, and the factor 2/k is missing when codes are matched with concepts, as in the released code (mateoespinosa/cem).",
        },
    ],
    estimators: &[],
    scores: &[Score {
        name: "ois",
        title: "OIS",
        direction: Direction::Lower,
        range: (Some(0.0), None),
        chance: Chance::Depends(
            "1/√k for codes that know nothing of independent concepts; 0 for the concepts themselves",
        ),
    }],
    cost: "Codes × concepts and concepts × concepts small networks, 25 passes over four fifths of the rows each.",
    not_for: "Representations beside each other whose codes have different numbers of entries: more entries tell more. OIS alone: codes that know nothing score 1/√k, better than codes that each tell all concepts, so read it beside the concept AUC.",
    seeded: true,
    compute: measured,
};

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, truth) = (inputs.needed(Need::Codes), inputs.needed(Need::Labels));
    Checks::of(settings)
        .labels(truth, "labels")
        .rows((truth, "labels"), (codes, "codes"))
        .at_least("codes", "columns", codes.columns(), truth.columns())
        .at_least("codes", "rows", codes.rows(), 2)
        .done()?;
    let concepts = labels(truth).columns;
    let split = Split::random(codes.rows(), TEST_SHARE, settings.seed);
    let (purity, oracle) = of_codes_and_concepts(codes, truth, &concepts, &split, settings);
    let mut outcome = Outcome::new(&OIS, settings, codes.rows());
    outcome.flags = label_flags("labels", &concepts, &split);
    outcome.flags.extend(constant_codes(codes));
    outcome.flags.extend(below_half(&purity));
    outcome
        .tables
        .push(table("Purity matrix (test AUC)", "code", &purity));
    outcome
        .tables
        .push(table("Purity matrix of the concepts", "concept", &oracle));
    let tested: Vec<usize> = (0..concepts.len())
        .filter(|&c| oracle[0][c].is_some())
        .collect();
    let kept = |matrix: &PurityMatrix| -> Vec<Vec<f64>> {
        let row = |row: &Vec<Option<f64>>| tested.iter().filter_map(|&c| row[c]).collect();
        matrix.iter().map(row).collect()
    };
    let (mut purity, oracle) = (kept(&purity), kept(&oracle));
    let mut oracle: Vec<Vec<f64>> = tested.iter().map(|&c| oracle[c].clone()).collect();
    let matched = codes.columns() > concepts.len();
    if matched {
        let alignment = align(&purity);
        let pairs = alignment.iter().zip(&tested);
        let pairs: Vec<String> = pairs
            .map(|(code, c)| format!("{code} for concept {c}"))
            .collect();
        outcome.flags.push(Flag::Matched {
            matches: format!("codes {}", pairs.join(", ")),
        });
        purity = alignment.iter().map(|&code| purity[code].clone()).collect();
    } else {
        purity = tested.iter().map(|&code| purity[code].clone()).collect();
    }
    if settings.variant == "non-oracle" {
        oracle = independent(tested.len());
    } else if settings.variant == "released" {
        (0..oracle.len()).for_each(|i| oracle[i][i] = 1.0);
    }
    let value = if settings.variant == "released" && matched {
        distance(&purity, &oracle)
    } else {
        oracle_impurity(&purity, &oracle)
    };
    let value = (!tested.is_empty()).then_some(value);
    outcome.push("ois", value);
    outcome
        .flags
        .extend(value.filter(|&v| v > 1.0).map(|value| Flag::OutOfRange {
            score: "ois",
            value,
        }));
    Ok(outcome)
}

/// 2 ‖purity − oracle‖ / k, of matrices of k × k. Not clamped: AUCs below ½ can lift it above 1. 0 for matrices
/// without rows.
#[must_use]
pub fn oracle_impurity(purity: &[Vec<f64>], oracle: &[Vec<f64>]) -> f64 {
    2.0 * distance(purity, oracle) / purity.len().max(1) as f64
}

/// The Frobenius norm of the difference.
#[must_use]
pub fn distance(purity: &[Vec<f64>], oracle: &[Vec<f64>]) -> f64 {
    let pairs = purity.iter().flatten().zip(oracle.iter().flatten());
    pairs.map(|(p, o)| (p - o) * (p - o)).sum::<f64>().sqrt()
}

/// The purity matrix that k independent concepts would have: 1 on the diagonal, ½ off it.
#[must_use]
pub fn independent(k: usize) -> Vec<Vec<f64>> {
    let entry = |i: usize, j: usize| if i == j { 1.0 } else { 0.5 };
    (0..k)
        .map(|i| (0..k).map(|j| entry(i, j)).collect())
        .collect()
}

/// The code of each concept, from a matrix with a row for each code and at least as many rows as columns: pairs are
/// taken in descending order of AUC, each code and each concept once (paper 000, appendix 6.4). Among equal AUCs the
/// first code counts, then the first concept.
#[must_use]
pub fn align(purity: &[Vec<f64>]) -> Vec<usize> {
    let concepts = purity.first().map_or(0, Vec::len);
    let mut pairs: Vec<(usize, usize)> = (0..purity.len())
        .flat_map(|code| (0..concepts).map(move |concept| (code, concept)))
        .collect();
    // A stable sort keeps the order of equal ones.
    pairs.sort_by(|a, b| purity[b.0][b.1].total_cmp(&purity[a.0][a.1]));
    let mut codes: Vec<Option<usize>> = vec![None; concepts];
    for (code, concept) in pairs {
        if codes[concept].is_none() && !codes.contains(&Some(code)) {
            codes[concept] = Some(code);
        }
    }
    codes.into_iter().flatten().collect()
}

/// A flag when AUCs are below ½, with the lowest.
fn below_half(purity: &PurityMatrix) -> Option<Flag> {
    let areas = purity.iter().enumerate().flat_map(|(code, row)| {
        let areas = row.iter().enumerate();
        areas.filter_map(move |(concept, area)| area.map(|area| (code, concept, area)))
    });
    let low: Vec<(usize, usize, f64)> = areas.filter(|(.., area)| *area < 0.5).collect();
    let (code, concept, auc) = *low.iter().min_by(|a, b| a.2.total_cmp(&b.2))?;
    let of = match low.len() {
        1 => format!("code {code} for concept {concept}"),
        count => format!("code {code} for concept {concept}, the lowest of {count} below ½,"),
    };
    Some(Flag::AucBelowHalf { of, auc })
}

fn table(title: &'static str, of: &str, matrix: &PurityMatrix) -> Table {
    Table {
        title,
        columns: names("concept", matrix.first().map_or(0, Vec::len)),
        row_names: names(of, matrix.len()),
        rows: matrix.clone(),
    }
}

//! Perturbation selectivity: whether changing one factor moves one code (after arXiv 2606.24716).

use crate::array::Array;
use crate::checks::{Checks, LabelColumn};
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Score, Settings, Variant};
use crate::outcome::{Flag, Outcome, Table, all_defined, mean_of_defined, names};
use crate::problem::Checked;

/// Perturbation selectivity as a measure.
pub static SELECTIVITY: Measure = Measure {
    name: "selectivity",
    title: "Perturbation selectivity",
    tells: "How much of what changes in all codes, when one factor changes, changes in the code of that factor.",
    source: "after arXiv 2606.24716",
    formula: "mean over factors of D_fm / Σ_i D_fi, D_fi = mean |change of code i| / SD of code i over pairs that differ in factor f alone, m the code of factor f",
    needs: &[Need::Codes, Need::ChangedCodes, Need::ChangedFactor],
    takes: &[],
    parameters: &[],
    variants: &[
        Variant {
            name: "matched",
            says: "The code of a factor is the one that changes most in every second of its pairs; the others are judged, and then the other way round, so that choosing it lends it nothing.",
        },
        Variant {
            name: "in-order",
            says: "The code of factor f is code f.",
        },
    ],
    estimators: &[],
    scores: &[Score {
        name: "selectivity",
        title: "Selectivity",
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends("1 divided by the number of codes"),
    }],
    cost: "Pairs × codes.",
    not_for: "Representations with different numbers of codes beside each other, and pairs that differ in more than one factor.",
    seeded: false,
    compute: measured,
};

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let codes = inputs.needed(Need::Codes);
    let changed = inputs.needed(Need::ChangedCodes);
    let factor = inputs.needed(Need::ChangedFactor);
    let mut checks = Checks::of(settings);
    checks
        .flat(codes, "codes")
        .flat(changed, "changed-codes")
        .labels(factor, "changed-factor")
        .rows((changed, "changed-codes"), (codes, "codes"))
        .rows((factor, "changed-factor"), (codes, "codes"))
        .columns((changed, "changed-codes"), (codes, "codes"));
    if factor.columns() != 1 {
        checks.shape(factor, "changed-factor", "one factor for each row");
    }
    let factors = LabelColumn::of(&factor.column(0));
    let in_order = settings.variant == "in-order";
    if in_order {
        let highest = factors.classes.last().map_or(0, |&f| f as usize + 1);
        checks.at_least("codes", "columns", codes.columns(), highest);
    }
    checks.done()?;
    let deviations = deviations(codes);
    let mut outcome = Outcome::new(&SELECTIVITY, settings, codes.rows());
    let constant = deviations.iter().enumerate().filter(|(_, sd)| **sd == 0.0);
    outcome
        .flags
        .extend(constant.map(|(column, _)| Flag::Constant {
            array: "codes",
            column,
        }));
    let (mut values, mut table) = (Vec::new(), Vec::new());
    for (place, &factor) in factors.classes.iter().enumerate() {
        let rows: Vec<usize> = (0..codes.rows())
            .filter(|&row| factors.places[row] as usize == place)
            .collect();
        let moved = |rows: &[usize]| changes(codes, changed, &deviations, rows);
        let value = if in_order {
            share(&moved(&rows), factor as usize)
        } else {
            let halves: [Vec<usize>; 2] =
                [0, 1].map(|half| rows.iter().copied().skip(half).step_by(2).collect());
            matched(&halves.map(|half| moved(&half)))
        };
        outcome.push_of("selectivity", Some(factor.to_string()), value);
        if value.is_none() {
            outcome.flags.push(Flag::Undefined {
                of: format!("the selectivity of factor {factor}"),
                why: "no code moves, or there are fewer than two pairs",
            });
        }
        values.push(value);
        table.push(moved(&rows));
    }
    outcome.push("selectivity", mean_of_defined(&values));
    outcome.tables.push(Table {
        title: "Mean change in standard deviations",
        columns: names("code", codes.columns()),
        row_names: factors
            .classes
            .iter()
            .map(|f| format!("factor {f}"))
            .collect(),
        rows: all_defined(&table),
    });
    Ok(outcome)
}

/// The standard deviation of each code, of a population.
fn deviations(codes: &Array) -> Vec<f64> {
    let of = |column: Vec<f64>| {
        let n = column.len() as f64;
        // Less the first value, so that a constant column has exactly 0.
        let first = column[0];
        let mean = column.iter().map(|v| v - first).sum::<f64>() / n;
        let squares = column
            .iter()
            .map(|v| (v - first - mean) * (v - first - mean));
        (squares.sum::<f64>() / n).sqrt()
    };
    codes.by_column().into_iter().map(of).collect()
}

/// The mean change of each code over some rows, in standard deviations; 0 for a code that does not vary, and for no
/// rows.
fn changes(codes: &Array, changed: &Array, deviations: &[f64], rows: &[usize]) -> Vec<f64> {
    let mut sums = vec![0.0; deviations.len()];
    for &row in rows {
        let pairs = codes.row(row).iter().zip(changed.row(row));
        for (sum, (before, after)) in sums.iter_mut().zip(pairs) {
            *sum += (after - before).abs();
        }
    }
    let scaled = |(sum, &deviation): (f64, &f64)| {
        if deviation > 0.0 {
            sum / deviation / rows.len().max(1) as f64
        } else {
            0.0
        }
    };
    sums.into_iter().zip(deviations).map(scaled).collect()
}

/// The share of one code in all change; none when nothing moves.
fn share(changes: &[f64], code: usize) -> Option<f64> {
    let total: f64 = changes.iter().sum();
    (total > 0.0).then(|| changes[code] / total)
}

/// The mean of two shares: in each half, that of the code that moves most in the other.
fn matched([first, second]: &[Vec<f64>; 2]) -> Option<f64> {
    let most = |of: &[f64]| {
        let places = 0..of.len();
        // The first of equal ones.
        places.reduce(|best, code| if of[code] > of[best] { code } else { best })
    };
    let one = share(second, most(first)?)?;
    let other = share(first, most(second)?)?;
    Some((one + other) / 2.0)
}

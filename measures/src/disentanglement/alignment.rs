//! Alignment: how well the best single code tells a concept (Yeh et al. 2020).

use crate::checks::{Checks, LabelColumn, labels};
use crate::information::neighbours::Ascending;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Score, Settings};
use crate::outcome::{Flag, Outcome, Table, constant, mean_of_defined, names};
use crate::parallel;
use crate::problem::Checked;

/// Alignment as a measure.
pub static ALIGNMENT: Measure = Measure {
    name: "alignment",
    title: "Alignment",
    tells: "How often the best single code tells a concept, by one threshold.",
    source: "Yeh et al. 2020; table 1 of Espinosa Zarlenga et al. (concept quality)",
    formula: "mean over concepts of the largest accuracy over codes and thresholds, each side of a threshold taken for its own most frequent label",
    needs: &[Need::Codes, Need::Labels],
    takes: &[],
    parameters: &[],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "alignment",
        title: "Alignment",
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends(
            "the share of the most frequent label, and above it for few rows: thresholds are chosen on the rows they are judged on",
        ),
    }],
    cost: "Rows × codes × concepts, and a sort of each code.",
    not_for: "Concepts of more than two labels: one threshold tells two sides only. Rare concepts: the most frequent label alone is near 1.",
    seeded: false,
    compute: measured,
};

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, truth) = (inputs.needed(Need::Codes), inputs.needed(Need::Labels));
    Checks::of(settings)
        .labels(truth, "labels")
        .rows((truth, "labels"), (codes, "codes"))
        .done()?;
    let concepts = labels(truth).columns;
    let (entries, depth) = (codes.by_column(), codes.depth());
    // Of a code with several entries the best one counts.
    let of_entries = parallel::map(
        entries.len(),
        settings.threads,
        |_| {},
        |entry| {
            let ascending = Ascending::of(&entries[entry]);
            let accuracy = |concept| best_accuracy(&ascending, concept);
            concepts.iter().map(accuracy).collect::<Vec<f64>>()
        },
    );
    let table: Vec<Vec<Option<f64>>> = (0..concepts.len())
        .map(|concept| {
            let of_code = |entries: &[Vec<f64>]| {
                let accuracies = entries.iter().map(|entry| entry[concept]);
                (concepts[concept].classes.len() > 1).then(|| accuracies.fold(0.0, f64::max))
            };
            of_entries.chunks(depth).map(of_code).collect()
        })
        .collect();
    let best: Vec<Option<f64>> = table
        .iter()
        .map(|row| row.iter().copied().flatten().reduce(f64::max))
        .collect();
    let mut outcome = Outcome::new(&ALIGNMENT, settings, codes.rows());
    outcome.push("alignment", mean_of_defined(&best));
    for (concept, accuracy) in best.iter().enumerate() {
        outcome.push_of("alignment", Some(concept.to_string()), *accuracy);
        if accuracy.is_none() {
            let (array, column) = ("labels", concept);
            outcome.flags.push(Flag::OneClass { array, column });
        }
    }
    if depth == 1 {
        outcome.flags.extend(constant("codes", &entries));
    }
    outcome.tables.push(Table {
        title: "Accuracy of the best threshold",
        columns: names("code", codes.columns()),
        row_names: names("concept", concepts.len()),
        rows: table,
    });
    Ok(outcome)
}

/// The largest share of rows that one threshold tells, or none at all: up to it a label, above it a label. Equal
/// values fall on one side.
fn best_accuracy(code: &Ascending, concept: &LabelColumn) -> f64 {
    let classes = concept.classes.len();
    let places = code.rows.iter();
    let places: Vec<u32> = places.map(|&row| concept.places[row as usize]).collect();
    let rows = places.len();
    let below = most_frequent(places.iter().copied(), classes);
    let above = most_frequent(places.iter().rev().copied(), classes);
    let told = (0..=rows)
        .filter(|&end| end == 0 || end == rows || code.values[end - 1] < code.values[end])
        .map(|end| below[end] + above[rows - end])
        .max();
    f64::from(told.unwrap_or(0)) / rows as f64
}

/// How many rows the most frequent label has among the first i, for i from 0 on.
fn most_frequent(places: impl ExactSizeIterator<Item = u32>, classes: usize) -> Vec<u32> {
    let mut counts = vec![0_u32; classes];
    let mut most = Vec::with_capacity(places.len() + 1);
    let mut largest = 0;
    most.push(largest);
    for place in places {
        let count = &mut counts[place as usize];
        *count += 1;
        largest = largest.max(*count);
        most.push(largest);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_tells_what_a_search_over_all_of_them_finds() {
        // Values with ties, labels of two and three classes: every cut between different values tried by hand in
        // the plainest way.
        let values = [0.3, 0.1, 0.3, 0.9, 0.5, 0.1, 0.7, 0.5];
        for truth in [
            [0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0],
            [2.0, 0.0, 1.0, 1.0, 2.0, 0.0, 1.0, 2.0],
            [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        ] {
            let mut best = 0;
            for cut in [-1.0, 0.2, 0.4, 0.6, 0.8] {
                for (low, high) in (0..9).map(|i| (f64::from(i / 3), f64::from(i % 3))) {
                    let told = values.iter().zip(truth);
                    let told = told.filter(|&(&v, t)| t == if v <= cut { low } else { high });
                    best = best.max(told.count());
                }
            }
            let found = best_accuracy(&Ascending::of(&values), &LabelColumn::of(&truth));
            assert_eq!(found, best as f64 / 8.0);
        }
    }
}

//! Losses of participants, by where they happened.

use domain::study::ConditionsVary;
use measures::statistics::contingency::{chi_squared, fisher};

use crate::extent::ComparedConditions;
use crate::person::{Conditions, Person};
use crate::report::{Attrition, AttritionTests};

/// The cells, each with its conditions: comparisons within people, conditions between them, each once.
pub(crate) fn named_cells(
    cells: &ComparedConditions,
    design: ConditionsVary,
) -> Vec<(String, Vec<&str>)> {
    if design == ConditionsVary::Within {
        let comparisons = cells.comparisons.iter();
        let named = comparisons
            .map(|(name, members)| (name.clone(), members.iter().map(String::as_str).collect()));
        return named.collect();
    }
    let mut names: Vec<(String, Vec<&str>)> = Vec::new();
    for name in cells.comparisons.iter().flat_map(|(_, members)| members) {
        if !names.iter().any(|(known, _)| known == name) {
            names.push((name.clone(), vec![name.as_str()]));
        }
    }
    names
}

/// Counts people who are included and left out, by cell.
pub(crate) fn attrition(
    people: &[(Person, bool)],
    cells: &ComparedConditions,
    conditions: &Conditions,
    design: ConditionsVary,
) -> Attrition {
    let names = named_cells(cells, design);
    let mut numbers = vec![[Vec::new(), Vec::new()]; names.len()];
    let mut disjoint = true;
    for ((person, included), number) in people.iter().zip(1..) {
        let labels: Vec<String> = person.stages.iter().map(|s| conditions.label(s)).collect();
        let mut mine = 0;
        for (index, (_, members)) in names.iter().enumerate() {
            if labels.iter().any(|label| members.contains(&label.as_str())) {
                numbers[index][usize::from(!included)].push(number);
                mine += 1;
            }
        }
        disjoint &= mine <= 1;
    }
    let counts: Vec<[usize; 2]> = numbers
        .iter()
        .map(|of_cell: &[Vec<usize>; 2]| of_cell.each_ref().map(Vec::len))
        .collect();
    let table: Vec<Vec<usize>> = counts.iter().map(|row| row.to_vec()).collect();
    Attrition {
        cells: names
            .into_iter()
            .zip(&counts)
            .map(|((name, _), [kept, lost])| (name, *kept, *lost))
            .collect(),
        numbers,
        tests: (disjoint && counts.len() > 1).then(|| AttritionTests {
            chi_squared: chi_squared(&table).into(),
            fisher_p: fisher(&counts).into(),
        }),
    }
}

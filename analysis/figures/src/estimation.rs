//! Estimation plots: everybody's values, and beside them the differences with their intervals. Of two conditions after
//! Gardner and Altman (1986), with the difference at the right on the same scale; of more after Cumming (2012), with each
//! condition's difference from the first below it.

use analysis::table::{ColumnKind, TableCell, TableColumn};
use analysis::{MetricComparison, TestOfPair};
use domain::study::ConditionsVary;

use crate::Of;
use crate::figure::Figure;

mod panel;
mod values;

use panel::draw;

/// Most people of a condition who are drawn one by one: the first.
const MOST_PEOPLE: usize = 200;
/// The metrics of one comparison, a panel each; `None` with fewer than two conditions, and where nothing is estimated.
pub(crate) fn figure(of: Of<'_>) -> Option<Figure> {
    let names = of.names();
    let metrics = of.metrics().into_iter();
    let metrics: Vec<&MetricComparison> = metrics.filter(|it| !changes(it).is_empty()).collect();
    if names.len() < 2 || metrics.is_empty() {
        return None;
    }
    let within = of.analysis.design == ConditionsVary::Within;
    let n: Vec<String> = metrics
        .iter()
        .map(|c| format!("{} n = {}", c.metric.label(), c.n))
        .collect();
    let many = metrics.iter().flat_map(|it| &it.conditions);
    let many = many.map(|row| row.values.len()).max() > Some(MOST_PEOPLE);
    let caption = format!(
        "Estimation plots of the comparison {}, of people who are included. Dots: people{}, each one's mean over \
         questions{}; diamonds: means ± standard deviation. {}: difference from {} with 95 % interval, as the declared \
         test estimates it ({}; {}); the intervals are not corrected for their number. Test: {}.",
        of.name,
        if many {
            ", the first 200 of a condition"
        } else {
            ""
        },
        if within { ", joined by lines" } else { "" },
        if names.len() == 2 {
            "At the right"
        } else {
            "Below"
        },
        names.first()?,
        estimates(&metrics),
        n.join(", "),
        of.analysis.p_words()
    );
    let columns = vec![
        TableColumn::new("Metric", ColumnKind::Text),
        TableColumn::new("Condition", ColumnKind::Text),
        TableColumn::new("Shows", ColumnKind::Text),
        TableColumn::new("Person", ColumnKind::Count),
        TableColumn::new("Value", ColumnKind::Number),
        TableColumn::new("Low", ColumnKind::Number),
        TableColumn::new("High", ColumnKind::Number),
    ];
    Some(Figure::new(
        of.file("estimation"),
        caption,
        columns,
        data(&metrics),
        |width| draw(width, &metrics, &names, within),
    ))
}

/// The difference of a pair with its sign turned: another condition less the first.
struct Change {
    /// The other condition, from 1.
    place: usize,
    /// The other less the first.
    value: f64,
    /// Its 95 % interval, if the test is defined.
    ends: Option<(f64, f64)>,
}

/// The differences of each condition from the first, as the test that counts has them.
fn changes(comparison: &MetricComparison) -> Vec<Change> {
    let rows = &comparison.conditions;
    let pairs = comparison.pairs.iter();
    let change = |pair: &analysis::Pair| {
        if pair.first != rows.first()?.condition {
            return None;
        }
        let interval = pair.declared.result.defined().map(|found| found.interval);
        Some(Change {
            place: rows.iter().position(|row| row.condition == pair.second)?,
            value: -*pair.declared.estimate.defined()?,
            ends: interval.map(|it| (-it.high, -it.low)),
        })
    };
    pairs.filter_map(change).collect()
}

fn test(comparison: &MetricComparison) -> Option<TestOfPair> {
    comparison.pairs.first().map(|pair| pair.declared.test)
}

/// The names of the estimates, each once.
fn estimates(metrics: &[&MetricComparison]) -> String {
    let mut words: Vec<String> = Vec::new();
    for test in metrics.iter().filter_map(|metric| test(metric)) {
        let word = test.estimates().to_lowercase();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

fn data(metrics: &[&MetricComparison]) -> Vec<Vec<TableCell>> {
    let mut rows = Vec::new();
    for comparison in metrics {
        let metric = comparison.metric.name();
        let of = |condition: &str, shows: &str, numbers: [Option<f64>; 3]| {
            let mut row = vec![
                TableCell::text(metric),
                TableCell::text(condition),
                TableCell::text(shows),
                TableCell::None,
            ];
            row.extend(numbers.map(TableCell::number));
            row
        };
        for condition in &comparison.conditions {
            let name = &condition.condition;
            for value in condition.values.iter().take(MOST_PEOPLE) {
                let mut row = of(name, "value", [Some(value.value), None, None]);
                row[3] = TableCell::Count(value.person).of_people([value.person]);
                rows.push(row);
            }
            if let Some(found) = condition.description.defined() {
                let sd = found.sd_sample;
                let ends = [sd.map(|sd| found.mean - sd), sd.map(|sd| found.mean + sd)];
                rows.push(of(name, "mean ± SD", [Some(found.mean), ends[0], ends[1]]));
            }
        }
        for change in changes(comparison) {
            let (low, high) = change.ends.unzip();
            let condition = &comparison.conditions[change.place].condition;
            let first = &comparison.conditions[0].condition;
            let what = test(comparison)
                .map_or("", TestOfPair::estimates)
                .to_lowercase();
            let shows = format!("{what}, less {first}");
            rows.push(of(condition, &shows, [Some(change.value), low, high]));
        }
    }
    rows
}

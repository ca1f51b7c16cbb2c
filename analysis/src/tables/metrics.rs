//! Metrics of each condition beside what its model's card says: the paper's table 2.

use domain::study::Metric;
use measures::measure::Direction;

use super::{ModelCard, Population, divisor, label};
use crate::report::{Analysis, ConditionRow, MetricComparison, Sample};
use crate::table::{ColumnKind, Table, TableCell, TableColumn};

impl Analysis {
    /// The table; `None` where no question has ended.
    pub(super) fn metrics_table(&self, who: Population, cards: &[ModelCard]) -> Option<Table> {
        let sample = self.sample(who);
        let metrics = metrics(sample);
        if metrics.is_empty() {
            return None;
        }
        let rows = conditions(sample);
        let card = |row: &ConditionRow| match row.models.as_slice() {
            [model] => cards.iter().find(|card| {
                card.name == model.name && card.weights_sha256 == model.weights_sha256
            }),
            _ => None,
        };
        let on_cards: Vec<CardColumn> = CARD_COLUMNS
            .into_iter()
            .filter(|(.., of)| rows.iter().any(|(_, row)| card(row).and_then(of).is_some()))
            .collect();
        let mut columns = vec![
            TableColumn::new("Comparison", ColumnKind::Group),
            TableColumn::new("Condition", ColumnKind::Text),
            TableColumn::new("n", ColumnKind::Count),
        ];
        for (head, key, _) in &on_cards {
            columns.push(TableColumn::keyed(head, key, ColumnKind::Number));
        }
        let divisors: Vec<f64> = metrics
            .iter()
            .map(|metric| {
                let of = sample.comparisons.iter().filter(|c| c.metric == *metric);
                divisor(of.flat_map(|c| &c.conditions).filter_map(mean))
            })
            .collect();
        for (metric, divisor) in metrics.iter().zip(&divisors) {
            columns.push(TableColumn::keyed(
                &label(*metric, *divisor),
                metric.name(),
                ColumnKind::Mean,
            ));
        }
        let rows = rows
            .iter()
            .map(|(comparison, row)| {
                let mut cells = vec![
                    TableCell::text(comparison.as_str()),
                    TableCell::text(&row.condition),
                    of_people(people(sample, comparison, &row.condition)),
                ];
                cells.extend(
                    on_cards
                        .iter()
                        .map(|(.., of)| TableCell::number(card(row).and_then(of))),
                );
                for (metric, divisor) in metrics.iter().zip(&divisors) {
                    let of = sample.comparisons.iter();
                    let found = of
                        .filter(|c| c.metric == *metric && c.name == *comparison)
                        .find_map(|c| mean_cell(c, &row.condition, *divisor));
                    cells.push(found.unwrap_or(TableCell::None));
                }
                cells
            })
            .collect();
        let cards = if on_cards.is_empty() {
            ""
        } else {
            " Squared error, DCI and MIG are those on the models' cards."
        };
        Some(Table {
            name: format!("metrics{}", who.suffix()),
            caption: format!(
                "Metrics of each condition, {}: mean ± standard deviation (divisor n) over people, of each \
                 one's mean over questions. n: people with a value of any metric. Bold: the best of its \
                 comparison.{cards}{}",
                who.words(),
                interim(self)
            ),
            columns,
            rows,
            notes: Vec::new(),
        })
    }
}

type CardColumn = (&'static str, &'static str, fn(&ModelCard) -> Option<f64>);

const CARD_COLUMNS: [CardColumn; 3] = [
    ("Squared error", "squared_error", |card| card.squared_error),
    ("DCI", "dci", |card| card.dci),
    ("MIG", "mig", |card| card.mig),
];

/// The words that a caption adds as long as people are missing.
pub(super) fn interim(analysis: &Analysis) -> &'static str {
    if analysis.interim {
        " Interim: fewer people than declared."
    } else {
        ""
    }
}

/// The metrics that tables show and that somebody has a value of, in the analysis's order.
fn metrics(sample: &Sample) -> Vec<Metric> {
    let mut metrics = Vec::new();
    for comparison in &sample.comparisons {
        if sample.shows(comparison.metric) && !metrics.contains(&comparison.metric) {
            metrics.push(comparison.metric);
        }
    }
    metrics
}

/// All conditions with the name of their comparison, in order, each once.
fn conditions(sample: &Sample) -> Vec<(String, &ConditionRow)> {
    let mut rows: Vec<(String, &ConditionRow)> = Vec::new();
    for comparison in &sample.comparisons {
        for row in &comparison.conditions {
            let known = |(name, other): &(String, &ConditionRow)| {
                *name == comparison.name && other.condition == row.condition
            };
            if !rows.iter().any(known) {
                rows.push((comparison.name.clone(), row));
            }
        }
    }
    rows
}

/// People with a value of any metric of a condition.
fn people(sample: &Sample, comparison: &str, condition: &str) -> Vec<usize> {
    let mut people: Vec<usize> = sample
        .comparisons
        .iter()
        .filter(|c| c.name == comparison)
        .flat_map(|c| &c.conditions)
        .filter(|row| row.condition == condition)
        .flat_map(|row| row.values.iter().map(|value| value.person))
        .collect();
    people.sort_unstable();
    people.dedup();
    people
}

/// How many people there are.
pub(super) fn of_people(people: Vec<usize>) -> TableCell {
    TableCell::Count(people.len()).of_people(people)
}

fn mean(row: &ConditionRow) -> Option<f64> {
    Some(row.description.defined()?.mean)
}

/// The cell of a condition, bold if its mean is the best of the comparison.
pub(super) fn mean_cell(
    comparison: &MetricComparison,
    condition: &str,
    divisor: f64,
) -> Option<TableCell> {
    let row = comparison
        .conditions
        .iter()
        .find(|row| row.condition == condition)?;
    let found = row.description.defined()?;
    let means = || comparison.conditions.iter().filter_map(mean);
    let best = match better(comparison.metric) {
        Some(Direction::Higher) => means().reduce(f64::max),
        Some(Direction::Lower) => means().reduce(f64::min),
        None => None,
    };
    let cell = TableCell::Mean {
        mean: found.mean,
        sd: found.sd_population,
        divisor,
        best: means().count() > 1 && best == Some(found.mean),
    };
    Some(cell.of_people(row.values.iter().map(|value| value.person)))
}

/// Which way a metric is better; none for how people go about it, which is neither better nor worse.
#[must_use]
pub fn better(metric: Metric) -> Option<Direction> {
    match metric {
        Metric::CompletionRate
        | Metric::CompletionRateWithCut
        | Metric::CorrectRate
        | Metric::NamingRate
        | Metric::Confidence
        | Metric::Understanding
        | Metric::StaircaseThreshold => Some(Direction::Higher),
        Metric::ResponseTimeS
        | Metric::SlideDistance
        | Metric::ErrorAuc
        | Metric::ErrorAucPresent => Some(Direction::Lower),
        Metric::Score(score) if score.low_is_good() => Some(Direction::Lower),
        Metric::Score(_) => Some(Direction::Higher),
        Metric::ErrorAucChange
        | Metric::StaircaseReversals
        | Metric::Passes
        | Metric::MonotoneShare
        | Metric::ReversalsPerS
        | Metric::FirstImprovementS
        // Its name does not say which way is better.
        | Metric::Own(_) => None,
    }
}

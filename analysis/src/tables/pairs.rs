//! Every two conditions of a comparison, with all numbers of the test that counts.

use super::Who;
use super::metrics::interim;
use crate::found::undefined;
use crate::report::{Analysis, Comparison, Pair};
use crate::table::{Cell, Column, Kind, STARS, Table, file_name};

impl Analysis {
    /// A table for each comparison of two conditions or more.
    pub(super) fn pairs_tables(&self, who: Who) -> Vec<Table> {
        let sample = self.sample(who);
        let shown = |c: &&Comparison| sample.shows(c.metric) && !c.pairs.is_empty();
        let all: Vec<&Comparison> = sample.comparisons.iter().filter(shown).collect();
        let of_one = all.chunk_by(|a, b| a.name == b.name);
        of_one
            .map(|metrics| self.pairs_table(who, metrics))
            .collect()
    }

    /// `metrics` are those of one comparison.
    fn pairs_table(&self, who: Who, metrics: &[&Comparison]) -> Table {
        let name = metrics.first().map_or("", |first| first.name.as_str());
        let mut notes = Vec::new();
        let mut rows = Vec::new();
        for comparison in metrics {
            for pair in &comparison.pairs {
                rows.push(row(comparison, pair, &mut notes));
            }
            notes.extend(singular(comparison));
        }
        Table {
            name: format!("pairs-{}{}", file_name(name), who.suffix()),
            caption: format!(
                "Every two conditions of the comparison {name}, {}: all numbers are those of the test of which p is, \
                 {}. Interval: 95 %. n: people in the test. {STARS}. °: exploratory, the study does not declare \
                 it.{}",
                who.words(),
                self.p_words(),
                interim(self)
            ),
            columns: vec![
                Column::new("Metric", Kind::Group),
                Column::new("First", Kind::Text),
                Column::new("Second", Kind::Text),
                Column::new("n", Kind::Count),
                Column::new("Estimates", Kind::Text),
                Column::new("Estimate", Kind::Number),
                Column::keyed("SE", "standard_error", Kind::Number),
                Column::new("Low", Kind::Number),
                Column::new("High", Kind::Number),
                Column::new("Test", Kind::Text),
                Column::new("Statistic", Kind::Number),
                Column::new("df", Kind::Number),
                Column::keyed("p", "pair", Kind::P),
            ],
            rows,
            notes,
        }
    }
}

fn row(comparison: &Comparison, pair: &Pair, notes: &mut Vec<String>) -> Vec<Cell> {
    let declared = &pair.declared;
    let result = declared.result.as_ref();
    let metric = comparison.metric.label();
    if let Err(why) = result {
        notes.push(format!(
            "{metric}: {} × {} {}.",
            pair.first,
            pair.second,
            undefined(why)
        ));
    }
    let result = result.ok();
    let interval = result.and_then(|found| found.interval);
    let exploratory = if comparison.planned { "" } else { " °" };
    vec![
        Cell::Text(format!("{metric}{exploratory}")),
        Cell::text(&pair.first),
        Cell::text(&pair.second),
        Cell::Count(comparison.n),
        Cell::text(declared.test.estimates()),
        Cell::number(declared.estimate.defined().copied()),
        Cell::number(result.and_then(|found| found.standard_error)),
        Cell::number(interval.map(|interval| interval.low)),
        Cell::number(interval.map(|interval| interval.high)),
        Cell::text(format!(
            "{} ({})",
            declared.test.name(),
            declared.test.symbol()
        )),
        Cell::number(result.map(|found| found.statistic)),
        Cell::number(result.and_then(|found| found.df)),
        result.map_or(Cell::None, |found| Cell::P {
            p: found.p,
            corrected: pair.p_corrected,
        }),
    ]
}

/// What is said of the mixed model that counts, if its fit is singular.
fn singular(comparison: &Comparison) -> Option<String> {
    let counts = |pair: &Pair| pair.declared.test.is_model();
    let model = comparison.model.as_ref()?.defined()?;
    let words = model.singular_words()?;
    let shown = comparison.pairs.iter().any(counts);
    shown.then(|| format!("{}: {words}.", comparison.metric.label()))
}

//! Every two conditions of a comparison, with all numbers of the test that counts.

use super::Population;
use super::metrics::interim;
use crate::computed::undefined;
use crate::report::{Analysis, DeclaredTest, MetricComparison, Pair};
use crate::table::{ColumnKind, STARS, Table, TableCell, TableColumn, file_name};

impl Analysis {
    /// A table for each comparison of two conditions or more.
    pub(super) fn pairs_tables(&self, who: Population) -> Vec<Table> {
        let sample = self.sample(who);
        let shown = |c: &&MetricComparison| sample.shows(c.metric) && !c.pairs.is_empty();
        let all: Vec<&MetricComparison> = sample.comparisons.iter().filter(shown).collect();
        let of_one = all.chunk_by(|a, b| a.name == b.name);
        of_one
            .map(|metrics| self.pairs_table(who, metrics))
            .collect()
    }

    /// `metrics` are those of one comparison.
    fn pairs_table(&self, who: Population, metrics: &[&MetricComparison]) -> Table {
        let name = metrics.first().map_or("", |first| first.name.as_str());
        let mut notes = Vec::new();
        let mut rows = Vec::new();
        for comparison in metrics {
            for pair in &comparison.pairs {
                let of = [pair.first.clone(), pair.second.clone()];
                rows.push(row(
                    comparison,
                    of,
                    &pair.declared,
                    pair.p_corrected,
                    &mut notes,
                ));
            }
            for contrast in &comparison.contrasts {
                let of = [contrast.name.clone(), comparison.weights_words(contrast)];
                let (declared, p_corrected) = (&contrast.declared, contrast.p_corrected);
                rows.push(row(comparison, of, declared, p_corrected, &mut notes));
            }
            notes.extend(singular(comparison));
        }
        Table {
            name: format!("pairs-{}{}", file_name(name), who.suffix()),
            caption: format!(
                "Every two conditions of the comparison {name}{}, {}: all numbers are those of the test of which p is, \
                 {}. Interval: 95 %. n: people in the test.{} {STARS}. °: exploratory, the study does not declare \
                 it.{}",
                if metrics.iter().any(|it| !it.contrasts.is_empty()) {
                    ", and the plan's contrasts of them"
                } else {
                    ""
                },
                who.words(),
                self.p_words(),
                effect_words(metrics),
                interim(self)
            ),
            columns: vec![
                TableColumn::new("Metric", ColumnKind::Group),
                TableColumn::new("First", ColumnKind::Text),
                TableColumn::new("Second", ColumnKind::Text),
                TableColumn::new("n", ColumnKind::Count),
                TableColumn::new("Estimates", ColumnKind::Text),
                TableColumn::new("Estimate", ColumnKind::Number),
                TableColumn::keyed("SE", "standard_error", ColumnKind::Number),
                TableColumn::new("Low", ColumnKind::Number),
                TableColumn::new("High", ColumnKind::Number),
                TableColumn::new("Test", ColumnKind::Text),
                TableColumn::new("Statistic", ColumnKind::Number),
                TableColumn::new("df", ColumnKind::Number),
                TableColumn::keyed("p", "pair", ColumnKind::P),
                TableColumn::keyed("Effect size (95 %)", "effect", ColumnKind::Effect),
            ],
            rows,
            notes,
        }
    }
}

/// `of` are the two conditions, or a contrast's name and its weights.
fn row(
    comparison: &MetricComparison,
    of: [String; 2],
    declared: &DeclaredTest,
    p_corrected: Option<f64>,
    notes: &mut Vec<String>,
) -> Vec<TableCell> {
    let [first, second] = of;
    let result = declared.result.as_ref();
    let metric = comparison.metric.label();
    if let Err(why) = result {
        notes.push(format!("{metric}: {first} × {second} {}.", undefined(why)));
    }
    let result = result.ok();
    let interval = result.map(|found| found.interval);
    let exploratory = if comparison.planned { "" } else { " °" };
    vec![
        TableCell::Text(format!("{metric}{exploratory}")),
        TableCell::text(first),
        TableCell::text(second),
        TableCell::Count(comparison.n).of_people(comparison.numbers.iter().copied()),
        TableCell::text(declared.test.estimates()),
        TableCell::number(declared.estimate.defined().copied()),
        TableCell::number(result.and_then(|found| found.standard_error)),
        TableCell::number(interval.map(|interval| interval.low)),
        TableCell::number(interval.map(|interval| interval.high)),
        TableCell::text(format!(
            "{} ({})",
            declared.test.name(),
            declared.test.symbol()
        )),
        TableCell::number(result.map(|found| found.statistic)),
        TableCell::number(result.and_then(|found| found.df)),
        result.map_or(TableCell::None, |found| TableCell::P {
            p: found.p,
            corrected: p_corrected,
        }),
        result
            .and_then(|found| found.effect)
            .map_or(TableCell::None, |effect| TableCell::Effect {
                symbol: effect.measure.symbol(),
                value: effect.size.value,
                interval: Some(effect.size.interval),
            }),
    ]
}

/// The names of the effect sizes of these metrics, each once.
fn effect_words(metrics: &[&MetricComparison]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for comparison in metrics {
        let pairs = comparison.pairs.iter().map(|pair| &pair.declared);
        let contrasts = comparison.contrasts.iter().map(|it| &it.declared);
        for declared in pairs.chain(contrasts) {
            let effect = declared.result.defined().and_then(|found| found.effect);
            let name = effect.map(|effect| effect.measure.name());
            names.extend(name.filter(|name| !names.contains(name)));
        }
    }
    if names.is_empty() {
        return String::new();
    }
    format!(" Effect size: {}.", names.join("; "))
}

/// The words on the mixed model that counts, if its fit is singular.
fn singular(comparison: &MetricComparison) -> Option<String> {
    let counts = |pair: &Pair| pair.declared.test.is_model();
    let model = comparison.model.as_ref()?.defined()?;
    let words = model.singular_words()?;
    let shown = comparison.pairs.iter().any(counts);
    shown.then(|| format!("{}: {words}.", comparison.metric.label()))
}

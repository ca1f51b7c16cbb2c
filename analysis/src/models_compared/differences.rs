//! Differences between the scores of models, and which of them mean anything.
//!
//! A score moves when a measure is seeded anew and when other rows are drawn; its reliability card says by how much
//! ([`measures::reliability`]). Two models whose scores differ by less than both move are not told apart by it.

use measures::measure::Direction;
use serde::Serialize;

use super::tables::arrow;
use super::{ComparedModel, ModelsCompared, ScoreColumn};
use crate::numbers::counted;
use crate::table::{ColumnKind, Table, TableCell, TableColumn, file_name, short_names};

/// A score of two models of one data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The data.
    pub data: String,
    /// The score's name in columns.
    pub score: String,
    /// One model.
    pub first: String,
    /// Another.
    pub second: String,
    /// The score of the second less that of the first.
    pub difference: f64,
    /// The smallest difference between the two that means anything: √((a² + b²) / 2), a and b those of the models'
    /// cards, which are 1.96 √2 standard deviations each. None where the card of one is not kept.
    pub smallest: Option<f64>,
    /// Whether the difference is below the smallest one; none where nothing is known of that.
    pub within_noise: Option<bool>,
}

/// The smallest difference between two models that means anything, from that of each: √((a² + b²) / 2).
fn smallest(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b).map(|(a, b)| ((a * a + b * b) / 2.0).sqrt())
}

/// A model's score and the smallest difference of its card; none where it has no score.
fn score_of(model: &ComparedModel, place: usize) -> Option<(f64, Option<f64>)> {
    let value = model.scores.get(place).copied().flatten()?;
    Some((value, model.smallest.get(place).copied().flatten()))
}

fn difference(
    (data, score): (&str, &ScoreColumn),
    first: (&ComparedModel, (f64, Option<f64>)),
    second: (&ComparedModel, (f64, Option<f64>)),
) -> Difference {
    let ((first, (from, a)), (second, (to, b))) = (first, second);
    let smallest = smallest(a, b);
    let difference = to - from;
    Difference {
        data: data.to_owned(),
        score: score.key.clone(),
        first: first.name.clone(),
        second: second.name.clone(),
        difference,
        smallest,
        within_noise: smallest.map(|smallest| difference.abs() < smallest),
    }
}

impl ModelsCompared {
    /// The difference of every score between every two models of a data set, score by score.
    #[must_use]
    pub fn differences(&self) -> Vec<Difference> {
        let mut found = Vec::new();
        for data in self.data_sets() {
            let models = self.of(data);
            for (place, score) in self.scores.iter().enumerate() {
                let scored = models
                    .iter()
                    .filter_map(|m| Some((*m, score_of(m, place)?)));
                let scored: Vec<_> = scored.collect();
                for (at, first) in scored.iter().enumerate() {
                    let others = scored[at + 1..].iter();
                    found.extend(others.map(|second| difference((data, score), *first, *second)));
                }
            }
        }
        found
    }

    /// For each data set a table of how far each model is behind the best, score by score. A number below the smallest
    /// difference that means anything is faint. Data sets whose models have no score in common are left out.
    #[must_use]
    pub fn difference_tables(&self) -> Vec<Table> {
        let data_sets = self.data_sets().into_iter();
        let tables = data_sets.map(|data| self.difference_table(data));
        tables.filter(|table| !table.rows.is_empty()).collect()
    }

    fn difference_table(&self, data: &str) -> Table {
        let models = self.of(data);
        let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        let heads = short_names(&names);
        let mut columns = vec![
            TableColumn::new("Score", ColumnKind::Text),
            TableColumn::new("Better", ColumnKind::Text),
            TableColumn::new("Best", ColumnKind::Number),
            TableColumn::new("Smallest", ColumnKind::Number),
        ];
        let keyed = heads.iter().zip(&names);
        columns.extend(keyed.map(|(head, key)| TableColumn::keyed(head, key, ColumnKind::Number)));
        let rows = self.scores.iter().enumerate();
        let rows = rows.filter_map(|(place, score)| {
            let scored: Vec<_> = models.iter().map(|m| score_of(m, place)).collect();
            row((data, score), &models, &scored)
        });
        Table {
            name: format!("model-differences-{}", file_name(data)),
            caption: format!(
                "{data}: how far each model is from the one that a score calls the best (its score stands under Best). \
                 Smallest: the difference that two of these models need at most, so that it means anything (1.96 times its \
                 standard deviation over seeds and rows, from their reliability cards). In grey and with ≈: below what these \
                 two models need, within noise. Without a number under Smallest no card is kept, and nothing is known."
            ),
            columns,
            rows: rows.collect(),
            notes: vec![self.within_noise(data)],
        }
    }

    /// How many differences of a data set are within noise: a sentence.
    fn within_noise(&self, data: &str) -> String {
        let all = self.differences();
        let of: Vec<&Difference> = all.iter().filter(|it| it.data == data).collect();
        let known: Vec<bool> = of.iter().filter_map(|it| it.within_noise).collect();
        let within = known.iter().filter(|within| **within).count();
        format!(
            "Of {} (every two models, every score) {} known to be within noise or not: {within} are within it.",
            counted(of.len(), "difference", "differences"),
            if known.len() == 1 {
                "1 is".to_owned()
            } else {
                format!("{} are", known.len())
            }
        )
    }

    /// Every difference as a row of its own, for CSV.
    #[must_use]
    pub fn differences_table(&self) -> Table {
        let rows = self.differences().into_iter().map(|it| {
            let within = it
                .within_noise
                .map_or("", |within| if within { "yes" } else { "no" });
            vec![
                TableCell::text(it.data),
                TableCell::text(it.score),
                TableCell::text(it.first),
                TableCell::text(it.second),
                TableCell::Number(it.difference),
                TableCell::number(it.smallest),
                TableCell::text(within),
            ]
        });
        let columns = [
            ("Data set", ColumnKind::Text),
            ("Score", ColumnKind::Text),
            ("First", ColumnKind::Text),
            ("Second", ColumnKind::Text),
            ("Difference", ColumnKind::Number),
            ("Smallest", ColumnKind::Number),
            ("Within noise", ColumnKind::Text),
        ];
        Table {
            name: "model-differences".to_owned(),
            caption: "The score of the second model less that of the first, for every two models of a data set, and the \
                      smallest such difference that means anything."
                .to_owned(),
            columns: columns
                .map(|(head, kind)| TableColumn::new(head, kind))
                .to_vec(),
            rows: rows.collect(),
            notes: Vec::new(),
        }
    }
}

/// A score's row; none with fewer than two models that have it.
fn row(
    of: (&str, &ScoreColumn),
    models: &[&ComparedModel],
    scored: &[Option<(f64, Option<f64>)>],
) -> Option<Vec<TableCell>> {
    let score = of.1;
    let better = |a: f64, b: f64| match score.better {
        Direction::Higher => a > b,
        Direction::Lower => a < b,
    };
    let there = scored.iter().enumerate();
    let there: Vec<(usize, (f64, Option<f64>))> =
        there.filter_map(|(at, it)| Some((at, (*it)?))).collect();
    let best = there.iter().copied();
    // The first of equal ones.
    let (best, (value, bound)) = best.reduce(|best, next| {
        if better(next.1.0, best.1.0) {
            next
        } else {
            best
        }
    })?;
    let mut needed = None;
    let mut cells = Vec::new();
    for (at, score) in scored.iter().enumerate() {
        cells.push(match score {
            None => TableCell::None,
            Some(_) if at == best => TableCell::text("best"),
            Some(other) => {
                let found = difference(of, (models[best], (value, bound)), (models[at], *other));
                needed = [needed, found.smallest]
                    .into_iter()
                    .flatten()
                    .reduce(f64::max);
                let cell = TableCell::Number(found.difference);
                if found.within_noise == Some(true) {
                    cell.faint()
                } else {
                    cell
                }
            }
        });
    }
    let words = [score.head.as_str(), arrow(score.better)].map(TableCell::text);
    let first = [TableCell::Number(value), TableCell::number(needed)];
    (there.len() > 1).then(|| words.into_iter().chain(first).chain(cells).collect())
}

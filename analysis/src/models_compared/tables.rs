//! The comparison of models as tables.

use domain::study::Metric;
use measures::measure::Direction;
use measures::statistics::Interval;

use super::{Correlation, DataSetCorrelations, METRICS, ModelsCompared, ScoreSource};
use crate::numbers::{digits, number, rounded};
use crate::table::{ColumnKind, Table, TableCell, TableColumn, file_name, short_names};
use crate::tables::{better, divisor, label};

impl ModelsCompared {
    /// For each data set a table with a column for each model.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let data_sets = self.data_sets().into_iter();
        data_sets.map(|data| self.table(data)).collect()
    }

    fn table(&self, data: &str) -> Table {
        let models = self.of(data);
        let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        let mut columns = vec![
            TableColumn::new("From", ColumnKind::Group),
            TableColumn::new("What", ColumnKind::Text),
            TableColumn::new("Better", ColumnKind::Text),
        ];
        let heads = short_names(&names).into_iter().zip(&names);
        columns.extend(heads.map(|(head, key)| TableColumn::keyed(&head, key, ColumnKind::Text)));
        let line = |from: &str, what: &str, better: &str, cells: Vec<String>| -> Vec<TableCell> {
            let words = [from, what, better].map(TableCell::text);
            words
                .into_iter()
                .chain(cells.into_iter().map(TableCell::text))
                .collect()
        };
        let people = if self.simulated {
            "simulated people"
        } else {
            "people"
        };
        let counts = models.iter().map(|model| model.number_of_people());
        let counts: Vec<String> = counts.map(|count| count.to_string()).collect();
        let mut rows = vec![line(people, "n", "", counts)];
        for metric in METRICS {
            let described: Vec<_> = models.iter().map(|m| m.described(metric)).collect();
            let by = divisor(described.iter().flatten().map(|found| found.mean));
            let cells = described.iter().map(|found| match found {
                None => "–".to_owned(),
                Some(found) => {
                    let (mean, sd) = (found.mean / by, found.sd_population / by);
                    let digits = digits(mean.abs().max(sd));
                    format!("{} ± {}", rounded(mean, digits), rounded(sd, digits))
                }
            });
            let way = better(metric).map_or("", arrow);
            rows.push(line(people, &label(metric, by), way, cells.collect()));
        }
        for (place, score) in self.scores.iter().enumerate() {
            let values = models
                .iter()
                .map(|m| m.scores.get(place).copied().flatten());
            let values: Vec<Option<f64>> = values.collect();
            if values.iter().all(Option::is_none) {
                continue;
            }
            let cells = values.iter().map(|v| v.map_or("–".to_owned(), number));
            let from = match score.from {
                ScoreSource::Card => "card",
                ScoreSource::Codes => "codes",
            };
            rows.push(line(
                from,
                &score.head,
                arrow(score.better),
                cells.collect(),
            ));
        }
        Table {
            name: format!("models-{}", file_name(data)),
            caption: format!(
                "{data}: models beside each other. {} Mean ± standard deviation (divisor n) over people, of each one's \
                 mean over questions. Better: ↑ more, ↓ less. –: not there, or not defined.",
                self.people_from
            ),
            columns,
            rows,
            notes: Vec::new(),
        }
    }

    /// For each data set a table of correlations: a row for each score, a column for each metric.
    #[must_use]
    pub fn correlation_tables(&self, all: &[DataSetCorrelations]) -> Vec<Table> {
        all.iter().map(|of| self.correlation_table(of)).collect()
    }

    fn correlation_table(&self, of: &DataSetCorrelations) -> Table {
        let mut columns = vec![TableColumn::new("Score", ColumnKind::Text)];
        let metrics = METRICS.iter();
        columns.extend(metrics.map(|m| TableColumn::keyed(m.label(), m.name(), ColumnKind::Text)));
        let rows = self.scores.iter().filter_map(|score| {
            let cells: Vec<&Correlation> = METRICS
                .iter()
                .filter_map(|metric| of.find(*metric, &score.key))
                .collect();
            cells.iter().any(|cell| cell.rho.is_some()).then(|| {
                let cells = cells.iter().map(|cell| TableCell::text(shown(cell)));
                std::iter::once(TableCell::text(&score.head))
                    .chain(cells)
                    .collect()
            })
        });
        Table {
            name: format!("model-correlations-{}", file_name(&of.data)),
            caption: format!(
                "{}: Spearman's correlation over {} models (fewer where a score is not there) between what people did and what is computed without people. \
                 Both are turned so that more is better: 1 means the same order, −1 the reverse. Behind it 95 % bootstrap \
                 intervals: p over people, with these models; m over models and people (from five models on). No test.",
                of.data, of.models
            ),
            columns,
            rows: rows.collect(),
            notes: self.words(of),
        }
    }

    /// Every number as a row of its own, for CSV.
    #[must_use]
    pub fn values_table(&self) -> Table {
        let mut rows = Vec::new();
        for model in &self.models {
            for metric in METRICS {
                let Some(found) = model.described(metric) else {
                    continue;
                };
                rows.push(vec![
                    TableCell::text(&model.data),
                    TableCell::text(&model.name),
                    TableCell::text(if self.simulated {
                        "simulated"
                    } else {
                        "people"
                    }),
                    TableCell::text(metric.name()),
                    TableCell::text(better(metric).map_or("", way)),
                    TableCell::Count(found.n),
                    TableCell::Number(found.mean),
                    TableCell::Number(found.sd_population),
                ]);
            }
            for (score, value) in self.scores.iter().zip(&model.scores) {
                let Some(value) = value else { continue };
                rows.push(vec![
                    TableCell::text(&model.data),
                    TableCell::text(&model.name),
                    TableCell::text(match score.from {
                        ScoreSource::Card => "card",
                        ScoreSource::Codes => "codes",
                    }),
                    TableCell::text(&score.key),
                    TableCell::text(way(score.better)),
                    TableCell::None,
                    TableCell::Number(*value),
                    TableCell::None,
                ]);
            }
        }
        let columns = [
            ("Data set", ColumnKind::Text),
            ("Model", ColumnKind::Text),
            ("From", ColumnKind::Text),
            ("What", ColumnKind::Text),
            ("Better", ColumnKind::Text),
            ("n", ColumnKind::Count),
            ("Value", ColumnKind::Number),
            ("SD", ColumnKind::Number),
        ];
        Table {
            name: "models".to_owned(),
            caption: format!("Every number of each model. {}", self.people_from),
            columns: columns
                .map(|(head, kind)| TableColumn::new(head, kind))
                .to_vec(),
            rows,
            notes: self.notes.clone(),
        }
    }

    /// Every correlation as a row of its own, for CSV.
    #[must_use]
    pub fn correlations_table(&self, all: &[DataSetCorrelations]) -> Table {
        let columns = [
            ("Data set", ColumnKind::Text),
            ("Score", ColumnKind::Text),
            ("Metric", ColumnKind::Text),
            ("Models", ColumnKind::Count),
            ("Rho", ColumnKind::Number),
            ("People low", ColumnKind::Number),
            ("People high", ColumnKind::Number),
            ("Models low", ColumnKind::Number),
            ("Models high", ColumnKind::Number),
        ];
        let end = |of: Option<Interval>, end: fn(&Interval) -> f64| {
            TableCell::number(of.as_ref().map(end))
        };
        let rows = all.iter().flat_map(|of| {
            let found = of.correlations.iter().filter(|c| c.rho.is_some());
            found.map(|c| {
                vec![
                    TableCell::text(&of.data),
                    TableCell::text(&c.score),
                    TableCell::text(c.metric.name()),
                    TableCell::Count(c.models),
                    TableCell::number(c.rho),
                    end(c.over_people, |i| i.low),
                    end(c.over_people, |i| i.high),
                    end(c.over_models, |i| i.low),
                    end(c.over_models, |i| i.high),
                ]
            })
        });
        Table {
            name: "model-correlations".to_owned(),
            caption: "Spearman's correlations within each data set, both sides turned so that more is better.".to_owned(),
            columns: columns
                .map(|(head, kind)| TableColumn::new(head, kind))
                .to_vec(),
            rows: rows.collect(),
            notes: Vec::new(),
        }
    }
}

impl DataSetCorrelations {
    /// The correlation of a metric and a score.
    #[must_use]
    pub fn find(&self, metric: Metric, score: &str) -> Option<&Correlation> {
        let mut all = self.correlations.iter();
        all.find(|c| c.metric == metric && c.score == score)
    }
}

fn shown(cell: &Correlation) -> String {
    let Some(rho) = cell.rho else {
        return "–".to_owned();
    };
    let interval = |letter: char, of: Option<Interval>| {
        of.map(|i| format!(" {letter} [{}, {}]", rounded(i.low, 2), rounded(i.high, 2)))
            .unwrap_or_default()
    };
    format!(
        "{}{}{}",
        rounded(rho, 2),
        interval('p', cell.over_people),
        interval('m', cell.over_models)
    )
}

pub(super) fn arrow(better: Direction) -> &'static str {
    match better {
        Direction::Higher => "↑",
        Direction::Lower => "↓",
    }
}

fn way(better: Direction) -> &'static str {
    match better {
        Direction::Higher => "higher",
        Direction::Lower => "lower",
    }
}

//! The effect of a threshold and a time limit on a study: how many questions simulated people
//! solve, and how fast.

use serde::Serialize;

use crate::table::{ColumnKind, Table, TableCell, TableColumn};

/// How somebody came nearer to one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ApproachCurve {
    /// The model.
    pub model: String,
    /// The strategy, as readers read it.
    pub strategy: String,
    /// ε of the question.
    pub threshold: f64,
    /// Active seconds and the smallest distance reached by then; both in order.
    pub steps: Vec<(f64, f64)>,
}

impl ApproachCurve {
    /// Active seconds until the distance was at most `threshold`, or the question's own without one; `None` if it never
    /// was.
    #[must_use]
    pub fn time_to(&self, threshold: Option<f64>) -> Option<f64> {
        let threshold = threshold.unwrap_or(self.threshold);
        let reached =
            |(_, distance): &&(f64, f64)| domain::model::distance::reaches(*distance, threshold);
        self.steps.iter().find(reached).map(|(seconds, _)| *seconds)
    }
}

/// A study's settings for a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnSettings {
    /// The model.
    pub model: String,
    /// ε of all its questions; `None` where they differ.
    pub threshold: Option<f64>,
    /// T in active seconds.
    pub skip_after_s: f64,
}

/// Approaches, and what to make of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuning {
    /// The models, with what the study says of them.
    pub models: Vec<OwnSettings>,
    /// The strategies, as readers read them, in order.
    pub strategies: Vec<String>,
    /// The thresholds to look at; those of the study are among them.
    pub thresholds: Vec<f64>,
    /// The times to look at; those of the study are among them.
    pub times_s: Vec<f64>,
    /// All questions.
    #[serde(skip)]
    pub approaches: Vec<ApproachCurve>,
}

/// One threshold and one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Solvable {
    /// Questions.
    pub questions: usize,
    /// Those solved in time.
    pub solved: usize,
    /// Median active seconds of all questions, unsolved ones counted as longer; `None` where
    /// fewer than half are solved in time.
    pub median_s: Option<f64>,
}

impl Solvable {
    /// The share solved; `None` without questions.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.questions > 0).then(|| self.solved as f64 / self.questions as f64)
    }
}

/// The result of a threshold and a time for a model and a strategy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TunedRow {
    /// The model.
    pub model: String,
    /// The strategy, as readers read it.
    pub strategy: String,
    /// ε; `None` for that of each question.
    pub threshold: Option<f64>,
    /// T in active seconds.
    pub seconds: f64,
    /// Whether these are the study's own.
    pub of_the_study: bool,
    /// The result.
    #[serde(flatten)]
    pub found: Solvable,
}

impl Tuning {
    /// The result of a threshold and a time for a model and a strategy. Without a threshold each question has its own.
    #[must_use]
    pub fn at(
        &self,
        model: &str,
        strategy: &str,
        threshold: Option<f64>,
        seconds: f64,
    ) -> Solvable {
        let all = self.approaches.iter();
        let of = all.filter(|found| found.model == model && found.strategy == strategy);
        let times: Vec<Option<f64>> = of.map(|found| found.time_to(threshold)).collect();
        let mut solved: Vec<f64> = times.iter().flatten().copied().collect();
        solved.retain(|time| *time <= seconds);
        solved.sort_by(f64::total_cmp);
        // The lower median: of an even number the first of the two in the middle.
        let middle = times.len().div_ceil(2).checked_sub(1);
        Solvable {
            questions: times.len(),
            solved: solved.len(),
            median_s: middle.and_then(|middle| solved.get(middle).copied()),
        }
    }

    /// Every model, strategy, threshold and time. Where the questions of a model have thresholds of their own, a row
    /// without a threshold says what these make of it.
    #[must_use]
    pub fn rows(&self) -> Vec<TunedRow> {
        let mut rows = Vec::new();
        for model in &self.models {
            let own = model.threshold.is_none().then_some(None);
            let thresholds = own.into_iter();
            let thresholds = thresholds.chain(self.thresholds.iter().copied().map(Some));
            let thresholds: Vec<Option<f64>> = thresholds.collect();
            for strategy in &self.strategies {
                for &threshold in &thresholds {
                    for &seconds in &self.times_s {
                        rows.push(TunedRow {
                            model: model.model.clone(),
                            strategy: strategy.clone(),
                            threshold,
                            seconds,
                            of_the_study: model.is(threshold, seconds),
                            found: self.at(&model.model, strategy, threshold, seconds),
                        });
                    }
                }
            }
        }
        rows
    }

    /// The same as a table.
    #[must_use]
    pub fn table(&self) -> Table {
        let rows = self.rows().into_iter();
        let rows = rows.map(|row| {
            vec![
                TableCell::text(&row.model),
                TableCell::text(&row.strategy),
                TableCell::number(row.threshold),
                TableCell::Number(row.seconds),
                TableCell::text(if row.of_the_study { "yes" } else { "" }),
                TableCell::Count(row.found.questions),
                TableCell::number(row.found.share()),
                TableCell::number(row.found.median_s),
            ]
        });
        Table {
            name: "tuning".to_owned(),
            caption: "Simulated people, no real ones. The share of questions that are solved within T seconds \
                      of activity, and the median time, if a question is solved at distance ε. A median is \
                      missing where fewer than half are solved."
                .to_owned(),
            columns: vec![
                TableColumn::new("Model", ColumnKind::Group),
                TableColumn::new("Strategy", ColumnKind::Group),
                TableColumn::keyed("ε", "threshold", ColumnKind::Number),
                TableColumn::keyed("T (s)", "seconds", ColumnKind::Number),
                TableColumn::keyed("The study's", "of_the_study", ColumnKind::Text),
                TableColumn::new("Questions", ColumnKind::Count),
                TableColumn::keyed("Solved", "share_solved", ColumnKind::Number),
                TableColumn::keyed("Median time (s)", "median_s", ColumnKind::Number),
            ],
            rows: rows.collect(),
            notes: self.notes(),
        }
    }

    /// Floor and ceiling of each model by the study's own ε and T: what the least and the most
    /// able strategy solve, and what the others do in between.
    #[must_use]
    pub fn summary(&self) -> Table {
        let mut columns = vec![
            TableColumn::new("Model", ColumnKind::Text),
            TableColumn::keyed("ε", "threshold", ColumnKind::Number),
            TableColumn::keyed("T (s)", "seconds", ColumnKind::Number),
        ];
        let shares = self.strategies.iter();
        columns.extend(shares.map(|strategy| TableColumn::new(strategy, ColumnKind::Number)));
        columns.extend([
            TableColumn::new("Floor", ColumnKind::Number),
            TableColumn::new("Ceiling", ColumnKind::Number),
        ]);
        let rows = self.models.iter().map(|model| {
            let mut row = vec![
                TableCell::text(&model.model),
                TableCell::number(model.threshold),
                TableCell::Number(model.skip_after_s),
            ];
            let (epsilon, until) = (model.threshold, model.skip_after_s);
            let of = |strategy: &String| self.at(&model.model, strategy, epsilon, until).share();
            let shares: Vec<Option<f64>> = self.strategies.iter().map(of).collect();
            let known = || shares.iter().flatten().copied();
            row.extend(shares.iter().map(|share| TableCell::number(*share)));
            row.push(TableCell::number(known().reduce(f64::min)));
            row.push(TableCell::number(known().reduce(f64::max)));
            row
        });
        Table {
            name: "floor-and-ceiling".to_owned(),
            caption: "Simulated people, no real ones. The share of questions that each strategy solves within \
                      the study's T and ε; floor and ceiling are the smallest and the largest of them."
                .to_owned(),
            columns,
            rows: rows.collect(),
            notes: self.notes(),
        }
    }

    /// Why a threshold is missing, where one is.
    fn notes(&self) -> Vec<String> {
        let missing = self.models.iter().any(|model| model.threshold.is_none());
        let why = "Where ε is missing, the study sets another one for each question, and that one counts.";
        missing.then(|| why.to_owned()).into_iter().collect()
    }
}

impl OwnSettings {
    fn is(&self, threshold: Option<f64>, time: f64) -> bool {
        let same = match (self.threshold, threshold) {
            (Some(own), Some(threshold)) => (own - threshold).abs() < 1e-12,
            (own, threshold) => own == threshold,
        };
        same && (self.skip_after_s - time).abs() < 1e-12
    }
}

#[cfg(test)]
mod tests;

//! Full results of each comparison, tests included: the paper's table A.3.

use domain::study::{ConditionsVary, PairTest};
use measures::statistics::anova::FTest;
use measures::statistics::{Defined, Undefined};

use super::metrics::{interim, mean_cell};
use super::{Population, divisor, label};
use crate::computed::{Computed, undefined};
use crate::model::ModelOfQuestions;
use crate::report::{Analysis, MetricComparison, Omnibus, Pair, TestOfMeans};
use crate::table::{ColumnKind, STARS, Table, TableCell, TableColumn, file_name, key};

impl Analysis {
    /// A table for each comparison.
    pub(super) fn results_tables(&self, who: Population) -> Vec<Table> {
        let sample = self.sample(who);
        let mut names: Vec<&str> = Vec::new();
        for comparison in &sample.comparisons {
            if !names.contains(&comparison.name.as_str()) {
                names.push(&comparison.name);
            }
        }
        let of = |name: &&str| {
            let comparisons: Vec<&MetricComparison> = sample
                .comparisons
                .iter()
                .filter(|c| c.name == *name && sample.shows(c.metric))
                .collect();
            self.results_table(who, &comparisons)
        };
        names.iter().filter_map(of).collect()
    }

    /// `comparisons` are the metrics of one comparison.
    fn results_table(&self, who: Population, comparisons: &[&MetricComparison]) -> Option<Table> {
        let first = comparisons.first()?;
        let mut columns = vec![
            TableColumn::new("Metric", ColumnKind::Text),
            TableColumn::new("n", ColumnKind::Count),
        ];
        let conditions = first.conditions.iter().map(|row| row.condition.as_str());
        let conditions: Vec<&str> = conditions.collect();
        let short = self.names_of(&conditions);
        let shown = |name: &str| {
            let found = conditions
                .iter()
                .zip(&short)
                .find(|(condition, _)| **condition == name);
            found.map_or(name, |(_, short)| short.as_str()).to_owned()
        };
        for (condition, short) in conditions.iter().zip(&short) {
            columns.push(TableColumn::keyed(short, &key(condition), ColumnKind::Mean));
        }
        let tested = first.conditions.len() > 1;
        let all = TestOfAll::of(self, first);
        if tested {
            columns.push(TableColumn::keyed(all.head, all.key, ColumnKind::Test));
        }
        if all.corrected {
            columns.push(TableColumn::keyed(
                "p (GG)",
                "anova_p_greenhouse_geisser",
                ColumnKind::PValue,
            ));
        }
        let sized = tested && all.effect.is_some();
        if sized {
            let name = format!("{}_effect", all.key);
            columns.push(TableColumn::keyed("Effect size", &name, ColumnKind::Effect));
        }
        for pair in &first.pairs {
            let head = format!("{} × {}", shown(&pair.first), shown(&pair.second));
            let name = format!("{}_vs_{}", key(&pair.first), key(&pair.second));
            columns.push(TableColumn::keyed(&head, &name, ColumnKind::P));
        }
        let mut notes = Vec::new();
        let rows = comparisons
            .iter()
            .map(|comparison| {
                let means = comparison.conditions.iter();
                let means = means.filter_map(|row| Some(row.description.defined()?.mean));
                let divisor = divisor(means);
                let exploratory = if comparison.planned { "" } else { " °" };
                let mut cells = vec![
                    TableCell::Text(label(comparison.metric, divisor) + exploratory),
                    TableCell::Count(comparison.n).of_people(comparison.numbers.iter().copied()),
                ];
                for row in &first.conditions {
                    let cell = mean_cell(comparison, &row.condition, divisor);
                    cells.push(cell.unwrap_or(TableCell::None));
                }
                if tested {
                    cells.push(all.cell(comparison, &mut notes));
                }
                if all.corrected {
                    cells.push(greenhouse_geisser(comparison));
                }
                if sized {
                    cells.push(all.effect_cell(comparison));
                }
                cells.extend(
                    comparison
                        .pairs
                        .iter()
                        .map(|p| pair(comparison, p, &mut notes)),
                );
                cells
            })
            .collect();
        let tests = if tested {
            let corrected = if all.corrected {
                "; GG: p with Greenhouse and Geisser's correction"
            } else {
                ""
            };
            let (head, words) = (all.head, all.words);
            let effect = all.effect.map_or(String::new(), |effect| {
                format!(" Effect size of {head}: {effect}.")
            });
            format!(
                " {head}: {words}{corrected}.{effect} Pairs: p of {}; {STARS}.",
                self.p_words()
            )
        } else {
            String::new()
        };
        Some(Table {
            name: format!("results-{}{}", file_name(&first.name), who.suffix()),
            caption: format!(
                "Results of the comparison {}, {}: mean ± standard deviation (divisor n) over people; n: \
                 people in the tests.{tests} °: exploratory, the study does not declare it.{}",
                first.name,
                who.words(),
                interim(self)
            ),
            columns,
            rows,
            notes,
        })
    }
}

/// The test of all conditions that goes with the test of two that counts.
struct TestOfAll {
    test: PairTest,
    head: &'static str,
    key: &'static str,
    words: &'static str,
    /// Its effect size, in words; Welch's analysis of variance has none that is usual.
    effect: Option<&'static str>,
    /// Whether there is a correction of Greenhouse and Geisser's.
    corrected: bool,
}

impl TestOfAll {
    fn of(analysis: &Analysis, first: &MetricComparison) -> Self {
        let test = analysis.plan.as_ref().map(|plan| plan.test);
        let test = test.unwrap_or_default();
        let within = analysis.design == ConditionsVary::Within;
        let (head, key, words) = match (test, within) {
            (PairTest::T, true) => ("ANOVA", "anova", "repeated-measures analysis of variance"),
            (PairTest::T, false) => ("ANOVA", "anova", "one-way analysis of variance"),
            (PairTest::Welch, _) => ("Welch", "welch_anova", "Welch's analysis of variance"),
            (PairTest::Rank, true) => ("Friedman", "friedman", "Friedman's test"),
            (PairTest::Rank, false) => (
                "Kruskal–Wallis",
                "kruskal_wallis",
                "Kruskal and Wallis's test",
            ),
            (PairTest::MixedModel, _) => (
                "Mixed model",
                "mixed_model",
                "F-test (linear) or Wald's test (logistic, cumulative-link) of the mixed model",
            ),
        };
        let effect = match (test, within) {
            (PairTest::T, _) => Some("partial η² with the 90 % interval of the noncentral F"),
            (PairTest::MixedModel, _) => {
                Some("partial η² with the 90 % interval of the noncentral F, of linear models")
            }
            (PairTest::Welch, _) => None,
            (PairTest::Rank, true) => Some("Kendall's W"),
            (PairTest::Rank, false) => Some("ε² = H / (n − 1)"),
        };
        Self {
            test,
            head,
            key,
            words,
            effect,
            corrected: test == PairTest::T && within && first.conditions.len() > 2,
        }
    }

    fn cell(&self, comparison: &MetricComparison, notes: &mut Vec<String>) -> TableCell {
        let found = match (&comparison.omnibus, &comparison.model, self.test) {
            (_, Some(model), PairTest::MixedModel) => of_model(model),
            (_, None, PairTest::MixedModel) => Err(Undefined::NotOfQuestions),
            (Some(omnibus), ..) => self.of_means_or_ranks(omnibus),
            (None, ..) => return TableCell::None,
        };
        found.unwrap_or_else(|why| {
            let metric = comparison.metric.label();
            notes.push(format!("{metric}: {} {}.", self.head, undefined(why)));
            TableCell::None
        })
    }

    fn effect_cell(&self, comparison: &MetricComparison) -> TableCell {
        let of_f = |test: &FTest| TableCell::Effect {
            symbol: "partial η²",
            value: test.partial_eta_squared.value,
            interval: Some(test.partial_eta_squared.interval),
        };
        let of_ranks = |symbol, value| TableCell::Effect {
            symbol,
            value,
            interval: None,
        };
        let found = match (self.test, &comparison.omnibus, &comparison.model) {
            (PairTest::MixedModel, _, Some(model)) => model
                .defined()
                .and_then(|model| model.tests.conditions.f.as_ref()?.defined())
                .map(of_f),
            (PairTest::Rank, Some(omnibus), _) => omnibus.ranks.defined().map(|ranks| {
                let within = matches!(omnibus.means, TestOfMeans::Repeated { .. });
                of_ranks(if within { "W" } else { "ε²" }, ranks.effect)
            }),
            (PairTest::T, Some(omnibus), _) => match &omnibus.means {
                TestOfMeans::Repeated { anova } => anova.defined().map(|anova| of_f(&anova.test)),
                TestOfMeans::OneWay { anova, .. } => anova.defined().map(|anova| of_f(&anova.test)),
            },
            _ => None,
        };
        found.unwrap_or(TableCell::None)
    }

    fn of_means_or_ranks(&self, omnibus: &Omnibus) -> Defined<TableCell> {
        match (&omnibus.means, self.test) {
            (_, PairTest::Rank) => omnibus
                .ranks
                .as_ref()
                .map(|r| cell("χ²", &[r.df], r.chi_squared, r.p)),
            (TestOfMeans::Repeated { .. }, PairTest::Welch) => Err(Undefined::BetweenOnly),
            (TestOfMeans::OneWay { welch, .. }, PairTest::Welch) => {
                welch.as_ref().map(|w| cell("F", &[w.df1, w.df2], w.f, w.p))
            }
            (TestOfMeans::Repeated { anova }, _) => anova.as_ref().map(|a| of_f(&a.test)),
            (TestOfMeans::OneWay { anova, .. }, _) => anova.as_ref().map(|a| of_f(&a.test)),
        }
    }
}

fn of_model(model: &Computed<ModelOfQuestions>) -> Defined<TableCell> {
    let model = model.as_ref()?;
    match (&model.tests.conditions.f, &model.tests.conditions.wald) {
        (Some(f), _) => f.as_ref().map(of_f),
        (None, Some(wald)) => wald
            .as_ref()
            .map(|w| cell("χ²", &[w.df], w.chi_squared, w.p)),
        (None, None) => Err(Undefined::NotConverged),
    }
}

fn of_f(test: &FTest) -> TableCell {
    cell("F", &[test.df1, test.df2], test.f, test.p)
}

fn cell(symbol: &'static str, df: &[f64], statistic: f64, p: f64) -> TableCell {
    TableCell::Test {
        symbol,
        df: df.to_vec(),
        statistic,
        p,
    }
}

fn greenhouse_geisser(comparison: &MetricComparison) -> TableCell {
    match comparison.omnibus.as_ref().map(|omnibus| &omnibus.means) {
        Some(TestOfMeans::Repeated { anova }) => anova
            .defined()
            .and_then(|anova| anova.p_greenhouse_geisser)
            .map_or(TableCell::None, TableCell::PValue),
        _ => TableCell::None,
    }
}

fn pair(comparison: &MetricComparison, pair: &Pair, notes: &mut Vec<String>) -> TableCell {
    match &pair.declared.result {
        Computed::Defined(found) => TableCell::P {
            p: found.p,
            corrected: pair.p_corrected,
        },
        Computed::Undefined(why) => {
            notes.push(format!(
                "{}: {} × {} {}.",
                comparison.metric.label(),
                pair.first,
                pair.second,
                undefined(*why)
            ));
            TableCell::None
        }
    }
}

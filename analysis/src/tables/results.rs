//! Full results of each comparison, tests included: the paper's table A.3.

use super::metrics::{interim, mean_cell};
use super::{Who, divisor, label};
use crate::found::Found;
use crate::report::{Analysis, Comparison, Omnibus, Pair, TestOfMeans};
use crate::table::{Cell, Column, Kind, STARS, Table, file_name, key, short_names};

impl Analysis {
    /// A table for each comparison.
    pub(super) fn results_tables(&self, who: Who) -> Vec<Table> {
        let sample = self.sample(who);
        let mut names: Vec<&str> = Vec::new();
        for comparison in &sample.comparisons {
            if !names.contains(&comparison.name.as_str()) {
                names.push(&comparison.name);
            }
        }
        let of = |name: &&str| {
            let comparisons: Vec<&Comparison> = sample
                .comparisons
                .iter()
                .filter(|c| c.name == *name && sample.shows(c.metric))
                .collect();
            self.results_table(who, &comparisons)
        };
        names.iter().filter_map(of).collect()
    }

    /// `comparisons` are the metrics of one comparison.
    fn results_table(&self, who: Who, comparisons: &[&Comparison]) -> Option<Table> {
        let first = comparisons.first()?;
        let mut columns = vec![
            Column::new("Metric", Kind::Text),
            Column::new("n", Kind::Count),
        ];
        let conditions = first.conditions.iter().map(|row| row.condition.as_str());
        let conditions: Vec<&str> = conditions.collect();
        let short = short_names(&conditions);
        let shown = |name: &str| {
            let found = conditions
                .iter()
                .zip(&short)
                .find(|(condition, _)| **condition == name);
            found.map_or(name, |(_, short)| short.as_str()).to_owned()
        };
        for (condition, short) in conditions.iter().zip(&short) {
            columns.push(Column::keyed(short, &key(condition), Kind::Mean));
        }
        let within = first
            .omnibus
            .as_ref()
            .is_some_and(|omnibus| matches!(omnibus.means, TestOfMeans::Repeated { .. }));
        let tested = first.conditions.len() > 1;
        let corrected = within && first.conditions.len() > 2;
        if tested {
            columns.push(Column::keyed("ANOVA", "anova", Kind::Test));
        }
        if corrected {
            columns.push(Column::keyed(
                "p (GG)",
                "anova_p_greenhouse_geisser",
                Kind::PValue,
            ));
        }
        for pair in &first.pairs {
            let head = format!("{} × {}", shown(&pair.first), shown(&pair.second));
            let name = format!("{}_vs_{}", key(&pair.first), key(&pair.second));
            columns.push(Column::keyed(&head, &name, Kind::P));
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
                    Cell::Text(label(comparison.metric, divisor) + exploratory),
                    Cell::Count(comparison.n),
                ];
                for row in &first.conditions {
                    let cell = mean_cell(comparison, &row.condition, divisor);
                    cells.push(cell.unwrap_or(Cell::None));
                }
                if tested {
                    cells.push(omnibus(comparison, &mut notes));
                }
                if corrected {
                    cells.push(greenhouse_geisser(comparison));
                }
                cells.extend(comparison.pairs.iter().map(pair));
                cells
            })
            .collect();
        let test = if within {
            "repeated-measures"
        } else {
            "one-way"
        };
        let tests = if tested {
            format!(
                " ANOVA: {test} analysis of variance{}. Pairs: {}; {STARS}.",
                if corrected {
                    "; GG: p with Greenhouse and Geisser's correction"
                } else {
                    ""
                },
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

fn omnibus(comparison: &Comparison, notes: &mut Vec<String>) -> Cell {
    let test = match comparison
        .omnibus
        .as_ref()
        .map(|Omnibus { means, .. }| means)
    {
        Some(TestOfMeans::Repeated { anova }) => match anova {
            Found::Defined(anova) => Ok(anova.test),
            Found::Undefined(why) => Err(*why),
        },
        Some(TestOfMeans::OneWay { anova, .. }) => match anova {
            Found::Defined(anova) => Ok(anova.test),
            Found::Undefined(why) => Err(*why),
        },
        None => return Cell::None,
    };
    match test {
        Ok(test) => Cell::Test {
            symbol: "F",
            df: vec![test.df1, test.df2],
            statistic: test.f,
            p: test.p,
        },
        Err(why) => {
            notes.push(format!(
                "{}: ANOVA undefined, {why}.",
                comparison.metric.label()
            ));
            Cell::None
        }
    }
}

fn greenhouse_geisser(comparison: &Comparison) -> Cell {
    match comparison.omnibus.as_ref().map(|omnibus| &omnibus.means) {
        Some(TestOfMeans::Repeated { anova }) => anova
            .defined()
            .and_then(|anova| anova.p_greenhouse_geisser)
            .map_or(Cell::None, Cell::PValue),
        _ => Cell::None,
    }
}

fn pair(pair: &Pair) -> Cell {
    pair.p.map_or(Cell::None, |p| Cell::P {
        p,
        corrected: pair.p_corrected,
    })
}

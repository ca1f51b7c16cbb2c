//! The rows that a model is fitted to, and what stands in them beside the conditions.

use std::collections::BTreeSet;

use domain::study::{Adjustment, AnalysisPlan, Metric};
use measures::statistics::mixed_model::RandomTerm;

use super::Cases;
use crate::person::{Person, StageData};

/// Rows of a model: value, condition, person, and the question's start and target.
#[derive(Default)]
pub(super) struct Rows {
    pub values: Vec<f64>,
    pub condition: Vec<usize>,
    pub person: Vec<usize>,
    item: Vec<Option<String>>,
    /// Fixed effects beside the conditions.
    pub beside: Vec<Beside>,
}

/// A fixed effect beside the conditions.
pub(super) struct Beside {
    pub name: String,
    /// Its columns, each as long as the rows.
    pub columns: Vec<Vec<f64>>,
}

/// The fixed effects of models beside the conditions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Adjusting {
    period: bool,
    sequence: bool,
    /// Names of answers, and everybody's number.
    numbers: Vec<(String, Vec<Option<f64>>)>,
}

impl Adjusting {
    /// As a plan says, for some people.
    pub(crate) fn of<'a>(
        plan: Option<&AnalysisPlan>,
        people: impl Iterator<Item = &'a Person> + Clone,
    ) -> Self {
        let wanted = || plan.iter().flat_map(|plan| &plan.adjust_for);
        let answers = wanted().filter(|it| matches!(it, Adjustment::Answer { .. }));
        Self {
            period: wanted().any(|it| *it == Adjustment::Period),
            sequence: wanted().any(|it| *it == Adjustment::Sequence),
            numbers: answers
                .map(|answer| {
                    let name = answer.name();
                    let of = people
                        .clone()
                        .map(|person| person.answers.get(&name).copied());
                    let of = of.collect();
                    (name, of)
                })
                .collect(),
        }
    }
}

impl Rows {
    pub fn push(&mut self, value: f64, condition: usize, person: usize, item: Option<String>) {
        self.values.push(value);
        self.condition.push(condition);
        self.person.push(person);
        self.item.push(item);
    }

    pub fn of_person(&self) -> RandomTerm {
        RandomTerm {
            name: "person".to_owned(),
            level: self.person.clone(),
        }
    }

    /// The questions, where they are a fixed list: where each was met by two people or more, on
    /// average. The effect of questions that are drawn for each person cannot be told from what is
    /// left over.
    pub fn of_item(&self) -> Option<RandomTerm> {
        let items: Option<Vec<&str>> = self.item.iter().map(Option::as_deref).collect();
        let items = items?;
        let mut known: Vec<&str> = items.clone();
        known.sort_unstable();
        known.dedup();
        let fixed = known.len() > 1 && known.len() * 2 <= items.len();
        fixed.then(|| RandomTerm {
            name: "item".to_owned(),
            level: items
                .iter()
                .map(|item| known.partition_point(|other| other < item))
                .collect(),
        })
    }
}

pub(super) fn rows(people: &Cases<'_>, metric: Metric, adjusting: &Adjusting) -> Rows {
    let mut rows = Rows::default();
    let mut periods = Vec::new();
    for (person, conditions) in people.iter().enumerate() {
        if adjusting
            .numbers
            .iter()
            .any(|(_, of)| of.get(person).copied().flatten().is_none())
        {
            continue;
        }
        let places: BTreeSet<usize> = conditions.iter().flatten().map(|it| it.place).collect();
        for (condition, stages) in conditions.iter().enumerate() {
            for stage in stages {
                let before = rows.values.len();
                if metric.is_score() {
                    if let Some(&value) = stage.scores.get(&metric) {
                        rows.push(value, condition, person, None);
                    }
                } else {
                    for question in &stage.questions {
                        if let Some(value) = question.value(metric) {
                            rows.push(value, condition, person, question.item.clone());
                        }
                    }
                }
                let period = places.range(..stage.place).count();
                periods.resize(periods.len() + rows.values.len() - before, period);
            }
        }
    }
    if adjusting.period {
        rows.beside.push(Beside {
            name: Adjustment::Period.name(),
            columns: factor(&periods),
        });
    }
    if adjusting.sequence {
        let of_rows = rows.person.iter().map(|person| sequence(&people[*person]));
        let of_rows: Vec<Vec<usize>> = of_rows.collect();
        rows.beside.push(Beside {
            name: Adjustment::Sequence.name(),
            columns: factor(&of_rows),
        });
    }
    for (name, of_people) in &adjusting.numbers {
        let values = rows
            .person
            .iter()
            .filter_map(|person| of_people.get(*person).copied()?);
        let values: Vec<f64> = values.collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        rows.beside.push(Beside {
            name: name.clone(),
            columns: vec![values.iter().map(|value| value - mean).collect()],
        });
    }
    rows
}

/// The conditions in the order in which a person went through them.
fn sequence(conditions: &[Vec<&StageData>]) -> Vec<usize> {
    let first = |stages: &Vec<&StageData>| stages.iter().map(|stage| stage.place).min();
    let mut met: Vec<(usize, usize)> = conditions
        .iter()
        .enumerate()
        .filter_map(|(condition, stages)| Some((first(stages)?, condition)))
        .collect();
    met.sort_unstable();
    met.into_iter().map(|(_, condition)| condition).collect()
}

/// A factor's columns: for each level but the first, in the levels' order, whether a row has it.
fn factor<T: Ord>(levels: &[T]) -> Vec<Vec<f64>> {
    let known: BTreeSet<&T> = levels.iter().collect();
    let others = known.into_iter().skip(1);
    others
        .map(|of| {
            levels
                .iter()
                .map(|it| f64::from(u8::from(it == of)))
                .collect()
        })
        .collect()
}

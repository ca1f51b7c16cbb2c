//! Checks of arrays before they are computed with, gathered, so that everything that is wrong is told at
//! once.

use crate::array::Array;
use crate::measure::Settings;
use crate::problem::{Checked, Problem};

/// Problems found so far.
#[derive(Default)]
pub(crate) struct Checks {
    problems: Vec<Problem>,
    /// Whether nothing is to be computed, even if nothing is wrong.
    only: bool,
}

/// Whole-number labels by column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Labels {
    /// The columns, in order.
    pub columns: Vec<LabelColumn>,
}

/// The label of each row, in one respect.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LabelColumn {
    /// The place of each row's label in `classes`.
    pub places: Vec<u32>,
    /// The labels that there are, ascending.
    pub classes: Vec<f64>,
}

impl LabelColumn {
    /// The labels of a column, whatever numbers they are.
    pub fn of(values: &[f64]) -> Self {
        let mut classes = values.to_vec();
        classes.sort_by(f64::total_cmp);
        classes.dedup();
        // −0 and 0 are one label; total_cmp puts −0 first, and dedup has taken the second out.
        let place = |value: &f64| classes.partition_point(|class| class < value) as u32;
        Self {
            places: values.iter().map(place).collect(),
            classes,
        }
    }

    /// How many rows have each label, among some rows.
    pub fn counts(&self, rows: &[usize]) -> Vec<usize> {
        let mut counts = vec![0; self.classes.len()];
        for &row in rows {
            counts[self.places[row] as usize] += 1;
        }
        counts
    }
}

impl Checks {
    /// Checks of a measure's arrays. [`Self::done`] ends a run that is made to find problems alone.
    pub fn of(settings: &Settings) -> Self {
        Self {
            problems: Vec::new(),
            only: settings.checks_only(),
        }
    }

    /// Problems that were found elsewhere; gives what was found where there were none.
    pub fn found<T>(&mut self, checked: Checked<T>) -> Option<T> {
        checked.map_err(|more| self.problems.extend(more)).ok()
    }

    /// Names the first of the places of an array whose numbers are `wrong`, and says how many more there are.
    fn places(
        &mut self,
        array: &Array,
        name: &'static str,
        wrong: impl Fn(f64) -> bool,
        problem: impl Fn(usize, usize, f64) -> Problem,
    ) -> &mut Self {
        self.problems
            .extend(array.wrong_places(name, wrong, problem));
        self
    }

    /// An array of finite numbers, for functions that are called with arrays that no measure's inputs have checked.
    pub fn finite(&mut self, array: &Array, name: &'static str) -> &mut Self {
        self.problems.extend(array.problems(name));
        self
    }

    /// One number at each row and column.
    pub fn flat(&mut self, array: &Array, name: &'static str) -> &mut Self {
        if array.depth() == 1 {
            return self;
        }
        self.shape(array, name, "one number for each row and column")
    }

    /// Says that an array has not the axes that are needed.
    pub fn shape(&mut self, array: &Array, name: &'static str, wanted: &str) -> &mut Self {
        self.problems.push(Problem::Shape {
            array: name,
            found: array.shape().to_vec(),
            wanted: wanted.to_owned(),
        });
        self
    }

    /// As many rows as another array.
    pub fn rows(
        &mut self,
        array: (&Array, &'static str),
        beside: (&Array, &'static str),
    ) -> &mut Self {
        self.as_many(
            "rows",
            (array.0.rows(), array.1),
            (beside.0.rows(), beside.1),
        )
    }

    /// As many columns as another array.
    pub fn columns(
        &mut self,
        array: (&Array, &'static str),
        beside: (&Array, &'static str),
    ) -> &mut Self {
        let counts = (array.0.columns(), beside.0.columns());
        self.as_many("columns", (counts.0, array.1), (counts.1, beside.1))
    }

    /// As many of something as another array: how many each has, and its name.
    pub fn as_many(
        &mut self,
        axis: &'static str,
        (found, array): (usize, &'static str),
        (expected, beside): (usize, &'static str),
    ) -> &mut Self {
        if found != expected {
            self.problems.push(Problem::Lengths {
                array,
                axis,
                found,
                beside,
                expected,
            });
        }
        self
    }

    /// At least so many of something.
    pub fn at_least(
        &mut self,
        array: &'static str,
        of: &'static str,
        found: usize,
        needed: usize,
    ) -> &mut Self {
        if found < needed {
            self.problems.push(Problem::TooFew {
                array,
                of,
                found,
                needed,
            });
        }
        self
    }

    /// Whole numbers from 0 on, one at each row and column.
    pub fn labels(&mut self, array: &Array, name: &'static str) -> &mut Self {
        self.flat(array, name);
        let wrong = |value: f64| value < 0.0 || value.fract() != 0.0;
        self.places(array, name, wrong, |row, column, value| {
            Problem::NotALabel {
                array: name,
                row,
                column,
                value,
            }
        })
    }

    /// 0 and 1, one at each row and column.
    pub fn binary(&mut self, array: &Array, name: &'static str, why: &'static str) -> &mut Self {
        self.flat(array, name);
        let wrong = |value: f64| value != 0.0 && value != 1.0;
        self.places(array, name, wrong, |row, column, value| {
            Problem::NotBinary {
                array: name,
                row,
                column,
                value,
                why,
            }
        })
    }

    /// As many axes as one of `allowed`; `wanted` says them in words.
    pub fn axes(
        &mut self,
        array: &Array,
        name: &'static str,
        allowed: &[usize],
        wanted: &str,
    ) -> &mut Self {
        if allowed.contains(&array.shape().len()) {
            return self;
        }
        self.shape(array, name, wanted)
    }

    /// Whole numbers from 0 on that are below `end`; `why` says what there are `end` of. Gives the numbers, which hold
    /// when nothing was wrong.
    pub fn below(
        &mut self,
        array: &Array,
        name: &'static str,
        end: usize,
        why: &'static str,
    ) -> Vec<usize> {
        self.labels(array, name);
        let large = |value: f64| value.fract() == 0.0 && value >= end as f64;
        self.places(array, name, large, |row, column, value| Problem::TooLarge {
            array: name,
            row,
            column,
            value,
            end,
            why,
        });
        array.values().iter().map(|&value| value as usize).collect()
    }

    /// No numbers below 0; `why` says what refuses them.
    pub fn not_negative(
        &mut self,
        array: &Array,
        name: &'static str,
        why: &'static str,
    ) -> &mut Self {
        let negative = |value: f64| value < 0.0;
        self.places(array, name, negative, |row, column, value| {
            Problem::Negative {
                array: name,
                row,
                column,
                value,
                why,
            }
        })
    }

    /// Whether nothing was wrong.
    ///
    /// # Errors
    /// All that was wrong: nothing in a run that is made to find problems alone.
    pub fn done(&mut self) -> Checked<()> {
        let problems = std::mem::take(&mut self.problems);
        if problems.is_empty() && !self.only {
            Ok(())
        } else {
            Err(problems)
        }
    }
}

/// The labels of an array that [`Checks::labels`] found nothing wrong with.
pub(crate) fn labels(array: &Array) -> Labels {
    let columns = array.by_column();
    Labels {
        columns: columns
            .iter()
            .map(|column| LabelColumn::of(column))
            .collect(),
    }
}

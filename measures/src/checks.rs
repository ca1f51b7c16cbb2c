//! Checks of arrays before anything is computed: every problem is noted, and all are given at once.

use crate::array::Array;
use crate::inputs::Need;
use crate::problem::{Checked, Problem};

/// How many numbers that are wrong are named for each array.
const NAMED: usize = 10;

/// The problems that were found so far.
#[derive(Debug, Default)]
pub struct Checks {
    problems: Vec<Problem>,
}

impl Checks {
    /// Notes a problem.
    pub fn note(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Notes an array that has not as many axes as one of `allowed`. `wanted` says it in words.
    pub fn axes(&mut self, need: Need, array: &Array, allowed: &[usize], wanted: &str) {
        if !allowed.contains(&array.shape().len()) {
            self.note(Problem::Shape {
                array: need.name(),
                found: array.shape().to_vec(),
                wanted: wanted.to_owned(),
            });
        }
    }

    /// Notes two arrays that differ in how many they have of something: the pairs are what is counted, such as
    /// rows, and how many there are.
    pub fn equal(
        &mut self,
        axis: &'static str,
        (array, found): (Need, usize),
        (beside, expected): (Need, usize),
    ) {
        if found != expected {
            self.note(Problem::Lengths {
                array: array.name(),
                axis,
                found,
                beside: beside.name(),
                expected,
            });
        }
    }

    /// Notes fewer of something than are needed.
    pub fn at_least(&mut self, need: Need, of: &'static str, found: usize, needed: usize) {
        if found < needed {
            self.note(Problem::TooFew {
                array: need.name(),
                of,
                found,
                needed,
            });
        }
    }

    /// The whole numbers from 0 on, below `end`, that an array holds; notes what is none. `why` says what there are
    /// `end` of.
    pub fn whole(
        &mut self,
        need: Need,
        array: &Array,
        end: usize,
        why: &'static str,
    ) -> Vec<usize> {
        let mut wrong = Vec::new();
        let whole = array.values().iter().enumerate().map(|(place, &value)| {
            let (row, column) = at(array, place);
            if value < 0.0 || value.fract() != 0.0 || value > MOST {
                wrong.push(Problem::NotALabel {
                    array: need.name(),
                    row,
                    column,
                    value,
                });
            } else if value as usize >= end {
                wrong.push(Problem::TooLarge {
                    array: need.name(),
                    row,
                    column,
                    value: value as usize,
                    end,
                    why,
                });
            }
            value as usize
        });
        let whole = whole.collect();
        self.problems.extend(wrong.into_iter().take(NAMED));
        whole
    }

    /// Notes numbers below zero, and `why` there must be none.
    pub fn not_negative(&mut self, need: Need, array: &Array, why: &'static str) {
        let negative = array.values().iter().enumerate().filter(|(_, v)| **v < 0.0);
        for (place, &value) in negative.take(NAMED) {
            let (row, column) = at(array, place);
            self.note(Problem::Negative {
                array: need.name(),
                row,
                column,
                value,
                why,
            });
        }
    }

    /// All problems, if there are any.
    ///
    /// # Errors
    /// What was noted.
    pub fn done(self) -> Checked<()> {
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(self.problems)
        }
    }
}

/// The largest whole number that is taken for a label: what an index has room for on every machine.
const MOST: f64 = u32::MAX as f64;

/// Row and column of a place in row-major order.
fn at(array: &Array, place: usize) -> (usize, usize) {
    let width = array.columns() * array.depth();
    (place / width, place % width / array.depth())
}

//! Factors that depend on each other, and the concepts and classes of dSprites(λ) (paper 000, section 6.1).
//!
//! For i = 1 … λ, each value of factor i admits only half of the values of factor i + 1, drawn once: from the lower
//! three quarters of them if a concept holds, from the upper three quarters otherwise. Of factor λ + 2 and those
//! after it, every other value is kept. Whose concept decides is printed for the first step alone; see [`Decider`]
//! and decision 59.
//!
//! A data set is a [`FactorTable`]: another one, such as 3dshapes, is another table.

use crate::problem::{Checked, Problem};
use crate::random::Random;

/// A factor with whole values from 0 on, and its concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    /// Its name.
    pub name: &'static str,
    /// Number of its values.
    pub values: usize,
    /// The concept holds where the factor is below this.
    pub below: usize,
}

/// The factors of a data set, the first one changing slowest, and the classes that follow from their concepts.
#[derive(Debug, Clone, Copy)]
pub struct FactorTable {
    /// The factors.
    pub factors: &'static [Factor],
    /// The class, from the concepts.
    pub class: fn(&[bool]) -> usize,
    /// Number of classes.
    pub classes: usize,
    /// The factor whose concept decides the first step in print.
    pub printed_decider: usize,
}

/// dSprites: shape, scale, orientation, x, y; eight classes.
pub const DSPRITES: FactorTable = FactorTable {
    factors: &[
        Factor {
            name: "shape",
            values: 3,
            below: 2,
        },
        Factor {
            name: "scale",
            values: 6,
            below: 3,
        },
        Factor {
            name: "orientation",
            values: 40,
            below: 20,
        },
        Factor {
            name: "x",
            values: 32,
            below: 16,
        },
        Factor {
            name: "y",
            values: 32,
            below: 16,
        },
    ],
    class: |c| {
        let bit = |place: usize| usize::from(c[place]);
        if c[0] {
            2 * bit(1) + bit(3)
        } else {
            4 + 2 * bit(2) + bit(4)
        }
    },
    classes: 8,
    printed_decider: 0,
};

/// Whose concept decides which half of the next factor's values a value admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decider {
    /// That of the factor itself, as in the released code.
    #[default]
    OwnConcept,
    /// At every step that of the factor which print names for the first.
    Printed,
}

/// Which values of the next factor a value of a factor admits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Admitted {
    /// The factor whose concept decides.
    decider: usize,
    /// By value, where the concept holds and where it does not.
    by_value: Vec<[Vec<usize>; 2]>,
}

/// Data whose factors depend on each other.
#[derive(Debug, Clone)]
pub struct DependentFactors {
    table: FactorTable,
    admitted: Vec<Admitted>,
    /// All combinations that there are, in the order of the table's rows.
    pub rows: Vec<Vec<usize>>,
}

/// The range that admitted values are drawn from, first and last, of a factor with `values` values.
#[must_use]
pub fn drawn_from(values: usize, concept: bool) -> (usize, usize) {
    if concept {
        (0, (3 * values / 4).min(values.saturating_sub(1)))
    } else {
        (values / 4, values.saturating_sub(1))
    }
}

/// All combinations of factors that there are when the first `steps` factors (λ) each restrict the next one. The same
/// arguments give the same combinations, in rising order.
///
/// # Errors
/// When there are not so many steps to take.
pub fn dependent_factors(
    table: FactorTable,
    steps: usize,
    decider: Decider,
    seed: u64,
) -> Checked<DependentFactors> {
    if steps >= table.factors.len() {
        return Err(vec![Problem::Parameter {
            name: "lambda",
            value: steps.to_string(),
            wanted: format!(
                "below {}: each of so many factors but the last restricts the next one",
                table.factors.len()
            ),
        }]);
    }
    let mut random = Random::new(seed, 0);
    let admitted = (0..steps)
        .map(|step| Admitted::draw(&table, step, decider, &mut random))
        .collect();
    let mut data = DependentFactors {
        table,
        admitted,
        rows: Vec::new(),
    };
    let mut row = Vec::with_capacity(table.factors.len());
    data.extend(&mut row);
    Ok(data)
}

impl Admitted {
    fn draw(table: &FactorTable, step: usize, decider: Decider, random: &mut Random) -> Self {
        let own = table.factors[step];
        let next = table.factors[step + 1].values;
        let decider = match decider {
            Decider::OwnConcept => step,
            Decider::Printed => table.printed_decider,
        };
        let mut half = |concept: bool| {
            let (first, last) = drawn_from(next, concept);
            let mut pool: Vec<usize> = (first..=last).collect();
            random.shuffle(&mut pool);
            pool.truncate(next / 2);
            pool.sort_unstable();
            pool
        };
        let by_value = (0..own.values)
            .map(|value| match decider == step {
                // The value itself says whether its concept holds: the other half is never asked for.
                true if value < own.below => [half(true), Vec::new()],
                true => [Vec::new(), half(false)],
                false => [half(true), half(false)],
            })
            .collect();
        Self { decider, by_value }
    }
}

impl DependentFactors {
    /// The concepts of a combination.
    #[must_use]
    pub fn concepts(&self, row: &[usize]) -> Vec<bool> {
        self.table.concepts(row)
    }

    /// The class of a combination.
    #[must_use]
    pub fn class(&self, row: &[usize]) -> usize {
        (self.table.class)(&self.table.concepts(row))
    }

    /// Which row of the whole data set a combination is, when all factors are combined with all, the last one changing
    /// fastest.
    #[must_use]
    pub fn row_of_all(&self, row: &[usize]) -> usize {
        let places = self.table.factors.iter().zip(row);
        places.fold(0, |all, (factor, value)| all * factor.values + value)
    }

    fn extend(&mut self, row: &mut Vec<usize>) {
        let place = row.len();
        if place == self.table.factors.len() {
            if self.is_admitted(row) {
                self.rows.push(row.clone());
            }
            return;
        }
        let values = self.table.factors[place].values;
        let every = if place > self.admitted.len() { 2 } else { 1 };
        for value in (0..values).step_by(every) {
            row.push(value);
            // A decider that comes later is looked at when the row is whole.
            let known = place == 0 || self.step_admits(row, place - 1) != Some(false);
            if known {
                self.extend(row);
            }
            row.pop();
        }
    }

    fn is_admitted(&self, row: &[usize]) -> bool {
        (0..self.admitted.len()).all(|step| self.step_admits(row, step) == Some(true))
    }

    /// Whether a step admits what the row has so far; none where it has not all that decides, or the step restricts
    /// nothing.
    fn step_admits(&self, row: &[usize], step: usize) -> Option<bool> {
        let admitted = self.admitted.get(step)?;
        let decider = admitted.decider;
        let concept = *row.get(decider)? < self.table.factors[decider].below;
        let sets = &admitted.by_value[*row.get(step)?];
        let set = &sets[usize::from(!concept)];
        Some(set.contains(row.get(step + 1)?))
    }
}

impl FactorTable {
    /// The concepts of a combination of factors.
    #[must_use]
    pub fn concepts(&self, row: &[usize]) -> Vec<bool> {
        let places = self.factors.iter().zip(row);
        places
            .map(|(factor, &value)| value < factor.below)
            .collect()
    }
}

#[cfg(test)]
mod tests;

//! The examples that explain a dimension: latent vectors to be decoded and shown.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Options, Plan, RANGES, Visualisation};

/// Rows of a set of traversals.
pub const TRAVERSAL_ROWS: usize = 5;

/// Pictures in a row of a continuous dimension.
pub const TRAVERSAL_STEPS: usize = 7;

/// Pictures in a group of exemplars.
pub const EXEMPLARS_PER_BIN: usize = 8;

/// The latent vector of one picture.
pub type Example = Vec<f64>;

/// One set of examples.
#[derive(Debug, Clone, PartialEq)]
pub enum ExampleSet {
    /// Rows, each from low to high; of a discrete dimension one picture a value.
    Traversals(Vec<Vec<Example>>),
    /// Groups, one an option.
    Exemplars(Vec<Vec<Example>>),
}

/// A set of examples of a question; the same number always gives the same set, and
/// every number another. Empty for a question that is not in the plan, or a plan
/// without vectors to make examples from.
#[must_use]
pub fn examples(plan: &Plan, question: usize, set: u32) -> ExampleSet {
    let groups = |count: usize, make: &mut dyn FnMut(usize) -> Vec<Example>| {
        let usable = !plan.pool.is_empty();
        (0..count).filter(|_| usable).map(make).collect()
    };
    let none = match plan.visualisation {
        Visualisation::Traversals => ExampleSet::Traversals(Vec::new()),
        Visualisation::Exemplars => ExampleSet::Exemplars(Vec::new()),
    };
    let Some(question) = plan.questions.get(question) else {
        return none;
    };
    let seed = (u64::from(question.seed) << 32) | u64::from(set);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pool = Pool::new(&plan.pool, &mut rng);
    let dimension = question.dimension;
    match plan.visualisation {
        Visualisation::Traversals => ExampleSet::Traversals(groups(TRAVERSAL_ROWS, &mut |_| {
            let base = pool.take();
            let values = row_values(&question.options, &mut rng);
            let along = values.into_iter();
            along.map(|value| with(&base, dimension, value)).collect()
        })),
        Visualisation::Exemplars => {
            ExampleSet::Exemplars(groups(question.options.len(), &mut |option| {
                (0..EXEMPLARS_PER_BIN)
                    .map(|_| {
                        let value = question.options.draw(option, &mut rng);
                        with(&pool.take(), dimension, value)
                    })
                    .collect()
            }))
        }
    }
}

/// The vectors of a pool in random order, over and over.
struct Pool<'a> {
    vectors: Vec<&'a Vec<f64>>,
    next: usize,
}

impl<'a> Pool<'a> {
    fn new(vectors: &'a [Vec<f64>], rng: &mut dyn Rng) -> Self {
        let mut vectors: Vec<&Vec<f64>> = vectors.iter().collect();
        vectors.shuffle(rng);
        Self { vectors, next: 0 }
    }

    fn take(&mut self) -> Vec<f64> {
        let taken = self.vectors.get(self.next % self.vectors.len().max(1));
        self.next += 1;
        taken.map(|z| (*z).clone()).unwrap_or_default()
    }
}

fn with(base: &[f64], dimension: usize, value: f64) -> Example {
    let mut z = base.to_vec();
    if let Some(component) = z.get_mut(dimension) {
        *component = value;
    }
    z
}

/// The values along one row. Each row draws its own ends.
fn row_values(options: &Options, rng: &mut dyn Rng) -> Vec<f64> {
    match options {
        Options::Values { values } => (0..*values).map(f64::from).collect(),
        Options::Ranges { .. } => {
            let low = options.draw(0, rng);
            let high = options.draw(RANGES - 1, rng);
            #[allow(clippy::cast_precision_loss)] // seven of them
            let share = |step: usize| step as f64 / (TRAVERSAL_STEPS - 1) as f64;
            let steps = 0..TRAVERSAL_STEPS;
            steps.map(|step| low + (high - low) * share(step)).collect()
        }
    }
}

impl Options {
    /// A value of an option: uniform in its range, or the value itself.
    #[must_use]
    pub fn draw(&self, option: usize, rng: &mut dyn Rng) -> f64 {
        match self {
            Self::Ranges { ranges } => {
                let [low, high] = ranges.get(option).copied().unwrap_or_default();
                low + (high - low) * rng.random::<f64>()
            }
            #[allow(clippy::cast_precision_loss)] // at most 65,535 values
            Self::Values { .. } => option as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::instance::InstanceId;
    use crate::task::single_dimension::QuestionPlan;
    use crate::testing::two_dials;

    fn plan(visualisation: Visualisation, options: Options) -> Plan {
        Plan {
            model: two_dials("dials"),
            visualisation,
            feedback: true,
            pool: (0..40).map(|i| vec![0.5, f64::from(i)]).collect(),
            questions: vec![QuestionPlan {
                dimension: 0,
                dial: 1,
                options,
                instance: InstanceId(String::new()),
                seed: 7,
            }],
        }
    }

    fn ranges() -> Options {
        Options::Ranges {
            ranges: [[0.01, 0.05], [0.48, 0.52], [0.95, 0.99]],
        }
    }

    #[test]
    fn a_traversal_goes_from_low_to_high_in_equal_steps_and_changes_nothing_else() {
        let ExampleSet::Traversals(rows) =
            examples(&plan(Visualisation::Traversals, ranges()), 0, 0)
        else {
            panic!("traversals were asked for");
        };
        assert_eq!(rows.len(), 5);
        for row in &rows {
            let values: Vec<f64> = row.iter().map(|z| z[0]).collect();
            assert_eq!(values.len(), 7);
            assert!((0.01..=0.05).contains(&values[0]) && (0.95..=0.99).contains(&values[6]));
            let step = values[1] - values[0];
            assert!(
                values
                    .windows(2)
                    .all(|w| (w[1] - w[0] - step).abs() < 1e-12)
            );
            assert!(row.iter().all(|z| z[1] == row[0][1]));
        }
        let bases: std::collections::BTreeSet<u64> =
            rows.iter().map(|row| row[0][1] as u64).collect();
        assert_eq!(bases.len(), 5, "each row is about another vector");
    }

    #[test]
    fn exemplars_fill_a_group_for_each_option() {
        let ExampleSet::Exemplars(bins) = examples(&plan(Visualisation::Exemplars, ranges()), 0, 0)
        else {
            panic!("exemplars were asked for");
        };
        let within = [0.01..=0.05, 0.48..=0.52, 0.95..=0.99];
        assert_eq!(bins.len(), 3);
        for (bin, range) in bins.iter().zip(within) {
            assert_eq!(bin.len(), 8);
            assert!(bin.iter().all(|z| range.contains(&z[0])));
        }
        let values = Options::Values { values: 4 };
        let ExampleSet::Exemplars(bins) = examples(&plan(Visualisation::Exemplars, values), 0, 0)
        else {
            panic!("exemplars were asked for");
        };
        assert_eq!(bins.len(), 4);
        assert!(
            (0..)
                .zip(&bins)
                .all(|(value, bin)| bin.iter().all(|z| z[0] == f64::from(value)))
        );
    }

    #[test]
    fn a_set_is_always_the_same_and_the_next_one_another() {
        let plan = plan(Visualisation::Exemplars, ranges());
        assert_eq!(examples(&plan, 0, 3), examples(&plan, 0, 3));
        assert_ne!(examples(&plan, 0, 3), examples(&plan, 0, 4));
        assert_eq!(examples(&plan, 9, 0), ExampleSet::Exemplars(vec![]));
    }
}

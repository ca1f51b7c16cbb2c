//! Codes, concepts and a task to measure: small, from a seed.

use measures::array::Array;
use measures::inputs::{Inputs, Need};
use measures::list;
use measures::measure::Request;
use measures::outcome::Outcome;
use measures::random::Random;

/// Codes, concepts of 0 and 1, and a task of four classes. A code is its concept with noise and `leak` times the next
/// concept.
pub struct Toy {
    pub codes: Array,
    pub concepts: Array,
    pub task: Array,
}

impl Toy {
    pub fn new(rows: usize, concepts: usize, leak: f64, seed: u64) -> Self {
        let mut random = Random::new(seed, 99);
        let (mut z, mut c, mut y) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rows {
            let row: Vec<f64> = (0..concepts).map(|_| random.below(2) as f64).collect();
            for concept in 0..concepts {
                let next = row[(concept + 1) % concepts];
                z.push(row[concept] + leak * next + 0.3 * random.normal());
            }
            y.push(2.0 * row[0] + row[1]);
            c.extend(row);
        }
        Self {
            codes: Array::new(vec![rows, concepts], z).unwrap(),
            concepts: Array::new(vec![rows, concepts], c).unwrap(),
            task: Array::new(vec![rows], y).unwrap(),
        }
    }

    pub fn inputs(&self) -> Inputs<'static> {
        Inputs::default()
            .with(Need::Codes, self.codes.clone())
            .with(Need::Labels, self.concepts.clone())
            .with(Need::Task, self.task.clone())
    }
}

/// Runs a measure by its name.
pub fn run(name: &str, inputs: &Inputs, seed: u64) -> Outcome {
    let request = Request {
        seed,
        ..Request::default()
    };
    list::find(name).unwrap().run(inputs, &request).unwrap()
}

/// Rows × columns from a function of both.
pub fn array(rows: usize, columns: usize, of: impl Fn(usize, usize) -> f64) -> Array {
    let values = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    Array::new(
        vec![rows, columns],
        values.map(|(row, column)| of(row, column)).collect(),
    )
    .unwrap()
}

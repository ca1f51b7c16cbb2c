//! Measures of discovered concepts, of concept alignment and of faithfulness, against numpy, scipy and scikit-learn:
//! inputs and outputs in `golden/discovered.json`, `alignment.json` and `faithfulness.json`, with the versions; the
//! scripts beside them compute every number again.
#![allow(clippy::unwrap_used)]

mod alignment;
mod consistency;
mod coverage;
mod edges;
mod explanations;
mod faithfulness;
mod location;
mod matching;
mod naming;
mod naming_intervals;
mod problems;
mod progress;
mod properties;
mod saliency;

use measures::array::Array;
use measures::inputs::{Inputs, Model};
use measures::list::find;
use measures::measure::Request;
use measures::outcome::Outcome;
use measures::problem::Checked;
use serde_json::Value;

/// An array of the shape that nested lists of numbers have.
fn array(value: &Value) -> Array {
    let mut shape = Vec::new();
    let mut inner = value;
    while let Some(list) = inner.as_array() {
        shape.push(list.len());
        inner = &list[0];
    }
    Array::new(shape, numbers(value)).unwrap()
}

/// All numbers of nested lists; true counts as 1.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        Value::Bool(yes) => vec![f64::from(u8::from(*yes))],
        other => vec![other.as_f64().unwrap()],
    }
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn whole(value: &Value) -> Vec<usize> {
    numbers(value).into_iter().map(|v| v as usize).collect()
}

fn close(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() <= 1e-9,
        "{what}: {found}, not {expected}"
    );
}

fn all_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        close(*found, *expected, &format!("{what}, {place}"));
    }
}

/// The outcome of a measure with a variant, or an estimator, and parameters.
fn run(name: &str, inputs: &Inputs, variant: &str, parameters: &[(&str, f64)]) -> Checked<Outcome> {
    let measure = find(name).unwrap();
    let named = (!variant.is_empty()).then(|| variant.to_owned());
    let estimates = measure.estimators.iter().any(|e| e.name == variant);
    let request = Request {
        parameters: parameters
            .iter()
            .map(|(name, v)| ((*name).to_owned(), *v))
            .collect(),
        variant: named.clone().filter(|_| !estimates),
        estimator: named.filter(|_| estimates),
        seed: 5,
        ..Request::default()
    };
    measure.run(inputs, &request)
}

/// The transpose of an array of two axes.
fn transposed(array: &Array) -> Array {
    let columns: Vec<Vec<f64>> = (0..array.columns()).map(|c| array.column(c)).collect();
    Array::from_rows(&columns).unwrap()
}

/// A model of a function of one row, with one output.
struct Row<F>(F);

impl<F: Fn(&[f64]) -> Vec<f64> + Sync> Model for Row<F> {
    fn outputs(&self, inputs: &Array) -> Array {
        let rows: Vec<Vec<f64>> = (0..inputs.rows())
            .map(|row| (self.0)(inputs.row(row)))
            .collect();
        Array::from_rows(&rows).unwrap()
    }
}

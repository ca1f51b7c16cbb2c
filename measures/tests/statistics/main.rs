//! Statistics against outside tools. `golden/` holds numbers of scipy, statsmodels, pingouin
//! and mpmath with their versions; `scipy.json` and `r.json` what `reference.py` and
//! `reference.R` made of `data.json`. `live.rs` runs both tools again, where they are installed.
#![allow(clippy::unwrap_used)]

mod agreement;
mod edges;
mod effect_sizes;
mod equivalence;
mod golden;
mod incidence;
mod live;
mod mixed_models;
mod published;
mod r;
mod scipy;

use serde_json::Value;

/// Fails unless two numbers agree to 1e-9 of their size, or to 1e-12.
#[track_caller]
fn same(found: f64, expected: &Value) {
    within(found, expected, 1e-9, 1e-12);
}

#[track_caller]
fn within(found: f64, expected: &Value, relative: f64, absolute: f64) {
    let expected = number(expected);
    let off = (found - expected).abs();
    assert!(
        off <= relative * expected.abs() || off <= absolute,
        "{found}, not {expected}: off by {off:e}"
    );
}

#[track_caller]
fn number(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse().unwrap(),
        other => other.as_f64().unwrap(),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn data() -> Value {
    serde_json::from_str(include_str!("data.json")).unwrap()
}

/// Completion rates of 18 people with three models.
fn rates() -> Vec<Vec<f64>> {
    let fifths = rows(&data()["rates_fifths"]);
    fifths
        .into_iter()
        .map(|row| row.into_iter().map(|v| v / 5.0).collect())
        .collect()
}

fn column(rows: &[Vec<f64>], index: usize) -> Vec<f64> {
    rows.iter().map(|row| row[index]).collect()
}

//! The tools themselves, run again: what is stored is what they say today.
//!
//! `cargo test -p measures --test statistics -- --ignored` runs these; `PYTHON` names an
//! interpreter with scipy, statsmodels and pingouin, `RSCRIPT` an Rscript with the packages
//! that `reference.R` lists.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What a script prints.
fn run(program: &str, script: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/statistics")
        .join(script);
    let run = Command::new(program).arg(&path).output().unwrap();
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{program} {script}: {errors}");
    serde_json::from_slice(&run.stdout).unwrap()
}

/// Compares all numbers of two documents of the same shape; versions may differ.
fn compare(stored: &Value, now: &Value, place: &str, relative: f64) {
    match (stored, now) {
        _ if place == "/versions" => {}
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "{place}: other keys");
            for (key, value) in a {
                compare(value, &b[key], &format!("{place}/{key}"), relative);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{place}: other length");
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare(a, b, &format!("{place}/{index}"), relative);
            }
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            let off = (a - b).abs();
            assert!(
                off <= relative * a.abs() || off <= 1e-12,
                "{place}: {a} {b}"
            );
        }
        (a, b) => assert_eq!(a, b, "{place}"),
    }
}

fn program(variable: &str, default: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| default.to_owned())
}

#[test]
#[ignore = "runs Python with scipy, statsmodels and pingouin"]
fn scipy_says_the_same_today() {
    let stored: Value = serde_json::from_str(include_str!("scipy.json")).unwrap();
    let now = run(&program("PYTHON", "python3"), "reference.py");
    compare(&stored, &now, "", 1e-9);
}

/// Mixed models of other versions of lme4 end a little elsewhere.
#[test]
#[ignore = "runs R with lme4, lmerTest, ordinal, survival, emmeans and afex"]
fn r_says_the_same_today() {
    let now = run(&program("RSCRIPT", "Rscript"), "reference.R");
    compare(&super::r::r(), &now, "", 1e-4);
}

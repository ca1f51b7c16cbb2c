//! The same work as `bench measures` in numpy and scikit-learn, where Python has them.

use crate::layout;
use crate::process::{find_program, note, run, step};
use anyhow::{Context, Result};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program that is timed.
const PROGRAM: &str = "measures/tests/bench_scikit_learn.py";
/// What docs/measures.md was measured with.
const VERSIONS: [&str; 2] = ["numpy==2.4.6", "scikit-learn==1.9.1"];

/// Prints scikit-learn's times, with the Python that `REDIAL_PYTHON` names or `python3`; says how to get it where that has
/// no scikit-learn.
///
/// # Errors
/// When `REDIAL_PYTHON` names no program, or the times cannot be taken.
pub fn times() -> Result<()> {
    step("the same work in numpy and scikit-learn");
    let named = env::var_os("REDIAL_PYTHON").map(PathBuf::from);
    let asked = named.is_some();
    let python = named.or_else(|| find_program("python3"));
    match python.filter(|python| has_scikit_learn(python)) {
        Some(python) => run(Command::new(python)
            .arg(layout::root().join(PROGRAM))
            .env("OMP_NUM_THREADS", "2"))
        .context("cannot take scikit-learn's times"),
        None => {
            note(&how_to_get_it(asked));
            Ok(())
        }
    }
}

fn has_scikit_learn(python: &Path) -> bool {
    let found = Command::new(python)
        .args(["-c", "import numpy, sklearn"])
        .output();
    found.is_ok_and(|found| found.status.success())
}

fn how_to_get_it(asked: bool) -> String {
    format!(
        "{} has no scikit-learn, so that its times are not taken. To take them:\n    python3 -m venv target/scikit-learn && \
         target/scikit-learn/bin/pip install {}\n    REDIAL_PYTHON=target/scikit-learn/bin/python cargo xtask bench measures",
        if asked {
            "The Python that REDIAL_PYTHON names"
        } else {
            "python3"
        },
        VERSIONS.join(" ")
    )
}

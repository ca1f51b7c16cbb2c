//! The compiled test programs: found through cargo, and run in lanes.
//!
//! `cargo test` runs one program after the other, and the first once all are compiled. The browser tests mostly wait, for a
//! page or for the time after which a question may be skipped; so several run at once, beside the programs that compute.
//! These begin while others are compiled, or the app is: both end with long steps that one core does.

mod compile;
mod jobs;
mod runner;

pub use compile::compile;
pub use jobs::Selection;
pub use runner::TestRunner;

use crate::layout;
use crate::process::{cargo, run, step};
use anyhow::Result;
use compile::linted;
use std::path::PathBuf;
use std::time::Duration;

/// A test program that cargo compiled.
#[derive(Debug, PartialEq)]
pub struct TestProgram {
    /// The folder of its package: tests start there, as under `cargo test`.
    folder: PathBuf,
    /// Package and target, such as `server it`.
    name: String,
    path: PathBuf,
}

impl TestProgram {
    /// Whether its tests run in browsers.
    fn is_of_browsers(&self) -> bool {
        self.folder == layout::tests()
    }

    /// Whether its tests open the app, start a program that serves it, or install that (those of xtask, with `--long`).
    fn is_for_app(&self) -> bool {
        let is_below = |folder| self.folder.starts_with(layout::root().join(folder));
        self.is_of_browsers() || is_below("server") || is_below("xtask")
    }
}

/// What a process of a test program had to say.
struct Finished {
    program: String,
    name: String,
    time: Duration,
    passed: bool,
    output: String,
}

/// What became of all test programs.
#[derive(Default)]
pub struct TestRun {
    /// Programs with a test that failed, with what these said.
    pub failed: Vec<String>,
    /// Tests that did not run, with their reason: `statistics: r_says_the_same_today (runs R)`.
    pub ignored: Vec<String>,
    /// How long each process took.
    times: Vec<(Duration, String)>,
}

impl TestRun {
    /// The processes that took longest, longest first: what to look at to make a run shorter.
    pub fn longest(mut self, count: usize) -> Vec<String> {
        self.times.sort_by(|a, b| b.cmp(a));
        let longest = self.times.into_iter().take(count);
        longest
            .map(|(time, name)| format!("{:>7.1} s  {name}", time.as_secs_f64()))
            .collect()
    }

    /// How long all processes together took.
    pub fn time(&self) -> Duration {
        self.times.iter().map(|(time, _)| *time).sum()
    }

    fn add(&mut self, finished: Finished) {
        step(&format!(
            "{} ({:.1} s)",
            finished.name,
            finished.time.as_secs_f64()
        ));
        print!("{}", finished.output);
        if !finished.passed {
            let said = failures(&finished.output);
            self.failed.push(format!("{}\n{said}", finished.name));
        }
        let ignored = finished.output.lines().filter_map(ignored_test);
        self.ignored
            .extend(ignored.map(|test| format!("{}: {test}", finished.program)));
        self.times.push((finished.time, finished.name));
    }
}

/// What the tests that failed have said, as the test program sums it up: its beginning, when it is long. The end of the
/// output of a program that sums nothing up, because it did not come to its end.
fn failures(output: &str) -> String {
    const MOST: usize = 3_000;
    let mut parts = output.split("\nfailures:\n");
    let before = parts.next().unwrap_or_default();
    match parts.next() {
        Some(said) => said.trim().chars().take(MOST).collect(),
        None => {
            let count = before.chars().count();
            before.chars().skip(count.saturating_sub(MOST)).collect()
        }
    }
}

/// The test that a line calls ignored: `test NAME ... ignored, REASON`.
fn ignored_test(line: &str) -> Option<String> {
    let (name, what) = line.strip_prefix("test ")?.split_once(" ... ignored")?;
    Some(match what.strip_prefix(", ") {
        Some(reason) => format!("{name} ({reason})"),
        None => name.to_owned(),
    })
}

/// Compiles and runs the examples in the documentation of all packages.
///
/// # Errors
/// When one fails.
pub fn documentation(filter: Option<&str>) -> Result<()> {
    let mut command = linted(cargo());
    command.args(["test", "--workspace", "--no-fail-fast", "--quiet", "--doc"]);
    run(command.args(filter))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn ignored_tests_are_told_with_their_reason() {
        let told = |line| ignored_test(line).unwrap_or_default();
        assert_eq!(told("test a::b ... ignored, runs R"), "a::b (runs R)");
        assert_eq!(told("test a ... ignored"), "a");
        assert_eq!(told("test a ... ok"), "");
        assert_eq!(told("a ... ignored"), "");
    }

    #[test]
    fn what_failed_is_told_by_its_own_words() {
        let output = "test a ... FAILED\n\nfailures:\n\n---- a stdout ----\nno page\n\n\nfailures:\n    a\n\ntest result: FAILED.";
        assert_eq!(failures(output), "---- a stdout ----\nno page");
        assert_eq!(failures("Segmentation fault"), "Segmentation fault");
        let long = format!("{}end", "é".repeat(5_000));
        assert_eq!(failures(&long).chars().count(), 3_000);
        assert!(failures(&long).ends_with("end"));
    }
}

//! What became of test programs, and what they said.

use crate::process::step;
use std::time::Duration;

/// What a process of a test program had to say.
pub(super) struct Finished {
    pub(super) program: String,
    pub(super) name: String,
    pub(super) time: Duration,
    pub(super) passed: bool,
    pub(super) output: String,
}

impl Finished {
    pub(super) fn print(&self) {
        step(&format!("{} ({:.1} s)", self.name, self.time.as_secs_f64()));
        print!("{}", self.output);
    }

    /// Its name, and what its failed tests said.
    pub(super) fn failure(&self) -> String {
        format!("{}\n{}", self.name, failures(&self.output))
    }
}

/// What became of all test programs.
#[derive(Default)]
pub struct TestRun {
    /// Programs with a test that failed, with what these said.
    pub failed: Vec<String>,
    /// Browser tests that failed beside others and then passed alone, with what they said when they failed.
    pub unsteady: Vec<String>,
    /// Tests that did not run, with their reason: `statistics: r_says_the_same_today (runs R)`.
    pub ignored: Vec<String>,
    /// How long each process took.
    pub(super) times: Vec<(Duration, String)>,
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

    /// Prints what a process had to say, and counts it.
    pub(super) fn add(&mut self, finished: Finished) {
        finished.print();
        if !finished.passed {
            self.failed.push(finished.failure());
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

//! The compiled test programs: found through cargo, and run in lanes.
//!
//! `cargo test` runs one program after the other. The browser tests mostly wait, for a page or for
//! the time after which a question may be skipped; so several run at once, beside the programs that compute.

mod compile;
mod jobs;

pub use compile::compile;

use crate::process::{cargo, note, run, step};
use anyhow::{Context, Result};
use compile::linted;
use jobs::{TestProcess, jobs};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lanes of browser tests beside the programs that compute, and more in the place of these when they are done. A browser
/// test needs about a third of a core: it waits for pages and for the pace of a person.
const BROWSER_LANES: (usize, usize) = (2, 2);

/// Tests of a program at once, where nobody says how many. One for each core, as there would be otherwise, leaves cores
/// idle: the longest tests wait until what a killed server had claimed is free again.
const TESTS_AT_ONCE: (&str, &str) = ("RUST_TEST_THREADS", "4");

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
    /// Whether it belongs to the package in this folder.
    pub fn is_of(&self, folder: &Path) -> bool {
        self.folder == folder
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

/// Runs the programs' tests, those in browsers by test. One lane takes programs, the others browser tests and what
/// is left of the programs. What a process prints comes when it has ended.
///
/// # Errors
/// When a program cannot be started; tests that fail are no error but part of the outcome.
pub fn run_all(
    programs: Vec<TestProgram>,
    filter: Option<&str>,
    include_ignored: bool,
    prepare: &(dyn Fn(&mut Command) + Sync),
) -> Result<TestRun> {
    run_jobs(jobs(programs, filter, include_ignored)?, prepare)
}

fn run_jobs(jobs: Vec<TestProcess>, prepare: &(dyn Fn(&mut Command) + Sync)) -> Result<TestRun> {
    let queue = Mutex::new(jobs);
    let outcome = Mutex::new(TestRun::default());
    let next = |wanted: &dyn Fn(&TestProcess) -> bool| {
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        let place = queue.iter().position(wanted)?;
        Some(queue.remove(place))
    };
    let run = |job: TestProcess| -> Result<()> {
        note(&format!("running {}", job.name));
        let finished = run_one(&job, prepare)?;
        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        outcome.add(finished);
        Ok(())
    };
    let browsers = || -> Result<()> {
        while let Some(job) = next(&|job| job.waits).or_else(|| next(&|_| true)) {
            run(job)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let (beside, after) = BROWSER_LANES;
        let mut lanes: Vec<_> = (0..beside).map(|_| scope.spawn(browsers)).collect();
        let mut done = Ok(());
        while let Some(job) = next(&|job| !job.waits) {
            done = done.and(run(job));
        }
        lanes.extend((0..after).map(|_| scope.spawn(browsers)));
        for lane in lanes {
            match lane.join() {
                Ok(result) => done = done.and(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    })?;
    Ok(outcome.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn run_one(job: &TestProcess, prepare: &(dyn Fn(&mut Command) + Sync)) -> Result<Finished> {
    // A file takes both streams in their order, and never blocks the program.
    let mut file = temporary_file()?;
    let mut command = Command::new(&job.path);
    command.args(&job.arguments).current_dir(&job.folder);
    let (name, count) = TESTS_AT_ONCE;
    if std::env::var_os(name).is_none() {
        command.env(name, count);
    }
    prepare(&mut command);
    let start = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file.try_clone()?)
        .status()
        .with_context(|| format!("cannot start {}", job.path.display()))?;
    let mut output = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut output)?;
    Ok(Finished {
        program: job.program.clone(),
        name: job.name.clone(),
        time: start.elapsed(),
        passed: status.success(),
        output: String::from_utf8_lossy(&output).into_owned(),
    })
}

/// A file without a name, which goes when it is closed.
fn temporary_file() -> Result<File> {
    tempfile::tempfile().context("there is no place for the output of a test program")
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

    #[test]
    fn a_failing_program_is_named_and_the_others_run() {
        let shell = |name: &str, waits: bool| TestProcess {
            program: "sh".to_owned(),
            name: name.to_owned(),
            folder: "/".into(),
            path: "/bin/sh".into(),
            arguments: ["-c", "echo test $X ... ignored; exit $Y"]
                .map(str::to_owned)
                .into(),
            waits,
        };
        let run = |failing: &'static str| {
            run_jobs(
                vec![
                    shell("one", false),
                    shell("two", true),
                    shell("three", true),
                ],
                &move |command| {
                    command.env("X", "n").env("Y", failing);
                },
            )
        };
        let bad = run("1").map(|outcome| (outcome.failed.len(), outcome.ignored));
        let ignored = vec!["sh: n".to_owned(); 3];
        assert_eq!(bad.ok(), Some((3, ignored)));
        let good = run("0").map(|outcome| (outcome.failed.len(), outcome.times.len()));
        assert_eq!(good.ok(), Some((0, 3)));
    }
}

//! The compiled test programs: found through cargo, and run in lanes.
//!
//! `cargo test` runs one program after the other. The browser tests mostly wait, for a page or for
//! the time after which a question may be skipped; so several run at once, beside the programs that compute.

mod compile;
mod jobs;
mod outcome;

pub use compile::compile;
pub use outcome::TestRun;

use crate::process::{cargo, note, run};
use anyhow::{Context, Result};
use compile::linted;
use jobs::{TestProcess, jobs};
use outcome::Finished;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

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

/// Runs the programs' tests, those in browsers by test. One lane takes programs, the others browser tests and what
/// is left of the programs. What a process prints comes when it has ended. Browser tests that failed run once more at
/// the end, one at a time with nothing beside them (decision 73).
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
    let again = Mutex::new(Vec::new());
    let next = |wanted: &dyn Fn(&TestProcess) -> bool| {
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        let place = queue.iter().position(wanted)?;
        Some(queue.remove(place))
    };
    let run = |job: TestProcess| -> Result<()> {
        note(&format!("running {}", job.name));
        let finished = run_one(&job, prepare)?;
        if job.waits && !finished.passed {
            let said = finished.failure();
            finished.print();
            let mut again = again.lock().unwrap_or_else(PoisonError::into_inner);
            again.push((job, said));
        } else {
            let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
            outcome.add(finished);
        }
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
    let mut outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (job, said) in again.into_inner().unwrap_or_else(PoisonError::into_inner) {
        note(&format!("running {} once more, alone", job.name));
        let finished = run_one(&job, prepare)?;
        if finished.passed {
            outcome.unsteady.push(said);
        }
        outcome.add(finished);
    }
    Ok(outcome)
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
        let bad = run("1").map(|outcome| {
            assert!(outcome.unsteady.is_empty());
            (outcome.failed.len(), outcome.ignored)
        });
        let ignored = vec!["sh: n".to_owned(); 3];
        assert_eq!(bad.ok(), Some((3, ignored)));
        let good = run("0").map(|outcome| (outcome.failed.len(), outcome.times.len()));
        assert_eq!(good.ok(), Some((0, 3)));
    }

    #[test]
    fn a_browser_test_that_fails_runs_once_more_and_a_program_does_not() -> Result<()> {
        let folder = tempfile::tempdir()?;
        // Fails at its first run, in a folder that it leaves another.
        let first_fails = |name: &str, waits: bool| TestProcess {
            program: "sh".to_owned(),
            name: name.to_owned(),
            folder: folder.path().into(),
            path: "/bin/sh".into(),
            arguments: [
                "-c".to_owned(),
                format!("test -e {name} || {{ touch {name}; echo why; exit 1; }}"),
            ]
            .into(),
            waits,
        };
        let jobs = vec![first_fails("computes", false), first_fails("waits", true)];
        let outcome = run_jobs(jobs, &|_| ())?;
        assert_eq!(outcome.failed, ["computes\nwhy\n"]);
        assert_eq!(outcome.unsteady, ["waits\nwhy\n"]);
        Ok(())
    }
}

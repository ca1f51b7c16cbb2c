//! The lanes in which test programs run while others are compiled.

use super::jobs::{Selection, TestProcess, jobs};
use super::{Finished, TestProgram, TestRun};
use crate::process::{find_program, note};
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Command, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Lanes of browser tests beside the programs that compute, and more in the place of these when they are done. A browser
/// test needs about a third of a core: it waits for pages and for the pace of a person.
const BROWSER_LANES: (usize, usize) = (3, 3);

/// Tests of a program at once, where nobody says how many. One for each core, as there would be otherwise, leaves cores
/// idle: the longest tests wait until what a killed server had claimed is free again.
const TESTS_AT_ONCE: (&str, &str) = ("RUST_TEST_THREADS", "4");

/// Sets what a test program needs; the last says whether the app is there for it.
type Prepare<'a> = &'a (dyn Fn(&mut Command, bool) + Sync);

/// Runs test programs as they are compiled.
///
/// One lane takes programs, from the first on; those that the app is for wait until it is built, or cannot be. Then others
/// take browser tests, and what is left of the programs. What a process prints comes when it has ended.
pub struct TestRunner<'a> {
    selection: Selection<'a>,
    prepare: Prepare<'a>,
    queue: Mutex<Queue>,
    changed: Condvar,
    outcome: Mutex<Result<TestRun>>,
}

#[derive(Default)]
struct Queue {
    jobs: Vec<TestProcess>,
    /// Until the app is there.
    waiting: Vec<TestProcess>,
    app_is_there: bool,
    /// Whether no more will come.
    is_complete: bool,
}

impl<'a> TestRunner<'a> {
    /// Runs the selected tests.
    pub fn new(selection: Selection<'a>, prepare: Prepare<'a>) -> Self {
        Self {
            selection,
            prepare,
            queue: Mutex::default(),
            changed: Condvar::new(),
            outcome: Mutex::new(Ok(TestRun::default())),
        }
    }

    /// Takes a program that was compiled.
    ///
    /// # Errors
    /// When it does not say which tests it has.
    pub fn add(&self, program: &TestProgram) -> Result<()> {
        self.put(jobs(program, self.selection)?);
        Ok(())
    }

    fn put(&self, jobs: Vec<TestProcess>) {
        let mut queue = unpoisoned(&self.queue);
        let (waiting, ready): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|job| job.is_for_app);
        queue.waiting.extend(waiting);
        queue.jobs.extend(ready);
        self.changed.notify_all();
    }

    /// Says that all programs were taken, and whether the app was built: without it no test runs in a browser.
    pub fn complete(&self, app_is_there: bool) {
        let mut queue = unpoisoned(&self.queue);
        let mut waiting = std::mem::take(&mut queue.waiting);
        waiting.retain(|job| app_is_there || !job.waits);
        queue.jobs.extend(waiting);
        queue.app_is_there = app_is_there;
        queue.is_complete = true;
        self.changed.notify_all();
    }

    /// Takes programs, as they come; then what the other lanes take.
    pub fn run_programs(&self) {
        while let Some(job) = self.next(|job| !job.waits) {
            self.run(&job);
        }
        self.run_in_lanes(BROWSER_LANES.1);
    }

    /// Takes browser tests and, where there are none any more, programs.
    pub fn run_browser_tests(&self) {
        self.run_in_lanes(BROWSER_LANES.0);
    }

    fn run_in_lanes(&self, count: usize) {
        std::thread::scope(|scope| {
            for _ in 0..count {
                scope.spawn(|| {
                    let next = || self.next(|job| job.waits).or_else(|| self.next(|_| true));
                    while let Some(job) = next() {
                        self.run(&job);
                    }
                });
            }
        });
    }

    /// The next job of a kind; none when none will come any more.
    fn next(&self, wanted: impl Fn(&TestProcess) -> bool) -> Option<TestProcess> {
        let mut queue = unpoisoned(&self.queue);
        loop {
            if let Some(place) = queue.jobs.iter().position(&wanted) {
                return Some(queue.jobs.remove(place));
            }
            if queue.is_complete {
                return None;
            }
            let changed = self.changed.wait(queue);
            queue = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run(&self, job: &TestProcess) {
        note(&format!("running {}", job.name));
        let finished = self.run_one(job);
        let mut outcome = unpoisoned(&self.outcome);
        match (&mut *outcome, finished) {
            (Ok(run), Ok(finished)) => run.add(finished),
            (Ok(_), Err(error)) => *outcome = Err(error),
            (Err(_), _) => {}
        }
    }

    /// What only computes leaves the cores to compilers, and to browsers that keep the pace of a person.
    fn command(job: &TestProcess) -> Command {
        let mut command = match find_program("nice") {
            Some(nice) if !job.is_for_app => {
                let mut command = Command::new(nice);
                command.args(["-n", "10"]).arg(&job.path);
                command
            }
            _ => Command::new(&job.path),
        };
        command.args(&job.arguments).current_dir(&job.folder);
        command
    }

    fn run_one(&self, job: &TestProcess) -> Result<Finished> {
        // A file takes both streams in their order, and never blocks the program.
        let mut file = temporary_file()?;
        let mut command = Self::command(job);
        let (name, count) = TESTS_AT_ONCE;
        if std::env::var_os(name).is_none() {
            command.env(name, count);
        }
        let app_is_there = job.is_for_app && unpoisoned(&self.queue).app_is_there;
        (self.prepare)(&mut command, app_is_there);
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

    /// What became of them, once all lanes have ended.
    ///
    /// # Errors
    /// When a program could not be started; tests that failed are no error but part of the outcome.
    pub fn outcome(self) -> Result<TestRun> {
        let outcome = self.outcome.into_inner();
        outcome.unwrap_or_else(PoisonError::into_inner)
    }
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file without a name, which goes when it is closed.
fn temporary_file() -> Result<File> {
    tempfile::tempfile().context("there is no place for the output of a test program")
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
            is_for_app: waits,
        };
        let run = |failing: &'static str| {
            let prepare = move |command: &mut Command, app_is_there: bool| {
                let name = if app_is_there { "app" } else { "n" };
                command.env("X", name).env("Y", failing);
            };
            let runner = TestRunner::new(Selection::default(), &prepare);
            std::thread::scope(|scope| {
                scope.spawn(|| runner.run_programs());
                runner.put(vec![shell("one", false)]);
                runner.put(vec![shell("two", true), shell("three", true)]);
                runner.complete(true);
                runner.run_browser_tests();
            });
            runner.outcome()
        };
        let bad = run("1").map(|mut run| {
            run.ignored.sort();
            (run.failed.len(), run.ignored)
        });
        let ignored = ["sh: app", "sh: app", "sh: n"].map(str::to_owned);
        assert_eq!(bad.ok(), Some((3, ignored.to_vec())));
        let good = run("0").map(|run| (run.failed.len(), run.times.len()));
        assert_eq!(good.ok(), Some((0, 3)));
    }

    #[test]
    fn without_the_app_what_serves_it_is_tested_all_the_same_and_no_browser() {
        let prepare = |_: &mut Command, app_is_there: bool| assert!(!app_is_there);
        let runner = TestRunner::new(Selection::default(), &prepare);
        let job = |name: &str, waits| TestProcess {
            program: "true".to_owned(),
            name: name.to_owned(),
            folder: "/".into(),
            path: "/bin/true".into(),
            arguments: Vec::new(),
            waits,
            is_for_app: true,
        };
        runner.put(vec![job("serves", false), job("browser", true)]);
        assert!(unpoisoned(&runner.queue).jobs.is_empty());
        runner.complete(false);
        runner.run_programs();
        let ran: Vec<String> = runner
            .outcome()
            .map(|run| run.times.into_iter().map(|(_, name)| name).collect())
            .unwrap_or_default();
        assert_eq!(ran, ["serves"]);
    }
}

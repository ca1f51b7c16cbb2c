//! The compiled test programs: found through cargo, and run two at a time.
//!
//! `cargo test` runs one program after the other. The browser tests mostly wait, for a page or for
//! the time after which a question may be skipped, so two lanes take little more than half as long.

use crate::process::{cargo, command_line, note, run, step};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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

/// What a test program had to say.
struct Finished {
    name: String,
    time: Duration,
    passed: bool,
    output: String,
}

/// What became of all test programs.
#[derive(Default)]
pub struct TestRun {
    /// Programs with a test that failed.
    pub failed: Vec<String>,
    /// Tests that did not run, with their reason: `statistics: r_says_the_same_today (runs R)`.
    pub ignored: Vec<String>,
}

/// Compiles all test programs, in the order in which cargo would run them.
///
/// One call for all packages: with another choice cargo would choose other features of their
/// dependencies, and compile these again.
///
/// # Errors
/// When something does not compile, or cargo says something else than its format.
pub fn compile() -> Result<Vec<TestProgram>> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-run", "--quiet"]);
    command.arg("--message-format=json-render-diagnostics");
    let line = command_line(&command);
    note(&format!("$ {line}"));
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({})", output.status);
    }
    let mut programs = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message = serde_json::from_str(line).context("cargo's messages are not JSON")?;
        programs.extend(program(&message));
    }
    programs.sort_by(|a, b| (&a.folder, &a.name).cmp(&(&b.folder, &b.name)));
    Ok(programs)
}

/// The test program that a message of cargo's tells of, if any.
fn program(message: &Value) -> Option<TestProgram> {
    let is_test = message["profile"]["test"].as_bool()?;
    let path = message["executable"].as_str()?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = folder.file_name()?.to_string_lossy();
    let target = message["target"]["name"].as_str()?;
    is_test.then(|| TestProgram {
        folder: folder.to_owned(),
        name: format!("{package} {target}"),
        path: path.into(),
    })
}

/// Runs the programs in two lanes, one from the front and one from the back: they meet in the
/// middle, so that neither waits for the other. What a program prints comes when it has ended.
///
/// # Errors
/// When a program cannot be started; tests that fail are no error but part of the outcome.
pub fn run_all(
    programs: Vec<TestProgram>,
    arguments: &[String],
    prepare: &(dyn Fn(&mut Command) + Sync),
) -> Result<TestRun> {
    let queue = Mutex::new(VecDeque::from(programs));
    let outcome = Mutex::new(TestRun::default());
    let lane = |from_the_front: bool| -> Result<()> {
        loop {
            let next = {
                let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
                if from_the_front {
                    queue.pop_front()
                } else {
                    queue.pop_back()
                }
            };
            let Some(program) = next else {
                return Ok(());
            };
            note(&format!("running {}", program.name));
            let finished = run_one(&program, arguments, prepare)?;
            let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
            outcome.add(&finished);
        }
    };
    std::thread::scope(|scope| {
        let back = scope.spawn(|| lane(false));
        let front = lane(true);
        match back.join() {
            Ok(back) => front.and(back),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })?;
    Ok(outcome.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn run_one(
    program: &TestProgram,
    arguments: &[String],
    prepare: &(dyn Fn(&mut Command) + Sync),
) -> Result<Finished> {
    // A file takes both streams in their order, and never blocks the program.
    let mut file = temporary_file()?;
    let mut command = Command::new(&program.path);
    command.args(arguments).current_dir(&program.folder);
    prepare(&mut command);
    let start = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file.try_clone()?)
        .status()
        .with_context(|| format!("cannot start {}", program.path.display()))?;
    let mut output = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut output)?;
    Ok(Finished {
        name: program.name.clone(),
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
    fn add(&mut self, finished: &Finished) {
        step(&format!(
            "{} ({:.1} s)",
            finished.name,
            finished.time.as_secs_f64()
        ));
        print!("{}", finished.output);
        if !finished.passed {
            self.failed.push(finished.name.clone());
        }
        let ignored = finished.output.lines().filter_map(ignored_test);
        self.ignored
            .extend(ignored.map(|test| format!("{}: {test}", finished.name)));
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
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-fail-fast", "--quiet", "--doc"]);
    run(command.args(filter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_test_program_is_known_by_its_message() {
        let message = |test: bool, executable: Option<&str>| {
            json!({
                "reason": "compiler-artifact",
                "manifest_path": "/r/server/Cargo.toml",
                "target": { "name": "it", "kind": ["test"] },
                "profile": { "test": test },
                "executable": executable,
            })
        };
        let found = program(&message(true, Some("/t/it-1")));
        assert_eq!(
            found,
            Some(TestProgram {
                folder: "/r/server".into(),
                name: "server it".into(),
                path: "/t/it-1".into(),
            })
        );
        assert_eq!(program(&message(false, Some("/t/redial"))), None);
        assert_eq!(program(&message(true, None)), None);
        assert_eq!(program(&json!({ "reason": "build-finished" })), None);
    }

    #[test]
    fn ignored_tests_are_told_with_their_reason() {
        let told = |line| ignored_test(line).unwrap_or_default();
        assert_eq!(told("test a::b ... ignored, runs R"), "a::b (runs R)");
        assert_eq!(told("test a ... ignored"), "a");
        assert_eq!(told("test a ... ok"), "");
        assert_eq!(told("a ... ignored"), "");
    }

    #[test]
    fn a_failing_program_is_named_and_the_others_run() {
        let shell = |script: &str| TestProgram {
            folder: "/".into(),
            name: script.to_owned(),
            path: "/bin/sh".into(),
        };
        let run = |failing: &'static str| {
            run_all(
                vec![shell("one"), shell("two"), shell("three")],
                &[
                    "-c".to_owned(),
                    "echo test $X ... ignored; exit $Y".to_owned(),
                ],
                &move |command| {
                    command.env("X", "n").env("Y", failing);
                },
            )
        };
        let bad = run("1").map(|outcome| (outcome.failed.len(), outcome.ignored.len()));
        assert!(matches!(bad, Ok((3, 3))), "{bad:?}");
        let good = run("0").map(|outcome| outcome.failed.len());
        assert!(matches!(good, Ok(0)), "{good:?}");
    }
}

//! Jobs, each of which runs in a process of its own: a program with all its tests, or one browser test.

use super::TestProgram;
use crate::process::output;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// The browser tests that take longest. They begin first, in this order, so that at the end no lane waits for
/// a long one; the others follow as they are listed. The end of a run names those that took longest.
const LONGEST: [&str; 12] = [
    "load::nothing_acknowledged_is_lost_when_the_server_is_killed",
    "whole_study::interrupted_at_every_screen",
    "research_results::each_number_on_a_page_is_that_of_a_command",
    "other_browsers::firefox_takes_studies_to_the_end",
    "research_exact::the_replay_shows_what_the_page_showed",
    "research::somebody_sets_a_password_signs_in_and_leaves_a_session_out",
    "translated::a_translated_page_goes_on",
    "languages::german_from_the_first_page_to_the_code",
    "languages::right_to_left_from_the_first_page_to_the_code",
    "resilience::an_outage_in_a_drag_and_two_crashes_lose_nothing",
    "research_compare::sessions_are_compared_on_one_question",
    "research_replay::a_session_is_watched_again",
];

/// Tests of these modules share a process: they take turns in it, since each keeps the machine busy.
const TAKE_TURNS: [&str; 1] = ["load"];

/// Which tests run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Selection<'a> {
    /// Only those whose name contains this.
    pub filter: Option<&'a str>,
    /// Also those that are ignored.
    pub include_ignored: bool,
}

/// One process of a test program.
#[derive(Debug, PartialEq)]
pub struct TestProcess {
    /// Package and target of its program, such as `tests it`.
    pub program: String,
    /// The same and, where not all tests of the program run, which: `tests it: touch::a_swipe`.
    pub name: String,
    /// Where it starts.
    pub folder: PathBuf,
    /// The program.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Whether it mostly waits, as browser tests do, so that another may run beside it.
    pub waits: bool,
    /// Whether it needs the app, if there is one.
    pub is_for_app: bool,
}

/// The jobs of a program: browser tests each for itself, longest first.
///
/// # Errors
/// When the program does not say which tests it has.
pub fn jobs(program: &TestProgram, selection: Selection<'_>) -> Result<Vec<TestProcess>> {
    let Selection {
        filter,
        include_ignored,
    } = selection;
    let more = || include_ignored.then(|| "--include-ignored".to_owned());
    if !program.is_of_browsers() {
        let arguments = filter.map(str::to_owned).into_iter().chain(more());
        return Ok(vec![program.job(None, arguments.collect())]);
    }
    let processes = together(longest_first(program.tests(filter)?));
    let job = |tests: Vec<String>| {
        let name = tests.join(", ");
        let arguments = std::iter::once("--exact".to_owned());
        let arguments = arguments.chain(tests).chain(more());
        program.job(Some(&name), arguments.collect())
    };
    Ok(processes.into_iter().map(job).collect())
}

impl TestProgram {
    fn job(&self, tests: Option<&str>, arguments: Vec<String>) -> TestProcess {
        let name = match tests {
            Some(tests) => format!("{}: {tests}", self.name),
            None => self.name.clone(),
        };
        TestProcess {
            program: self.name.clone(),
            name,
            folder: self.folder.clone(),
            path: self.path.clone(),
            arguments,
            waits: self.is_of_browsers(),
            is_for_app: self.is_for_app(),
        }
    }

    /// The names of its tests, ignored ones among them.
    fn tests(&self, filter: Option<&str>) -> Result<Vec<String>> {
        let mut command = Command::new(&self.path);
        command.args(["--list", "--format", "terse"]).args(filter);
        let list = output(command.current_dir(&self.folder))
            .with_context(|| format!("{} does not list its tests", self.name))?;
        Ok(listed(&list))
    }
}

/// The tests in a list of libtest's, a line each: `touch::a_swipe: test`.
fn listed(list: &str) -> Vec<String> {
    let tests = list.lines().filter_map(|line| line.strip_suffix(": test"));
    tests.map(str::to_owned).collect()
}

/// The tests with the longest in front.
fn longest_first(mut tests: Vec<String>) -> Vec<String> {
    let rank = |test: &String| LONGEST.iter().position(|long| long == test);
    tests.sort_by_key(|test| rank(test).unwrap_or(LONGEST.len()));
    tests
}

/// The tests divided by process, each where its first one was.
fn together(tests: Vec<String>) -> Vec<Vec<String>> {
    let mut processes: Vec<Vec<String>> = Vec::new();
    for test in tests {
        let module = |test: &str| test.split("::").next().map(str::to_owned);
        let turn = module(&test).filter(|module| TAKE_TURNS.contains(&module.as_str()));
        let shared = turn.and_then(|turn| {
            let of = |tests: &&mut Vec<String>| module(&tests[0]).as_ref() == Some(&turn);
            processes.iter_mut().find(of)
        });
        match shared {
            Some(tests) => tests.push(test),
            None => processes.push(vec![test]),
        }
    }
    processes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_browser_test_has_a_process_but_for_those_that_take_turns() {
        let list =
            "load::a: test\ntouch::b: test\nload::c: test\nbench::d: bench\n\n3 tests, 1 benchmark";
        let tests = listed(list);
        assert_eq!(tests, ["load::a", "touch::b", "load::c"]);
        assert_eq!(
            together(longest_first(tests)),
            [vec!["load::a", "load::c"], vec!["touch::b"]]
        );
    }
}

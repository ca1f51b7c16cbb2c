//! `cargo xtask test`: everything CI checks, in its order.

use crate::browser::{self, BrowserPrograms, OtherBrowser};
use crate::process::{cargo, find_program, note, run, step};
use crate::test_programs::{self, Selection, TestRun, TestRunner};
use crate::{apt, layout, python, serve, toolchain, wheel};
use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Where proptest looks for the seed of its inputs.
const INPUT_SEED: &str = "PROPTEST_RNG_SEED";

/// Tells tests to run as many cases as an issue asks for, not a few.
const LONG: &str = "REDIAL_LONG";

/// The step that imports decoders of other frameworks.
const FRAMEWORKS: &str =
    "the wheel in a fresh environment imports a PyTorch module, a Keras model and a Flax function";

/// How many of the tests that took longest are told of.
const LONGEST: usize = 12;

/// Options of `cargo xtask test`.
#[derive(Args)]
pub struct TestOptions {
    /// Run only the tests whose name contains this, without formatting and lints
    filter: Option<String>,
    /// Run the counts of the issues: every n-th fault, not a few of them
    #[arg(long)]
    long: bool,
    /// Browsers that take studies beside Chromium, which runs all browser tests; `all` for all of
    /// them. Without this option Firefox does, if it is there or can be installed
    #[arg(long, value_delimiter = ',', value_name = "BROWSERS")]
    browsers: Vec<BrowserChoice>,
    /// Leave out the browser app and the tests that need it
    #[arg(long)]
    no_browser: bool,
}

/// What `--browsers` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BrowserChoice {
    /// None but Chromium
    Chromium,
    /// Debian's firefox-esr
    Firefox,
    /// WebKitGTK
    Webkit,
    /// All of them
    All,
}

/// The browsers beside Chromium that were chosen.
fn chosen(browsers: &[BrowserChoice]) -> Vec<OtherBrowser> {
    if browsers.is_empty() {
        return vec![OtherBrowser::Firefox];
    }
    let is_chosen = |other: &OtherBrowser| {
        browsers.iter().any(|choice| match choice {
            BrowserChoice::All => true,
            BrowserChoice::Chromium => false,
            BrowserChoice::Firefox => *other == OtherBrowser::Firefox,
            BrowserChoice::Webkit => *other == OtherBrowser::Webkit,
        })
    };
    OtherBrowser::ALL.into_iter().filter(is_chosen).collect()
}

/// Runs every step, also after one has failed, and sums them up.
///
/// # Errors
/// When a tool is missing or a step fails.
pub fn test(options: &TestOptions) -> Result<()> {
    let start = Instant::now();
    // What is missing is found out before minutes of compiling.
    let browser = if options.no_browser {
        None
    } else {
        Some(prepare()?)
    };
    let others = if options.no_browser {
        Vec::new()
    } else {
        chosen(&options.browsers)
    };
    let mut places = Vec::new();
    if let Some(browser) = &browser {
        let shell = browser.headless_shell()?;
        places.extend(shell.map(|shell| (browser::HEADLESS_SHELL, shell)));
    }
    let mut found = Vec::new();
    for other in others {
        match other.find() {
            Ok(where_it_is) => {
                places.extend(where_it_is);
                found.push(other);
            }
            // Nobody asked for it by name; the summary says that it did not run.
            Err(error) if options.browsers.is_empty() => {
                note(&format!("going on without {}: {error:#}", other.name()));
            }
            Err(error) => return Err(error),
        }
    }
    let others = found;
    let mut report = Report::default();
    report.add("looking for tools and browsers", start.elapsed(), Ok(()));
    let names: Vec<&str> = others.iter().map(|other| other.name()).collect();
    let prepare = |command: &mut Command, app_is_there: bool| {
        if let Some(browser) = browser.as_ref().filter(|_| app_is_there) {
            tell(browser, false, command);
            command
                .envs(places.iter().map(|(name, path)| (name, path)))
                .env("REDIAL_BROWSERS", names.join(","));
        }
        // Random inputs are the same in every run, so that one change is never
        // refused for a fault that another brought; `cargo test` draws new ones.
        if std::env::var_os(INPUT_SEED).is_none() {
            command.env(INPUT_SEED, "2021");
        }
        if options.long {
            command.env(LONG, "1");
        }
    };
    let selection = Selection {
        filter: options.filter.as_deref(),
        include_ignored: options.long,
    };
    let runner = TestRunner::new(selection, &prepare);
    let app_is_there = std::thread::scope(|scope| {
        // The app is compiled beside the rest: its last, long step keeps one core only.
        let app = browser
            .as_ref()
            .map(|_| scope.spawn(|| timed(|| serve::build_frontend(true))));
        if options.filter.is_none() {
            report.step("formatting", || {
                run(cargo().args(["fmt", "--all", "--check"]))
            });
            dependencies(&mut report);
        }
        scope.spawn(|| runner.run_programs());
        let (time, result) = timed(|| test_programs::compile(|program| runner.add(program)));
        let lints = result.as_ref().map(|compiled| compiled.lints());
        // The app is linted for this machine, which needs no clippy for wasm.
        if let (Ok(lints), None) = (lints, &options.filter) {
            report.add("lints, while compiling", Duration::ZERO, lints);
        }
        report.add("compiling the tests", time, result.map(drop));
        let app_is_there = app.is_some_and(|app| match app.join() {
            Ok((time, result)) => report.add("browser app", time, result),
            Err(_) => report.add("browser app", Duration::ZERO, Err(anyhow!("it panicked"))),
        });
        runner.complete(app_is_there);
        step("tests");
        scope.spawn(|| runner.run_browser_tests());
        report.step("examples in the documentation", || {
            test_programs::documentation(options.filter.as_deref())
        });
        app_is_there
    });
    let mut run = TestRun::default();
    let passed = runner.outcome().and_then(|outcome| {
        run = outcome;
        if !run.failed.is_empty() {
            // Those that need other programs (R, Python) name the packages when they fail.
            bail!("tests failed in {}", run.failed.join("\n"));
        }
        Ok(())
    });
    report.add("tests, their times added up", run.time(), passed);
    if options.long && options.filter.is_none() {
        report.step("kernels under AddressSanitizer", sanitised);
        report.step(TRACES, traces);
        report.step("wheel for Python", || wheel::built_and_used(false));
        report.step(FRAMEWORKS, || wheel::built_and_used(true));
    } else {
        report.skip("kernels under AddressSanitizer (--long)");
        report.skip(&format!("{TRACES} (--long)"));
        report.skip("wheel for Python (--long)");
        report.skip(&format!("{FRAMEWORKS} (--long)"));
    }
    for test in &run.ignored {
        report.skip(&format!("{test} (--long)"));
    }
    if app_is_there {
        for other in OtherBrowser::ALL {
            if !others.contains(&other) {
                report.skip(&format!("studies in {0} (--browsers {0})", other.name()));
            }
        }
    } else {
        report.skip("browser tests");
    }
    if !options.long {
        report.skip("the long counts of faults (--long)");
    }
    step("the longest tests");
    run.longest(LONGEST).iter().for_each(|line| note(line));
    report.finish()
}

/// The feature that nobody gets who does not build it.
const TRACES: &str = "traces by OpenTelemetry";

/// The test of traces, with a program that was built for it.
fn traces() -> Result<()> {
    run(cargo()
        // With all packages, so that what they share is not compiled again.
        .args(["test", "--workspace", "--features=redial/traces"])
        .args(["--test=it", "traces::"]))
}

/// Licences and sources of what we depend on, if the program that checks them is there.
fn dependencies(report: &mut Report) {
    let name = "licences and sources of dependencies";
    if find_program("cargo-deny").is_none() {
        report.skip(&format!("{name} (cargo install cargo-deny --locked)"));
        return;
    }
    report.step(name, || {
        let checks = ["deny", "--offline", "--all-features", "check"];
        run(cargo()
            .args(checks)
            .args(["--hide-inclusion-graph", "bans", "licenses", "sources"]))
    });
}

/// The tests of the kernels, whose code is partly unsafe, with every access to memory checked. The
/// toolchain brings the sanitizer; its option is not stable yet.
fn sanitised() -> Result<()> {
    run(cargo()
        .args([
            "test",
            "--package",
            "decode",
            "--package",
            "kernels",
            "--quiet",
        ])
        // With a target, build scripts and macros are compiled without it.
        .args(["--target", "x86_64-unknown-linux-gnu", "--target-dir"])
        .arg(layout::target().join("sanitised"))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zsanitizer=address"))
}

/// A server that has buckets, among much else.
const MOTO: &str = "moto[server]==5.2.5";

/// How long something takes.
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn prepare() -> Result<BrowserPrograms> {
    step("looking for what the tests need");
    toolchain::check()?;
    // The guide's requests are run as they stand there.
    if ["bash", "curl", "jq"]
        .iter()
        .any(|program| find_program(program).is_none())
    {
        apt::install("what the guide's requests need", &["bash", "curl", "jq"])?;
    }
    // Storage is tested on both kinds of databases.
    if !Path::new("/usr/lib/postgresql").is_dir() {
        apt::install(
            "PostgreSQL, of which tests start a server of their own,",
            &["postgresql"],
        )?;
    }
    // Debian has it where only root looks for programs.
    if find_program("pgbouncer").is_none() && !Path::new("/usr/sbin/pgbouncer").exists() {
        apt::install("PgBouncer, a pool of connections,", &["pgbouncer"])?;
    }
    if find_program("pebble").is_none() {
        apt::install("pebble, an authority that gives certificates,", &["pebble"])?;
    }
    // A bucket that speaks S3; the tests look for it there.
    let tools = layout::python_tools();
    if !python::installed(&tools, "moto_server").exists() {
        step("getting moto, which has buckets, from PyPI");
        python::install(&python::environment(&tools)?, &[MOTO])?;
    }
    let browser = BrowserPrograms::find()?;
    browser::install_npm_packages(&layout::tests())?;
    Ok(browser)
}

/// Tells a command of the crate `tests` where the app, the server and the browser are.
pub fn tell<'a>(
    browser: &BrowserPrograms,
    release: bool,
    command: &'a mut Command,
) -> &'a mut Command {
    browser
        .tell(command)
        .env("REDIAL_DIST", layout::dist())
        .env("REDIAL_BIN", layout::server_binary(release))
}

/// What became of the steps.
#[derive(Default)]
struct Report(Vec<(String, Duration, StepStatus)>);

enum StepStatus {
    Passed,
    /// Why.
    Failed(String),
    Skipped,
}

impl Report {
    fn step(&mut self, name: &str, work: impl FnOnce() -> Result<()>) -> bool {
        step(name);
        let (time, result) = timed(work);
        self.add(name, time, result)
    }

    fn add(&mut self, name: &str, time: Duration, result: Result<()>) -> bool {
        let passed = result.is_ok();
        let status = match result {
            Ok(()) => StepStatus::Passed,
            Err(error) => {
                note(&format!("{name}: {error:#}"));
                StepStatus::Failed(format!("{error:#}"))
            }
        };
        self.0.push((name.to_owned(), time, status));
        passed
    }

    fn skip(&mut self, name: &str) {
        self.0
            .push((name.to_owned(), Duration::ZERO, StepStatus::Skipped));
    }

    fn finish(self) -> Result<()> {
        step("summary");
        for (name, time, status) in &self.0 {
            let word = match status {
                StepStatus::Passed => "passed",
                StepStatus::Failed(_) => "FAILED",
                StepStatus::Skipped => "skipped",
            };
            note(&format!("{word:8}{:>7.1} s  {name}", time.as_secs_f64()));
        }
        // Said again at the end: of a long run, people often have the last lines only.
        let mut failed = 0;
        for (name, _, status) in &self.0 {
            if let StepStatus::Failed(why) = status {
                failed += 1;
                note(&format!("{name}: {why}"));
            }
        }
        if failed > 0 {
            bail!("{failed} of {} steps failed", self.0.len());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failed_step_fails_the_run_and_the_others_still_run() {
        let mut report = Report::default();
        assert!(report.step("good", || Ok(())));
        assert!(!report.step("bad", || bail!("broken")));
        assert!(report.step("after", || Ok(())));
        report.skip("needs bad");
        let failed = report.finish().map_err(|error| error.to_string());
        assert_eq!(failed, Err("1 of 4 steps failed".to_owned()));
        assert!(Report::default().finish().is_ok());
    }
}

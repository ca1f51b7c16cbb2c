//! `cargo xtask bench`: the numbers we hold ourselves to.

use crate::browser::BrowserPrograms;
use crate::first_load::{self, FirstLoadPart};
use crate::process::{cargo, run, step};
use crate::stages::Stages;
use crate::{engines, frontend, layout, scikit_learn, serve, test};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Options of `cargo xtask bench`.
#[derive(Args)]
pub struct BenchOptions {
    /// What to measure
    #[arg(value_enum, default_value_t = Measure::All)]
    measure: Measure,
    /// A folder of bundles to decode beside those of the zoo
    #[arg(long, value_name = "FOLDER")]
    models: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Measure {
    /// Time from latent vector to picture, in Chromium, ours and that of other engines
    Decode,
    /// Time from a moved slider to the painted picture, in Chromium
    Latency,
    /// How long a participant waits for the first questions, on slow networks, in Chromium
    Load,
    /// Snapshots per second the server takes, and how soon it acknowledges them
    Server,
    /// How long *Start* takes in a study of 100 sessions, and in one of 100,000
    Start,
    /// How soon an experimenter at another server sees what a page logs
    Watch,
    /// Room that the logs of a session take before and after they are sealed, and how long one is read
    Seal,
    /// What attacks cost: the server's memory, and what honest participants notice of them
    Abuse,
    /// What a session takes of a server and its database, and how that grows with the people at once
    Capacity,
    /// The researcher's area: the table of 10,000 sessions, 20 who look on while 1,000 take part
    Research,
    /// Time of the statistics of 10,000 sessions: closed forms, bootstrap intervals, mixed models
    Analysis,
    /// Time and memory of the measures of representations and explanations, and scikit-learn's times where
    /// Python has it
    Measures,
    /// How soon a moment of a session's log of 36,000 events is reached
    Seek,
    /// Simulated people a minute on three models, and what decoding alone takes
    Simulate,
    /// Bytes of the first visit
    Size,
    /// Time of the first build, from an empty target folder to what `serve` needs
    Build,
    /// All of them but the build, the starts, the sealing, the watching, the capacity, the analysis, the measures, the seeking, the simulated people and the
    /// researcher's area
    All,
}

impl Measure {
    fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Latency => "latency",
            Self::Load => "load",
            Self::Server => "server",
            Self::Start => "start",
            Self::Seal => "seal",
            Self::Watch => "watch",
            Self::Abuse => "abuse",
            Self::Capacity => "capacity",
            Self::Research => "research",
            Self::Analysis => "analysis",
            Self::Measures => "measures",
            Self::Seek => "seek",
            Self::Simulate => "simulate",
            Self::Size => "size",
            Self::Build => "build",
            Self::All => "all",
        }
    }
}

/// Builds everything optimised, then measures.
///
/// # Errors
/// When something cannot be built or measured.
pub fn bench(options: &BenchOptions) -> Result<()> {
    if options.measure == Measure::Build {
        return first_build();
    }
    match options.measure {
        Measure::Analysis => return of_tests("analysis", "analysis", &["--test", "it"], "bench::"),
        Measure::Start => return of_tests("start", "server", &["--test", "it"], "start_time"),
        Measure::Watch => return of_tests("watch", "server", &["--test", "it"], "watched"),
        Measure::Seal => return of_tests("seal", "server", &["--test", "it"], "sealed_size"),
        Measure::Measures => {
            let programs = ["bench", "bench_concepts", "memory"];
            let programs = programs.map(|program| ["--test", program]).concat();
            of_tests("measures", "measures", &programs, "")?;
            return scikit_learn::times();
        }
        Measure::Seek => return of_tests("seek", "domain", &["--lib"], "session::seekable"),
        Measure::Simulate => {
            return of_tests("simulate", "server", &["--test", "it"], "simulation_time");
        }
        _ => {}
    }
    let browser = if options.measure == Measure::Size {
        None
    } else {
        Some(BrowserPrograms::find()?)
    };
    if options.measure != Measure::Decode {
        serve::build_frontend(false)?;
        if browser.is_some() {
            serve::build_server(true)?;
        }
    }
    if matches!(options.measure, Measure::Decode | Measure::All) {
        engines::assemble()?;
    }
    let measures = match options.measure {
        Measure::All => vec![
            Measure::Size,
            Measure::Decode,
            Measure::Latency,
            Measure::Load,
            Measure::Server,
            Measure::Abuse,
        ],
        one => vec![one],
    };
    for measure in measures {
        step(&format!("measuring: {}", measure.name()));
        match &browser {
            Some(browser) if measure != Measure::Size => {
                measure_with_tests(browser, measure, options)?
            }
            _ => print_size()?,
        }
    }
    Ok(())
}

/// Builds as after a fresh clone, in a target folder of its own, and says how long it took. What
/// cargo has downloaded stays; `dist/` is written as by `serve`.
fn first_build() -> Result<()> {
    let target = layout::target().join(format!("first-build-{}", std::process::id()));
    let mut stages = Stages::default();
    let built = (|| -> Result<()> {
        stages.time("xtask", || {
            run(cargo()
                .args(["build", "--package", "xtask"])
                .env("CARGO_TARGET_DIR", &target))
        })?;
        let times = target.join("stages.txt");
        for (word, which) in [
            ("until serve answers", "--first"),
            ("beside the server", "--frontend"),
        ] {
            run(Command::new(target.join("debug").join("xtask"))
                .args(["build", "--fast", which])
                .arg(format!("--timed={}", times.display()))
                .current_dir(layout::root())
                .env("CARGO_TARGET_DIR", &target))?;
            stages.add(word, &fs::read_to_string(&times)?)?;
        }
        Ok(())
    })();
    fs::remove_dir_all(&target).with_context(|| format!("cannot remove {}", target.display()))?;
    built?;
    println!("first build, from an empty target folder:");
    print!("{}", stages.table());
    Ok(())
}

/// A bench that is an ignored test of a crate, and needs no browser: those of the program that
/// `program` chooses whose name begins with `filter`.
fn of_tests(measure: &str, package: &str, program: &[&str], filter: &str) -> Result<()> {
    step(&format!("measuring: {measure}"));
    run(cargo()
        .args(["test", "--release", "--package", package])
        .args(program)
        // One at a time: each would take the other's core.
        .args(["--", "--ignored", "--nocapture", "--test-threads=1", filter]))
}

fn print_size() -> Result<()> {
    let load = first_load::first_load_bytes(&layout::dist())?;
    println!("first visit, as sent (brotli where it helps):");
    for (part, words) in [
        (FirstLoadPart::App, "the app itself: JavaScript and wasm"),
        (
            FirstLoadPart::Page,
            "the page, its style sheets and pictures",
        ),
        (
            FirstLoadPart::Decoder,
            "the decoder module, while the first page is read",
        ),
        (
            FirstLoadPart::Candle,
            "the module with candle, only where a study has a model that needs it",
        ),
        (
            FirstLoadPart::Recorder,
            "what records sound, only in a lab session that does",
        ),
    ] {
        println!("{:>10} bytes  {words}", load.total(part));
        for file in load.files().iter().filter(|file| file.part == part) {
            println!("{:>10}        {}", file.bytes, file.name);
        }
    }
    let app = load.total(FirstLoadPart::App) + load.total(FirstLoadPart::Decoder);
    println!("{app:>10} bytes  app and decoder module: a study of plans");
    let candle = app + load.total(FirstLoadPart::Candle);
    println!("{candle:>10} bytes  app and both modules: a study with a graph");
    println!("what other people than participants download of their apps:");
    for app in [
        frontend::EXPERIMENTER,
        frontend::RESEARCHER,
        frontend::REPLAY,
    ] {
        let bytes = first_load::module_bytes(&layout::dist(), app)?;
        println!("{bytes:>10} bytes  {app}: JavaScript and wasm");
    }
    Ok(())
}

/// The crate `tests` drives the browser and the server.
fn measure_with_tests(
    browser: &BrowserPrograms,
    measure: Measure,
    options: &BenchOptions,
) -> Result<()> {
    let mut command = cargo();
    command.args([
        "run",
        "--release",
        "--package",
        "tests",
        "--bin",
        "bench",
        "--",
        measure.name(),
    ]);
    if let Some(models) = &options.models {
        command.arg(std::path::absolute(models)?);
    }
    run(test::tell(browser, true, &mut command))
        .with_context(|| format!("cannot measure {}", measure.name()))
}

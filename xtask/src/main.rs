//! `cargo xtask`: builds, serves, tests and measures Redial.
//!
//! The commands are thin; each module holds one job. See CONTRIBUTING.md for how they are used.

mod apt;
mod assets;
mod bench;
mod browser;
mod compress;
mod dist;
mod docs;
mod engines;
mod first_load;
mod frontend;
mod layout;
mod process;
mod python;
mod release;
mod scikit_learn;
mod serve;
mod short_names;
mod stages;
#[cfg(test)]
mod structure;
mod template;
mod test;
mod test_programs;
mod toolchain;
mod wheel;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Builds, serves, tests and measures Redial"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the browser app into dist/, then the server
    Build(serve::BuildOptions),
    /// Build everything and serve it on 127.0.0.1:8080 with a database under data/
    Serve(serve::ServeOptions),
    /// Check formatting and lints, then run every test, those in a real browser too
    Test(test::TestOptions),
    /// Measure: decode time, slider-to-paint latency, server throughput, first-load size, first build
    Bench(bench::BenchOptions),
    /// Make the documentation as a site, in dist/docs/
    Docs,
    /// Build a wheel for Python: the program, and a module that calls it and opens exports
    Wheel(wheel::WheelOptions),
    /// Build what a release has, in target/dist-VERSION/: an archive with the program, a Debian package that
    /// was tried in a clean system, the wheel, a file to build a container image with
    Dist(dist::DistOptions),
}

fn main() -> ExitCode {
    layout::xtask();
    let done = match Cli::parse().command {
        Command::Build(options) => serve::build(&options),
        Command::Serve(options) => serve::serve(&options),
        Command::Test(options) => test::test(&options),
        Command::Bench(options) => bench::bench(&options),
        Command::Docs => docs::docs(),
        Command::Wheel(options) => wheel::wheel(&options),
        Command::Dist(options) => dist::dist(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Not `Debug`, which would bury what to do under a backtrace.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

//! The `redial` program.

use std::process::ExitCode;

use clap::Parser as _;
use server::cli::Cli;

#[tokio::main]
async fn main() -> ExitCode {
    match Cli::parse().run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line for a person; a backtrace helps nobody who mistyped a path.
            eprintln!("redial: {error:#}");
            ExitCode::FAILURE
        }
    }
}

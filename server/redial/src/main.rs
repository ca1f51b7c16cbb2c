//! The `redial` program.

use std::process::ExitCode;

use crate::cli::Cli;
use clap::Parser as _;

mod cli;
mod commands;
mod config;
mod host_names;
mod kept_codes;
mod logging;
mod models_at_hand;
mod output;
mod progress;
mod study_at_hand;
mod tuning;

#[tokio::main]
async fn main() -> ExitCode {
    host_names::by_hosts_file_and_dns();
    match Cli::parse().run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line for a person; a backtrace helps nobody who mistyped a path.
            eprintln!("redial: {error:#}");
            ExitCode::FAILURE
        }
    }
}

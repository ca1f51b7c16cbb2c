//! The `redial` program.

use std::process::ExitCode;

use crate::cli::Cli;
use clap::Parser as _;
use server::storage;

mod cli;
mod collection_at_hand;
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
    if std::env::args().any(|argument| shows_a_password(&argument)) {
        eprintln!(
            "redial: a password on the command line can be read by everybody on this machine; put it into PGPASSWORD, a \
             password file (~/.pgpass) or the settings file, and leave it out here"
        );
        return ExitCode::FAILURE;
    }
    match Cli::parse().run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line for a person; a backtrace helps nobody who mistyped a path.
            eprintln!("redial: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether an argument is the address of a database with a password in it.
fn shows_a_password(argument: &str) -> bool {
    let address = argument.strip_prefix("--database=").unwrap_or(argument);
    storage::has_password(address)
}

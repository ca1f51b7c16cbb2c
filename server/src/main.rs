//! The `redial` program.

use clap::Parser as _;
use server::cli::Cli;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    Cli::parse().run().await
}

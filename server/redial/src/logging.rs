//! Log lines: to standard error, never with answers, tokens or latent vectors.

use std::io::IsTerminal as _;

use anyhow::Context;
use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// Sends log lines that pass `filter` to standard error.
///
/// # Errors
/// When the filter makes no sense.
pub fn start(filter: &str, format: LogFormat) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(filter)
        .with_context(|| format!("the log level {filter:?} makes no sense"))?;
    let colours = std::io::stderr().is_terminal();
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // A line that cannot be written would otherwise be reported on standard error,
        // and fail there as a panic: once nobody reads the log, every request would end so.
        .log_internal_errors(false)
        .with_ansi(colours);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    Ok(())
}

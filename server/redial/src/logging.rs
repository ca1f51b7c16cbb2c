//! Log lines: to standard error, never with answers, tokens or latent vectors. Built with the feature `traces`, spans of
//! requests go to a collector, too.

use std::io::IsTerminal as _;

use anyhow::Context;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry};

use crate::config::LogFormat;

#[cfg(feature = "traces")]
mod traces;

/// Logging as long as it is kept. When it goes, what was not sent yet is sent.
#[must_use]
pub struct Logging {
    #[cfg(feature = "traces")]
    _traces: Option<traces::Traces>,
}

/// Sends log lines that pass `filter` to standard error.
///
/// # Errors
/// When the filter makes no sense, or the address of a collector.
pub fn start(filter: &str, format: LogFormat) -> anyhow::Result<Logging> {
    let filter = EnvFilter::try_new(filter)
        .with_context(|| format!("the log level {filter:?} makes no sense"))?;
    let colours = std::io::stderr().is_terminal();
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        // A line that cannot be written would otherwise be reported on standard error,
        // and fail there as a panic: once nobody reads the log, every request would end so.
        .log_internal_errors(false)
        .with_ansi(colours);
    let lines = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let log = Registry::default().with(lines);
    #[cfg(feature = "traces")]
    let (log, traces) = {
        let traces = traces::Traces::wanted()?;
        (log.with(traces.as_ref().map(traces::Traces::layer)), traces)
    };
    log.with(filter).init();
    Ok(Logging {
        #[cfg(feature = "traces")]
        _traces: traces,
    })
}

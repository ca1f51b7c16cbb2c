//! Reports of a server on itself to others on the same database.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::sessions::SessionError;
use crate::state::ServerState;
use crate::storage::{NodeReport, StorageError};

/// How often a server says that it is there.
const REPORT_EVERY: Duration = Duration::from_secs(10);

/// At every so many reports the clocks are compared.
const COMPARE_EVERY: u64 = 6;

/// From this difference of the clocks on the log says so.
const WARN_MS: u64 = 250;

/// Says what this server is until it stops, where others share its database. `address` is where it listens.
pub(super) async fn report(state: ServerState, address: String, stopping: CancellationToken) {
    if !state.storage.is_shared() {
        return;
    }
    let name = match state.sessions.new_holder() {
        Ok(name) => name,
        Err(error) => {
            tracing::error!(%error, "this server has no name among others");
            return;
        }
    };
    let began_at_unix_ms = state.sessions.now_unix_ms();
    let mut reports = 0_u64;
    let mut ticks = tokio::time::interval(REPORT_EVERY);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = stopping.cancelled() => break,
        }
        if reports.is_multiple_of(COMPARE_EVERY)
            && let Err(error) = compare_clocks(&state).await
        {
            tracing::debug!(%error, "the clocks were not compared");
        }
        reports += 1;
        let report = NodeReport {
            name: name.clone(),
            address: address.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            began_at_unix_ms,
            clock_ms: state.node.clock_ms(),
            waiting: state.storage.write_load().waiting as u64,
            sockets: state.sockets.len() as u64,
        };
        if let Err(error) = state.storage.report_node(report).await {
            tracing::debug!(%error, "other servers do not hear of this one");
        }
    }
    // The storage may be closed by now; then the others see that this one has fallen silent.
    let _: Result<(), StorageError> = state.storage.forget_node(&name).await;
}

/// Compares this server's clock with the database's.
async fn compare_clocks(state: &ServerState) -> Result<(), SessionError> {
    // Once for nothing: a connection may have to be opened first, which takes its time.
    state.storage.clock().await?;
    let before = state.sessions.now_unix_ms();
    let Some(theirs) = state.storage.clock().await? else {
        return Ok(());
    };
    let ours = u64::midpoint(before, state.sessions.now_unix_ms());
    let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
    let clock_ms = signed(ours) - signed(theirs);
    state.node.set_clock_ms(clock_ms);
    if clock_ms.unsigned_abs() > WARN_MS {
        tracing::warn!(
            clock_ms,
            "this server's clock differs from the database's: set it by NTP"
        );
    }
    Ok(())
}

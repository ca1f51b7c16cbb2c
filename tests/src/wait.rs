//! Waiting, always with an end and with words for what was awaited.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Asks every 25 ms until there is an answer.
///
/// # Errors
/// When asking fails, or there is none within `limit`.
pub async fn until<T>(
    what: &str,
    limit: Duration,
    mut ask: impl AsyncFnMut() -> Result<Option<T>>,
) -> Result<T> {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask().await? {
            return Ok(answer);
        }
        if start.elapsed() > limit {
            bail!("waited {} s in vain for {what}", limit.as_secs());
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

/// Runs a whole test, but no longer than `limit`.
///
/// # Errors
/// The test's own, or that it took too long.
pub async fn at_most<T>(limit: Duration, test: impl Future<Output = Result<T>>) -> Result<T> {
    match tokio::time::timeout(limit, test).await {
        Ok(result) => result,
        Err(_) => bail!("the test did not end within {} s", limit.as_secs()),
    }
}

//! Waiting, always with an end and with words for what was awaited.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// How long to wait before asking again. Each question takes a browser and its driver CPU time: asking every 25 ms was a
/// tenth of what two long browser tests took.
const PAUSE: RangeInclusive<Duration> = Duration::from_millis(20)..=Duration::from_millis(100);

/// Asks until there is an answer, ever more rarely: after an eighth of the time that has passed, but 20 to 100 ms.
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
        let pause = (start.elapsed() / 8).clamp(*PAUSE.start(), *PAUSE.end());
        tokio::time::sleep(pause).await;
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

//! Where most browser tests begin and end: one browser, on a server of its own.

use std::time::Duration;

use anyhow::Result;
use tempfile::TempDir;

use crate::browser::Browser;
use crate::browser_engine::{BrowserEngine, BrowserSetup};
use crate::server::Server;
use crate::wait;

/// Runs a test in Chromium on a server, for `limit_s` seconds at most. Of one that fails it tells what page,
/// console and server say, and leaves a screenshot, `failure-NAME.png`.
///
/// # Errors
/// The test's own, or when server or browser do not start, or it takes too long.
pub async fn in_browser(
    name: &str,
    limit_s: u64,
    server: impl Future<Output = Result<Server>>,
    test: impl AsyncFnOnce(&Server, &Browser) -> Result<()>,
) -> Result<()> {
    let chromium = (BrowserEngine::Chromium, BrowserSetup::default());
    let test = async |server: &mut Server, browser: &Browser| test(server, browser).await;
    in_engine(name, limit_s, chromium, server, test).await
}

/// The same in a browser of any engine, set up as a person might have it; the test may stop the server.
pub async fn in_engine(
    name: &str,
    limit_s: u64,
    (engine, setup): (BrowserEngine, BrowserSetup),
    server: impl Future<Output = Result<Server>>,
    test: impl AsyncFnOnce(&mut Server, &Browser) -> Result<()>,
) -> Result<()> {
    let scene = async {
        let mut server = server.await?;
        let profile = TempDir::new()?;
        let browser = Browser::open_engine(engine, profile.path(), setup).await?;
        let result = test(&mut server, &browser).await;
        if result.is_err() {
            println!("the server said:\n{}", server.log());
        }
        browser.finish(name, result).await
    };
    wait::at_most(Duration::from_secs(limit_s), scene).await
}

//! `cargo xtask bench` calls this; it needs REDIAL_BIN, REDIAL_DIST and a browser.

use anyhow::{Result, bail};
use tests::bench::{decode, latency, machine, server};

#[tokio::main]
async fn main() -> Result<()> {
    let what = std::env::args().nth(1).unwrap_or_else(|| "all".to_owned());
    machine::print();
    match what.as_str() {
        "decode" => decode::run().await,
        "latency" => latency::run().await,
        "server" => server::run().await,
        "all" => {
            decode::run().await?;
            latency::run().await?;
            server::run().await
        }
        other => bail!("'{other}' cannot be measured; decode, latency, server and all can"),
    }
}

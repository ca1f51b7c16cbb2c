//! `cargo xtask bench` calls this; it needs REDIAL_BIN, REDIAL_DIST and a browser, and for `decode`
//! what xtask puts into `target/engines/`. A second argument is a folder of bundles to decode.

use std::path::PathBuf;

use anyhow::{Result, bail};
use tests::bench::{abuse, capacity, decode, latency, load, machine, research, server};

#[tokio::main]
async fn main() -> Result<()> {
    let what = std::env::args().nth(1).unwrap_or_else(|| "all".to_owned());
    let models = std::env::args_os().nth(2).map(PathBuf::from);
    machine::print();
    match what.as_str() {
        "decode" => decode::run(models.as_deref()).await,
        "latency" => latency::run().await,
        "load" => load::run().await,
        "server" => server::run().await,
        "abuse" => abuse::run().await,
        "research" => research::run().await,
        "capacity" => capacity::run().await,
        "all" => {
            decode::run(models.as_deref()).await?;
            latency::run().await?;
            load::run().await?;
            server::run().await?;
            abuse::run().await
        }
        other => {
            bail!(
                "'{other}' cannot be measured; decode, latency, load, server, abuse, research, capacity and all can"
            )
        }
    }
}

//! Time from a latent vector to an instance, per shipped model, in Chromium.

use anyhow::{Context, Result};
use models::Zoo;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

use super::statistics::quantile;
use crate::browser::Browser;
use crate::decoding;
use crate::server::Server;

const RUNS: usize = 300;
/// Different vectors, so that nothing is measured that depends on one.
const VECTORS: usize = 20;

/// Measures and prints a table.
///
/// # Errors
/// When a model cannot be decoded in the browser.
pub async fn run() -> Result<()> {
    let server = Server::start().await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    decoding::open(&browser, server.address()).await?;
    let zoo = Zoo::shipped()?;
    println!("\ndecode in Chromium, one vector at a time ({RUNS} runs)");
    println!(
        "{:<20} {:>10} {:>10} {:>10}",
        "model", "median ms", "p99 ms", "native ms"
    );
    for name in zoo.names() {
        let bundle = zoo.get(name).context("a name without a model")?;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let zs: Vec<Vec<f64>> = (0..VECTORS).map(|_| bundle.sample(&mut rng)).collect();
        let times = decoding::time(&browser, name, &zs, RUNS).await?;
        let mut native = Vec::new();
        for z in zs.iter().cycle().take(RUNS) {
            let begun = std::time::Instant::now();
            bundle.decoder().decode(z)?;
            native.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        println!(
            "{name:<20} {:>10.3} {:>10.3} {:>10.3}",
            quantile(&times, 0.5),
            quantile(&times, 0.99),
            quantile(&native, 0.5)
        );
    }
    browser.close().await
}

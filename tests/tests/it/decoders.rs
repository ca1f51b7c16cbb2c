//! The shipped decoders, run by the app in the browser, against numbers that
//! numpy made from the same weights (`models/tests/reference.py`).

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use models::{Zoo, weights};
use tempfile::TempDir;
use tests::browser::Browser;
use tests::server::Server;
use tests::{decoding, tools, wait};

/// As in the test of `models`, which says why.
const TOLERANCE: f64 = 3e-5;

#[tokio::test]
async fn decoders_in_the_browser_agree_with_numpy() -> Result<()> {
    wait::at_most(Duration::from_secs(180), agree()).await
}

async fn agree() -> Result<()> {
    let server = Server::start().await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    decoding::open(&browser, server.address()).await?;
    let zoo = Zoo::shipped()?;
    ensure!(zoo.names().count() >= 4, "the zoo is nearly empty");
    for name in zoo.names() {
        let fixture = Fixture::read(name)?;
        let found = decoding::decode(&browser, name, &fixture.zs).await?;
        fixture.compare(&found)?;
    }
    browser.close().await
}

/// Vectors of one model, and what numpy decodes them to.
struct Fixture {
    name: String,
    zs: Vec<Vec<f64>>,
    width: usize,
    x: Vec<f32>,
}

impl Fixture {
    fn read(name: &str) -> Result<Self> {
        let path = tools::root().join(format!("models/tests/fixtures/{name}.safetensors"));
        let file = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let mut fixture = weights::read("fixture", &file)?;
        let (z_shape, z) = fixture.remove("z").context("z")?;
        let (x_shape, x) = fixture.remove("x").context("x")?;
        ensure!(
            z_shape[0] == 20,
            "{name}: {} vectors instead of 20",
            z_shape[0]
        );
        let zs = z.chunks_exact(z_shape[1]);
        Ok(Self {
            name: name.to_owned(),
            zs: zs.map(|z| z.iter().map(|&v| v.into()).collect()).collect(),
            width: x_shape[1..].iter().product(),
            x,
        })
    }

    fn compare(&self, found: &[Vec<f64>]) -> Result<()> {
        let Self { name, width, .. } = self;
        ensure!(found.len() == 20, "{name}: {} instances", found.len());
        let mut worst: f64 = 0.0;
        for (found, expected) in found.iter().zip(self.x.chunks_exact(*width)) {
            ensure!(
                found.len() == *width,
                "{name}: {} values, not {width}",
                found.len()
            );
            for (found, &expected) in found.iter().zip(expected) {
                let off = (found - f64::from(expected)).abs();
                // A NaN, too, must fail.
                ensure!(off <= TOLERANCE, "{name}: {found} instead of {expected}");
                worst = worst.max(off);
            }
        }
        println!("{name}: off by {worst:.1e} at most");
        Ok(())
    }
}

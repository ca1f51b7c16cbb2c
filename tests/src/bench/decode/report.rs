//! What was measured, as tables.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::model::BenchModel;
use super::{RUNS, TURN};
use crate::bench::engines::{CANDLE, ENGINES, InferenceEngine, YARDSTICK};
use crate::bench::statistics::quantile;

/// What the page found out about one engine.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Measurement {
    /// It decoded.
    Decoded {
        /// Milliseconds of each decode.
        times: Vec<f64>,
        /// Largest difference of any value from our first engine's.
        difference: f64,
    },
    /// It did not, and said this.
    Failed {
        /// What it said.
        error: String,
    },
}

/// One model's outcomes by engine.
pub struct Results(BTreeMap<String, Measurement>);

impl Results {
    /// # Errors
    /// When one of `engines` is missing, or decoded more or fewer than `runs` times.
    pub fn read(value: Value, engines: &[&InferenceEngine], runs: usize) -> Result<Self> {
        let found: BTreeMap<String, Measurement> =
            serde_json::from_value(value).context("the page's results")?;
        for engine in engines {
            let outcome = found.get(engine.folder).context(engine.title)?;
            if let Measurement::Decoded { times, .. } = outcome {
                ensure!(
                    times.len() == runs,
                    "{} decodes of {}",
                    times.len(),
                    engine.title
                );
            }
        }
        Ok(Self(found))
    }

    fn median(&self, engine: &InferenceEngine) -> Option<f64> {
        match self.0.get(engine.folder)? {
            Measurement::Decoded { times, .. } => Some(quantile(times, 0.5)),
            Measurement::Failed { .. } => None,
        }
    }

    fn yardstick(&self) -> Option<f64> {
        let engine = ENGINES.iter().find(|engine| engine.folder == YARDSTICK)?;
        self.median(engine)
    }

    /// What is wrong with the outputs, in sentences.
    pub fn complaints(&self, model: &str, tolerance: f64) -> Vec<String> {
        let complaint = |engine: &InferenceEngine| match self.0.get(engine.folder)? {
            Measurement::Decoded { difference, .. } if *difference <= tolerance => None,
            Measurement::Decoded { difference, .. } => Some(format!(
                "{model}: {} differs by {difference:.1e}, more than {tolerance:.0e}",
                engine.title
            )),
            Measurement::Failed { error } => Some(format!("{model}: {}: {error}", engine.title)),
        };
        ENGINES.iter().filter_map(complaint).collect()
    }
}

/// Prints what a browser downloads to have each engine.
///
/// # Errors
/// When an engine's files are missing.
pub fn print_first_load(engines: &Path) -> Result<()> {
    println!("\nfirst load of each engine, JavaScript and wasm with brotli, without weights");
    for engine in &ENGINES {
        let bytes = engine.first_load_bytes(engines)?;
        println!("{:<26} {bytes:>12} bytes", engine.title);
    }
    Ok(())
}

/// Prints one model's table, and how our time compares with the goal.
pub fn print(model: &BenchModel, results: &Results, goal: Option<f64>) {
    println!(
        "\n{} in Chromium: {RUNS} decodes of batch 1, output read back, in turns of {TURN}\n\
         {} weights; ours reads {} ({} bytes), the others the same numbers as f32",
        model.name(),
        model.parameters(),
        model.precisions(),
        model.stored_bytes(),
    );
    println!(
        "{:<26} {:>10} {:>10} {:>10} {:>18}",
        "engine", "median ms", "p90 ms", "ratio", "differs by at most"
    );
    let yardstick = results.yardstick().unwrap_or(f64::NAN);
    for engine in &ENGINES {
        match results.0.get(engine.folder) {
            Some(Measurement::Decoded { times, difference }) => {
                let median = quantile(times, 0.5);
                println!(
                    "{:<26} {median:>10.3} {:>10.3} {:>10.2} {difference:>18.1e}",
                    engine.title,
                    quantile(times, 0.9),
                    median / yardstick,
                );
            }
            Some(Measurement::Failed { error }) => println!("{:<26} {error}", engine.title),
            None => {}
        }
    }
    print_verdict(results, goal);
}

/// A browser with relaxed SIMD takes that build: the quicker of ours is what counts.
fn print_verdict(results: &Results, goal: Option<f64>) {
    let quickest = |ours: bool| {
        let engines = ENGINES.iter().filter(|engine| engine.ours == ours);
        let medians = engines.filter_map(|engine| Some((engine, results.median(engine)?)));
        medians.min_by(|(_, a), (_, b)| a.total_cmp(b))
    };
    let (Some((ours, our_ms)), Some((peer, peer_ms))) = (quickest(true), quickest(false)) else {
        return;
    };
    println!(
        "{} takes {:.2} × as long as the quickest peer, {}",
        ours.title,
        our_ms / peer_ms,
        peer.title
    );
    if let (Some(goal), Some(yardstick)) = (goal, results.yardstick()) {
        let ratio = our_ms / yardstick;
        let word = if ratio <= goal { "met" } else { "missed" };
        println!("goal: at most {goal} × ONNX Runtime Web; {ratio:.2} ×, {word}");
    }
}

/// Prints a line for each of the small graphs.
pub fn print_small(results: &[(String, Results)]) {
    println!(
        "\nsmall graphs in Chromium, median of {RUNS} decodes in ms, and p90 of ours\n\
         {:<24} {:>10} {:>10} {:>14} {:>8} {:>18}",
        "model", "ours", "p90", "ONNX Runtime", "ratio", "differs by at most"
    );
    for (name, results) in results {
        let Some(Measurement::Decoded { times, .. }) = results.0.get(CANDLE) else {
            println!("{name:<24} did not decode");
            continue;
        };
        let median = quantile(times, 0.5);
        let p90 = quantile(times, 0.9);
        match results.0.get(YARDSTICK) {
            Some(Measurement::Decoded { times, difference }) => {
                let theirs = quantile(times, 0.5);
                let ratio = median / theirs;
                println!(
                    "{name:<24} {median:>10.3} {p90:>10.3} {theirs:>14.3} {ratio:>8.2} {difference:>18.1e}"
                );
            }
            Some(Measurement::Failed { error }) => {
                println!("{name:<24} {median:>10.3} {p90:>10.3}  {error}")
            }
            None => {}
        }
    }
}

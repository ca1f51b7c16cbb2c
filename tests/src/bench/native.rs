//! Decodes per second without a browser: what the server, traversals and replays use.

use std::time::Instant;

use anyhow::{Context, Result};
use models::architecture::Architecture;
use models::{Bundle, Zoo, weights};
use plain_candle::Plain;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::statistics::quantile;

/// Vectors decoded together, and in a round one by one.
const BATCH: usize = 64;
const ROUNDS: usize = 9;
const FILE: &str = "weights.safetensors";

/// Measures every shipped model and prints a table: ours one at a time and in batches of
/// 64, and candle's own layers one at a time with the same weights, taking turns.
///
/// # Errors
/// When a model cannot be decoded.
pub fn run() -> Result<()> {
    let zoo = Zoo::shipped()?;
    println!("\ndecodes per second, native, one thread (median of {ROUNDS} rounds of {BATCH})");
    println!(
        "{:<20} {:>12} {:>14} {:>16} {:>8}",
        "model", "one by one", "batches of 64", "candle's layers", "ratio"
    );
    for name in zoo.names() {
        let bundle = zoo.get(name).context("a name without a model")?;
        let [one, batch, peer] = rates(bundle).with_context(|| name.to_owned())?;
        let peer_columns = match peer {
            Some(peer) => format!("{peer:>16.0} {:>8.2}", peer / one.unwrap_or(f64::NAN)),
            None => format!("{:>16} {:>8}", "–", "–"),
        };
        println!(
            "{name:<20} {:>12.0} {:>14.0} {peer_columns}",
            one.unwrap_or(f64::NAN),
            batch.unwrap_or(f64::NAN),
        );
    }
    println!("ratio: our time over that of candle's own layers, one at a time");
    Ok(())
}

/// Decodes per second: ours one by one, ours in batches, candle's layers one by one (none
/// for a formula).
fn rates(bundle: &Bundle) -> Result<[Option<f64>; 3]> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let zs: Vec<Vec<f64>> = (0..BATCH).map(|_| bundle.sample(&mut rng)).collect();
    let decoder = bundle.decoder();
    let peer = peer(bundle)?;
    let inputs: Vec<Vec<f32>> = zs
        .iter()
        .map(|z| decoder.latent().decoder_input(z))
        .collect::<Result<_, _>>()?;
    let mut instance = vec![0.0; decoder.instance_len()];
    let mut seconds: [Vec<f64>; 3] = Default::default();
    // One round more than is counted: the first finds cold caches.
    for round in 0..=ROUNDS {
        let mut lap = Lap::start(round > 0);
        for z in &zs {
            decoder.decode_into(z, &mut instance)?;
        }
        lap.note(&mut seconds[0]);
        decoder.decode_batch(&zs)?;
        lap.note(&mut seconds[1]);
        if let Some(peer) = &peer {
            for input in &inputs {
                peer.decode(input).map_err(anyhow::Error::msg)?;
            }
            lap.note(&mut seconds[2]);
        }
    }
    Ok(seconds.map(|times| (!times.is_empty()).then(|| BATCH as f64 / quantile(&times, 0.5))))
}

/// The same decoder made of candle's own layers, with the weights in single precision.
fn peer(bundle: &Bundle) -> Result<Option<Plain>> {
    let (Architecture::Sequential { layers }, Some(stored)) =
        (&bundle.card().architecture, bundle.weights())
    else {
        return Ok(None);
    };
    let expanded = weights::expand(FILE, weights::read_stored(FILE, stored)?, layers)?;
    let card = serde_json::to_string(bundle.card())?;
    let plain = Plain::load(&card, &weights::write(FILE, &expanded)?);
    Ok(Some(plain.map_err(anyhow::Error::msg)?))
}

/// Time since the last note.
struct Lap {
    since: Instant,
    counts: bool,
}

impl Lap {
    fn start(counts: bool) -> Self {
        Self {
            since: Instant::now(),
            counts,
        }
    }

    fn note(&mut self, seconds: &mut Vec<f64>) {
        let elapsed = self.since.elapsed().as_secs_f64();
        if self.counts {
            seconds.push(elapsed);
        }
        self.since = Instant::now();
    }
}

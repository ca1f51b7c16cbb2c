//! Functions for browser tests and benchmarks, exported by the page's JavaScript
//! module: they decode what the caller brings, and know nothing of any session.

use models::{Card, Decoder};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use super::clock::Moment;

fn decoder(card_json: &str, weights: &[u8]) -> Result<Decoder, JsError> {
    let card = Card::from_json(card_json.as_bytes())?;
    Ok(Decoder::load(
        &card,
        (!weights.is_empty()).then_some(weights),
    )?)
}

/// The instance at `z`; `weights` are empty for a closed form.
///
/// # Errors
/// When card, weights or vector are refused.
#[wasm_bindgen]
pub fn redial_decode(card_json: &str, weights: &[u8], z: &[f64]) -> Result<Vec<f32>, JsError> {
    Ok(decoder(card_json, weights)?.decode(z)?)
}

/// The browser's clock is read only to 0.1 ms, or worse: what is timed takes at least this long.
const TIMED_MS: f64 = 4.0;

/// Milliseconds per decode, `runs` times over, going through the vectors in `z_batch`
/// (one after the other) again and again. Fast decoders are timed over several decodes.
///
/// # Errors
/// When card, weights or a vector are refused.
#[wasm_bindgen]
pub fn redial_bench_decode(
    card_json: &str,
    weights: &[u8],
    z_batch: &[f64],
    runs: usize,
) -> Result<Vec<f64>, JsError> {
    let decoder = decoder(card_json, weights)?;
    let mut vectors = z_batch.chunks(decoder.latent().len()).cycle();
    let mut time_ms = |decodes: u32| -> Result<f64, JsError> {
        let before = Moment::now();
        for z in vectors.by_ref().take(decodes as usize) {
            decoder.decode(z)?;
        }
        Ok(Moment::now().monotonic_ms - before.monotonic_ms)
    };
    // Also warms up: caches, and the browser's compiler.
    let mut decodes = 1;
    while time_ms(decodes)? < TIMED_MS && decodes < 1 << 20 {
        decodes *= 2;
    }
    (0..runs)
        .map(|_| Ok(time_ms(decodes)? / f64::from(decodes)))
        .collect()
}

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

/// Milliseconds of each of `runs` single decodes, going through the vectors in
/// `z_batch` (one after the other) again and again.
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
    let vectors: Vec<&[f64]> = z_batch.chunks(decoder.latent().len()).collect();
    let mut times_ms = Vec::with_capacity(runs);
    for z in vectors.iter().cycle().take(runs) {
        let before = Moment::now();
        decoder.decode(z)?;
        times_ms.push(Moment::now().monotonic_ms - before.monotonic_ms);
    }
    Ok(times_ms)
}

//! For browser tests and benchmarks: decoding what the caller brings, and timing it.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

use wasm_bindgen::prelude::wasm_bindgen;

use crate::{decoder_of, in_words};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn now_ms() -> f64;
}

/// The instance at `z`; `weights` are empty for a closed form.
///
/// # Errors
/// When card, weights or vector are refused, in a sentence.
#[wasm_bindgen]
pub fn redial_decode(card_json: &str, weights: &[u8], z: &[f64]) -> Result<Vec<f32>, String> {
    decoder(card_json, weights)?.decode(z).map_err(in_words)
}

/// The browser's clock is read only to 0.1 ms, or worse: what is timed takes at least this long.
const TIMED_MS: f64 = 4.0;

/// Milliseconds per decode, `runs` times over, going through the vectors in `z_batch`
/// (one after the other) again and again. Fast decoders are timed over several decodes.
///
/// # Errors
/// When card, weights or a vector are refused, in a sentence.
#[wasm_bindgen]
pub fn redial_bench_decode(
    card_json: &str,
    weights: &[u8],
    z_batch: &[f64],
    runs: usize,
) -> Result<Vec<f64>, String> {
    let decoder = decoder(card_json, weights)?;
    let mut instance = vec![0.0; decoder.instance_len()];
    let mut vectors = z_batch.chunks(decoder.latent().len()).cycle();
    let mut time_ms = |decodes: u32| -> Result<f64, String> {
        let before_ms = now_ms();
        for z in vectors.by_ref().take(decodes as usize) {
            decoder.decode_into(z, &mut instance).map_err(in_words)?;
        }
        Ok(now_ms() - before_ms)
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

fn decoder(card_json: &str, weights: &[u8]) -> Result<models::Decoder, String> {
    decoder_of(card_json, weights)?
        .ok_or_else(|| "these layers do not compile to a plan".to_owned())
}

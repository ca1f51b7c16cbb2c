//! The exports of `static/decoder.js`: the decoder module, and decoders in its memory or in a worker.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

use js_sys::{Float32Array, Function, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

#[wasm_bindgen]
extern "C" {
    /// What `open` of `static/decoder.js` gives.
    pub(super) type DecoderModule;
    #[wasm_bindgen(method, catch)]
    pub(super) async fn load(
        this: &DecoderModule,
        card_json: &str,
        weights: &Uint8Array,
    ) -> Result<JsValue, JsValue>;

    /// A decoder in the other module's memory.
    pub(super) type LoadedDecoder;
    /// A view of the instance at z, good until the next decode.
    #[wasm_bindgen(method, catch)]
    pub(super) fn decode(this: &LoadedDecoder, z: &[f64]) -> Result<Float32Array, JsValue>;
    /// Decodes a few times while nothing else is to be done; `took` hears how long each took, in
    /// milliseconds, and says whether that is enough.
    #[wasm_bindgen(method, js_name = warmUp)]
    pub(super) fn warm_up(this: &LoadedDecoder, took: &Function);
    /// Starts a worker that decodes the same.
    #[wasm_bindgen(method, catch, js_name = startWorker)]
    pub(super) async fn start_worker(this: &LoadedDecoder) -> Result<JsValue, JsValue>;

    /// A decoder in a worker.
    pub(super) type WorkerDecoder;
    #[wasm_bindgen(method, catch)]
    pub(super) async fn decode(this: &WorkerDecoder, z: &[f64]) -> Result<JsValue, JsValue>;

    /// The worker's reply.
    pub(super) type WorkerReply;
    #[wasm_bindgen(method, getter)]
    pub(super) fn values(this: &WorkerReply) -> Float32Array;
    /// How long the decode took in the worker.
    #[wasm_bindgen(method, getter)]
    pub(super) fn ms(this: &WorkerReply) -> f64;
}

/// The words of a thrown value: a sentence, or an error that holds one.
pub(super) fn in_words(thrown: &JsValue) -> String {
    thrown.as_string().unwrap_or_else(|| {
        let error: &js_sys::Error = thrown.unchecked_ref();
        String::from(error.message())
    })
}

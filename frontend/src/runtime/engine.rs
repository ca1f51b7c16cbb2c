//! The decoder module: a second wasm module beside the app, opened by `static/decoder.js`.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

use js_sys::{Float32Array, Function, Promise, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::decoder::Decoder;

#[wasm_bindgen]
extern "C" {
    /// What `open` of `static/decoder.js` gives.
    type DecoderModule;
    #[wasm_bindgen(method, catch)]
    async fn load(
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
    #[wasm_bindgen(method, catch)]
    pub(super) async fn beside(this: &LoadedDecoder) -> Result<JsValue, JsValue>;

    /// A decoder in a worker.
    pub(super) type BesideDecoder;
    #[wasm_bindgen(method, catch)]
    pub(super) async fn decode(this: &BesideDecoder, z: &[f64]) -> Result<JsValue, JsValue>;

    /// What it answers.
    pub(super) type Answer;
    #[wasm_bindgen(method, getter)]
    pub(super) fn values(this: &Answer) -> Float32Array;
    /// How long the decode took in the worker.
    #[wasm_bindgen(method, getter)]
    pub(super) fn ms(this: &Answer) -> f64;
}

/// The way to the decoder module.
#[derive(Clone)]
pub struct Engine {
    open: Function,
}

impl Engine {
    /// `open` gives a promise of the module; called again, of the same one.
    #[must_use]
    pub fn new(open: Function) -> Self {
        Self { open }
    }

    /// Begins to fetch the module, unless it is here. A failure shows when it is needed.
    pub fn begin(&self) {
        let engine = self.clone();
        leptos::task::spawn_local(async move {
            engine.module().await;
        });
    }

    async fn module(&self) -> Option<DecoderModule> {
        let promise: Promise = self.open.call0(&JsValue::NULL).ok()?.unchecked_into();
        let module = JsFuture::from(promise).await.ok()?;
        Some(module.unchecked_into())
    }

    /// Makes a decoder. `None` when the module, or the one with candle that this decoder needs,
    /// cannot be fetched.
    ///
    /// # Errors
    /// In a sentence, when card or weights are refused.
    pub async fn load(
        &self,
        card_json: &str,
        weights: &Uint8Array,
    ) -> Option<Result<Decoder, String>> {
        let module = self.module().await?;
        Some(match module.load(card_json, weights).await {
            Ok(decoder) if decoder.is_undefined() => return None,
            Ok(decoder) => Ok(Decoder::new(decoder.unchecked_into())),
            Err(why) => Err(in_words(&why)),
        })
    }
}

/// What was thrown: a sentence, or an error that holds one.
pub(super) fn in_words(thrown: &JsValue) -> String {
    thrown.as_string().unwrap_or_else(|| {
        let error: &js_sys::Error = thrown.unchecked_ref();
        String::from(error.message())
    })
}

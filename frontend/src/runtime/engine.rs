//! The decoder module: a second wasm module beside the app, opened by `static/decoder.js`.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

use std::rc::Rc;

use js_sys::{Float32Array, Function, Promise, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use domain::task::reconstruction::play::Decode;

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
    type LoadedDecoder;
    #[wasm_bindgen(method, catch)]
    fn decode(this: &LoadedDecoder, z: &[f64]) -> Result<Float32Array, JsValue>;
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
    ) -> Option<Result<Decode, String>> {
        let module = self.module().await?;
        Some(match module.load(card_json, weights).await {
            Ok(decoder) if decoder.is_undefined() => return None,
            Ok(decoder) => Ok(decode(decoder.unchecked_into())),
            Err(why) => Err(in_words(&why)),
        })
    }
}

fn decode(decoder: LoadedDecoder) -> Decode {
    Rc::new(move |z: &[f64], instance: &mut Vec<f32>| {
        let Ok(values) = decoder.decode(z) else {
            return false;
        };
        // A view of the other module's memory, good until the next decode.
        instance.resize(values.length() as usize, 0.0);
        values.copy_to(instance);
        true
    })
}

/// What was thrown: a sentence, or an error that holds one.
fn in_words(thrown: &JsValue) -> String {
    thrown.as_string().unwrap_or_else(|| {
        let error: &js_sys::Error = thrown.unchecked_ref();
        String::from(error.message())
    })
}

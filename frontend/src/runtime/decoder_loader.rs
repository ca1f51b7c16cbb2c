//! Loads decoders by the decoder module, a wasm module of its own that `static/decoder.js` opens.

use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::decoder_module::{DecoderModule, in_words};
use super::page_decoder::PageDecoder;

/// Loads decoders. The decoder module is fetched when the first one is loaded, or before.
#[derive(Clone)]
pub struct DecoderLoader {
    open: Function,
}

impl DecoderLoader {
    /// `open` gives a promise of the module; called again, of the same one.
    #[must_use]
    pub fn new(open: Function) -> Self {
        Self { open }
    }

    /// Begins to fetch the module, unless it is here. A failure shows when it is needed.
    pub fn begin(&self) {
        let decoder_loader = self.clone();
        leptos::task::spawn_local(async move {
            decoder_loader.module().await;
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
    ) -> Option<Result<PageDecoder, String>> {
        let module = self.module().await?;
        Some(match module.load(card_json, weights).await {
            Ok(decoder) if decoder.is_undefined() => return None,
            Ok(decoder) => Ok(PageDecoder::new(decoder.unchecked_into())),
            Err(why) => Err(in_words(&why)),
        })
    }
}

//! A peer for `cargo xtask bench decode`: a decoder made of candle's own layers,
//! as one would write it with `candle-nn`, without any kernel of ours.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

mod network;

use candle_core::{Device, Tensor};
use models::Card;
use models::architecture::Architecture;
use wasm_bindgen::prelude::wasm_bindgen;

use network::Network;

/// A decoder, ready.
#[wasm_bindgen]
pub struct Plain(Network);

#[wasm_bindgen]
impl Plain {
    /// The decoder that a card describes, with weights in single precision
    /// (safetensors).
    ///
    /// # Errors
    /// In a sentence, when it is not made of layers that candle has, or a tensor is missing.
    pub fn load(card_json: &str, weights: &[u8]) -> Result<Plain, String> {
        let card = Card::from_json(card_json.as_bytes()).map_err(|error| error.to_string())?;
        let Architecture::Sequential { layers } = &card.architecture else {
            return Err("a formula has no layers".to_owned());
        };
        let network = Network::new(layers, weights).map_err(|error| error.to_string())?;
        Ok(Self(network))
    }

    /// The instance (channels first) for what a decoder's first layer reads.
    ///
    /// # Errors
    /// In a sentence, when the input has another width.
    pub fn decode(&self, input: &[f32]) -> Result<Vec<f32>, String> {
        Tensor::from_slice(input, (1, input.len()), &Device::Cpu)
            .and_then(|input| self.0.forward(&input)?.flatten_all()?.to_vec1())
            .map_err(|error| error.to_string())
    }
}

//! The decoders, as a wasm module of their own that the app fetches while its first page is read.
//!
//! It is compiled three times. Two builds hold the kernels of plans, with and without relaxed
//! SIMD: `static/decoder.js` takes the one that the browser understands, and is what the app
//! calls. The third, with the feature `candle`, decodes graphs, too, and is fetched only for a
//! model whose layers do not compile to a plan. Vectors and instances pass through buffers that
//! stay in this module's memory, so that a decode copies little and allocates nothing here.
//!
//! Deliberately absent: the app, the DOM and fetching. It gets a card and weights as they are, and an
//! error comes out of it as a sentence.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

mod measuring;

use models::card::Decodable;
use wasm_bindgen::prelude::wasm_bindgen;

/// A model that is ready to decode, with room for one vector and one instance.
#[wasm_bindgen(js_name = Decoder)]
pub struct WasmDecoder {
    decoder: models::Decoder,
    z: Vec<f64>,
    instance: Vec<f32>,
}

#[wasm_bindgen(js_class = Decoder)]
impl WasmDecoder {
    /// Makes the decoder that a card describes; `weights` are empty for a closed form. `None`
    /// (`undefined`) when the layers do not compile to a plan: the build with candle takes them.
    ///
    /// # Errors
    /// When card or weights are refused, in a sentence.
    pub fn load(card_json: &str, weights: &[u8]) -> Result<Option<WasmDecoder>, String> {
        Ok(decoder_of(card_json, weights)?.map(|decoder| Self {
            z: vec![0.0; decoder.latent().len()],
            instance: vec![0.0; decoder.instance_len()],
            decoder,
        }))
    }

    /// Where the vector is to be written: [`Self::z_len`] numbers of 64 bits.
    #[must_use]
    pub fn z_at(&mut self) -> *mut f64 {
        self.z.as_mut_ptr()
    }

    /// Number of dimensions.
    #[must_use]
    pub fn z_len(&self) -> usize {
        self.z.len()
    }

    /// Where [`Self::decode`] leaves the instance: [`Self::instance_len`] numbers of 32 bits.
    #[must_use]
    pub fn instance_at(&self) -> *const f32 {
        self.instance.as_ptr()
    }

    /// Number of values of an instance.
    #[must_use]
    pub fn instance_len(&self) -> usize {
        self.instance.len()
    }

    /// Decodes the vector at [`Self::z_at`]. Memory may grow meanwhile, which detaches every
    /// view of it; the two places stay where they are.
    ///
    /// # Errors
    /// When the vector is not in the latent space, in a sentence.
    pub fn decode(&mut self) -> Result<(), String> {
        self.decoder
            .decode_into(&self.z, &mut self.instance)
            .map_err(in_words)
    }
}

/// The decoder that this build uses for a card.
fn decoder_of(card_json: &str, weights: &[u8]) -> Result<Option<models::Decoder>, String> {
    let card = Decodable::from_json(card_json.as_bytes()).map_err(in_words)?;
    let weights = (!weights.is_empty()).then_some(weights);
    #[cfg(feature = "candle")]
    let made = models::Decoder::load(&card, weights).map(Some);
    #[cfg(not(feature = "candle"))]
    let made = models::Decoder::compile(&card, weights);
    made.map_err(in_words)
}

fn in_words(error: impl ToString) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_goes_in_at_one_place_and_the_instance_comes_out_at_another() {
        let card = include_str!("../../../models/zoo/circles/card.json");
        let mut module = WasmDecoder::load(card, &[]).unwrap().unwrap();
        let direct = decoder_of(card, &[]).unwrap().unwrap();
        let (z_at, instance_at) = (module.z_at(), module.instance_at());
        let middle: Vec<f64> = vec![0.0; module.z_len()];
        let z = direct.latent().snap(&middle).unwrap();
        module.z.copy_from_slice(&z);
        module.decode().unwrap();
        assert_eq!(module.instance, direct.decode(&z).unwrap());
        assert_eq!(module.instance_len(), direct.decode(&z).unwrap().len());
        assert_eq!((module.z_at(), module.instance_at()), (z_at, instance_at));
    }

    #[test]
    fn refusals_are_sentences() {
        let card = include_str!("../../../models/zoo/circles/card.json");
        let mut module = WasmDecoder::load(card, &[]).unwrap().unwrap();
        module.z[0] = f64::NAN;
        assert!(!module.decode().unwrap_err().is_empty());
        let unwanted = WasmDecoder::load(card, &[0]).err().unwrap();
        assert!(unwanted.contains("a formula has no weights"), "{unwanted}");
        assert!(WasmDecoder::load("{}", &[]).is_err());
    }
}

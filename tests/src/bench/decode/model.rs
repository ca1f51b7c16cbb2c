//! A model in every form that an engine reads, with vectors to decode.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use models::Bundle;
use models::architecture::{Architecture, Layer};
use models::weights::{self, Stored, Tensors, Values};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::bench::onnx;
use crate::bench::site::Files;

const FILE: &str = "weights.safetensors";

/// A bundle that is measured.
pub struct Model<'a> {
    bundle: &'a Bundle,
    layers: &'a [Layer],
    weights: &'a [u8],
    stored: Stored,
    /// In single precision, whatever the bundle stores: what the other engines get.
    expanded: Tensors,
    /// Drawn as for questions.
    zs: Vec<Vec<f64>>,
}

impl<'a> Model<'a> {
    /// # Errors
    /// When the model is a formula.
    pub fn new(bundle: &'a Bundle, vectors: usize) -> Result<Self> {
        let (Architecture::Sequential { layers }, Some(weights)) =
            (&bundle.card().architecture, bundle.weights())
        else {
            bail!(
                "{} has no layers that another engine could run",
                bundle.name()
            );
        };
        let stored = weights::read_stored(FILE, weights)?;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        Ok(Self {
            bundle,
            layers,
            weights,
            expanded: weights::expand(FILE, stored.clone(), layers)?,
            stored,
            zs: (0..vectors).map(|_| bundle.sample(&mut rng)).collect(),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.bundle.name()
    }

    /// Bytes of its weights as stored.
    pub fn stored_bytes(&self) -> usize {
        self.weights.len()
    }

    /// In which precisions its weights are stored, and how many of them in each.
    pub fn precisions(&self) -> String {
        let mut counts = BTreeMap::new();
        for (_, values) in self.stored.values() {
            let precision = match values {
                Values::F32(_) => "f32",
                Values::F16(_) => "f16",
                Values::Int8 { .. } => "int8",
            };
            *counts.entry(precision).or_insert(0) += values.len();
        }
        let counts = counts.iter().map(|(name, count)| format!("{count} {name}"));
        counts.collect::<Vec<_>>().join(", ")
    }

    /// Number of weights.
    pub fn parameters(&self) -> usize {
        self.expanded.values().map(|(_, values)| values.len()).sum()
    }

    /// Puts its files where the page fetches them.
    ///
    /// # Errors
    /// When a form cannot be written.
    pub fn put(&self, files: &mut Files) -> Result<()> {
        let name = self.name();
        let mut put = |file: &str, content: Vec<u8>| {
            files.put(format!("models/{name}/{file}"), content);
        };
        let latent = &self.bundle.card().facts.latent;
        let vectors = self.zs.iter().map(|z| {
            let input = latent.decoder_input(z)?;
            Ok(json!({ "z": z, "input": input }))
        });
        let vectors: Vec<_> = vectors.collect::<Result<_>>()?;
        put("vectors.json", serde_json::to_vec(&vectors)?);
        put("card.json", serde_json::to_vec(self.bundle.card())?);
        put(FILE, self.weights.to_vec());
        put(
            "expanded.safetensors",
            weights::write(FILE, &self.expanded)?,
        );
        let onnx = onnx::write(self.layers, &self.expanded, latent.decoder_width())
            .with_context(|| format!("{name} as ONNX"))?;
        put("model.onnx", onnx);
        Ok(())
    }
}

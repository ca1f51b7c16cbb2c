//! A model in every form that an engine reads, with vectors to decode.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use models::Bundle;
use models::architecture::Architecture;
use models::weights::{self, StoredTensors, Tensors, Values};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::graphs::ExportedGraph;
use crate::bench::engines::{CANDLE, ENGINES, InferenceEngine, TFJS, YARDSTICK};
use crate::bench::onnx;
use crate::bench::site::SiteFiles;

const FILE: &str = "weights.safetensors";

/// A bundle that is measured.
pub struct BenchModel<'a> {
    bundle: &'a Bundle,
    weights: &'a [u8],
    stored: StoredTensors,
    onnx: Vec<u8>,
    /// In single precision, whatever the bundle stores: what other engines get by name. `None` where
    /// they all read ONNX.
    expanded: Option<Tensors>,
    /// Drawn as for questions.
    zs: Vec<Vec<f64>>,
    engines: Vec<&'static InferenceEngine>,
}

impl<'a> BenchModel<'a> {
    /// A decoder of layers, which every engine runs.
    ///
    /// # Errors
    /// When the model is a formula, or a graph.
    pub fn of_layers(bundle: &'a Bundle, vectors: usize) -> Result<Self> {
        let Architecture::Sequential { layers } = &bundle.card().architecture else {
            bail!(
                "{} has no layers that another engine could run",
                bundle.name()
            );
        };
        let mut model = Self::new(bundle, vectors)?;
        let expanded = weights::expand(FILE, model.stored.clone(), layers)?;
        let width = bundle.card().facts.latent.decoder_width();
        model.onnx = onnx::write(layers, &expanded, width)
            .with_context(|| format!("{} as ONNX", bundle.name()))?;
        model.expanded = Some(expanded);
        model.engines = ENGINES
            .iter()
            .filter(|engine| engine.folder != CANDLE)
            .collect();
        Ok(model)
    }

    /// A graph, of which candle runs what lies between the layers.
    ///
    /// # Errors
    /// When it has no weights.
    pub fn of_graph(graph: &'a ExportedGraph, vectors: usize) -> Result<Self> {
        let mut model = Self::new(&graph.bundle, vectors)?;
        model.onnx.clone_from(&graph.onnx);
        model.expanded.clone_from(&graph.tensors);
        let runs = |engine: &&InferenceEngine| match engine.folder {
            CANDLE | YARDSTICK => true,
            TFJS => graph.tensors.is_some(),
            _ => false,
        };
        model.engines = ENGINES.iter().filter(runs).collect();
        Ok(model)
    }

    fn new(bundle: &'a Bundle, vectors: usize) -> Result<Self> {
        let weights = bundle
            .weights()
            .with_context(|| format!("{} is a formula", bundle.name()))?;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        Ok(Self {
            bundle,
            weights,
            stored: weights::read_stored(FILE, weights)?,
            onnx: Vec::new(),
            expanded: None,
            zs: (0..vectors).map(|_| bundle.sample(&mut rng)).collect(),
            engines: Vec::new(),
        })
    }

    /// The engines that run it, ours first.
    pub fn engines(&self) -> &[&'static InferenceEngine] {
        &self.engines
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
                Values::Int8 { steps, .. } if steps.is_empty() => "int8",
                Values::Int8 { .. } => "int4",
            };
            *counts.entry(precision).or_insert(0) += values.len();
        }
        let counts = counts.iter().map(|(name, count)| format!("{count} {name}"));
        counts.collect::<Vec<_>>().join(", ")
    }

    /// Number of weights.
    pub fn parameters(&self) -> usize {
        self.stored.values().map(|(_, values)| values.len()).sum()
    }

    /// Puts its files where the page fetches them.
    pub fn put(&self, files: &mut SiteFiles) -> Result<()> {
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
        if let Some(expanded) = &self.expanded {
            put("expanded.safetensors", weights::write(FILE, expanded)?);
        }
        put("model.onnx", self.onnx.clone());
        Ok(())
    }
}

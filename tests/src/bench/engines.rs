//! The engines that are compared, as `cargo xtask bench` puts them together.

use std::path::Path;

use anyhow::{Context, Result};

/// One way to decode in a browser.
pub struct InferenceEngine {
    /// Its folder, and its name in the page.
    pub folder: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Whether it is ours.
    pub ours: bool,
}

/// What the others' times are divided by.
pub const YARDSTICK: &str = "onnxruntime";

/// Ours for decoders that do not compile to a plan.
pub const CANDLE: &str = "decoder_candle";
/// What others write decoders for by hand.
pub const TFJS: &str = "tfjs";

/// All of them, in the order of the table.
pub const ENGINES: [InferenceEngine; 6] = [
    InferenceEngine {
        folder: "decoder_simd",
        title: "ours, simd128",
        ours: true,
    },
    InferenceEngine {
        folder: "decoder_relaxed",
        title: "ours, relaxed SIMD",
        ours: true,
    },
    InferenceEngine {
        folder: CANDLE,
        title: "ours, candle",
        ours: true,
    },
    InferenceEngine {
        folder: YARDSTICK,
        title: "ONNX Runtime Web, wasm",
        ours: false,
    },
    InferenceEngine {
        folder: TFJS,
        title: "TensorFlow.js, wasm",
        ours: false,
    },
    InferenceEngine {
        folder: "plain_candle",
        title: "candle's own layers",
        ours: false,
    },
];

impl InferenceEngine {
    /// Bytes of its JavaScript and wasm as sent with brotli.
    ///
    /// # Errors
    /// When its folder, or the compressed twin of a file, is missing.
    pub fn first_load_bytes(&self, engines: &Path) -> Result<u64> {
        let folder = engines.join(self.folder);
        let listed = folder
            .read_dir()
            .with_context(|| format!("{} is missing", folder.display()))?;
        let mut bytes = 0;
        for entry in listed {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "br") {
                bytes += path.metadata()?.len();
            }
        }
        anyhow::ensure!(bytes > 0, "nothing in {} is compressed", folder.display());
        Ok(bytes)
    }
}

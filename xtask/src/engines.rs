//! The engines that `bench decode` compares: our decoder module in its two builds, and its peers.

use crate::compress::{self, Compressor, write_if_changed};
use crate::frontend::{build_measured, files_below};
use crate::process::{run, step};
use crate::{browser, layout};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Files of npm packages, by where they lie in `node_modules` and which engine needs them.
const FROM_NPM: [(&str, &str); 3] = [
    (
        "onnxruntime",
        "onnxruntime-web/dist/ort.wasm.bundle.min.mjs",
    ),
    (
        "onnxruntime",
        "onnxruntime-web/dist/ort-wasm-simd-threaded.wasm",
    ),
    (
        "tfjs",
        "@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm",
    ),
];

/// Puts the page and a folder for each engine below [`layout::engines`], where the benchmark
/// serves them from, with the compressed twins that say what their first load takes.
///
/// # Errors
/// When something does not compile, or cannot be installed, read or written.
pub fn assemble() -> Result<()> {
    clear()?;
    let peers = layout::peers();
    browser::install_npm_packages(&peers)?;
    for (name, bindings) in build_measured()? {
        put(name, &format!("{name}.js"), bindings.js.as_bytes())?;
        put(name, &format!("{name}_bg.wasm"), &bindings.wasm)?;
    }
    let modules = peers.join("node_modules");
    for (engine, path) in FROM_NPM {
        let file = path.rsplit('/').next().unwrap_or(path);
        put(engine, file, &read(&modules.join(path))?)?;
    }
    let bundle = layout::target().join("tfjs.js");
    run(Command::new(modules.join(".bin/esbuild"))
        .args([
            "tfjs.js",
            "--bundle",
            "--minify",
            "--format=esm",
            "--target=es2022",
        ])
        .arg("--log-level=warning")
        .arg(format!("--outfile={}", bundle.display()))
        .current_dir(&peers))
    .context("TensorFlow.js cannot be bundled")?;
    put("tfjs", "tfjs.js", &read(&bundle)?)?;
    for (name, content) in files_below(&peers.join("page"))? {
        put("page", &name, &content)?;
    }
    compress_all()
}

/// An engine's folder holds what it holds now, and nothing that an older version had.
fn clear() -> Result<()> {
    let engines = layout::engines();
    if engines.is_dir() {
        fs::remove_dir_all(&engines)
            .with_context(|| format!("cannot remove {}", engines.display()))?;
    }
    Ok(())
}

fn put(engine: &str, file: &str, content: &[u8]) -> Result<()> {
    write_if_changed(&layout::engines().join(engine).join(file), content)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn compress_all() -> Result<()> {
    step("compressing the engines (the first time takes a minute)");
    let cache = layout::target().join("compressed");
    let compressor = Compressor::new(cache, compress::BEST)?;
    for (name, content) in files_below(&layout::engines())? {
        if compress::is_worthwhile(&name, &content) {
            compressor.write_twins(&layout::engines().join(name), &content)?;
        }
    }
    Ok(())
}

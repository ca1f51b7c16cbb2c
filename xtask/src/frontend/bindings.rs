//! What lies between a wasm module and the page: JavaScript, made by wasm-bindgen.

use super::files_below;
use crate::compress::content_hash;
use crate::layout;
use crate::process::{note, step};
use crate::short_names::ShortNames;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;
use wasm_bindgen_cli_support::Bindgen;

/// A module as wasm-bindgen left it.
pub struct Bindings {
    /// The JavaScript module that loads and wraps the wasm module.
    pub js: String,
    /// The wasm module.
    pub wasm: Vec<u8>,
    /// JavaScript that crates brought along, by its path below `snippets/`.
    pub snippets: BTreeMap<String, Vec<u8>>,
}

/// Runs wasm-bindgen unless `folder` holds its result for exactly this module.
///
/// # Errors
/// When a file cannot be read or written, or wasm-bindgen fails.
pub fn bind(name: &str, wasm: &Path, folder: &Path) -> Result<()> {
    let bytes = fs::read(wasm).with_context(|| format!("cannot read {}", wasm.display()))?;
    let input = format!("{} {}", content_hash(&bytes), built_at()?);
    let stamp = folder.join("input.txt");
    if fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == input) {
        note("bindings are up to date");
        return Ok(());
    }
    step(&format!("binding {name} to JavaScript (wasm-bindgen)"));
    // Snippets of an older module must not stay.
    if folder.is_dir() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let mut bindgen = Bindgen::new();
    let mut output = bindgen
        .input_bytes(name, bytes)
        .web(true)?
        .typescript(false)
        // Names and producers are for debuggers; they are a sixth of the module.
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate_output()
        .context("wasm-bindgen failed; are wasm-bindgen and wasm-bindgen-cli-support the same version in Cargo.lock?")?;
    // Both files are written with the long names, so both are changed.
    let mut names = ShortNames::default();
    let module = output.wasm_mut();
    for import in module.imports.iter_mut() {
        import.name = names.of(&import.name);
    }
    for export in module.exports.iter_mut() {
        export.name = names.of(&export.name);
    }
    output
        .emit(folder)
        .with_context(|| format!("cannot write bindings to {}", folder.display()))?;
    let js = folder.join(format!("{name}.js"));
    let long = fs::read_to_string(&js).with_context(|| format!("cannot read {}", js.display()))?;
    fs::write(&js, names.replace_in(&long))
        .with_context(|| format!("cannot write {}", js.display()))?;
    fs::write(&stamp, input).with_context(|| format!("cannot write {}", stamp.display()))
}

/// When this program was built: a new one may have another wasm-bindgen, or other options for it.
fn built_at() -> Result<String> {
    let (_, built) = layout::xtask().context("when was xtask built?")?;
    Ok(built.duration_since(UNIX_EPOCH)?.as_millis().to_string())
}

/// What wasm-bindgen left in a folder.
///
/// # Errors
/// When a file cannot be read.
pub fn read(name: &str, folder: &Path) -> Result<Bindings> {
    let read = |file: String| {
        let path = folder.join(file);
        fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let js = String::from_utf8(read(format!("{name}.js"))?)
        .context("wasm-bindgen's JavaScript is not UTF-8")?;
    let wasm = read(format!("{name}_bg.wasm"))?;
    let snippets = files_below(&folder.join("snippets"))?;
    Ok(Bindings { js, wasm, snippets })
}

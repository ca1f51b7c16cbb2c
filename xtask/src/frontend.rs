//! The browser app: compiled to wasm, then bound to JavaScript by wasm-bindgen.

use crate::compress::content_hash;
use crate::process::{note, run, step};
use crate::toolchain::Toolchain;
use crate::{layout, toolchain};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use wasm_bindgen_cli_support::Bindgen;

/// The name of the files that wasm-bindgen writes.
const OUT_NAME: &str = "redial";
/// The cargo profile, see the workspace's Cargo.toml.
const PROFILE: &str = "wasm-release";

/// The app as wasm-bindgen left it.
pub struct Bindings {
    /// The JavaScript module that loads and wraps the wasm module.
    pub js: String,
    /// The wasm module.
    pub wasm: Vec<u8>,
    /// JavaScript that crates brought along, by its path below `snippets/`.
    pub snippets: BTreeMap<String, Vec<u8>>,
}

/// Compiles the app and makes its bindings; both are skipped when nothing has changed.
///
/// # Errors
/// When there is no wasm compiler, or the app does not compile.
pub fn build() -> Result<Bindings> {
    let toolchain = toolchain::check()?;
    let wasm = compile(toolchain)?;
    let folder = layout::wasm_target().join("bindgen");
    bind(&wasm, &folder)?;
    read(&folder)
}

fn compile(toolchain: Toolchain) -> Result<PathBuf> {
    let profile_dir = layout::wasm_target().join(toolchain::TARGET).join(PROFILE);
    let patience = if profile_dir.is_dir() {
        ""
    } else {
        ", the first time takes several minutes"
    };
    step(&format!("building the browser app (wasm32{patience})"));
    run(toolchain
        .cargo("build")
        .args([
            "--package",
            "frontend",
            "--profile",
            PROFILE,
            "--target-dir",
        ])
        .arg(layout::wasm_target()))
    .context("the browser app does not compile")?;
    Ok(profile_dir.join("frontend.wasm"))
}

/// Runs wasm-bindgen unless `folder` holds its result for exactly this module.
fn bind(wasm: &Path, folder: &Path) -> Result<()> {
    let bytes = fs::read(wasm).with_context(|| format!("cannot read {}", wasm.display()))?;
    let input = format!("{} {}", content_hash(&bytes), built_at()?);
    let stamp = folder.join("input.txt");
    if fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == input) {
        note("bindings are up to date");
        return Ok(());
    }
    step("binding the wasm module to JavaScript (wasm-bindgen)");
    // Snippets of an older module must not stay.
    if folder.is_dir() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let mut bindgen = Bindgen::new();
    bindgen
        .input_bytes(OUT_NAME, bytes)
        .web(true)?
        .typescript(false)
        // Names and producers are for debuggers; they are a sixth of the module.
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
        .context("wasm-bindgen failed; are wasm-bindgen and wasm-bindgen-cli-support the same version in Cargo.lock?")?;
    fs::write(&stamp, input).with_context(|| format!("cannot write {}", stamp.display()))
}

/// When this program was built: a new one may have another wasm-bindgen, or other options for it.
fn built_at() -> Result<String> {
    let modified = std::env::current_exe()?.metadata()?.modified()?;
    Ok(format!(
        "{}",
        modified.duration_since(UNIX_EPOCH)?.as_millis()
    ))
}

fn read(folder: &Path) -> Result<Bindings> {
    let read = |name: String| {
        let path = folder.join(name);
        fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let js = String::from_utf8(read(format!("{OUT_NAME}.js"))?)
        .context("wasm-bindgen's JavaScript is not UTF-8")?;
    let wasm = read(format!("{OUT_NAME}_bg.wasm"))?;
    let snippets = files_below(&folder.join("snippets"))?;
    Ok(Bindings { js, wasm, snippets })
}

/// Every file below a folder by its path in it, with `/` between the parts; nothing if the folder
/// does not exist. Hidden files are left out.
///
/// # Errors
/// When a folder or file cannot be read.
pub fn files_below(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut pending = vec![(folder.to_path_buf(), String::new())];
    while let Some((dir, prefix)) = pending.pop() {
        if !dir.is_dir() {
            continue;
        }
        let entries =
            fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {}", dir.display()))?;
            let file_name = entry.file_name().to_string_lossy().into_owned();
            if file_name.starts_with('.') {
                continue;
            }
            let (path, name) = (entry.path(), format!("{prefix}{file_name}"));
            if path.is_dir() {
                pending.push((path, format!("{name}/")));
            } else {
                let content =
                    fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                files.insert(name, content);
            }
        }
    }
    Ok(files)
}

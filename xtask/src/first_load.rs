//! The downloads of a browser that opens the app for the first time.

use crate::frontend::files_below;
use crate::layout::{ASSETS, PAGE, TEXTS};
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What of the first visit a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstLoadPart {
    /// The page, its style sheets and pictures.
    Page,
    /// The app: its JavaScript and wasm.
    App,
    /// The decoder module, fetched while the first page is read.
    Decoder,
    /// The module with candle, fetched only for a model whose layers do not compile to a plan.
    Candle,
    /// What records sound, fetched only in a lab session that does.
    Recorder,
}

/// A file as a browser gets it.
#[derive(Debug)]
pub struct SentFile {
    /// Path in `dist/`.
    pub name: String,
    /// Bytes as sent: brotli where there is a twin.
    pub bytes: u64,
    /// What it belongs to.
    pub part: FirstLoadPart,
}

/// What a browser downloads when it opens the app for the first time.
pub struct FirstLoad(Vec<SentFile>);

impl FirstLoad {
    /// Every file.
    pub fn files(&self) -> &[SentFile] {
        &self.0
    }

    /// Bytes of one part.
    pub fn total(&self, part: FirstLoadPart) -> u64 {
        let files = self.0.iter().filter(|file| file.part == part);
        files.map(|file| file.bytes).sum()
    }
}

/// Follows the page's references to assets, through style sheets and scripts. Of the two builds of
/// the plans' kernels only the one with relaxed SIMD is counted, which is what most browsers take.
///
/// # Errors
/// When `dist/` is incomplete.
pub fn first_load_bytes(dist: &Path) -> Result<FirstLoad> {
    let files = files_below(dist)?;
    let mut found = BTreeSet::from([PAGE.to_owned()]);
    let mut pending = vec![PAGE.to_owned()];
    while let Some(name) = pending.pop() {
        let content = files
            .get(&name)
            .with_context(|| format!("dist/{name} is missing; run `cargo xtask build`"))?;
        if !name.ends_with(".html") && !name.ends_with(".css") && !name.ends_with(".js") {
            continue;
        }
        let text = String::from_utf8_lossy(content);
        for asset in files.keys().filter(|asset| asset.starts_with(ASSETS)) {
            let other_build = asset.contains("/decoder_simd");
            // Fetched only where somebody reads that language.
            let other_language = asset.starts_with(&format!("{ASSETS}/{TEXTS}"));
            // Assets name each other by paths relative to themselves.
            let path = asset.strip_prefix(&format!("{ASSETS}/")).unwrap_or(asset);
            let named = text.contains(path);
            if named && !other_build && !other_language && found.insert(asset.clone()) {
                pending.push(asset.clone());
            }
        }
    }
    let sent = |name: String| SentFile {
        bytes: bytes_sent(&files, &name),
        part: part(&name),
        name,
    };
    Ok(FirstLoad(found.into_iter().map(sent).collect()))
}

/// Bytes of a module as sent: its JavaScript and wasm.
///
/// # Errors
/// When `dist/` cannot be read, or has no such module.
pub fn module_bytes(dist: &Path, module: &str) -> Result<u64> {
    let files = files_below(dist)?;
    let is_part = |name: &&String| {
        name.strip_prefix(&format!("{ASSETS}/{module}"))
            .is_some_and(|rest| {
                (rest.starts_with('-') && rest.ends_with(".js"))
                    || (rest.starts_with("_bg-") && rest.ends_with(".wasm"))
            })
    };
    let parts: Vec<&String> = files.keys().filter(is_part).collect();
    ensure!(
        parts.len() == 2,
        "dist/ has no module {module}; run `cargo xtask build`"
    );
    Ok(parts.into_iter().map(|name| bytes_sent(&files, name)).sum())
}

/// Bytes of a file as sent: of its twin in brotli, where there is one.
fn bytes_sent(files: &BTreeMap<String, Vec<u8>>, name: &str) -> u64 {
    let twin = files.get(&format!("{name}.br"));
    let content = twin.or_else(|| files.get(name));
    content.map_or(0, |content| content.len() as u64)
}

/// What a file in `dist/` belongs to, by its name.
fn part(name: &str) -> FirstLoadPart {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "js" | "wasm" if name.contains("/decoder_candle") => FirstLoadPart::Candle,
        "js" | "wasm" if name.contains("/decoder_") => FirstLoadPart::Decoder,
        "js" if name.contains("/recorder-") => FirstLoadPart::Recorder,
        "js" | "wasm" => FirstLoadPart::App,
        _ => FirstLoadPart::Page,
    }
}

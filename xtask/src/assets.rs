//! `dist/`: the site as the server serves it.
//!
//! Every file gets the hash of its content into its name, so that browsers may keep it for ever;
//! only the page and the service worker keep theirs. Text files may refer to others by
//! placeholders, see [`Site::resolve`]. Compressed twins lie beside what gains from them.

use crate::compress::{self, Compressor, content_hash, write_if_changed};
use crate::first_load::{FirstLoadPart, first_load_bytes};
use crate::frontend::{self, Bindings, files_below};
use crate::layout::{ASSETS, DOCS, PAGE, TEXTS};
use crate::process::{note, step};
use crate::{layout, template};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The pages of the apps beside the participant's: what each is made from, and its name in `dist/`.
const OTHER_PAGES: [(&str, &str); 2] = [
    ("lab/lab.html", "lab.html"),
    ("research/research.html", "research.html"),
];
/// The folders of what these pages alone need.
const OF_OTHER_PAGES: [&str; 2] = ["lab/", "research/"];

/// Whether a file of `static/` is one of the other pages.
fn is_other_page(name: &str) -> bool {
    OTHER_PAGES.iter().any(|(source, _)| *source == name)
}

/// The service worker; its scope is the folder it is served from, so it lies at the top.
const SERVICE_WORKER: &str = "sw.js";

/// Puts `dist/` together from the modules, by name, the folder `static/`, and the documentation.
///
/// # Errors
/// When a placeholder names nothing, or a file cannot be read or written.
pub fn assemble(
    modules: &BTreeMap<String, Bindings>,
    docs: BTreeMap<String, Vec<u8>>,
    brotli_quality: u32,
) -> Result<()> {
    step("assembling dist/ (hashed names, gzip and brotli)");
    let mut sources = files_below(&layout::static_files())?;
    sources.extend(texts()?);
    let mut files = Site::new(modules, sources).build()?;
    let below = |(name, content)| (format!("{DOCS}/{name}"), content);
    files.extend(docs.into_iter().map(below));
    let cache = layout::target().join("compressed");
    write(
        &files,
        &layout::dist(),
        &Compressor::new(cache, brotli_quality)?,
    )?;
    let first_load = first_load_bytes(&layout::dist())?;
    let app = first_load.total(FirstLoadPart::App);
    let all =
        app + first_load.total(FirstLoadPart::Page) + first_load.total(FirstLoadPart::Decoder);
    note(&format!(
        "{} files; app {} kB, with style sheets, page and a decoder {} kB (brotli)",
        files.len(),
        app / 1000,
        all / 1000
    ));
    Ok(())
}

/// Files of texts that are a part of an app: English, and the words of the researcher's area.
const IN_APPS: [&str; 2] = ["en.json", "research.json"];

/// The app's texts in other languages than English, which is in the app: what is fetched only
/// where somebody reads that language.
fn texts() -> Result<BTreeMap<String, Vec<u8>>> {
    let files = files_below(&layout::texts())?;
    let others = files
        .into_iter()
        .filter(|(name, _)| !IN_APPS.contains(&name.as_str()));
    others
        .map(|(name, content)| {
            let value: serde_json::Value = serde_json::from_slice(&content)
                .with_context(|| format!("in {}", layout::texts().join(&name).display()))?;
            Ok((format!("{TEXTS}{name}"), serde_json::to_vec(&value)?))
        })
        .collect()
}

/// A site under construction.
struct Site {
    /// Files of `static/` by name.
    sources: BTreeMap<String, Vec<u8>>,
    /// Finished files by their path in `dist/`.
    files: BTreeMap<String, Vec<u8>>,
    /// URLs of finished assets by source name.
    urls: BTreeMap<String, String>,
    /// Names of the files that are being filled, outermost first.
    open: Vec<String>,
    /// Files of `static/` that the participant's page has in itself, or in one file of styles.
    in_page: BTreeSet<String>,
    /// URLs of each module's JavaScript and wasm, by the module's name.
    modules: BTreeMap<String, (String, String)>,
}

impl Site {
    fn new(modules: &BTreeMap<String, Bindings>, sources: BTreeMap<String, Vec<u8>>) -> Self {
        let mut site = Self {
            sources,
            files: BTreeMap::new(),
            urls: BTreeMap::new(),
            open: Vec::new(),
            in_page: BTreeSet::new(),
            modules: BTreeMap::new(),
        };
        for (name, bindings) in modules {
            let urls = site.add_module(name, bindings);
            site.modules.insert(name.clone(), urls);
        }
        site.stand_in();
        site
    }

    /// Addresses for modules that are not built yet. The first decoder stands in for the one with
    /// relaxed SIMD; at the others' there is nothing, and the page says that a part of it could not be
    /// loaded.
    fn stand_in(&mut self) {
        if let Some(urls) = self.modules.get(frontend::DECODER).cloned() {
            let relaxed = frontend::RELAXED_DECODER.to_owned();
            self.modules.entry(relaxed).or_insert(urls);
        }
        for name in [
            frontend::CANDLE_DECODER,
            frontend::EXPERIMENTER,
            frontend::RESEARCHER,
            frontend::REPLAY,
        ] {
            let address = |end: &str| format!("/{ASSETS}/{name}-is-not-built-yet.{end}");
            let nothing = || (address("js"), address("wasm"));
            self.modules.entry(name.to_owned()).or_insert_with(nothing);
        }
    }

    fn add_module(&mut self, name: &str, bindings: &Bindings) -> (String, String) {
        let own_wasm = format!("{name}_bg.wasm");
        let wasm = self.add_asset(&own_wasm, bindings.wasm.clone());
        // The module finds its wasm by a path relative to itself.
        let mut js = bindings
            .js
            .replace(&own_wasm, wasm.rsplit('/').next().unwrap_or_default());
        if !bindings.snippets.is_empty() {
            let all: Vec<u8> = bindings.snippets.values().flatten().copied().collect();
            let folder = format!("snippets-{}", content_hash(&all));
            js = js.replace("./snippets/", &format!("./{folder}/"));
            for (name, content) in &bindings.snippets {
                self.files
                    .insert(format!("{ASSETS}/{folder}/{name}"), content.clone());
            }
        }
        (self.add_asset(&format!("{name}.js"), js.into_bytes()), wasm)
    }

    /// All files by their path in `dist/`.
    fn build(mut self) -> Result<BTreeMap<String, Vec<u8>>> {
        let names: Vec<String> = self.sources.keys().cloned().collect();
        for name in names
            .iter()
            .filter(|name| ![PAGE, SERVICE_WORKER].contains(&name.as_str()) && !is_other_page(name))
        {
            self.asset_url(name)?;
        }
        if !self.sources.contains_key(PAGE) {
            bail!("static/{PAGE} is missing; it is the page that loads the app");
        }
        let page = self.filled(PAGE)?;
        for (source, name) in OTHER_PAGES {
            if self.sources.contains_key(source) {
                let page = self.filled(source)?;
                self.files.insert(name.to_owned(), page);
            }
        }
        let is_page = |path: &str| OTHER_PAGES.iter().any(|(_, name)| *name == path);
        let assets = self.files.keys().filter(|path| !is_page(path));
        let assets: Vec<String> = assets.map(|path| format!("/{path}")).collect();
        let version = content_hash(&[assets.join("\n").as_bytes(), &page].concat());
        // Of the other modules the service worker takes those that its browser understands.
        let chosen_there = |asset: &String| {
            let mut others = self
                .modules
                .iter()
                .filter(|(name, _)| *name != frontend::APP);
            others.any(|(_, (js, wasm))| asset == js || asset == wasm)
        };
        // The app keeps the texts that its participant reads.
        let text = |asset: &String| asset.starts_with(&format!("/{ASSETS}/{TEXTS}"));
        let of_other_page = |asset: &String| {
            let starts = |folder: &&str| asset.starts_with(&format!("/{ASSETS}/{folder}"));
            OF_OTHER_PAGES.iter().any(starts)
        };
        let in_page = self.in_page.iter();
        let in_page: Vec<&String> = in_page.filter_map(|name| self.urls.get(name)).collect();
        let precache: Vec<String> = assets
            .into_iter()
            .filter(|asset| !chosen_there(asset) && !text(asset) && !of_other_page(asset))
            .filter(|asset| !in_page.contains(&asset))
            .map(|asset| format!(".{asset}"))
            .collect();
        self.files.insert(PAGE.to_owned(), page);
        if self.sources.contains_key(SERVICE_WORKER) {
            // Known only now, which is why no other file can have them.
            self.urls
                .insert("{precache}".to_owned(), serde_json::to_string(&precache)?);
            self.urls.insert("{version}".to_owned(), version);
            let worker = self.filled(SERVICE_WORKER)?;
            self.files.insert(SERVICE_WORKER.to_owned(), worker);
        }
        Ok(self.files)
    }

    /// The URL of a file of `static/`, which is filled and stored on the way.
    fn asset_url(&mut self, name: &str) -> Result<String> {
        if let Some(url) = self.urls.get(name) {
            return Ok(url.clone());
        }
        let content = self.filled(name)?;
        let url = self.add_asset(name, content);
        self.urls.insert(name.to_owned(), url.clone());
        Ok(url)
    }

    /// The content of a file of `static/`.
    fn source(&self, name: &str) -> Result<Vec<u8>> {
        let content = self.sources.get(name).cloned();
        content.with_context(|| {
            let known: Vec<&str> = self.sources.keys().map(String::as_str).collect();
            format!("there is no static/{name}; there are {}", known.join(", "))
        })
    }

    /// The content of a file of `static/` with its placeholders replaced.
    fn filled(&mut self, name: &str) -> Result<Vec<u8>> {
        let content = self.source(name)?;
        if self.open.iter().any(|open| open == name) {
            bail!(
                "{} -> {name} goes in a circle: a hash cannot contain itself",
                self.open.join(" -> ")
            );
        }
        if !compress::is_compressible(name) {
            return Ok(content);
        }
        let text = match String::from_utf8(content) {
            Ok(text) => text,
            Err(no_text) => return Ok(no_text.into_bytes()),
        };
        self.open.push(name.to_owned());
        let filled = template::fill(&text, |inner| self.resolve(inner))
            .with_context(|| format!("in static/{name}"))?;
        self.open.pop();
        Ok(filled.into_bytes())
    }

    /// What a placeholder stands for: `asset:NAME` the URL of `static/NAME`, `styles:NAME+NAME` that of one
    /// file with these style sheets, which a browser then does not fetch one by one, `inline:NAME+NAME` the
    /// text of files, for a page that cannot wait for them, `js:NAME` and `wasm:NAME` the URLs of a module, `texts` a JSON object with the URL of the texts in each
    /// language, and in the service worker `precache` a JSON array of the
    /// URLs of all assets of the participant's page but the modules beside the app, and `version` a hash that changes with
    /// any asset.
    ///
    /// Assets and the service worker say where an asset is relative to themselves, since the whole site
    /// may lie below a path. Into pages, which have many addresses, the server writes that path.
    fn resolve(&mut self, inner: &str) -> Result<String> {
        let from = self.open.last().cloned().unwrap_or_default();
        let url = self.absolute(inner)?;
        let below = format!("/{ASSETS}/");
        Ok(match url.strip_prefix(&below) {
            Some(path) if from == SERVICE_WORKER => format!("./{ASSETS}/{path}"),
            Some(path) if from != PAGE && !is_other_page(&from) => {
                match from.matches('/').count() {
                    0 => format!("./{path}"),
                    depth => format!("{}{path}", "../".repeat(depth)),
                }
            }
            _ => url,
        })
    }

    /// The same with every URL from the top of the site.
    fn absolute(&mut self, inner: &str) -> Result<String> {
        let module = |name: &str| {
            let known = self.modules.keys().cloned().collect::<Vec<_>>().join(", ");
            let found = self.modules.get(name);
            found.with_context(|| format!("there is no module {name}; there are {known}"))
        };
        match inner.split_once(':') {
            Some(("asset", name)) => self.asset_url(name),
            Some(("styles", names)) => {
                let mut all = Vec::new();
                for name in names.split('+').map(|name| format!("{name}.css")) {
                    // Every one is an asset, too, for the other pages.
                    self.asset_url(&name)?;
                    all.extend(self.filled(&name)?);
                    self.in_page.insert(name);
                }
                Ok(self.add_asset("styles.css", all))
            }
            Some(("inline", names)) => {
                let mut all = String::new();
                for name in names.split('+') {
                    let content = self.source(name)?;
                    let text = String::from_utf8(content)
                        .with_context(|| format!("static/{name} is no text"))?;
                    all += &template::fill(&text, |inner| self.absolute(inner))
                        .with_context(|| format!("in static/{name}"))?;
                    self.in_page.insert(name.to_owned());
                }
                Ok(all)
            }
            Some(("js", name)) => Ok(module(name)?.0.clone()),
            Some(("wasm", name)) => Ok(module(name)?.1.clone()),
            None if inner == "texts" => {
                let names: Vec<String> = self.sources.keys().cloned().collect();
                let mut urls = BTreeMap::new();
                for name in names {
                    let file = name.strip_prefix(TEXTS).map(str::to_owned);
                    if let Some(language) = file.as_deref().and_then(|f| f.strip_suffix(".json")) {
                        urls.insert(language.to_owned(), self.asset_url(&name)?);
                    }
                }
                Ok(serde_json::to_string(&urls)?)
            }
            None if inner == "precache" || inner == "version" => {
                let value = self.urls.get(&format!("{{{inner}}}"));
                value
                    .cloned()
                    .with_context(|| format!("only {SERVICE_WORKER} has this"))
            }
            _ => bail!(
                "known are {{{{asset:NAME}}}}, {{{{styles:NAME+NAME}}}}, {{{{inline:NAME+NAME}}}}, {{{{js:NAME}}}}, {{{{wasm:NAME}}}} and {{{{texts}}}}"
            ),
        }
    }

    fn add_asset(&mut self, name: &str, content: Vec<u8>) -> String {
        let path = format!("{ASSETS}/{}", hashed_name(name, &content_hash(&content)));
        self.files.insert(path.clone(), content);
        format!("/{path}")
    }
}

/// `fonts/a.woff2` and `12ab` give `fonts/a-12ab.woff2`.
fn hashed_name(name: &str, hash: &str) -> String {
    let (folder, file) = name
        .rsplit_once('/')
        .map_or(("", name), |(folder, file)| (folder, file));
    let slash = if folder.is_empty() { "" } else { "/" };
    match file.split_once('.') {
        Some((stem, extensions)) => format!("{folder}{slash}{stem}-{hash}.{extensions}"),
        None => format!("{folder}{slash}{file}-{hash}"),
    }
}

/// Writes the files and their twins, the page last, then removes what is no longer part of it.
///
/// # Errors
/// When a file cannot be written or removed.
pub fn write(
    files: &BTreeMap<String, Vec<u8>>,
    dist: &Path,
    compressor: &Compressor,
) -> Result<()> {
    let mut kept = BTreeSet::new();
    let (page, others): (Vec<_>, Vec<_>) = files.iter().partition(|(name, _)| *name == PAGE);
    for (name, content) in others.into_iter().chain(page) {
        let path = dist.join(name);
        write_if_changed(&path, content)?;
        kept.insert(name.clone());
        if compress::is_worthwhile(name, content) {
            compressor.write_twins(&path, content)?;
            kept.extend([format!("{name}.gz"), format!("{name}.br")]);
        }
    }
    for name in files_below(dist)?
        .into_keys()
        .filter(|name| !kept.contains(name))
    {
        let path = dist.join(name);
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! `dist/`: the site as the server serves it.
//!
//! Every file gets the hash of its content into its name, so that browsers may keep it for ever;
//! only the page and the service worker keep theirs. Text files may refer to others by
//! placeholders, see [`Site::resolve`]. Compressed twins lie beside what gains from them.

use crate::compress::{self, Compressor, content_hash, write_if_changed};
use crate::frontend::{self, Bindings, files_below};
use crate::process::{note, step};
use crate::{layout, template};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The page, the same for every address of the app.
const PAGE: &str = "index.html";
/// The service worker; its scope is the folder it is served from, so it lies at the top.
const SERVICE_WORKER: &str = "sw.js";
const ASSETS: &str = "assets";

/// Puts `dist/` together from the modules, by name, and the folder `static/`.
///
/// # Errors
/// When a placeholder names nothing, or a file cannot be read or written.
pub fn assemble(modules: &BTreeMap<String, Bindings>, brotli_quality: u32) -> Result<()> {
    step("assembling dist/ (hashed names, gzip and brotli)");
    let files = Site::new(modules, files_below(&layout::static_files())?).build()?;
    let cache = layout::target().join("compressed");
    write(
        &files,
        &layout::dist(),
        &Compressor::new(cache, brotli_quality)?,
    )?;
    let first_load = first_load_bytes(&layout::dist())?;
    note(&format!(
        "{} files; app {} kB, with style sheets, page and a decoder {} kB (brotli)",
        files.len(),
        first_load.total(Part::App) / 1000,
        first_load
            .files()
            .iter()
            .map(|file| file.bytes)
            .sum::<u64>()
            / 1000
    ));
    Ok(())
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
            modules: BTreeMap::new(),
        };
        for (name, bindings) in modules {
            let urls = site.add_module(name, bindings);
            site.modules.insert(name.clone(), urls);
        }
        site
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
            .filter(|name| *name != PAGE && *name != SERVICE_WORKER)
        {
            self.asset_url(name)?;
        }
        if !self.sources.contains_key(PAGE) {
            bail!("static/{PAGE} is missing; it is the page that loads the app");
        }
        let page = self.filled(PAGE)?;
        let assets: Vec<String> = self.files.keys().map(|path| format!("/{path}")).collect();
        let version = content_hash(&[assets.join("\n").as_bytes(), &page].concat());
        // Of the other modules the service worker takes those that its browser understands.
        let chosen_there = |asset: &String| {
            let mut others = self
                .modules
                .iter()
                .filter(|(name, _)| *name != frontend::APP);
            others.any(|(_, (js, wasm))| asset == js || asset == wasm)
        };
        let precache: Vec<String> = assets
            .into_iter()
            .filter(|asset| !chosen_there(asset))
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

    /// The content of a file of `static/` with its placeholders replaced.
    fn filled(&mut self, name: &str) -> Result<Vec<u8>> {
        let Some(content) = self.sources.get(name) else {
            let known: Vec<&str> = self.sources.keys().map(String::as_str).collect();
            bail!("there is no static/{name}; there are {}", known.join(", "));
        };
        if self.open.iter().any(|open| open == name) {
            bail!(
                "{} -> {name} goes in a circle: a hash cannot contain itself",
                self.open.join(" -> ")
            );
        }
        if !compress::is_compressible(name) {
            return Ok(content.clone());
        }
        let Ok(text) = String::from_utf8(content.clone()) else {
            return Ok(content.clone());
        };
        self.open.push(name.to_owned());
        let filled = template::fill(&text, |inner| self.resolve(inner))
            .with_context(|| format!("in static/{name}"))?;
        self.open.pop();
        Ok(filled.into_bytes())
    }

    /// What a placeholder stands for: `asset:NAME` the URL of `static/NAME`, `js:NAME` and
    /// `wasm:NAME` those of a module, and in the service worker `precache` a JSON array of the
    /// URLs of all assets but the modules beside the app, and `version` a hash that changes with
    /// any asset.
    fn resolve(&mut self, inner: &str) -> Result<String> {
        let module = |name: &str| {
            let known = self.modules.keys().cloned().collect::<Vec<_>>().join(", ");
            let found = self.modules.get(name);
            found.with_context(|| format!("there is no module {name}; there are {known}"))
        };
        match inner.split_once(':') {
            Some(("asset", name)) => self.asset_url(name),
            Some(("js", name)) => Ok(module(name)?.0.clone()),
            Some(("wasm", name)) => Ok(module(name)?.1.clone()),
            None if inner == "precache" || inner == "version" => {
                let value = self.urls.get(&format!("{{{inner}}}"));
                value
                    .cloned()
                    .with_context(|| format!("only {SERVICE_WORKER} has this"))
            }
            _ => bail!("known are {{{{asset:NAME}}}}, {{{{js:NAME}}}} and {{{{wasm:NAME}}}}"),
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
fn write(files: &BTreeMap<String, Vec<u8>>, dist: &Path, compressor: &Compressor) -> Result<()> {
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

/// What of the first visit a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The page, its style sheets and pictures.
    Page,
    /// The app: its JavaScript and wasm.
    App,
    /// The decoder module, fetched while the first page is read.
    Decoder,
}

/// A file as a browser gets it.
#[derive(Debug)]
pub struct Sent {
    /// Path in `dist/`.
    pub name: String,
    /// Bytes as sent: brotli where there is a twin.
    pub bytes: u64,
    /// What it belongs to.
    pub part: Part,
}

/// What a browser downloads when it opens the app for the first time.
pub struct FirstLoad(Vec<Sent>);

impl FirstLoad {
    /// Every file.
    pub fn files(&self) -> &[Sent] {
        &self.0
    }

    /// Bytes of one part.
    pub fn total(&self, part: Part) -> u64 {
        let files = self.0.iter().filter(|file| file.part == part);
        files.map(|file| file.bytes).sum()
    }
}

/// Follows the page's references to assets, through style sheets and scripts. Of the decoder's
/// builds only the one with relaxed SIMD is counted, which is what most browsers take.
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
            let other_build = part(asset) == Part::Decoder && !asset.contains("relaxed");
            let named = text.contains(&format!("/{asset}"));
            if named && !other_build && found.insert(asset.clone()) {
                pending.push(asset.clone());
            }
        }
    }
    let sent = |name: String| {
        let content = files
            .get(&format!("{name}.br"))
            .or_else(|| files.get(&name));
        Sent {
            bytes: content.map_or(0, |content| content.len() as u64),
            part: part(&name),
            name,
        }
    };
    Ok(FirstLoad(found.into_iter().map(sent).collect()))
}

/// What a file in `dist/` belongs to, by its name.
fn part(name: &str) -> Part {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "js" | "wasm" if name.contains("/decoder_") => Part::Decoder,
        "js" | "wasm" => Part::App,
        _ => Part::Page,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn modules() -> BTreeMap<String, Bindings> {
        let app = Bindings {
            js: "import './snippets/a-1/x.js'; new URL('redial_bg.wasm', import.meta.url)".into(),
            wasm: b"\0asm".to_vec(),
            snippets: BTreeMap::from([("a-1/x.js".to_owned(), b"x()".to_vec())]),
        };
        let decoder = |build: &str| Bindings {
            js: format!("new URL('decoder_{build}_bg.wasm', import.meta.url)"),
            wasm: build.as_bytes().to_vec(),
            snippets: BTreeMap::new(),
        };
        [
            ("redial", app),
            ("decoder_simd", decoder("simd")),
            ("decoder_relaxed", decoder("relaxed")),
            ("decoder_candle", decoder("candle")),
        ]
        .map(|(name, bindings)| (name.to_owned(), bindings))
        .into()
    }

    fn build(sources: &[(&str, &str)]) -> Result<BTreeMap<String, String>> {
        let sources = sources
            .iter()
            .map(|(n, c)| ((*n).to_owned(), c.as_bytes().to_vec()));
        let files = Site::new(&modules(), sources.collect()).build()?;
        let text = |content: Vec<u8>| String::from_utf8_lossy(&content).into_owned();
        Ok(files
            .into_iter()
            .map(|(name, content)| (name, text(content)))
            .collect())
    }

    fn error(sources: &[(&str, &str)]) -> String {
        format!("{:#}", build(sources).unwrap_err())
    }

    #[test]
    fn references_are_rewritten_through_every_file() {
        let files = build(&[
            (
                "index.html",
                "<link href={{asset:style.css}}><script src={{js:redial}}>{{wasm:redial}}",
            ),
            ("style.css", "url({{asset:fonts/a.woff2}})"),
            ("fonts/a.woff2", "{{not a template}}"),
            ("sw.js", "{{version}} {{precache}}"),
        ])
        .unwrap();
        let path = |start: &str, end: &str| {
            files
                .keys()
                .find(|name| name.starts_with(start) && name.ends_with(end))
                .unwrap()
        };
        let font = path("assets/fonts/a-", ".woff2");
        let style = path("assets/style-", ".css");
        let wasm = path("assets/redial_bg-", ".wasm");
        let js = path("assets/redial-", ".js");
        let snippet = path("assets/snippets-", "/a-1/x.js");
        assert_eq!(files[style], format!("url(/{font})"));
        assert_eq!(
            files["index.html"],
            format!("<link href=/{style}><script src=/{js}>/{wasm}")
        );
        assert!(files[js].contains(wasm.strip_prefix("assets/").unwrap()));
        assert!(files[js].contains(snippet.strip_prefix("assets/").unwrap()));
        let (_, precache) = files["sw.js"].split_once(' ').unwrap();
        let precache: BTreeSet<String> = serde_json::from_str(precache).unwrap();
        let assets = [font, style, wasm, js, snippet].map(|name| format!("/{name}"));
        assert_eq!(
            precache,
            BTreeSet::from(assets),
            "all but the decoder's builds"
        );
    }

    #[test]
    fn the_version_changes_with_any_asset() {
        let version = |css: &str| {
            build(&[("index.html", ""), ("a.css", css), ("sw.js", "{{version}}")]).unwrap()["sw.js"]
                .clone()
        };
        assert_eq!(version("a{}"), version("a{}"));
        assert_ne!(version("a{}"), version("b{}"));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let message = error(&[("index.html", "\n{{asset:stile.css}}"), ("style.css", "")]);
        assert!(message.contains("static/index.html"), "{message}");
        assert!(message.contains("line 2"), "{message}");
        assert!(
            message.contains("there are index.html, style.css"),
            "{message}"
        );
        let circle = error(&[
            ("index.html", ""),
            ("a.css", "{{asset:b.css}}"),
            ("b.css", "{{asset:a.css}}"),
        ]);
        assert!(circle.contains("a.css -> b.css -> a.css"), "{circle}");
        assert!(error(&[("index.html", "{{precache}}")]).contains("only sw.js"));
        assert!(error(&[("index.html", "{{js:decoder}}")]).contains("there are decoder_candle, "));
        assert!(error(&[("a.css", "")]).contains("static/index.html is missing"));
    }

    #[test]
    fn names_keep_their_folder_and_extensions() {
        assert_eq!(hashed_name("style.css", "12ab"), "style-12ab.css");
        assert_eq!(hashed_name("fonts/a.woff2", "12ab"), "fonts/a-12ab.woff2");
        assert_eq!(hashed_name("x.min.js", "12ab"), "x-12ab.min.js");
        assert_eq!(hashed_name("LICENCE", "12ab"), "LICENCE-12ab");
    }

    #[test]
    fn writing_again_removes_what_is_gone_and_first_load_counts_brotli() {
        let dist = std::env::temp_dir().join(format!("redial-dist-{}", std::process::id()));
        let compressor = Compressor::new(dist.join(".cache"), compress::FAST).unwrap();
        let long = "a { color: red }\n".repeat(100);
        let site = |css: &str| {
            let page = "<link href={{asset:a.css}}><script src={{asset:boot.js}}>".to_owned();
            let boot = "{{js:redial}} {{wasm:redial}} {{js:decoder_simd}} {{wasm:decoder_simd}} \
                        {{js:decoder_relaxed}} {{wasm:decoder_relaxed}} \
                        {{js:decoder_candle}} {{wasm:decoder_candle}}";
            let sources = [
                ("index.html", page),
                ("boot.js", boot.to_owned()),
                ("a.css", css.to_owned()),
                ("later.svg", long.clone()),
            ];
            let sources = sources
                .into_iter()
                .map(|(n, c)| (n.to_owned(), c.into_bytes()));
            Site::new(&modules(), sources.collect()).build().unwrap()
        };
        write(&site("old{}"), &dist, &compressor).unwrap();
        let files = site(&long);
        write(&files, &dist, &compressor).unwrap();
        let written = files_below(&dist).unwrap();
        let load = first_load_bytes(&dist).unwrap();
        fs::remove_dir_all(&dist).unwrap();

        let styles: Vec<_> = written
            .keys()
            .filter(|name| name.contains("/a-") && name.contains(".css"))
            .collect();
        assert_eq!(styles.len(), 3, "{styles:?}");
        let count = |part| load.files().iter().filter(|file| file.part == part).count();
        assert_eq!(count(Part::Page), 2, "{:?}", load.files());
        assert_eq!(
            count(Part::App),
            3,
            "boot.js, app and wasm: {:?}",
            load.files()
        );
        assert_eq!(count(Part::Decoder), 2, "one build: {:?}", load.files());
        let total: u64 = load.files().iter().map(|file| file.bytes).sum();
        let parts = [Part::Page, Part::App, Part::Decoder];
        assert_eq!(
            parts.map(|part| load.total(part)).iter().sum::<u64>(),
            total
        );
        let style = load
            .files()
            .iter()
            .find(|file| file.name.ends_with(".css"))
            .unwrap();
        assert!(style.bytes < 100, "compressed: {}", style.bytes);
    }
}

//! `dist/`: the site as the server serves it.
//!
//! Every file gets the hash of its content into its name, so that browsers may keep it for ever;
//! only the page and the service worker keep theirs. Text files may refer to others by
//! placeholders, see [`Site::resolve`]. Compressed twins lie beside what gains from them.

use crate::compress::{self, Compressor, content_hash, write_if_changed};
use crate::frontend::{Bindings, files_below};
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

/// Puts `dist/` together from the bindings and the folder `static/`.
///
/// # Errors
/// When a placeholder names nothing, or a file cannot be read or written.
pub fn assemble(bindings: &Bindings, brotli_quality: u32) -> Result<()> {
    step("assembling dist/ (hashed names, gzip and brotli)");
    let files = Site::new(bindings, files_below(&layout::static_files())?).build()?;
    let cache = layout::target().join("compressed");
    write(
        &files,
        &layout::dist(),
        &Compressor::new(cache, brotli_quality)?,
    )?;
    let first_load = first_load_bytes(&layout::dist())?;
    note(&format!(
        "{} files; first load {} kB with brotli",
        files.len(),
        first_load.total() / 1000
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
    js: String,
    wasm: String,
}

impl Site {
    fn new(bindings: &Bindings, sources: BTreeMap<String, Vec<u8>>) -> Self {
        let mut site = Self {
            sources,
            files: BTreeMap::new(),
            urls: BTreeMap::new(),
            open: Vec::new(),
            js: String::new(),
            wasm: String::new(),
        };
        site.wasm = site.add_asset("redial_bg.wasm", bindings.wasm.clone());
        let mut js = bindings.js.clone();
        // The module finds its wasm by a path relative to itself.
        js = js.replace(
            "redial_bg.wasm",
            site.wasm.rsplit('/').next().unwrap_or_default(),
        );
        if !bindings.snippets.is_empty() {
            let all: Vec<u8> = bindings.snippets.values().flatten().copied().collect();
            let folder = format!("snippets-{}", content_hash(&all));
            js = js.replace("./snippets/", &format!("./{folder}/"));
            for (name, content) in &bindings.snippets {
                site.files
                    .insert(format!("{ASSETS}/{folder}/{name}"), content.clone());
            }
        }
        site.js = site.add_asset("redial.js", js.into_bytes());
        site
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
        let precache: Vec<String> = self.files.keys().map(|path| format!("/{path}")).collect();
        let version = content_hash(&[precache.join("\n").as_bytes(), &page].concat());
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

    /// What a placeholder stands for: `asset:NAME` the URL of `static/NAME`, `js` and `wasm` those
    /// of the app, and in the service worker `precache` a JSON array of the URLs of all assets and
    /// `version` a hash that changes with any of them.
    fn resolve(&mut self, inner: &str) -> Result<String> {
        match inner.split_once(':') {
            Some(("asset", name)) => self.asset_url(name),
            None if inner == "js" => Ok(self.js.clone()),
            None if inner == "wasm" => Ok(self.wasm.clone()),
            None if inner == "precache" || inner == "version" => {
                let value = self.urls.get(&format!("{{{inner}}}"));
                value
                    .cloned()
                    .with_context(|| format!("only {SERVICE_WORKER} has this"))
            }
            _ => bail!("known are {{{{asset:NAME}}}}, {{{{js}}}} and {{{{wasm}}}}"),
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

/// What a browser downloads when it opens the app for the first time, per file.
pub struct FirstLoad(Vec<(String, u64)>);

impl FirstLoad {
    /// Path in `dist/` and bytes as sent: brotli where there is a twin.
    pub fn files(&self) -> &[(String, u64)] {
        &self.0
    }

    /// All of it in bytes.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Follows the page's references to assets, directly and through style sheets.
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
        if !name.ends_with(".html") && !name.ends_with(".css") {
            continue;
        }
        let text = String::from_utf8_lossy(content);
        for asset in files.keys().filter(|asset| asset.starts_with(ASSETS)) {
            if text.contains(&format!("/{asset}")) && found.insert(asset.clone()) {
                pending.push(asset.clone());
            }
        }
    }
    // The page names the JavaScript, which names the wasm module.
    found.extend(files.keys().filter(|name| name.ends_with(".wasm")).cloned());
    let sent = |name: String| {
        let content = files
            .get(&format!("{name}.br"))
            .or_else(|| files.get(&name));
        let bytes = content.map_or(0, |content| content.len() as u64);
        (name, bytes)
    };
    Ok(FirstLoad(found.into_iter().map(sent).collect()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn bindings() -> Bindings {
        Bindings {
            js: "import './snippets/a-1/x.js'; new URL('redial_bg.wasm', import.meta.url)".into(),
            wasm: b"\0asm".to_vec(),
            snippets: BTreeMap::from([("a-1/x.js".to_owned(), b"x()".to_vec())]),
        }
    }

    fn build(sources: &[(&str, &str)]) -> Result<BTreeMap<String, String>> {
        let sources = sources
            .iter()
            .map(|(n, c)| ((*n).to_owned(), c.as_bytes().to_vec()));
        let files = Site::new(&bindings(), sources.collect()).build()?;
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
                "<link href={{asset:style.css}}><script src={{js}}>{{wasm}}",
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
        assert_eq!(precache, BTreeSet::from(assets));
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
            let page = "<link href={{asset:a.css}}>".to_owned();
            let sources = [
                ("index.html", page),
                ("a.css", css.to_owned()),
                ("later.svg", long.clone()),
            ];
            let sources = sources
                .into_iter()
                .map(|(n, c)| (n.to_owned(), c.into_bytes()));
            Site::new(&bindings(), sources.collect()).build().unwrap()
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
        let counted: Vec<&str> = load.files().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(counted.len(), 3, "style sheet, wasm and page: {counted:?}");
        let style = load
            .files()
            .iter()
            .find(|(name, _)| name.ends_with(".css"))
            .unwrap();
        assert!(style.1 < 100, "compressed: {}", style.1);
    }
}

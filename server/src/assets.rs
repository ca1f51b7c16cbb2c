//! The built browser app: embedded in the binary, or in a folder.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use axum::body::Bytes;

/// The app as it was when the server was built.
#[derive(rust_embed::RustEmbed)]
#[folder = "../dist/"]
struct Embedded;

/// Files by path, such as `assets/app-0123.js`.
#[derive(Debug, Clone)]
pub struct Assets {
    folder: Option<Folder>,
}

/// A folder of files, each of which is read when it has changed. All who download a file share one copy:
/// a copy each would let a few hundred connections that read nothing take gigabytes.
#[derive(Debug, Clone)]
struct Folder {
    path: PathBuf,
    known: Arc<RwLock<HashMap<PathBuf, Known>>>,
}

/// A file as it was read.
#[derive(Debug, Clone)]
struct Known {
    /// Time of its last change and its length, by which a change is noticed.
    stamp: (SystemTime, u64),
    bytes: Bytes,
}

impl Folder {
    fn read(&self, path: &str) -> Option<Bytes> {
        let path = self.path.join(path);
        let file = std::fs::metadata(&path).ok()?;
        let stamp = (file.modified().ok()?, file.len());
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&path).filter(|known| known.stamp == stamp) {
            return Some(known.bytes.clone());
        }
        drop(known);
        let bytes = Bytes::from(std::fs::read(&path).ok()?);
        let known = Known {
            stamp,
            bytes: bytes.clone(),
        };
        self.known
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path, known);
        Some(bytes)
    }
}

/// Where the files are whose names change with their contents.
const LASTING: &str = "assets/";

/// Names of the files in the folder [`LASTING`], as they are asked for; none where it cannot be read.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.map(|name| [LASTING, &name].concat()).collect()
}

/// A file as it goes out.
pub struct Asset {
    /// Its bytes.
    pub bytes: Bytes,
    /// Value of `Content-Encoding`, if the bytes are compressed.
    pub encoding: Option<&'static str>,
}

impl Assets {
    /// The files of `folder` as they are at the time of asking, or else the embedded ones.
    #[must_use]
    pub fn new(folder: Option<PathBuf>) -> Self {
        let folder = folder.map(|path| Folder {
            path,
            known: Arc::default(),
        });
        Self { folder }
    }

    /// The file at `path`, as it is.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<Bytes> {
        let inside = Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if path.is_empty() || !inside {
            return None;
        }
        match &self.folder {
            Some(folder) => folder.read(path),
            None => Embedded::get(path).map(|file| match file.data {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                // Where nothing is optimised the files are not embedded but read.
                Cow::Owned(bytes) => Bytes::from(bytes),
            }),
        }
    }

    /// The file at `path`, in the smallest of its forms that `accept_encoding` allows:
    /// brotli and gzip lie beside it as `.br` and `.gz`.
    #[must_use]
    pub fn negotiate(&self, path: &str, accept_encoding: &str) -> Option<Asset> {
        Self::forms(path, accept_encoding)
            .into_iter()
            .find_map(|(name, encoding)| {
                let bytes = self.get(&name)?;
                Some(Asset { bytes, encoding })
            })
    }

    /// Names of the forms of a file that `accept_encoding` allows, and their encoding, the smallest first.
    pub(crate) fn forms(path: &str, accept_encoding: &str) -> Vec<(String, Option<&'static str>)> {
        let forms = [("br", ".br"), ("gzip", ".gz")].into_iter();
        let forms = forms.filter(|(encoding, _)| accepts(accept_encoding, encoding));
        let forms = forms.map(|(encoding, end)| (format!("{path}{end}"), Some(encoding)));
        forms.chain([(path.to_owned(), None)]).collect()
    }

    /// Names of the files whose names change with their contents. Of one that there is compressed these forms alone:
    /// every browser that runs the app takes one of them.
    pub(crate) fn lasting(&self) -> Vec<String> {
        let mut names: Vec<String> = match &self.folder {
            Some(folder) => names_in(&folder.path.join(LASTING)),
            None => Embedded::iter().map(Cow::into_owned).collect(),
        };
        names.retain(|name| name.starts_with(LASTING));
        names.sort();
        let is_compressed = |name: &String| names.binary_search(&format!("{name}.gz")).is_ok();
        let lasting = names.iter().filter(|name| !is_compressed(name));
        lasting.cloned().collect()
    }
}

/// Whether a header such as `gzip, br;q=0.5, zstd;q=0` allows an encoding.
fn accepts(header: &str, encoding: &str) -> bool {
    header.split(',').any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let named = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        let refused = parts
            .filter_map(|part| part.strip_prefix("q="))
            .any(|q| q.trim().parse::<f32>().is_ok_and(|q| q == 0.0));
        named && !refused
    })
}

/// Media type by the end of a file's name.
#[must_use]
pub fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_taken_when_named_and_not_refused() {
        assert!(accepts("gzip, deflate, br", "br"));
        assert!(accepts("GZIP;q=0.5", "gzip"));
        assert!(!accepts("gzip, br;q=0", "br"));
        assert!(!accepts("brotli", "br"));
        assert!(!accepts("", "gzip"));
    }

    #[test]
    fn no_path_leads_out_of_the_folder_and_the_smallest_form_wins() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("dist")).unwrap();
        std::fs::write(folder.path().join("secret"), "s").unwrap();
        for (name, text) in [("a.js", "plain"), ("a.js.gz", "gz"), ("a.js.br", "br")] {
            std::fs::write(folder.path().join("dist").join(name), text).unwrap();
        }
        let assets = Assets::new(Some(folder.path().join("dist")));
        for path in ["../secret", "/etc/passwd", "", ".", "a.js/../../secret"] {
            assert!(assets.get(path).is_none(), "{path}");
        }
        let form = |accept| assets.negotiate("a.js", accept).unwrap().encoding;
        assert_eq!(form("gzip, br"), Some("br"));
        assert_eq!(form("gzip"), Some("gzip"));
        assert_eq!(form("identity"), None);
    }

    #[test]
    fn downloads_share_one_copy_until_the_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.js");
        std::fs::write(&file, "first").unwrap();
        let assets = Assets::new(Some(folder.path().to_owned()));
        let [a, b] = [(); 2].map(|()| assets.get("a.js").unwrap());
        assert_eq!(a.as_ptr(), b.as_ptr(), "two copies");
        std::fs::write(&file, "another").unwrap();
        assert_eq!(assets.get("a.js").unwrap(), "another");
        assert_eq!(a, "first");
        std::fs::remove_file(&file).unwrap();
        assert!(assets.get("a.js").is_none());
    }
}

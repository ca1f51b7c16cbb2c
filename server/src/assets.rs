//! The built browser app: embedded in the binary, or in a folder.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// The app as it was when the server was built.
#[derive(rust_embed::RustEmbed)]
#[folder = "../dist/"]
struct Embedded;

/// Files by path, such as `assets/app-0123.js`.
#[derive(Debug, Clone)]
pub struct Assets {
    folder: Option<PathBuf>,
}

/// A file as it goes out.
pub struct Asset {
    /// Its bytes.
    pub bytes: Cow<'static, [u8]>,
    /// Value of `Content-Encoding`, if the bytes are compressed.
    pub encoding: Option<&'static str>,
}

impl Assets {
    /// The files of `folder`, read anew each time, or else the embedded ones.
    #[must_use]
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }

    /// The file at `path`, as it is.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        let inside = Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if path.is_empty() || !inside {
            return None;
        }
        match &self.folder {
            Some(folder) => std::fs::read(folder.join(path)).ok().map(Cow::Owned),
            None => Embedded::get(path).map(|file| file.data),
        }
    }

    /// The file at `path`, in the smallest of its forms that `accept_encoding` allows:
    /// brotli and gzip lie beside it as `.br` and `.gz`.
    #[must_use]
    pub fn negotiate(&self, path: &str, accept_encoding: &str) -> Option<Asset> {
        for (encoding, end) in [("br", ".br"), ("gzip", ".gz")] {
            if accepts(accept_encoding, encoding)
                && let Some(bytes) = self.get(&format!("{path}{end}"))
            {
                return Some(Asset {
                    bytes,
                    encoding: Some(encoding),
                });
            }
        }
        Some(Asset {
            bytes: self.get(path)?,
            encoding: None,
        })
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
#[allow(clippy::unwrap_used)]
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
}

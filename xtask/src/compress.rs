//! Gzip and brotli twins of files, kept between builds by the hash of their content.

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Brotli's best, for what is shipped.
pub const BEST: u32 = 11;
/// A brotli quality for builds that only this machine sees.
pub const FAST: u32 = 5;

/// Files smaller than this travel in one packet anyway.
const WORTHWHILE_BYTES: usize = 512;

/// The first 12 hexadecimal digits of the content's SHA-256: short in a name, and 48 bits are
/// plenty to tell the few files of one site apart.
pub fn content_hash(content: &[u8]) -> String {
    Sha256::digest(content)
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Whether a file of this name gains from compression; fonts and pictures are compressed already.
pub fn is_compressible(name: &str) -> bool {
    const EXTENSIONS: [&str; 11] = [
        "css",
        "html",
        "ico",
        "js",
        "json",
        "mjs",
        "svg",
        "ttf",
        "txt",
        "wasm",
        "webmanifest",
    ];
    name.rsplit_once('.')
        .is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// Compressed content, remembered in a folder so that unchanged files cost nothing.
pub struct Compressor {
    cache: PathBuf,
    brotli_quality: u32,
}

impl Compressor {
    /// A compressor that remembers its work in the folder `cache`, which it creates.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn new(cache: PathBuf, brotli_quality: u32) -> Result<Self> {
        fs::create_dir_all(&cache).with_context(|| format!("cannot make {}", cache.display()))?;
        Ok(Self {
            cache,
            brotli_quality,
        })
    }

    /// Writes `path.gz` and `path.br` beside `path`, whose content is given.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn write_twins(&self, path: &Path, content: &[u8]) -> Result<()> {
        let hash: String = Sha256::digest(content)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let quality = self.brotli_quality;
        let gzip = self.remembered(&format!("{hash}.gz"), || gzip(content))?;
        let brotli = self.remembered(&format!("{hash}.q{quality}.br"), || {
            brotli(content, quality)
        })?;
        write_if_changed(&with_suffix(path, "gz"), &gzip)?;
        write_if_changed(&with_suffix(path, "br"), &brotli)
    }

    fn remembered(&self, name: &str, make: impl FnOnce() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        let path = self.cache.join(name);
        if let Ok(kept) = fs::read(&path) {
            return Ok(kept);
        }
        let made = make()?;
        // Under another name first: a half-written file must never be taken for a whole one.
        let partial = with_suffix(&path, "partial");
        fs::write(&partial, &made)
            .and_then(|()| fs::rename(&partial, &path))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(made)
    }
}

/// Whether a compressed twin is worth having.
pub fn is_worthwhile(name: &str, content: &[u8]) -> bool {
    is_compressible(name) && content.len() >= WORTHWHILE_BYTES
}

/// `a/b.css` and `gz` give `a/b.css.gz`.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

/// Writes a file unless it holds exactly this already, so that its time stays what it was.
///
/// # Errors
/// When the file or its folder cannot be written.
pub fn write_if_changed(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

fn brotli(content: &[u8], quality: u32) -> Result<Vec<u8>> {
    let mut compressed = Vec::new();
    {
        // 22 bits is the largest window every browser accepts without being asked.
        let mut writer = brotli::CompressorWriter::new(&mut compressed, 1 << 16, quality, 22);
        writer.write_all(content)?;
    }
    Ok(compressed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn the_hash_is_that_of_sha256sum() {
        // printf 'redial' | sha256sum | cut -c1-12
        assert_eq!(content_hash(b"redial"), "8d90a9d8b048");
        assert_ne!(content_hash(b""), content_hash(b"redial"));
    }

    #[test]
    fn both_compressions_give_back_what_went_in() {
        let texts: [Vec<u8>; 3] = [
            Vec::new(),
            b"dial ".repeat(5000),
            (0..=255).cycle().take(70_001).collect(),
        ];
        for text in texts {
            for quality in [FAST, BEST] {
                let mut back = Vec::new();
                let packed = brotli(&text, quality).unwrap();
                brotli::Decompressor::new(packed.as_slice(), 4096)
                    .read_to_end(&mut back)
                    .unwrap();
                assert_eq!(back, text);
            }
            let mut back = Vec::new();
            let packed = gzip(&text).unwrap();
            flate2::read::GzDecoder::new(packed.as_slice())
                .read_to_end(&mut back)
                .unwrap();
            assert_eq!(back, text);
        }
    }

    #[test]
    fn text_is_compressed_and_fonts_are_not() {
        for name in [
            "a.css",
            "redial_bg.wasm",
            "x.min.js",
            "icon.svg",
            "index.html",
        ] {
            assert!(is_compressible(name), "{name}");
        }
        for name in ["a.woff2", "photo.png", "css", "a.css.br", ""] {
            assert!(!is_compressible(name), "{name}");
        }
        assert!(!is_worthwhile("a.css", b"a{}"));
    }

    #[test]
    fn what_is_remembered_is_used_again() {
        let folder = std::env::temp_dir().join(format!("redial-compress-{}", std::process::id()));
        let compressor = Compressor::new(folder.join("cache"), FAST).unwrap();
        let first = compressor.remembered("x", || Ok(vec![1])).unwrap();
        let second = compressor.remembered("x", || Ok(vec![2])).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((first, second), (vec![1], vec![1]));
    }
}

//! Bundles read from their folders, and being written.

use std::path::{Path, PathBuf};

use decode::weights::{self, Tensors};

use super::{Bundle, CARD_FILE, HELD_OUT_FILE, HELD_OUT_TENSOR, WEIGHTS_FILE};
use crate::card::Card;
use crate::error::BundleError;
use crate::ordinary_file::{self, FileFault, Links};

/// Most bytes of a file of a bundle that is read.
const MOST_BYTES: u64 = 2 << 30;

impl Bundle {
    /// Reads a bundle from its folder.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes); also when a file cannot be read or
    /// the folder has another name than the card.
    pub fn read(folder: &Path) -> Result<Self, BundleError> {
        let file = |name: &'static str| {
            let path = folder.join(name);
            match ordinary_file::read(&path, Links::WithinFolder, MOST_BYTES) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(FileFault::Missing) => Ok(None),
                Err(fault) => Err(BundleError::File {
                    path: path.display().to_string(),
                    fault,
                }),
            }
        };
        let card = file(CARD_FILE)?.ok_or(BundleError::Missing { file: CARD_FILE })?;
        let bundle = Self::from_bytes(
            &card,
            file(WEIGHTS_FILE)?.as_deref(),
            file(HELD_OUT_FILE)?.as_deref(),
        )?;
        match folder.file_name().and_then(std::ffi::OsStr::to_str) {
            Some(name) if name != bundle.name() => Err(BundleError::Name {
                expected: bundle.name().to_owned(),
                found: name.to_owned(),
            }),
            _ => Ok(bundle),
        }
    }
}

/// A bundle's files, checked as they will be when read.
#[derive(Debug, Clone)]
pub struct BundleFiles {
    /// `card.json`.
    pub card: Vec<u8>,
    /// `weights.safetensors`; none for a formula.
    pub weights: Option<Vec<u8>>,
    /// `held_out.safetensors`; none for a model that draws from distributions.
    pub held_out: Option<Vec<u8>>,
    name: String,
}

impl BundleFiles {
    /// Puts a bundle's files together.
    ///
    /// # Errors
    /// When the bundle would be refused when read.
    pub fn new(
        card: &Card,
        weights: Option<Vec<u8>>,
        held_out: Option<Vec<u8>>,
    ) -> Result<Self, BundleError> {
        let name = card.facts.name.clone();
        let mut card = serde_json::to_vec_pretty(card).map_err(|error| BundleError::Json {
            file: CARD_FILE,
            message: error.to_string(),
        })?;
        card.push(b'\n');
        let files = Self {
            card,
            weights,
            held_out,
            name,
        };
        files.bundle()?;
        Ok(files)
    }

    /// The bundle, read from these files.
    ///
    /// # Errors
    /// As [`Bundle::from_bytes`].
    pub fn bundle(&self) -> Result<Bundle, BundleError> {
        Bundle::from_bytes(
            &self.card,
            self.weights.as_deref(),
            self.held_out.as_deref(),
        )
    }

    /// Writes the bundle into its folder below `out`, which is made if need be; gives
    /// the folder. Whoever reads meanwhile, or after a crash, finds the whole bundle, the
    /// one that was there before, or none. Other files in the folder stay.
    ///
    /// # Errors
    /// When a file cannot be written, or there is a bundle already and it is not to be
    /// replaced.
    pub fn write(&self, out: &Path, replace: bool) -> Result<PathBuf, BundleError> {
        let folder = out.join(&self.name);
        if !replace && folder.exists() {
            return Err(BundleError::Exists {
                path: folder.display().to_string(),
            });
        }
        let draft = out.join(format!(".{}.{}.part", self.name, std::process::id()));
        let written = self
            .write_draft(&draft)
            .and_then(|()| self.put(&draft, &folder));
        if written.is_err() {
            // What is left of a failed attempt is of no use; the error that led here counts.
            let _ = std::fs::remove_dir_all(&draft);
        }
        written.map(|()| folder)
    }

    fn write_draft(&self, draft: &Path) -> Result<(), BundleError> {
        std::fs::create_dir_all(draft).map_err(|error| cannot_write(draft, error))?;
        // The card last: until it is there, the folder is no bundle.
        for (file, bytes) in self.each() {
            if let Some(bytes) = bytes {
                let path = draft.join(file);
                std::fs::write(&path, bytes).map_err(|error| cannot_write(&path, error))?;
            }
        }
        Ok(())
    }

    fn put(&self, draft: &Path, folder: &Path) -> Result<(), BundleError> {
        if !folder.exists() {
            return std::fs::rename(draft, folder).map_err(|error| cannot_write(folder, error));
        }
        for file in [CARD_FILE, WEIGHTS_FILE, HELD_OUT_FILE] {
            let path = folder.join(file);
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(cannot_write(&path, error));
                }
                _ => {}
            }
        }
        for (file, bytes) in self.each() {
            if bytes.is_some() {
                let path = folder.join(file);
                std::fs::rename(draft.join(file), &path)
                    .map_err(|error| cannot_write(&path, error))?;
            }
        }
        std::fs::remove_dir(draft).map_err(|error| cannot_write(draft, error))
    }

    fn each(&self) -> [(&'static str, Option<&[u8]>); 3] {
        [
            (WEIGHTS_FILE, self.weights.as_deref()),
            (HELD_OUT_FILE, self.held_out.as_deref()),
            (CARD_FILE, Some(&self.card)),
        ]
    }
}

fn cannot_write(path: &Path, error: std::io::Error) -> BundleError {
    BundleError::Write {
        path: path.display().to_string(),
        error,
    }
}

/// `held_out.safetensors` of these latent vectors, all of the same length.
///
/// # Errors
/// When they are not.
pub fn held_out_file(latents: &[Vec<f32>]) -> Result<Vec<u8>, BundleError> {
    let shape = vec![latents.len(), latents.first().map_or(0, Vec::len)];
    let tensor = (HELD_OUT_TENSOR.to_owned(), (shape, latents.concat()));
    Ok(weights::write(HELD_OUT_FILE, &Tensors::from([tensor]))?)
}

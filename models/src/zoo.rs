//! The bundles at hand: those that ship inside the binary, and those of a folder.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
#[cfg(feature = "zoo")]
use std::sync::OnceLock;

use crate::bundle::Bundle;
use crate::error::BundleError;

/// Why a zoo could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ZooError {
    /// A folder of bundles could not be listed.
    #[error("cannot read {path}: {error}")]
    Io {
        /// The folder.
        path: String,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
    /// A bundle was refused.
    #[error("model {name}: {error}")]
    Bundle {
        /// Name of its folder.
        name: String,
        /// What is wrong with it.
        #[source]
        error: Box<BundleError>,
    },
}

/// The files of the bundles that ship inside the binary.
#[cfg(feature = "zoo")]
#[derive(rust_embed::RustEmbed)]
#[folder = "zoo/"]
// Encoders are kept to measure cards again; nobody decodes with them.
#[exclude = "*/encoder.safetensors"]
struct Files;

/// The shipped bundles, read once in a process.
#[cfg(feature = "zoo")]
static SHIPPED: OnceLock<Zoo> = OnceLock::new();

/// Bundles by name. A clone shares them.
#[derive(Debug, Clone, Default)]
pub struct Zoo {
    bundles: BTreeMap<String, Arc<Bundle>>,
}

impl Zoo {
    /// The bundles that ship inside the binary.
    ///
    /// # Errors
    /// When one of them is broken: a fault of the build.
    #[cfg(feature = "zoo")]
    pub fn shipped() -> Result<Self, ZooError> {
        if let Some(shipped) = SHIPPED.get() {
            return Ok(shipped.clone());
        }
        let shipped = Self::of(Self::each_shipped())?;
        Ok(SHIPPED.get_or_init(|| shipped).clone())
    }

    /// The bundles that ship inside the binary, those that are refused as well.
    #[cfg(feature = "zoo")]
    #[must_use]
    pub fn each_shipped() -> Vec<NamedBundle> {
        use crate::bundle::{CARD_FILE, HELD_OUT_FILE, WEIGHTS_FILE};

        let mut found = Vec::new();
        for name in Self::shipped_names() {
            let file = |file: &str| Files::get(&format!("{name}/{file}")).map(|file| file.data);
            let Some(card) = file(CARD_FILE) else {
                continue;
            };
            let bundle = Bundle::from_bytes(
                &card,
                file(WEIGHTS_FILE).as_deref(),
                file(HELD_OUT_FILE).as_deref(),
            );
            found.push(named(&name, bundle));
        }
        found
    }

    /// Names of the bundles that ship inside the binary, in order.
    #[cfg(feature = "zoo")]
    #[must_use]
    pub fn shipped_names() -> Vec<String> {
        let mut names: Vec<String> = Files::iter()
            .filter_map(|path| {
                let folder = path.strip_suffix(crate::bundle::CARD_FILE)?;
                folder.strip_suffix('/').map(str::to_owned)
            })
            .collect();
        names.sort();
        names
    }

    /// A file of the zoo that ships and is no part of a bundle, by its path below the zoo's folder: kept codes, and
    /// what simulated people did. None where there is no such file.
    #[cfg(feature = "zoo")]
    #[must_use]
    pub fn shipped_file(path: &str) -> Option<std::borrow::Cow<'static, [u8]>> {
        Files::get(path).map(|file| file.data)
    }

    /// The bundles in the subfolders of `folder`; a subfolder without a card is no
    /// bundle and is passed over.
    ///
    /// # Errors
    /// When the folder cannot be read, or a bundle in it is refused.
    pub fn read(folder: &Path) -> Result<Self, ZooError> {
        Self::of(Self::each(folder)?)
    }

    /// The bundles in the subfolders of `folder`, those that are refused as well.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn each(folder: &Path) -> Result<Vec<NamedBundle>, ZooError> {
        let io = |error| ZooError::Io {
            path: folder.display().to_string(),
            error,
        };
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            if path.join(crate::bundle::CARD_FILE).is_file() {
                let name = path
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned())
                    .unwrap_or_default();
                found.push(named(&name, Bundle::read(&path)));
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    /// Adds the bundles of another zoo; of two with the same name, the other's stays.
    pub fn extend(&mut self, other: Self) {
        self.bundles.extend(other.bundles);
    }

    /// The bundle of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Bundle> {
        self.bundles.get(name).map(|bundle| &**bundle)
    }

    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.bundles.keys().map(String::as_str)
    }

    /// All bundles, in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Bundle> {
        self.bundles.values().map(|bundle| &**bundle)
    }

    /// Adds bundles that were found; of two with the same name, the later stays. Gives those that are
    /// refused: no bundle of such a name is left, since who names it means none but this one.
    #[must_use]
    pub fn take_in(&mut self, found: Vec<NamedBundle>) -> Vec<ZooError> {
        let mut refused = Vec::new();
        for (name, bundle) in found {
            match bundle {
                Ok(bundle) => {
                    self.bundles.insert(name, Arc::new(bundle));
                }
                Err(error) => {
                    self.bundles.remove(&name);
                    refused.push(ZooError::Bundle { name, error });
                }
            }
        }
        refused
    }

    fn of(found: Vec<NamedBundle>) -> Result<Self, ZooError> {
        let mut zoo = Self::default();
        match zoo.take_in(found).into_iter().next() {
            None => Ok(zoo),
            Some(refused) => Err(refused),
        }
    }
}

/// Name of a bundle's folder, and the bundle or what is wrong with it.
pub type NamedBundle = (String, Result<Bundle, Box<BundleError>>);

/// A bundle in a folder of another name is refused.
fn named(name: &str, bundle: Result<Bundle, BundleError>) -> NamedBundle {
    let bundle = bundle.and_then(|bundle| {
        if bundle.name() == name {
            Ok(bundle)
        } else {
            Err(BundleError::Name {
                expected: bundle.name().to_owned(),
                found: name.to_owned(),
            })
        }
    });
    (name.to_owned(), bundle.map_err(Box::new))
}

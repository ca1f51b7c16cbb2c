//! The bundles at hand: those that ship inside the binary, and those of a folder.

use std::collections::BTreeMap;
use std::path::Path;

use domain::concepts::{ConceptCard, ConceptSource};

use crate::bundle::ConceptBundle;
use crate::error::ConceptError;
use crate::files::{ALL_FILES, CARD_FILE, Files};

/// The files of the bundles that ship inside the binary.
#[derive(rust_embed::RustEmbed)]
#[folder = "shipped/"]
struct ShippedFiles;

/// Bundles of concepts by name.
#[derive(Debug, Clone, Default)]
pub struct ConceptLibrary {
    bundles: BTreeMap<String, ConceptBundle>,
}

impl ConceptLibrary {
    /// The bundles that ship inside the binary.
    ///
    /// # Errors
    /// When one of them is broken: a fault of the build.
    pub fn shipped() -> Result<Self, ConceptError> {
        let mut bundles = BTreeMap::new();
        for path in ShippedFiles::iter() {
            let Some(name) = path.strip_suffix(&format!("/{CARD_FILE}")) else {
                continue;
            };
            let file = |file: &'static str| {
                let found = ShippedFiles::get(&format!("{name}/{file}"))?;
                Some((file, found.data.into_owned()))
            };
            let files: Files = ALL_FILES.into_iter().filter_map(file).collect();
            bundles.insert(name.to_owned(), ConceptBundle::from_files(files)?);
        }
        Ok(Self { bundles })
    }

    /// Adds the bundles in the subfolders of a folder; those of the same name take the place of the ones
    /// before. A subfolder without a card is passed over, and a folder that is not there is empty. Gives
    /// those that are refused, a text each: no bundle of such a name is left.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    #[must_use = "what is refused has to be said"]
    pub fn take_in(&mut self, folder: &Path) -> Result<Vec<String>, ConceptError> {
        let io = |error| ConceptError::Io {
            path: folder.display().to_string(),
            error,
        };
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let mut folders = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(io)? {
            folders.push(entry.map_err(io)?.path());
        }
        folders.sort();
        let mut refused = Vec::new();
        for path in folders.iter().filter(|path| path.join(CARD_FILE).is_file()) {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            match ConceptBundle::read(path) {
                Ok(bundle) => {
                    self.bundles.insert(name, bundle);
                }
                Err(error) => {
                    self.bundles.remove(&name);
                    refused.push(format!("concepts {name}: {error}"));
                }
            }
        }
        Ok(refused)
    }

    /// The bundle of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ConceptBundle> {
        self.bundles.get(name)
    }

    /// All bundles, in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &ConceptBundle> {
        self.bundles.values()
    }
}

impl ConceptSource for ConceptLibrary {
    fn names(&self) -> Vec<String> {
        self.bundles.keys().cloned().collect()
    }

    fn card(&self, bundle: &str) -> Option<&ConceptCard> {
        self.get(bundle).map(ConceptBundle::card)
    }

    fn sha256(&self, bundle: &str) -> Option<&str> {
        self.get(bundle).map(ConceptBundle::sha256)
    }

    fn sheet(&self, bundle: &str, concept: usize) -> Option<Vec<f32>> {
        self.get(bundle)?.sheet(concept)
    }

    fn example_sheet(&self, bundle: &str) -> Option<Vec<f32>> {
        self.get(bundle)?.example_sheet()
    }
}

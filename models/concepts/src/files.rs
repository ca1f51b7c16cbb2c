//! The files of a bundle: read from a folder, and written into a new one.

use std::collections::BTreeMap;
use std::path::Path;

use models::ordinary_file::{self, FileFault, Links};

use crate::error::ConceptError;

/// The card.
pub const CARD_FILE: &str = "card.json";
/// Pictures of the samples.
pub const PICTURES_FILE: &str = "pictures.npy";
/// Maps of the samples.
pub const MAPS_FILE: &str = "maps.npy";
/// Pictures of the worked example.
pub const EXAMPLE_PICTURES_FILE: &str = "example_pictures.npy";
/// Maps of the worked example.
pub const EXAMPLE_MAPS_FILE: &str = "example_maps.npy";

/// All files that a bundle can have, in the order in which its hash takes them.
pub(crate) const ALL_FILES: [&str; 5] = [
    CARD_FILE,
    PICTURES_FILE,
    MAPS_FILE,
    EXAMPLE_PICTURES_FILE,
    EXAMPLE_MAPS_FILE,
];

/// Most bytes of a file of a bundle that is read: far above what a study shows.
const MOST_BYTES: u64 = 1 << 30;

/// The files of a bundle by their names.
pub(crate) type Files = BTreeMap<&'static str, Vec<u8>>;

/// Reads the files that there are.
pub(crate) fn read(folder: &Path) -> Result<Files, ConceptError> {
    let mut files = Files::new();
    for name in ALL_FILES {
        let path = folder.join(name);
        match ordinary_file::read(&path, Links::WithinFolder, MOST_BYTES) {
            Ok(bytes) => {
                files.insert(name, bytes);
            }
            Err(FileFault::Missing) => {}
            Err(fault) => {
                return Err(ConceptError::File {
                    path: path.display().to_string(),
                    fault,
                });
            }
        }
    }
    Ok(files)
}

/// Writes files into a folder that appears under its name whole, or not at all.
pub(crate) fn write(folder: &Path, files: &Files) -> Result<(), ConceptError> {
    let io = |path: &Path| {
        let path = path.display().to_string();
        move |error| ConceptError::Io { path, error }
    };
    if folder.exists() {
        return Err(ConceptError::Exists(folder.display().to_string()));
    }
    let parent = folder.parent().unwrap_or(Path::new("."));
    let parent = match parent.as_os_str().is_empty() {
        true => Path::new("."),
        false => parent,
    };
    std::fs::create_dir_all(parent).map_err(io(parent))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = parent.join(format!(".{name}.{}", std::process::id()));
    std::fs::create_dir_all(&unfinished).map_err(io(&unfinished))?;
    let written = files.iter().try_for_each(|(name, bytes)| {
        let path = unfinished.join(name);
        std::fs::write(&path, bytes).map_err(io(&path))
    });
    let named = written.and_then(|()| std::fs::rename(&unfinished, folder).map_err(io(folder)));
    if named.is_err() {
        // What it was written for has failed; what is left behind is said by that.
        let _ = std::fs::remove_dir_all(&unfinished);
    }
    named
}

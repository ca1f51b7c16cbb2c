//! Where studies lie on a disk, and what they are called.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Shipped;

/// Name of a study's file in its folder.
pub const STUDY_FILE: &str = "study.json";

/// The name of a study by where its file lies.
pub(super) fn id_of(path: &Path) -> String {
    let named = if path.ends_with(STUDY_FILE) {
        path.parent().and_then(Path::file_name)
    } else {
        path.file_stem()
    };
    named.unwrap_or_default().to_string_lossy().into_owned()
}

/// The files of a folder's studies, by name; also where one should be and is not.
///
/// # Errors
/// When the folder cannot be read.
pub fn study_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let file = |path| match path {
        StudyPath::Study(path) => path,
        StudyPath::Lacking(path) => path.join(STUDY_FILE),
    };
    Ok(study_paths(folder)?.into_iter().map(file).collect())
}

/// The paths in a folder that look like a study, by name.
pub(super) fn study_paths(folder: &Path) -> std::io::Result<Vec<StudyPath>> {
    let entries = std::fs::read_dir(folder)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths.into_iter().filter_map(StudyPath::of).collect())
}

/// Names of the studies that lie in the same folder of studies as a study's file, and of the shipped ones; `None` where
/// the folder cannot be read.
pub(super) fn studies_beside(file: &Path) -> Option<Vec<String>> {
    let folder = file.parent()?;
    let studies = if file.ends_with(STUDY_FILE) {
        folder.parent()?
    } else {
        folder
    };
    let found = study_paths(studies).ok()?.into_iter();
    let found = found.filter_map(|path| match path {
        StudyPath::Study(path) => Some(id_of(&path)),
        StudyPath::Lacking(_) => None,
    });
    let shipped = Shipped::iter();
    let shipped = shipped.filter_map(|path| Some(path.split_once('/')?.0.to_owned()));
    let all: BTreeSet<String> = found.chain(shipped).collect();
    Some(all.into_iter().collect())
}

/// Where a study lies in a folder of studies, or should.
pub(super) enum StudyPath {
    Study(PathBuf),
    /// A folder with JSON in it, but no study.
    Lacking(PathBuf),
}

impl StudyPath {
    fn of(path: PathBuf) -> Option<Self> {
        let is_json = |path: &Path| {
            path.extension().is_some_and(|end| end == "json")
                && !path.to_string_lossy().ends_with(".schema.json")
        };
        if !path.is_dir() {
            return is_json(&path).then_some(Self::Study(path));
        }
        let study = path.join(STUDY_FILE);
        if std::fs::symlink_metadata(&study).is_ok() {
            return Some(Self::Study(study));
        }
        let mut inside = std::fs::read_dir(&path).into_iter().flatten().flatten();
        inside
            .any(|entry| is_json(&entry.path()))
            .then_some(Self::Lacking(path))
    }
}

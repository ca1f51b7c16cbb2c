//! A folder of studies: which of its files are studies, and which should be and are not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::entry::{self, STUDY_FILE, StudyEntry};
use super::fault::StudyFault;
use super::{Catalogue, CatalogueError, Shipped};
use crate::zoo::Models;

/// A file in the folder of studies that cannot be used. It stops nothing but itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The name that the study would have.
    pub id: String,
    /// The file, or the folder that lacks one.
    pub path: PathBuf,
    /// Every problem.
    pub problems: Vec<StudyFault>,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let problems = self.problems.iter();
        let lines = problems.map(|problem| problem.in_file(&self.path));
        f.write_str(&lines.collect::<Vec<_>>().join("\n"))
    }
}

impl Catalogue {
    /// Adds the studies of a folder, `ID/study.json` and `ID.json`. What looks like one and is none
    /// is noted; anything else is passed over.
    pub(super) fn read_folder(
        &mut self,
        folder: &Path,
        models: &Models,
    ) -> Result<(), CatalogueError> {
        let failed = |error| CatalogueError {
            path: folder.to_owned(),
            error,
        };
        let mut seen = BTreeSet::new();
        for found in study_paths(folder).map_err(failed)? {
            let (path, entry) = match found {
                StudyPath::Study(path) => {
                    let entry = StudyEntry::read(&path, models);
                    (path, entry)
                }
                StudyPath::Lacking(path) => {
                    let problem = format!("there is no {STUDY_FILE} in it, though other JSON is");
                    (path, Err(vec![problem.into()]))
                }
            };
            let id = entry::id_of(&path);
            let problems = if !seen.insert(id.clone()) {
                let problem =
                    format!("there is a study '{id}' in this folder already; take one of them out");
                vec![problem.into()]
            } else {
                match entry {
                    Ok(entry) => {
                        self.add(entry);
                        continue;
                    }
                    Err(problems) => {
                        self.studies.remove(&id);
                        problems
                    }
                }
            };
            self.refused.push(Refused { id, path, problems });
        }
        Ok(())
    }
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

/// What looks like a study in a folder, by name.
fn study_paths(folder: &Path) -> std::io::Result<Vec<StudyPath>> {
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
        StudyPath::Study(path) => Some(entry::id_of(&path)),
        StudyPath::Lacking(_) => None,
    });
    let shipped = Shipped::iter();
    let shipped = shipped.filter_map(|path| Some(path.split_once('/')?.0.to_owned()));
    let all: BTreeSet<String> = found.chain(shipped).collect();
    Some(all.into_iter().collect())
}

/// Where a study lies in a folder of studies, or should.
enum StudyPath {
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

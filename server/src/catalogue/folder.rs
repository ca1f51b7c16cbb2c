//! A folder of studies: which of its files are studies, and which should be and are not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::entry::{self, STUDY_FILE, StudyEntry};
use super::{Catalogue, CatalogueError};
use crate::zoo::Models;

/// A file in the folder of studies that cannot be used. It stops nothing but itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The name that the study would have.
    pub id: String,
    /// The file, or the folder that lacks one.
    pub path: PathBuf,
    /// Every problem, a line each.
    pub problems: Vec<String>,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = self.path.display();
        let lines = self
            .problems
            .iter()
            .map(|problem| format!("{path}: {problem}"));
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
        let entries = std::fs::read_dir(folder).map_err(failed)?;
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().map_err(failed)?;
        paths.sort();
        let mut seen = BTreeSet::new();
        for path in paths {
            let Some(found) = StudyPath::of(path) else {
                continue;
            };
            let (path, entry) = match found {
                StudyPath::Study(path) => {
                    let entry = StudyEntry::read(&path, models);
                    (path, entry)
                }
                StudyPath::Lacking(path) => {
                    let problem = format!("there is no {STUDY_FILE} in it, though other JSON is");
                    (path, Err(vec![problem]))
                }
            };
            let id = entry::id_of(&path);
            let problems = if !seen.insert(id.clone()) {
                vec![format!(
                    "there is a study '{id}' in this folder already; take one of them out"
                )]
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

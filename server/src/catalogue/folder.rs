//! A folder of studies: which of its files are studies, and which should be and are not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::entry::StudyEntry;
use super::fault::StudyFault;
use super::study_path::{STUDY_FILE, StudyPath, id_of, study_paths};
use super::{Catalogue, CatalogueError};
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
    /// Adds the studies of a folder, `ID/study.json` and `ID.json`. A path that looks like one and is none
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
            let id = id_of(&path);
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

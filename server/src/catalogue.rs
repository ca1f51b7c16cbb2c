//! The studies that can be taken, read and checked when the server starts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::session::plan::Mode;

use crate::zoo::Models;

mod around;
mod codes;
mod entry;
mod fault;
mod files;
mod folder;
mod markdown;
mod opening_times;
mod study_path;
mod study_texts;

pub use entry::StudyEntry;
pub use fault::StudyFault;
pub use files::{StudyFiles, study_file};
pub use folder::Refused;
pub use study_path::{STUDY_FILE, study_files};
pub use study_texts::CatalogueTexts;

/// Studies inside the program.
#[derive(rust_embed::RustEmbed)]
#[folder = "../studies/"]
struct Shipped;

/// Why no studies could be loaded at all.
#[derive(Debug, thiserror::Error)]
#[error("the folder of studies {} cannot be read: {error}", path.display())]
pub struct CatalogueError {
    path: PathBuf,
    error: std::io::Error,
}

/// The studies, by name.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    studies: BTreeMap<String, Arc<StudyEntry>>,
    /// The studies that cannot be used. No shipped study takes the place of one.
    refused: Vec<Refused>,
}

impl Catalogue {
    /// The studies of folders, of several of the same name the one of the later folder, and the shipped ones whose names
    /// are free. A shipped study whose models are not all there is left out.
    ///
    /// [`without_shipped`](Self::without_shipped) takes those of the folders alone.
    ///
    /// A study of a folder that has problems is among the [`refused`](Self::refused).
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn load<'a>(
        folders: impl IntoIterator<Item = &'a Path>,
        models: &Models,
    ) -> Result<Self, CatalogueError> {
        let mut catalogue = Self::without_shipped(folders, models)?;
        for path in Shipped::iter() {
            let id = path
                .strip_suffix(STUDY_FILE)
                .and_then(|id| id.strip_suffix('/'));
            let Some(id) = id.filter(|id| !catalogue.is_taken(id)) else {
                continue;
            };
            let file = |name: &str| {
                Shipped::get(&format!("{id}/{name}")).map(|file| file.data.into_owned())
            };
            let json = file(STUDY_FILE).unwrap_or_default();
            match StudyEntry::shipped(id, &json, models, &StudyFiles::named(&file)) {
                Ok(entry) => catalogue.add(entry),
                Err(problems) => {
                    let problems = StudyFault::lines(&problems);
                    tracing::warn!(study = id, problems, "a shipped study is left out");
                }
            }
        }
        Ok(catalogue)
    }

    /// Whether a study has that name, or something is refused that was meant to be one.
    fn is_taken(&self, id: &str) -> bool {
        self.studies.contains_key(id) || self.refused.iter().any(|refused| refused.id == id)
    }

    /// The studies of folders alone.
    ///
    /// A study of a folder that has problems is among the [`refused`](Self::refused).
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn without_shipped<'a>(
        folders: impl IntoIterator<Item = &'a Path>,
        models: &Models,
    ) -> Result<Self, CatalogueError> {
        let mut catalogue = Self::default();
        for folder in folders {
            catalogue.read_folder(folder, models)?;
        }
        Ok(catalogue)
    }

    /// The studies in the folder of studies that cannot be used.
    pub fn refused(&self) -> impl Iterator<Item = &Refused> {
        self.refused.iter()
    }

    /// Why there is no study of that name, if there was meant to be one.
    #[must_use]
    pub fn refused_as(&self, id: &str) -> Option<&Refused> {
        let mut refused = self.refused.iter();
        refused.find(|refused| refused.id == id && self.get(id).is_none())
    }

    /// Adds a study, in place of one of the same name.
    pub fn add(&mut self, entry: StudyEntry) {
        self.studies.insert(entry.study.id.clone(), Arc::new(entry));
    }

    /// The study of that name.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Arc<StudyEntry>> {
        self.studies.get(id)
    }

    /// The studies that the list shows, in order of their names.
    pub fn listed(&self) -> impl Iterator<Item = &Arc<StudyEntry>> {
        self.iter().filter(|entry| entry.study.listed)
    }

    /// Whether a study is run in a lab.
    #[must_use]
    pub fn has_lab_studies(&self) -> bool {
        self.iter().any(|entry| entry.study.mode == Mode::Lab)
    }

    /// All studies, in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<StudyEntry>> {
        self.studies.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    mod folders;

    const GOOD: &str = r#"{ "format": 1, "id": "good", "title": "Good", "stages":
        [{ "model": "sinelines-gt5", "questions": 2 }] }"#;

    #[test]
    fn a_folder_gives_studies_in_folders_and_in_files_and_names_every_problem() {
        let models = Models::load(None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("good")).unwrap();
        std::fs::write(folder.path().join("good/study.json"), GOOD).unwrap();
        std::fs::write(
            folder.path().join("other.json"),
            GOOD.replace("\"good\"", "\"other\""),
        )
        .unwrap();
        std::fs::write(folder.path().join("notes.txt"), "not a study").unwrap();
        let catalogue = Catalogue::load(Some(folder.path()), &models).unwrap();
        let good = catalogue.get("good").unwrap();
        assert_eq!(good.length.to_string(), "1 stage, 2 questions");
        assert_eq!(catalogue.get("good").unwrap().sha256.len(), 64);
        assert!(catalogue.get("other").is_some());

        assert_eq!(catalogue.refused().count(), 0);
    }

    #[test]
    fn a_broken_study_stops_itself_alone_and_is_named() {
        let models = Models::load(None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("good/study.json", GOOD);
        write("good.json", GOOD);
        write("third.json", GOOD);
        write("fourth.json", "{");
        write("quickstart/study.json", "[]");
        write("fifth/stduy.json", GOOD);
        write("pictures/a.png", "");
        let catalogue = Catalogue::load(Some(folder.path()), &models).unwrap();
        assert!(catalogue.get("good").is_some());
        assert!(
            catalogue.get("quickstart").is_none(),
            "the shipped study would be taken by people who were sent to another"
        );
        assert!(catalogue.get("chi21-synthetic").is_some());
        let said = |id: &str| catalogue.refused_as(id).unwrap().to_string();
        assert!(said("third").contains("third.json: id: found \"good\""));
        assert!(said("fourth").contains("fourth.json: line 1"));
        assert!(said("quickstart").contains("quickstart/study.json:1: "));
        assert!(said("fifth").contains("fifth: there is no study.json"));
        assert_eq!(catalogue.refused_as("good"), None);
        let named: Vec<&str> = catalogue.refused().map(|one| one.id.as_str()).collect();
        assert_eq!(named, ["fifth", "fourth", "good", "quickstart", "third"]);
    }

    /// At each start, one cell of each is drawn.
    #[test]
    fn every_cell_of_every_shipped_study_can_be_drawn() {
        let models = Models::load(None).unwrap();
        let mut studies = 0;
        for path in Shipped::iter().filter(|path| path.ends_with(STUDY_FILE)) {
            let id = path.split('/').next().unwrap();
            let file = |name: &str| {
                Shipped::get(&format!("{id}/{name}")).map(|file| file.data.into_owned())
            };
            let json = file(STUDY_FILE).unwrap();
            if let Err(problems) = StudyEntry::new(id, &json, &models, &StudyFiles::named(&file)) {
                panic!("{id}: {}", StudyFault::lines(&problems));
            }
            studies += 1;
        }
        assert!(studies >= 5, "{studies}");
    }
}

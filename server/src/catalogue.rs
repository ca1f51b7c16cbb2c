//! The studies that can be taken, read and checked when the server starts.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use domain::plan::Mode;

use crate::zoo::Models;

mod entry;
mod markdown;

pub use entry::{STUDY_FILE, StudyEntry, Texts};

/// Studies inside the program.
#[derive(rust_embed::RustEmbed)]
#[folder = "../studies/"]
struct Shipped;

/// Why studies could not be loaded: every problem of every study, a line each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there are problems with studies:\n{}", .0.join("\n"))]
pub struct CatalogueError(pub Vec<String>);

/// The studies, by name, and where this server takes their participants from.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    studies: BTreeMap<String, Arc<StudyEntry>>,
    stand_ins: Vec<String>,
    /// Where Prolific's keys are, if not where they are published.
    keys_of_prolific: Option<String>,
}

impl Catalogue {
    /// The shipped studies; those of `folder` take the place of shipped ones of
    /// the same name. A shipped study whose models are not all there is left out.
    ///
    /// [`without_shipped`](Self::without_shipped) takes those of `folder` alone.
    ///
    /// # Errors
    /// When the folder cannot be read, or a study in it has problems.
    pub fn load(folder: Option<&Path>, models: &Models) -> Result<Self, CatalogueError> {
        let mut catalogue = Self::default();
        for path in Shipped::iter() {
            let Some(id) = path
                .strip_suffix(STUDY_FILE)
                .and_then(|id| id.strip_suffix('/'))
            else {
                continue;
            };
            let file = |name: &str| {
                Shipped::get(&format!("{id}/{name}")).map(|file| file.data.into_owned())
            };
            let json = file(STUDY_FILE).unwrap_or_default();
            match StudyEntry::shipped(id, &json, models, &file) {
                Ok(entry) => catalogue.add(entry),
                Err(problems) => {
                    tracing::warn!(study = id, ?problems, "a shipped study is left out");
                }
            }
        }
        if let Some(folder) = folder {
            for entry in read_folder(folder, models)? {
                catalogue.add(entry);
            }
        }
        Ok(catalogue)
    }

    /// The same, with origins such as `http://127.0.0.1:9000` that stand for every platform: they
    /// may show studies in a frame and are handed forms in. For tests.
    #[must_use]
    pub fn with_stand_ins(self, stand_ins: Vec<String>) -> Self {
        Self { stand_ins, ..self }
    }

    /// The same, with the keys that Prolific signs links with at another address.
    #[must_use]
    pub fn with_keys_of_prolific(self, url: Option<String>) -> Self {
        Self {
            keys_of_prolific: url,
            ..self
        }
    }

    /// Where the keys are that Prolific signs links with.
    #[must_use]
    pub fn keys_of_prolific(&self) -> &str {
        let url = self.keys_of_prolific.as_deref();
        url.unwrap_or(crate::signed_links::KEYS_OF_PROLIFIC)
    }

    /// Origins that stand for every platform.
    #[must_use]
    pub fn stand_ins(&self) -> &[String] {
        &self.stand_ins
    }

    /// The studies of a folder alone.
    ///
    /// # Errors
    /// When the folder cannot be read, or a study in it has problems.
    pub fn without_shipped(folder: &Path, models: &Models) -> Result<Self, CatalogueError> {
        let mut catalogue = Self::default();
        for entry in read_folder(folder, models)? {
            catalogue.add(entry);
        }
        Ok(catalogue)
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
    pub fn listed(&self) -> impl Iterator<Item = &StudyEntry> {
        self.iter().filter(|entry| entry.study.listed)
    }

    /// Whether a study is run in a lab.
    #[must_use]
    pub fn has_lab_studies(&self) -> bool {
        self.iter().any(|entry| entry.study.mode == Mode::Lab)
    }

    /// All studies, in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &StudyEntry> {
        self.studies.values().map(AsRef::as_ref)
    }
}

/// The studies of a folder: `ID/study.json` and `ID.json`. Anything else in it is passed over.
fn read_folder(folder: &Path, models: &Models) -> Result<Vec<StudyEntry>, CatalogueError> {
    let cannot_read =
        |path: &Path, error| CatalogueError(vec![format!("{}: {error}", path.display())]);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| cannot_read(folder, error))? {
        let path = entry.map_err(|error| cannot_read(folder, error))?.path();
        if path.join(STUDY_FILE).is_file() {
            paths.push(path.join(STUDY_FILE));
        } else if path.extension().is_some_and(|end| end == "json")
            && !path.to_string_lossy().ends_with(".schema.json")
        {
            paths.push(path);
        }
    }
    paths.sort();

    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        match StudyEntry::read(&path, models) {
            Ok(entry) => entries.push(entry),
            Err(found) => {
                problems.extend(
                    found
                        .iter()
                        .map(|problem| format!("{}: {problem}", path.display())),
                );
            }
        }
    }
    if problems.is_empty() {
        Ok(entries)
    } else {
        Err(CatalogueError(problems))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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

        std::fs::write(folder.path().join("third.json"), GOOD).unwrap();
        std::fs::write(folder.path().join("fourth.json"), "{").unwrap();
        let error = Catalogue::load(Some(folder.path()), &models)
            .unwrap_err()
            .to_string();
        assert!(error.contains("third.json: id: found \"good\""), "{error}");
        assert!(error.contains("fourth.json: line 1"), "{error}");
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
            if let Err(problems) = StudyEntry::new(id, &json, &models, &file) {
                panic!("{id}: {problems:?}");
            }
            studies += 1;
        }
        assert!(studies >= 5, "{studies}");
    }
}

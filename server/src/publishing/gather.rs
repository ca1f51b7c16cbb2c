//! Folders of studies and models, made ready to be published.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use concepts::ConceptError;

use super::{MODELS, STUDIES};
use crate::catalogue::{STUDY_FILE, StudyEntry, StudyFault, StudyFiles, study_file, study_files};
use crate::storage::{PublishedFile, PublishedItem};
use crate::zoo::{CONCEPTS_FOLDER, Models};

/// Why a folder cannot be published.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// It cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// There is no study in it.
    #[error("there is no study in {}: each is a folder with {STUDY_FILE} in it, or a file ID.json", .0.display())]
    Nothing(PathBuf),
    /// A study in it has mistakes.
    #[error("{} cannot be used:\n{problems}", path.display())]
    Study {
        /// Its file.
        path: PathBuf,
        /// Every problem, a line each.
        problems: String,
    },
    /// A model in it cannot be used.
    #[error("{0}")]
    Model(String),
    /// The bundles of concepts cannot be read.
    #[error(transparent)]
    Concepts(#[from] ConceptError),
}

/// The studies of a folder, of one study's folder, or of a study's file, and the models and bundles of concepts of a
/// folder: of each study its file and those that it names, of each model what belongs to it. `models` are all that
/// the studies may name.
///
/// # Errors
/// When something cannot be read or has mistakes. Then nothing should be published.
pub fn gather(
    studies: &Path,
    models_folder: Option<&Path>,
    models: &Models,
) -> Result<Vec<PublishedItem>, GatherError> {
    let mut items = Vec::new();
    if let Some(folder) = models_folder {
        items.extend(models_of(folder)?);
    }
    for path in studies_at(studies)? {
        items.push(study(&path, models)?);
    }
    Ok(items)
}

fn studies_at(path: &Path) -> Result<Vec<PathBuf>, GatherError> {
    let one = path.join(STUDY_FILE);
    if one.is_file() {
        return Ok(vec![one]);
    }
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let found = study_files(path).map_err(|error| GatherError::Io {
        path: path.to_owned(),
        error,
    })?;
    if found.is_empty() {
        return Err(GatherError::Nothing(path.to_owned()));
    }
    Ok(found)
}

fn study(path: &Path, models: &Models) -> Result<PublishedItem, GatherError> {
    let refused = |problems: Vec<StudyFault>| {
        let problems: Vec<String> = problems.iter().map(|it| it.in_file(path)).collect();
        GatherError::Study {
            path: path.to_owned(),
            problems: problems.join("\n"),
        }
    };
    let id = StudyEntry::read(path, models).map_err(refused)?.study.id;
    // Read once more, and whatever it asks for is noted: exactly that is published.
    let json = study_file(path).map_err(|fault| refused(vec![fault.to_string().into()]))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let beside = StudyFiles::in_folder(folder);
    let asked = RefCell::new(BTreeMap::new());
    let file = |name: &str| {
        let bytes = beside.bytes(name).ok()?;
        asked.borrow_mut().insert(name.to_owned(), bytes.clone());
        Some(bytes)
    };
    StudyEntry::new(&id, &json, models, &StudyFiles::named(&file)).map_err(refused)?;
    let mut files = asked.into_inner();
    files.insert(STUDY_FILE.to_owned(), json);
    Ok(PublishedItem {
        item: format!("{STUDIES}/{id}"),
        files: published(files),
    })
}

fn models_of(folder: &Path) -> Result<Vec<PublishedItem>, GatherError> {
    let mut items = Vec::new();
    let own = Models::without_shipped(folder);
    let own = own.map_err(|error| GatherError::Model(error.to_string()))?;
    if let Some(refused) = own.refused().first() {
        return Err(GatherError::Model(refused.clone()));
    }
    for bundle in own.iter() {
        items.push(PublishedItem {
            item: format!("{MODELS}/{}", bundle.name()),
            files: published(bundle.files()),
        });
    }
    for bundle in own.concept_library().iter() {
        items.push(PublishedItem {
            item: format!("{MODELS}/{CONCEPTS_FOLDER}/{}", bundle.card().name),
            files: published(bundle.files()),
        });
    }
    Ok(items)
}

fn published<N: Into<String>, B: Into<Vec<u8>>>(
    files: impl IntoIterator<Item = (N, B)>,
) -> Vec<PublishedFile> {
    let file = |(name, bytes): (N, B)| PublishedFile {
        name: name.into(),
        bytes: bytes.into().into(),
    };
    files.into_iter().map(file).collect()
}

//! The study that a command is about.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use server::catalogue::{STUDY_FILE, StudyEntry};
use server::zoo::Models;

use crate::collection_at_hand::collection_at_hand;
use crate::config::Config;

/// A study, and the models at hand.
pub struct StudyAtHand {
    /// The study.
    pub entry: Arc<StudyEntry>,
    /// The models that it was checked with.
    pub models: Arc<Models>,
}

/// A study by its file or folder, or else by its name among those that would be served.
///
/// # Errors
/// When there is none, or it has mistakes, or what a server would offer cannot be read.
pub async fn find(config: &Config, study: &str) -> anyhow::Result<StudyAtHand> {
    let collection = collection_at_hand(config).await?;
    let (catalogue, models) = (&collection.catalogue, collection.models.clone());
    let path = Path::new(study);
    let in_folder = path.join(STUDY_FILE);
    let file = if in_folder.is_file() {
        &in_folder
    } else {
        path
    };
    if file.is_file() {
        let entry = StudyEntry::read(file, &models).map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(|it| it.in_file(file)).collect();
            anyhow::anyhow!(
                "{} cannot be used:\n{}",
                file.display(),
                problems.join("\n")
            )
        })?;
        let entry = Arc::new(entry);
        return Ok(StudyAtHand { entry, models });
    }
    if let Some(entry) = catalogue.get(study) {
        let entry = Arc::clone(entry);
        return Ok(StudyAtHand { entry, models });
    }
    if let Some(refused) = catalogue.refused_as(study) {
        bail!("the study '{study}' cannot be used:\n{refused}");
    }
    let known: Vec<&str> = catalogue.iter().map(|e| e.study.id.as_str()).collect();
    bail!(
        "there is no study '{study}'; there are: {}",
        known.join(", ")
    )
}

//! The study that a command is about.

use std::path::Path;

use anyhow::bail;
use server::catalogue::{Catalogue, STUDY_FILE, StudyEntry};

use crate::config::Config;
use crate::models_at_hand::models_at_hand;

/// A study by its file or folder, or else by its name among those that would be served.
///
/// # Errors
/// When there is none, or it has mistakes, or a model cannot be read.
pub fn find(config: &Config, study: &str) -> anyhow::Result<StudyEntry> {
    let models = models_at_hand(config)?;
    let path = Path::new(study);
    let in_folder = path.join(STUDY_FILE);
    let file = if in_folder.is_file() {
        &in_folder
    } else {
        path
    };
    if file.is_file() {
        let entry = StudyEntry::read(file, &models);
        return entry.map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(|it| it.in_file(file)).collect();
            anyhow::anyhow!(
                "{} cannot be used:\n{}",
                file.display(),
                problems.join("\n")
            )
        });
    }
    let catalogue = Catalogue::load(config.studies.as_deref(), &models)?;
    match catalogue.get(study) {
        Some(entry) => Ok((**entry).clone()),
        None => {
            if let Some(refused) = catalogue.refused_as(study) {
                bail!("the study '{study}' cannot be used:\n{refused}");
            }
            let known: Vec<&str> = catalogue.iter().map(|e| e.study.id.as_str()).collect();
            bail!(
                "there is no study '{study}'; there are: {}",
                known.join(", ")
            )
        }
    }
}

//! The folder of `redial analyze --out`.

use std::path::Path;

use analysis::ModelCard;
use server::analysis::{StudyAnalysis, analysis_files};
use server::folder::NewFolder;

use crate::output::write_files;

/// The command, in the folder's list of contents.
const MADE_BY: &str = "redial analyze";

/// Writes the folder; says what is in it.
///
/// # Errors
/// When it is somebody else's, or cannot be written: then nothing has changed.
pub(super) fn write(
    target: &Path,
    study: &str,
    found: &StudyAnalysis,
    cards: &[ModelCard],
) -> anyhow::Result<String> {
    let mut folder = NewFolder::replacing(target, MADE_BY)?;
    let files = analysis_files(study, found, cards);
    write_files(&mut folder, &files)?;
    let ending_with = |ending: &str| files.iter().filter(|it| it.name.ends_with(ending)).count();
    let (tables, drawn) = (ending_with(".tex"), ending_with(".svg"));
    folder.publish_listed(MADE_BY)?;
    Ok(format!(
        "'{study}' in {}: {tables} tables, {drawn} figures, methods and numbers. Begin with report.html or README.md\n",
        target.display()
    ))
}

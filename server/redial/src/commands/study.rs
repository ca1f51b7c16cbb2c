//! `redial study …`: study files, without a server.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Subcommand;
use server::catalogue::StudyEntry;
use server::zoo::Models;

use crate::config::Config;
use crate::output::print;

/// `redial study …`
#[derive(Debug, Clone, Subcommand)]
pub enum StudyCommand {
    /// Check study files; all problems are named, each with its place
    Check {
        /// Study files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Print the JSON Schema of study files, for your editor
    Schema,
}

/// Runs `redial study …`.
///
/// # Errors
/// When a file has problems; they have then been printed.
pub fn study(config: &Config, command: StudyCommand) -> anyhow::Result<()> {
    let files = match command {
        StudyCommand::Schema => {
            let schema = serde_json::to_string_pretty(&domain::check::schema())?;
            return Ok(print(&(schema + "\n"))?);
        }
        StudyCommand::Check { files } => files,
    };
    let models = Models::load(config.models.as_deref())?;
    let mut bad = 0;
    for file in &files {
        match StudyEntry::read(file, &models) {
            Ok(entry) => print(&format!(
                "{}: good. {} stages, {} questions.\n",
                file.display(),
                entry.info.stages,
                entry.info.questions
            ))?,
            Err(problems) => {
                bad += 1;
                for problem in problems {
                    print(&format!("{}: {problem}\n", file.display()))?;
                }
            }
        }
    }
    ensure!(
        bad == 0,
        "{bad} of {} files cannot be used as they are",
        files.len()
    );
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    #[test]
    fn the_schema_beside_the_studies_is_current() {
        let printed = serde_json::to_string_pretty(&domain::check::schema()).unwrap();
        let kept = include_str!("../../../../studies/study.schema.json");
        assert!(
            kept.trim_end() == printed,
            "run: redial study schema > studies/study.schema.json"
        );
    }
}

//! The commands that work on files and the database, without a server.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};

use crate::catalogue::StudyEntry;
use crate::config::Config;
use crate::export;
use crate::output::print;
use crate::results;
use crate::storage::Storage;
use crate::storage::sqlite::SqliteStorage;
use crate::zoo::Models;

mod models;

pub use models::{CompressArgs, ImportArgs, ListArgs, ModelsCommand, ShowArgs, models};

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

/// `redial export …`
#[derive(Debug, Clone, Args)]
pub struct ExportArgs {
    /// Name of the study
    pub study: String,
    /// Folder to write to; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// `redial results …`
#[derive(Debug, Clone, Args)]
pub struct ResultsArgs {
    /// Name of the study
    pub study: String,
    /// Count the questions that ended in sessions that are not complete, too
    #[arg(long)]
    pub partial: bool,
    /// Print JSON, with medians, both standard deviations and counts
    #[arg(long)]
    pub json: bool,
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

/// Runs `redial export …`.
///
/// # Errors
/// When there is no such database or study, or the folder cannot be written.
pub async fn export(config: &Config, args: ExportArgs) -> anyhow::Result<()> {
    let storage = open_for_reading(config, &args.study).await?;
    let now = jiff::Timestamp::now().to_string();
    let exported = export::export(&storage, &args.study, &args.out, &now).await?;
    let mut text = format!(
        "{} sessions of '{}' in {}\n",
        exported.sessions,
        args.study,
        args.out.display()
    );
    for file in &exported.files {
        let name = file.get("file").and_then(|name| name.as_str());
        let rows = file.get("rows").and_then(serde_json::Value::as_u64);
        text += &format!(
            "  {:<18} {:>9} rows\n",
            name.unwrap_or_default(),
            rows.unwrap_or(0)
        );
    }
    text += "  dictionary.csv says what every column means; manifest.json has counts and hashes.\n";
    print(&text)?;
    storage.close().await;
    Ok(())
}

/// Runs `redial results …`.
///
/// # Errors
/// When there is no such database or study, or a log does not replay.
pub async fn results(config: &Config, args: ResultsArgs) -> anyhow::Result<()> {
    let storage = open_for_reading(config, &args.study).await?;
    let results = results::results(&storage, &args.study, args.partial).await?;
    if args.json {
        print(&(serde_json::to_string_pretty(&results)? + "\n"))?;
    } else {
        print(&results.to_text())?;
    }
    storage.close().await;
    Ok(())
}

/// Opens the database for a command that makes no sense on an empty one.
async fn open_for_reading(config: &Config, study: &str) -> anyhow::Result<SqliteStorage> {
    let url = &config.database;
    if let Some(path) = url.strip_prefix("sqlite://") {
        let path = path.split('?').next().unwrap_or(path);
        ensure!(
            std::path::Path::new(path).exists(),
            "there is no database at {path}; name it with --database sqlite://PATH"
        );
    }
    let storage = SqliteStorage::open(url)
        .await
        .with_context(|| format!("cannot open {url}"))?;
    let studies = storage.studies().await?;
    if !studies.iter().any(|name| name == study) {
        storage.close().await;
        match studies.as_slice() {
            [] => bail!("nobody has started a study in {url} yet"),
            some => bail!(
                "nobody has started '{study}' yet; there are sessions of: {}",
                some.join(", ")
            ),
        }
    }
    Ok(storage)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    #[test]
    fn the_schema_beside_the_studies_is_current() {
        let printed = serde_json::to_string_pretty(&domain::check::schema()).unwrap();
        let kept = include_str!("../../studies/study.schema.json");
        assert!(
            kept.trim_end() == printed,
            "run: redial study schema > studies/study.schema.json"
        );
    }
}

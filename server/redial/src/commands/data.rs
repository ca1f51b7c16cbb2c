//! `redial export` and `redial results`: what is in the database, without a server.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use clap::Args;
use server::storage::Storage;
use server::storage::sqlite::SqliteStorage;

use crate::config::Config;
use crate::output::print;

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

/// Runs `redial export …`.
///
/// # Errors
/// When there is no such database or study, or the folder cannot be written.
pub async fn export(config: &Config, args: ExportArgs) -> anyhow::Result<()> {
    let storage = open_for_reading(config, &args.study).await?;
    let now = jiff::Timestamp::now().to_string();
    let exported = server::export::export(&storage, &args.study, &args.out, &now).await?;
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
    let results = server::results::results(&storage, &args.study, args.partial).await?;
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

//! `redial analyze` and `redial report`: a study's numbers, tables and figures.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use server::analysis::StudyAnalysis;
use server::zoo::Models;

use super::data::{open, told};
use crate::config::Config;
use crate::output::print;

mod cards;
mod folder;
mod page;

/// `redial analyze …`
#[derive(Debug, Clone, Args)]
pub struct AnalyzeArgs {
    /// Name of the study
    pub study: String,
    /// Print JSON: every number, not rounded
    #[arg(long, conflicts_with = "out")]
    pub json: bool,
    /// Write a folder: tables (Markdown, CSV, LaTeX), figures (SVG, PNG, PDF, and their data),
    /// all numbers as JSON, a paragraph on methods, and the report. A folder that this command
    /// wrote is replaced if nobody has changed anything in it
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// `redial report …`
#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    /// Name of the study
    pub study: String,
    /// File to write [default: STUDY-report.html]. A report of the same study is replaced
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Runs `redial analyze …`.
///
/// # Errors
/// When there is no such database or study, or the folder cannot be written; and, once
/// everything is out, when something in the database could not be read.
pub async fn analyze(config: &Config, args: AnalyzeArgs) -> anyhow::Result<()> {
    let found = analysed(config, &args.study).await?;
    if let Some(out) = &args.out {
        let cards = cards::cards(&Models::load(config.models.as_deref())?);
        let written = folder::write(out, &args.study, &found, &cards)?;
        print(&written)?;
    } else if args.json {
        print(&(serde_json::to_string_pretty(&found)? + "\n"))?;
    } else {
        print(&found.to_text())?;
    }
    told(&found.problems, found.damaged as u64)
}

/// Runs `redial report …`.
///
/// # Errors
/// When there is no such database or study, or the file cannot be written or is somebody
/// else's; and, once the file is written, when something in the database could not be read.
pub async fn report(config: &Config, args: ReportArgs) -> anyhow::Result<()> {
    let found = analysed(config, &args.study).await?;
    let cards = cards::cards(&Models::load(config.models.as_deref())?);
    let out = args
        .out
        .unwrap_or_else(|| PathBuf::from(format!("{}-report.html", args.study)));
    if let Ok(there) = std::fs::read_to_string(&out)
        && !there.contains(&page::mark(&args.study))
    {
        bail!(
            "{} is there and is no report of '{}'; name another file",
            out.display(),
            args.study
        );
    }
    let page = page::page(&args.study, &found, &cards);
    server::folder::write_file(&out, page.as_bytes())?;
    print(&format!("{}\n", out.display()))?;
    told(&found.problems, found.damaged as u64)
}

async fn analysed(config: &Config, study: &str) -> anyhow::Result<StudyAnalysis> {
    let archive = open(config, study).await?;
    let found = server::analysis::study_analysis(&archive, study).await;
    archive.close().await;
    Ok(found?)
}

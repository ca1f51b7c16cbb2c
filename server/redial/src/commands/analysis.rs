//! `redial analyze` and `redial report`: a study's numbers, tables and figures.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use server::analysis::{StudyAnalysis, cards, page, study_analysis_watched};
use server::export::SessionSelection;

use super::data::{open, told};
use super::simulated_arg::SimulatedArg;
use crate::collection_at_hand::collection_at_hand;
use crate::config::Config;
use crate::output::print;
use crate::progress::Progress;

mod folder;
mod model;
mod models;

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
    #[command(flatten)]
    pub people: SimulatedArg,
}

/// `redial report …`
#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    /// Name of the study
    #[arg(required_unless_present_any = ["model", "compare"], conflicts_with_all = ["model", "compare"])]
    pub study: Option<String>,
    /// Report on a model instead: what its dials do, its automated scores, what people did with it
    /// in the studies of the database, and what simulated people could do with it
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Report on all models instead, beside each other: what people did with them, their automated
    /// scores, and rank correlations of the two within each data set
    #[arg(long, conflicts_with = "model")]
    pub compare: bool,
    /// File to write [default: STUDY-report.html, NAME-report.html of a model, models-report.html of
    /// all]. A report about the same is replaced
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub people: SimulatedArg,
}

/// Runs `redial analyze …`.
///
/// # Errors
/// When there is no such database or study, or the folder cannot be written; and, once
/// everything is out, when something in the database could not be read.
pub async fn analyze(config: &Config, args: AnalyzeArgs) -> anyhow::Result<()> {
    let found = analysed(config, &args.study, args.people.whose(config)).await?;
    if let Some(out) = &args.out {
        let cards = cards(&collection_at_hand(config).await?.models);
        let written = folder::write(out, &args.study, &found, &cards)?;
        print(&written)?;
    } else if args.json {
        print(&found.to_json()?)?;
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
    let whose = args.people.whose(config);
    if let Some(name) = &args.model {
        return model::report(config, name, args.out, whose).await;
    }
    if args.compare {
        return models::report(config, args.out, args.people).await;
    }
    let Some(study) = args.study else {
        bail!("name a study, or a model with --model");
    };
    let found = analysed(config, &study, whose).await?;
    let cards = cards(&collection_at_hand(config).await?.models);
    let out = args
        .out
        .unwrap_or_else(|| PathBuf::from(format!("{study}-report.html")));
    let page = page::page(&study, &found, &cards);
    write_report(&out, &study, &page)?;
    print(&format!("{}\n", out.display()))?;
    told(&found.problems, found.damaged as u64)
}

/// Writes a report, in the place of an earlier one about the same.
fn write_report(out: &Path, about: &str, page: &str) -> anyhow::Result<()> {
    if let Ok(there) = std::fs::read_to_string(out)
        && !there.contains(&page::mark(about))
    {
        bail!(
            "{} is there and is no report of '{about}'; name another file",
            out.display()
        );
    }
    server::folder::write_file(out, page.as_bytes())?;
    Ok(())
}

/// A study's numbers.
///
/// # Errors
/// When there is no such database or study.
async fn analysed(
    config: &Config,
    study: &str,
    whose: SessionSelection,
) -> anyhow::Result<StudyAnalysis> {
    let archive = open(config, study).await?;
    let progress = Progress::counting("sessions read", Some(0));
    let tell = |done, of| progress.tell(done, of);
    let found = study_analysis_watched(&*archive, study, whose, &tell).await;
    drop(progress);
    archive.close().await;
    let found = found?;
    if found.started == 0 && found.of_the_other_kind > 0 && !found.simulated {
        eprintln!(
            "redial: note: all sessions of '{study}' are those of simulated people; --simulated takes them"
        );
    }
    Ok(found)
}

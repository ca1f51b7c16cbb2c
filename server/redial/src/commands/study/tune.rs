//! `redial study tune`: what a threshold and a time limit make of a study.

use std::path::PathBuf;

use clap::Args;
use domain::simulate::Strategy;
use server::analysis::{figure_files, table_files};
use server::folder::NewFolder;
use server::tuning::TuningRequest;

use crate::config::Config;
use crate::output::{print, write_files};
use crate::study_at_hand::{StudyAtHand, find};
use crate::tuning::tuned;

/// The command, in the folder's list of contents.
const MADE_BY: &str = "redial study tune";

/// `redial study tune …`
#[derive(Debug, Clone, Args)]
pub struct TuneArgs {
    /// Name of the study, or its file
    study: String,
    /// Questions of each model for each strategy, each by a person of their own
    #[arg(long, value_name = "N", default_value_t = 40)]
    questions: usize,
    /// Thresholds ε to look at, beside the study's own
    #[arg(long, value_name = "E,E…", value_delimiter = ',', default_values_t = TuningRequest::default().thresholds)]
    thresholds: Vec<f64>,
    /// Times T in active seconds to look at, beside the study's own
    #[arg(long, value_name = "S,S…", value_delimiter = ',', default_values_t = TuningRequest::default().times)]
    times: Vec<f64>,
    /// Strategies to look at [default: all but gives_up, which differs from random_trial after T
    /// alone]
    #[arg(long, value_name = "STRATEGY", value_delimiter = ',')]
    strategies: Vec<Strategy>,
    /// The same seed gives the same numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write a folder: the tables (Markdown, CSV, LaTeX) and the figure (SVG, PNG, PDF, and its
    /// data). A folder that this command wrote is replaced if nobody has changed anything in it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Works out the tables; prints floor and ceiling, or writes everything.
///
/// # Errors
/// When there is no such study, it asks for no reconstruction, or the folder cannot be written.
pub async fn tune(config: &Config, args: &TuneArgs) -> anyhow::Result<()> {
    let StudyAtHand { entry, models } = find(config, &args.study).await?;
    let request = TuningRequest {
        questions: args.questions,
        thresholds: args.thresholds.clone(),
        times: args.times.clone(),
        strategies: args.strategies.clone(),
        seed: args.seed,
    };
    let tuned = tuned(&entry, &models, &request)?;
    let found = &tuned.tuning;
    let summary = found.summary();
    let study = &entry.study;
    let title = study.title.spoken(study.spoken(study.first_language()));
    let mut text = format!("{title}\n\n{}", summary.to_markdown());
    if let Some(out) = &args.out {
        let mut folder = NewFolder::replacing(out, MADE_BY)?;
        let mut files = Vec::new();
        for table in [summary, found.table()] {
            files.extend(table_files("", table));
        }
        let figure = figures::tuning(found);
        let caption = figure
            .as_ref()
            .map(|it| format!("**{}.** {}\n", it.name, it.caption));
        files.extend(figure.into_iter().flat_map(|it| figure_files("", it)));
        write_files(&mut folder, &files)?;
        if let Some(caption) = caption {
            folder.write("figures/captions.md", caption.as_bytes())?;
        }
        folder.publish_listed(MADE_BY)?;
        text += &format!("\nTables and the figure are in {}.\n", out.display());
    }
    if args.json {
        return Ok(print(&(serde_json::to_string_pretty(&tuned)? + "\n"))?);
    }
    if args.out.is_none() {
        text += "\n--out writes every threshold and time as a table, and a figure.\n";
    }
    Ok(print(&text)?)
}

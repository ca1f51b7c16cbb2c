//! `redial verify`: decodes again what participants' pages reported.

use anyhow::ensure;
use clap::Args;
use server::export::SessionSelection;
use server::verification::study_verification_watched;

use super::data::open;
use crate::config::Config;
use crate::output::print;
use crate::progress::Progress;

/// `redial verify …`
#[derive(Debug, Clone, Args)]
pub struct VerifyArgs {
    /// Name of the study
    pub study: String,
    /// Print JSON: every contradiction of every session
    #[arg(long)]
    pub json: bool,
}

/// Runs `redial verify …`.
///
/// # Errors
/// When there is no such database or study; and, once everything is printed, when numbers do not
/// follow from their inputs, or something in the database could not be read.
pub async fn verify(config: &Config, args: VerifyArgs) -> anyhow::Result<()> {
    let archive = open(config, &args.study).await?;
    let progress = Progress::counting("sessions decoded again", Some(0));
    let tell = |done, of| progress.tell(done, of);
    let whose = SessionSelection::All;
    let found = study_verification_watched(&*archive, &args.study, whose, &tell).await?;
    drop(progress);
    archive.close().await;
    if args.json {
        print(&(serde_json::to_string_pretty(&found)? + "\n"))?;
    } else {
        print(&found.to_text())?;
    }
    for problem in &found.problems {
        eprintln!("redial: {problem}");
    }
    let contradicting = found.contradicting().count();
    ensure!(
        contradicting == 0,
        "sessions with numbers that do not follow from their inputs: {contradicting}"
    );
    ensure!(found.problems.is_empty(), "not everything can be read");
    Ok(())
}

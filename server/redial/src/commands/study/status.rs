//! `redial study status`: what a study takes people for.

use clap::{Args, ValueEnum};
use domain::recruitment::StudyStatus;
use server::control::Request;
use server::storage;

use super::super::change::{change, there_is_a_database};
use crate::config::Config;
use crate::output::print;
use crate::study_at_hand::find;

/// `redial study status …`
#[derive(Debug, Clone, Args)]
pub struct StatusArgs {
    /// Name of the study, or its file
    study: String,
    /// What it takes people for from now on; without it, what it does now is printed
    #[arg(value_enum)]
    status: Option<StatusArg>,
}

/// What a study takes people for.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum StatusArg {
    /// Nobody: it is being written
    Draft,
    /// Pilots, whose sessions are no data
    Pilot,
    /// Participants
    Running,
    /// Nobody any more
    Closed,
}

impl From<StatusArg> for StudyStatus {
    fn from(status: StatusArg) -> Self {
        match status {
            StatusArg::Draft => Self::Draft,
            StatusArg::Pilot => Self::Pilot,
            StatusArg::Running => Self::Running,
            StatusArg::Closed => Self::Closed,
        }
    }
}

/// Decides or prints what a study takes people for. A server that runs does it itself.
///
/// # Errors
/// When there is no such study or database.
pub async fn status(config: &Config, args: StatusArgs) -> anyhow::Result<()> {
    let study = find(config, &args.study).await?.entry.study.id.clone();
    let (status, changed) = match args.status {
        Some(status) => {
            there_is_a_database(config)?;
            let status = StudyStatus::from(status);
            let request = Request::SetStatus { study, status };
            (status, change(config, &request).await?.changed > 0)
        }
        None => {
            let archive = storage::open_archive(config.address()).await?;
            let ledger = archive.study_snapshot(&study).await?.ledger().await?;
            archive.close().await;
            (ledger.status, false)
        }
    };
    let since = if changed { ", from now on" } else { "" };
    Ok(print(&format!(
        "{}{since}. {}\n",
        status.name(),
        status.means()
    ))?)
}

//! `redial study …`: study files and their quotas, without a server.

use clap::Subcommand;

use crate::config::Config;
use crate::output::print;

mod agreement;
mod automation;
mod cells;
mod check;
mod participants;
mod power;
mod preregister;
mod publish;
mod simulate;
mod status;
mod tune;

use agreement::AgreementArgs;
use automation::AutomationArgs;
use cells::{CellsArgs, PauseArgs};
use check::CheckArgs;
use participants::ParticipantsArgs;
use power::PowerArgs;
use preregister::PreregisterArgs;
use publish::{PublishArgs, PublishedArgs, WithdrawArgs};
use simulate::{SimulateAssignmentArgs, simulate_assignment};
use status::StatusArgs;
use tune::TuneArgs;

/// `redial study …`
#[derive(Debug, Clone, Subcommand)]
pub enum StudyCommand {
    /// Check study files; all mistakes are named, each with its line and place, and what looks
    /// like one
    Check(CheckArgs),
    /// Print the JSON Schema of study files, for your editor
    Schema,
    /// Let simulated people arrive and drop out, and show how even the cells become
    SimulateAssignment(SimulateAssignmentArgs),
    /// Let simulated people try every model of a study, and show how many questions they solve at
    /// which threshold in which time
    Tune(TuneArgs),
    /// Work out how many people a study needs to show a difference, by simulating its whole
    /// declared analysis
    Power(Box<PowerArgs>),
    /// Write the folder to deposit before the first session: the study with its hash, the
    /// analysis plan, simulated power, versions
    Preregister(Box<PreregisterArgs>),
    /// Put studies, and models with --models, into a database that several servers share: all of them offer
    /// these within 5 seconds
    Publish(PublishArgs),
    /// List what is published, or write it into a folder
    Published(PublishedArgs),
    /// Take back what was published
    Withdraw(WithdrawArgs),
    /// Work out Krippendorff's alpha of what coders made of the labels of dials
    Agreement(AgreementArgs),
    /// Show how signs that scripts or agents took part are spread over sessions, and which sessions have
    /// a flag. A server may run meanwhile
    Automation(AutomationArgs),
    /// Show who is in which cell of a study: quotas, slots, late completions. A server may run
    /// meanwhile
    Cells(CellsArgs),
    /// Show who came from a recruitment platform, by its own names for them, and how their
    /// sessions ended: whom to pay. These names are in no export. A server may run meanwhile
    Participants(ParticipantsArgs),
    /// Decide what a study takes people for: nobody yet (draft), pilots, participants (running), nobody any more
    /// (closed). A server may run meanwhile
    Status(StatusArgs),
    /// Put nobody into cells for now. A server may run meanwhile
    Pause(PauseArgs),
    /// Put people into paused cells again
    Resume(PauseArgs),
}

/// Runs `redial study …`.
///
/// # Errors
/// When a file has problems; they have then been printed. When there is no such study, cell or
/// database.
pub async fn study(config: &Config, command: StudyCommand) -> anyhow::Result<()> {
    match command {
        StudyCommand::Schema => {
            let schema = serde_json::to_string_pretty(&domain::study::check::schema())?;
            Ok(print(&(schema + "\n"))?)
        }
        StudyCommand::SimulateAssignment(args) => simulate_assignment(config, &args).await,
        StudyCommand::Tune(args) => tune::tune(config, &args).await,
        StudyCommand::Power(args) => power::study_power(config, &args).await,
        StudyCommand::Preregister(args) => preregister::preregister(config, &args).await,
        StudyCommand::Publish(args) => publish::publish(config, &args).await,
        StudyCommand::Published(args) => publish::published(config, &args).await,
        StudyCommand::Withdraw(args) => publish::withdraw(config, &args).await,
        StudyCommand::Agreement(args) => agreement::agreement(&args),
        StudyCommand::Automation(args) => automation::automation(config, args).await,
        StudyCommand::Cells(args) => cells::cells(config, args).await,
        StudyCommand::Participants(args) => participants::participants(config, args).await,
        StudyCommand::Status(args) => status::status(config, args).await,
        StudyCommand::Pause(args) => cells::pause(config, args, true).await,
        StudyCommand::Resume(args) => cells::pause(config, args, false).await,
        StudyCommand::Check(args) => check::check(config, &args),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_beside_the_studies_is_current() {
        let printed = serde_json::to_string_pretty(&domain::study::check::schema()).unwrap();
        let kept = include_str!("../../../../studies/study.schema.json");
        assert!(
            kept.trim_end() == printed,
            "run: redial study schema > studies/study.schema.json"
        );
    }
}

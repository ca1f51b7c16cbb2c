//! `redial study …`: study files and their quotas, without a server.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Subcommand;
use domain::study::check::cautions;
use domain::study::length::Length;
use models::decoder::{DecodeTiming, FRAME_MS};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use server::catalogue::StudyEntry;
use server::zoo::Models;

use crate::config::Config;
use crate::models_at_hand::models_at_hand;
use crate::output::print;

mod agreement;
mod automation;
mod cells;
mod participants;
mod power;
mod preregister;
mod simulate;
mod status;
mod tune;

use agreement::AgreementArgs;
use automation::AutomationArgs;
use cells::{CellsArgs, PauseArgs};
use participants::ParticipantsArgs;
use power::PowerArgs;
use preregister::PreregisterArgs;
use simulate::{SimulateAssignmentArgs, simulate_assignment};
use status::StatusArgs;
use tune::TuneArgs;

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
    let files = match command {
        StudyCommand::Schema => {
            let schema = serde_json::to_string_pretty(&domain::study::check::schema())?;
            return Ok(print(&(schema + "\n"))?);
        }
        StudyCommand::SimulateAssignment(args) => return simulate_assignment(config, &args),
        StudyCommand::Tune(args) => return tune::tune(config, &args),
        StudyCommand::Power(args) => return power::study_power(config, &args).await,
        StudyCommand::Preregister(args) => return preregister::preregister(config, &args).await,
        StudyCommand::Agreement(args) => return agreement::agreement(&args),
        StudyCommand::Automation(args) => return automation::automation(config, args).await,
        StudyCommand::Cells(args) => return cells::cells(config, args).await,
        StudyCommand::Participants(args) => {
            return participants::participants(config, args).await;
        }
        StudyCommand::Status(args) => return status::status(config, args).await,
        StudyCommand::Pause(args) => return cells::pause(config, args, true).await,
        StudyCommand::Resume(args) => return cells::pause(config, args, false).await,
        StudyCommand::Check { files } => files,
    };
    let models = models_at_hand(config)?;
    let mut bad = 0;
    for file in &files {
        match StudyEntry::read(file, &models) {
            Ok(entry) => {
                let codes = entry.codes.as_ref().map_or_else(String::new, |codes| {
                    format!(" {} participant codes.", codes.len())
                });
                print(&format!(
                    "{}: good. {}{codes}\n",
                    file.display(),
                    how_long(&entry, &models)
                ))?;
                for caution in cautions(&entry.study) {
                    print(&format!("{}: CAUTION: {caution}\n", file.display()))?;
                }
                for slow in slow_decoders(&entry, &models) {
                    print(&format!("{}: CAUTION: {slow}\n", file.display()))?;
                }
            }
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

/// How long a study is; cell by cell where cells differ.
fn how_long(entry: &StudyEntry, models: &Models) -> String {
    let Length {
        minutes,
        screens_out,
        ..
    } = entry.length;
    let mut said = entry.length.to_string();
    if let Some(minutes) = minutes {
        let unit = if minutes == 1 { "minute" } else { "minutes" };
        said += &format!(", about {minutes} {unit} by its consent form");
    }
    said.push('.');
    if screens_out {
        said += " Fewer for those who are screened out.";
    }
    let cells = entry.study.design.cells();
    let lengths = cells
        .iter()
        .map(|cell| (cell, Length::of_cell(&entry.study, cell, models)));
    let lengths: Vec<_> = lengths.collect();
    let differ = lengths.iter().any(|(_, length)| {
        (length.stages, length.questions) != (entry.length.stages, entry.length.questions)
    });
    for (cell, length) in lengths.iter().filter(|_| differ) {
        let name = match cell.name.as_str() {
            "" => "(link without a condition)",
            name => name,
        };
        said += &format!("\n  {name}: {length}");
    }
    said
}

/// What is to be said of the study's decoders that take longer on this machine than a frame, or than
/// pictures are kept back.
fn slow_decoders(entry: &StudyEntry, models: &Models) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let latencies = entry.study.minimum_latencies();
    let mut said = Vec::new();
    for name in entry.study.models() {
        let timing = models
            .get(name)
            .and_then(|bundle| DecodeTiming::of(bundle.decoder(), &bundle.sample(&mut rng)).ok());
        let Some(timing) = timing else { continue };
        if timing.ms > FRAME_MS {
            said.push(format!(
                "{name} takes {timing}, longer than a frame of {FRAME_MS} ms: pictures lag behind the hand, and a comparison with a quicker model compares waiting times, too"
            ));
        }
        let kept_back = latencies.iter().find(|(model, _)| *model == name);
        if let Some((_, minimum_ms)) = kept_back.filter(|(_, ms)| timing.ms > to_f64(*ms)) {
            said.push(format!(
                "{name} takes {timing}, longer than 'minimum_latency_ms': {minimum_ms}: its pictures come later than those of quicker models all the same. Set it above what the slowest model takes on participants' devices"
            ));
        }
    }
    said
}

fn to_f64(ms: u64) -> f64 {
    ms as f64
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

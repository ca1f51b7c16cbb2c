//! `redial export`, and what all commands need that read a study's sessions without a server.

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::Args;
use server::export::{
    ExportOptions, Selection, SessionSelection, Standing, export_watched, server_address,
};
use server::export_list::ListedExport;
use server::storage::{self, Archive, Problem};

use super::simulated_arg::SimulatedArg;
use crate::config::Config;
use crate::output::print;
use crate::progress::Progress;

/// `redial export …`
#[derive(Debug, Clone, Args)]
pub struct ExportArgs {
    /// Name of the study
    pub study: String,
    /// Folder to write to; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Change text in CSV files so that no spreadsheet takes it for a formula, and nothing in it
    /// is unseen. The other formats keep every text as it is
    #[arg(long)]
    pub spreadsheet_safe: bool,
    /// Write out what can say who somebody is: codes of participants, completion codes, signatures,
    /// recorded voices, and all that people typed in their own words. Without this, 'withheld' stands
    /// in its place, and 'participant' is a pseudonym
    #[arg(long)]
    pub identifying: bool,
    /// Write out the study's audit log, too: who looked, exported, decided and changed what
    #[arg(long)]
    pub audit: bool,
    /// Take only sessions that were started with this study file: the beginning of its SHA-256, as in
    /// the column study_sha256; several with commas
    #[arg(long, value_name = "SHA256", value_delimiter = ',', value_parser = Selection::version)]
    pub study_version: Vec<String>,
    /// Take only sessions that were started then or later: a date (its midnight in UTC), or a time
    /// as 2026-11-21T09:30:00+01:00
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub since: Option<u64>,
    /// Take only sessions that were started before then
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub before: Option<u64>,
    /// Take only sessions that stand here, as in the column of this name; several with commas
    #[arg(long, value_delimiter = ',', value_parser = Selection::standing)]
    pub standing: Vec<Standing>,
    /// Take the sessions of pilots alone
    #[arg(long, conflicts_with = "simulated")]
    pub pilot: bool,
    /// Begin links to the replay with the server's address, such as https://study.example.org; without it
    /// they begin with the path
    #[arg(long, value_name = "URL", value_parser = server_address)]
    pub address: Option<String>,
    #[command(flatten)]
    pub people: SimulatedArg,
}

/// A date or a time, in milliseconds since 1970.
fn moment(text: &str) -> Result<u64, String> {
    let time = text.parse::<jiff::Timestamp>().or_else(|_| {
        let date = text.parse::<jiff::civil::Date>()?;
        Ok(date.to_zoned(jiff::tz::TimeZone::UTC)?.timestamp())
    });
    let time = time.map_err(|error: jiff::Error| {
        format!("a date as 2026-11-21, or a time as 2026-11-21T09:30:00Z, is expected ({error})")
    })?;
    u64::try_from(time.as_millisecond()).map_err(|_| "it is before 1970".to_owned())
}

impl ExportArgs {
    fn selection(&self, config: &Config) -> Selection {
        Selection {
            whose: if self.pilot {
                SessionSelection::Pilots
            } else {
                self.people.whose(config)
            },
            study_versions: self.study_version.clone(),
            since_unix_ms: self.since,
            before_unix_ms: self.before,
            standings: self.standing.clone(),
        }
    }
}

/// Runs `redial export …`.
///
/// # Errors
/// When there is no such database or study, or the folder cannot be written; and, once the folder is
/// complete, when something in the database could not be read.
pub async fn export(config: &Config, args: ExportArgs) -> anyhow::Result<()> {
    let archive = open(config, &args.study).await?;
    let now = jiff::Timestamp::now().to_string();
    let options = ExportOptions {
        spreadsheet_safe: args.spreadsheet_safe,
        identifying: args.identifying,
        audit: args.audit,
        selection: args.selection(config),
        address: args.address.as_deref().unwrap_or_default(),
        ..ExportOptions::new(&now)
    };
    let progress = Progress::counting("sessions written", Some(0));
    let mut tell = |done, of| {
        progress.tell(done, of);
        ControlFlow::Continue(())
    };
    let exported = export_watched(&*archive, &args.study, &args.out, &options, &mut tell).await?;
    drop(progress);
    if exported.sessions == 0 && exported.simulated_left_out > 0 {
        eprintln!(
            "redial: note: all sessions of '{}' are those of simulated people; --simulated takes them",
            args.study
        );
    }
    let simulated = match options.selection.whose {
        SessionSelection::Simulated => "simulated ",
        SessionSelection::Pilots => "pilot ",
        SessionSelection::People | SessionSelection::Participants | SessionSelection::All => "",
    };
    let mut text = format!(
        "{} {simulated}sessions of '{}' in {}; {} of them count\n  {:<26} {:>9} {:>9}\n",
        exported.sessions,
        args.study,
        args.out.display(),
        exported.included_sessions,
        "rows of",
        "raw",
        "included"
    );
    for table in &exported.tables {
        let name = table.get("table").and_then(serde_json::Value::as_str);
        let rows = |of: &str| table.get(of).and_then(serde_json::Value::as_u64);
        text += &format!(
            "  {:<26} {:>9} {:>9}\n",
            name.unwrap_or_default(),
            rows("rows").unwrap_or(0),
            rows("included_rows").unwrap_or(0)
        );
    }
    text += "  README.md says where everything is, dictionary.csv what every column means.\n";
    print(&text)?;
    archive.close().await;
    let listed = ListedExport::new(&args.study, &args.out, &now, exported.ids);
    if let Some(database) = storage::path(&config.database)?
        && let Err(error) = listed.add(&database)
    {
        eprintln!(
            "redial: note: this export cannot be put into the list of exports {}-exports ({error}); \
             'redial session erase' will not name it",
            database.display()
        );
    }
    told(&exported.problems, exported.damaged_sessions)
}

/// Says what could not be read.
///
/// # Errors
/// When there is anything.
pub(super) fn told(problems: &[Problem], sessions: u64) -> anyhow::Result<()> {
    for problem in problems {
        eprintln!("redial: {problem}");
    }
    ensure!(
        problems.is_empty(),
        "not everything can be read. Sessions left out of all numbers because of that: {sessions}; \
         all else came out. 'redial database check' looks at the whole database"
    );
    Ok(())
}

/// Opens the database for a command that makes no sense without sessions of a study.
pub(super) async fn open(config: &Config, study: &str) -> anyhow::Result<Box<dyn Archive>> {
    let archive = storage::open_archive(config.address()).await?;
    let studies = match archive.studies().await {
        // What can be read of this one will be.
        Err(error) if error.is_damage() => return Ok(archive),
        studies => studies?,
    };
    if !studies.iter().any(|name| name == study) {
        archive.close().await;
        match studies.as_slice() {
            [] => bail!(
                "nobody has started a study in {} yet",
                storage::shown(&config.database)
            ),
            some => bail!(
                "nobody has started '{study}' yet; there are sessions of: {}",
                some.join(", ")
            ),
        }
    }
    Ok(archive)
}

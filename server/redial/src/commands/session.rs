//! `redial session …`: what a researcher decides about one session.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use api::lab::ExperimenterAct;
use clap::{Args, Subcommand};
use domain::common::moment::{moment, parse_moment};
use domain::session::event::SessionId;
use domain::task::MAX_NOTE;
use server::control::Request;
use server::export_list::exports_with;
use server::storage;
use server::webvtt::{self, MAX_BYTES};

use super::change::{change, there_is_a_database};
use crate::config::Config;
use crate::output::print;

/// `redial session …`
#[derive(Debug, Clone, Subcommand)]
pub enum SessionCommand {
    /// Leave a session out of analyses. Its data stay; exports and analyses name the reason. Where a
    /// study counts those included, its slot is given back. A server may run meanwhile
    Exclude(DecisionArgs),
    /// Take an exclusion by hand back: the study's inclusion rules alone count again
    Readmit(DecisionArgs),
    /// Put the transcript of a recording beside it: exports with --identifying have it as a file and as
    /// a table with the times of the log. It is deleted with the sound. A server may run meanwhile
    Transcript {
        /// The session, as exports name it
        #[arg(value_name = "SESSION")]
        session: String,
        /// The transcript, in WebVTT
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Which of the session's recordings, as the table 'recordings' of an export counts them
        #[arg(long, value_name = "N", default_value_t = 0)]
        recording: u32,
    },
    /// Say who runs a lab session, where they did not take it over themselves: experimenters see the sessions that
    /// they run. A server may run meanwhile
    RunBy {
        /// The session, as exports name it
        #[arg(value_name = "SESSION")]
        session: String,
        /// The name with which they sign in
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Write a note or a mark into a session's log, as an experimenter does: exports and replays show it. A server may
    /// run meanwhile
    Note(NoteArgs),
    /// Erase everything that the participant of a session gave, as they wished. What is needed to pay
    /// them stays, and that there was a session. This cannot be taken back. A server may run meanwhile
    Erase {
        /// The session, as exports name it
        #[arg(value_name = "SESSION")]
        session: String,
    },
}

/// A session, and why something is decided about it.
#[derive(Debug, Clone, Args)]
pub struct DecisionArgs {
    /// The session, as exports name it
    #[arg(value_name = "SESSION")]
    session: String,
    /// The reason. It stays in the session's log
    #[arg(long, value_name = "TEXT")]
    because: String,
}

/// A note about a moment of a session.
#[derive(Debug, Clone, Args)]
pub struct NoteArgs {
    /// The session, as exports name it
    #[arg(value_name = "SESSION")]
    session: String,
    /// The note
    #[arg(value_name = "TEXT", required_unless_present = "mark")]
    text: Option<String>,
    /// What the moment is marked as, in a word or two
    #[arg(long, value_name = "MARK")]
    mark: Option<String>,
    /// The moment in session time, such as 12m30.5s; without it, now
    #[arg(long, value_name = "MOMENT", value_parser = parsed_moment)]
    at: Option<u64>,
}

fn parsed_moment(text: &str) -> Result<u64, String> {
    parse_moment(text).ok_or_else(|| "a moment is written as 750.5s, 12m30s or 1h2m".to_owned())
}

/// Runs `redial session …`.
///
/// # Errors
/// When there is no such session or database, the reason is empty or too long, or the same was decided before.
pub async fn session(config: &Config, command: SessionCommand) -> anyhow::Result<()> {
    let (args, excluded) = match command {
        SessionCommand::Exclude(args) => (args, true),
        SessionCommand::Readmit(args) => (args, false),
        SessionCommand::Transcript {
            session,
            file,
            recording,
        } => return transcript(config, session, &file, recording).await,
        SessionCommand::RunBy { session, name } => return run_by(config, session, name).await,
        SessionCommand::Note(args) => return note(config, args).await,
        SessionCommand::Erase { session } => return erase(config, session).await,
    };
    let why = args.because.trim();
    ensure!(
        !why.is_empty(),
        "--because is empty; say why, in a few words"
    );
    ensure!(
        why.chars().count() <= MAX_NOTE,
        "--because has {} characters; at most {MAX_NOTE} are kept",
        why.chars().count()
    );
    there_is_a_database(config)?;
    let id = args.session;
    let request = Request::Exclude {
        session: SessionId(id.clone()),
        excluded,
        why: why.to_owned(),
    };
    change(config, &request).await?;
    let text = if excluded {
        format!("Session {id} is excluded: {why}\n")
    } else {
        format!("Session {id} is no longer excluded by hand.\n")
    };
    Ok(print(&text)?)
}

async fn transcript(
    config: &Config,
    session: String,
    file: &Path,
    recording: u32,
) -> anyhow::Result<()> {
    there_is_a_database(config)?;
    let length = std::fs::metadata(file)
        .with_context(|| format!("{} cannot be read", file.display()))?
        .len();
    ensure!(
        length <= MAX_BYTES as u64,
        "{} has {length} bytes; a transcript has at most {MAX_BYTES}",
        file.display()
    );
    let webvtt = std::fs::read_to_string(file)
        .with_context(|| format!("{} cannot be read as text in UTF-8", file.display()))?;
    // Before anything is sent: the line counts in this file.
    webvtt::cues(&webvtt).with_context(|| file.display().to_string())?;
    let request = Request::AddTranscript {
        session: SessionId(session.clone()),
        recording,
        webvtt,
    };
    let cues = change(config, &request).await?.changed;
    Ok(print(&format!(
        "The transcript of recording {recording} of session {session} is stored: {cues} cues.\n"
    ))?)
}

async fn run_by(config: &Config, session: String, name: String) -> anyhow::Result<()> {
    there_is_a_database(config)?;
    let request = Request::NameExperimenter {
        session: SessionId(session.clone()),
        name: name.clone(),
    };
    let changed = change(config, &request).await?.changed > 0;
    let text = if changed {
        format!("{name} runs session {session} from now on.\n")
    } else {
        format!("{name} runs session {session} already.\n")
    };
    Ok(print(&text)?)
}

async fn note(config: &Config, args: NoteArgs) -> anyhow::Result<()> {
    there_is_a_database(config)?;
    let request = Request::ActInSession {
        session: SessionId(args.session.clone()),
        act: ExperimenterAct::Note {
            text: args.text.unwrap_or_default(),
            mark: args.mark,
            about_ms: args.at,
        },
    };
    let at_ms = change(config, &request).await?.at_ms;
    let at = args.at.or(at_ms).map(moment).unwrap_or_default();
    Ok(print(&format!(
        "The note about {at} is in the log of session {}.\n",
        args.session
    ))?)
}

async fn erase(config: &Config, session: String) -> anyhow::Result<()> {
    there_is_a_database(config)?;
    let request = Request::Erase {
        session: SessionId(session.clone()),
    };
    let mut text = if change(config, &request).await?.changed > 0 {
        format!(
            "Everything that was given in session {session} is erased. A backup that is restored \
             with `redial database restore` is cleaned of it.\n"
        )
    } else {
        format!("Session {session} was erased before.\n")
    };
    text += &exports_that_hold(config, SessionId(session))?;
    Ok(print(&text)?)
}

/// A note about exports that were made before a session was erased.
fn exports_that_hold(config: &Config, session: SessionId) -> anyhow::Result<String> {
    let Some(database) = storage::path(&config.database)? else {
        return Ok(
            "Exports that hold it are listed nowhere. Erase it in all of them.\n".to_owned(),
        );
    };
    let listed = exports_with(&database, &session);
    let listed = listed.context("the list of exports beside the database cannot be read")?;
    if listed.is_empty() {
        return Ok("The list of exports names none that holds it.\n".to_owned());
    }
    let mut text = "These exports hold it. Erase it there and in all copies of them:\n".to_owned();
    for export in listed {
        let gone = if export.folder.exists() {
            ""
        } else {
            " (no longer there on this machine)"
        };
        let folder = export.folder.display();
        text += &format!("  {}  {folder}{gone}\n", export.exported_at_utc);
    }
    Ok(text)
}

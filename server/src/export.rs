//! `redial export`: a study's data as tidy tables.
//!
//! Everything is derived anew from the event log, from one consistent snapshot of the database.
//! Each log is read twice, page by page: once for the state that it leads to, and once for the rows
//! that its events give. Memory grows neither with the study nor with a log. Every column is
//! declared once, beside the code that fills it: those of a task in `domain::task`, those of the
//! flow here. All formats, the data dictionary and the descriptions of Psych-DS follow from that.
//!
//! A session in which something cannot be read ends nothing: its readable events and its plan come
//! out, no number is made from it, and the manifest says what is wrong.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use domain::session::event::SessionId;
use domain::session::plan::SessionPlan;
use domain::session::typed_text;
use serde_json::{Value, json};

use crate::folder::NewFolder;
use crate::storage::{Archive, Problem};

mod answers;
mod audit;
mod dictionary;
mod error;
mod events;
mod files;
mod flow_table;
pub mod layout;
mod links;
mod log;
mod log_summary;
mod manifest;
mod parquet;
mod psych_ds;
mod recordings;
mod replay;
mod scores;
mod selection;
mod sessions;
mod staircases;
mod standing;
mod table_writer;
mod task_tables;
mod title;
mod transcripts;
mod trust;

pub use error::ExportError;
pub use links::server_address;
pub use log::LoggedEvent;
pub use log_summary::LogSummary;
pub use replay::{DamagedSession, ReplayedSession, ReplayedSessions, Visited, Watch};
pub use selection::{Selection, SessionSelection};
pub use sessions::{session_cells, session_columns, utc};
pub use standing::Standing;
pub use title::title;

use files::{ExportTarget, JsonLines};
use flow_table::FlowTable;
use table_writer::WrittenTable;
use task_tables::TaskTables;

/// The summary of an export.
pub struct ExportSummary {
    /// Number of sessions in the tables of everybody.
    pub sessions: u64,
    /// Number of them that count.
    pub included_sessions: u64,
    /// Number of sessions of which only events and plan could be read, if that.
    pub damaged_sessions: u64,
    /// Number of simulated sessions that are left out, as people's are wanted.
    pub simulated_left_out: usize,
    /// Everything that could not be read.
    pub problems: Vec<Problem>,
    /// An entry for each table: its name, rows of everybody, rows of those who count.
    pub tables: Vec<Value>,
    /// Names of all sessions that something was written of.
    pub ids: Vec<SessionId>,
}

/// How an export is written.
#[derive(Debug, Clone)]
pub struct ExportOptions<'a> {
    /// Now, as RFC 3339.
    pub exported_at_utc: &'a str,
    /// Whether text in CSV files is changed so that a spreadsheet takes none for a formula: a `'`
    /// before `=`, `+`, `-`, `@`, and `\u{fffd}` for characters that nobody sees. The other formats
    /// have every text as it is.
    pub spreadsheet_safe: bool,
    /// Whether what can say who somebody is comes out: codes of participants, completion codes,
    /// signatures, sound, and what people typed in their own words.
    pub identifying: bool,
    /// Whether the study's audit log comes out, as a table.
    pub audit: bool,
    /// Which sessions.
    pub selection: Selection,
    /// The server's address, which links to the replay begin with ([`server_address`]); empty: they begin with the path.
    pub address: &'a str,
}

impl<'a> ExportOptions<'a> {
    /// Every text as it is, of people, under pseudonyms.
    #[must_use]
    pub fn new(exported_at_utc: &'a str) -> Self {
        Self {
            exported_at_utc,
            spreadsheet_safe: false,
            identifying: false,
            audit: false,
            selection: Selection::default(),
            address: "",
        }
    }
}

/// Writes all tables of a study into a new folder.
///
/// The folder appears only once everything in it is written. A study without
/// sessions gives tables without rows.
///
/// # Errors
/// When the folder holds something already, the database fails, or the files cannot be
/// written; then there is no folder. Damage to single records is told in
/// [`ExportSummary::problems`].
pub async fn export(
    archive: &dyn Archive,
    study: &str,
    folder: &Path,
    options: &ExportOptions<'_>,
) -> Result<ExportSummary, ExportError> {
    export_watched(archive, study, folder, options, &mut |_, _| {
        ControlFlow::Continue(())
    })
    .await
}

/// As [`export`]. `watch` hears how many sessions are written, and how many there are at most; if it breaks,
/// nothing is left of the export.
///
/// # Errors
/// As [`export`], and [`ExportError::Stopped`].
pub async fn export_watched(
    archive: &dyn Archive,
    study: &str,
    folder: &Path,
    options: &ExportOptions<'_>,
    watch: &mut (dyn FnMut(u64, u64) -> ControlFlow<()> + Send),
) -> Result<ExportSummary, ExportError> {
    let staging = NewFolder::new(folder)?;
    let here = staging.path();
    let selection = &options.selection;
    let mut visited = ReplayedSessions::open(archive, study, selection.clone()).await?;
    let target = ExportTarget {
        path: here,
        study,
        address: options.address,
        spreadsheet_safe: options.spreadsheet_safe,
        identifying: options.identifying,
    };
    let mut tables = Tables::create(&target)?;
    let mut seen = manifest::SessionsSummary::default();
    let (mut count, mut included, mut damaged_count) = (0, 0, 0);
    let mut problems = Vec::from_iter(visited.unlisted());
    let mut ids = Vec::new();
    let listed = visited.left() as u64;
    let mut go_on = |done| match watch(done, listed) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(ExportError::Stopped),
    };
    go_on(0)?;
    while let Some(session) = visited.next().await? {
        match session {
            Visited::Whole(replayed) => {
                tables.whole(&mut visited, &replayed).await?;
                seen.session(&replayed);
                ids.push(replayed.stored.id.clone());
                count += 1;
                included += u64::from(replayed.standing() == Standing::Counted);
            }
            Visited::Damaged(damaged) => {
                tables.damaged(&mut visited, &damaged).await?;
                problems.extend(damaged.problems);
                ids.extend(damaged.id);
                damaged_count += 1;
            }
        }
        go_on(count + damaged_count)?;
    }
    problems.extend(visited.sound_problems());
    let (mut tables, mut files) = tables.finish()?;
    if options.audit {
        let audit = audit::write(archive, &target).await?;
        files.extend(audit.files.iter().cloned());
        tables.push(audit);
    }
    let simulated_left_out = match selection.whose {
        SessionSelection::People => visited.passed_over(),
        _ => 0,
    };
    let (definitions, of_definitions) = visited.definitions().await?;
    problems.extend(of_definitions);
    for (sha256, bytes) in &definitions {
        let name = format!(
            "materials/study-{}.json",
            sha256.get(..12).unwrap_or(sha256)
        );
        files::write(here, &name, bytes)?;
    }
    let (texts, of_texts) = visited.texts().await?;
    problems.extend(of_texts);
    let mut told = Vec::new();
    for (study_sha256, text) in texts {
        let name = format!(
            "materials/text-{}-{}",
            text.sha256.get(..12).unwrap_or_default(),
            text.file
        );
        told.push(json!({
            "file": name, "study_sha256": study_sha256, "text": text.file, "sha256": text.sha256,
        }));
        files::write(here, &name, &text.markdown)?;
    }
    dictionary::write(here, &tables)?;
    let about = psych_ds::About {
        study,
        definitions: &definitions,
        exported_at_utc: options.exported_at_utc,
        sessions: (count, included),
        simulated: selection.whose == SessionSelection::Simulated,
    };
    psych_ds::write(here, &about, &tables)?;
    let summaries: Vec<Value> = tables.iter().map(WrittenTable::summary).collect();
    let manifest = json!({
        "format": 3,
        "study": study,
        "exported_at_utc": options.exported_at_utc,
        "redial_version": env!("CARGO_PKG_VERSION"),
        "formats": manifest::formats(),
        "sessions": count,
        "included_sessions": included,
        "damaged_sessions": damaged_count,
        "problems": problems,
        "selection": manifest::selection(selection),
        "models": seen.models(),
        "active_time_rules": seen.active_time_rules(),
        "tables": summaries,
        "files": files,
        "texts": told,
        "spreadsheet_safe": options.spreadsheet_safe,
        "identifying": options.identifying,
        "audit": options.audit,
        "simulated_people": about.simulated,
    });
    files::write_json(here, "manifest.json", &manifest)?;
    staging.publish()?;
    Ok(ExportSummary {
        sessions: count,
        included_sessions: included,
        damaged_sessions: damaged_count,
        simulated_left_out,
        problems,
        tables: summaries,
        ids,
    })
}

/// The tables being written, and the plans.
struct Tables {
    identifying: bool,
    sessions: FlowTable<ReplayedSession>,
    answers: FlowTable<answers::Row>,
    scores: FlowTable<scores::Row>,
    staircases: FlowTable<staircases::Row>,
    recordings: FlowTable<recordings::Row>,
    transcripts: FlowTable<transcripts::Row>,
    /// The manifest's entries of files of sound, and of their transcripts.
    sounds: Vec<Value>,
    /// Where these files go, if they may leave the server.
    sounds_in: Option<PathBuf>,
    events: FlowTable<LoggedEvent>,
    tasks: TaskTables,
    plans: JsonLines,
}

impl Tables {
    fn create(to: &ExportTarget<'_>) -> Result<Self, ExportError> {
        Ok(Self {
            identifying: to.identifying,
            sessions: FlowTable::create(to, "sessions", sessions::ROW, sessions::fields())?,
            answers: FlowTable::create(to, "answers", answers::ROW, answers::fields())?,
            scores: FlowTable::create(to, "scores", scores::ROW, scores::fields())?,
            staircases: FlowTable::create(to, "staircases", staircases::ROW, staircases::fields())?,
            recordings: FlowTable::create(to, "recordings", recordings::ROW, recordings::fields())?,
            transcripts: FlowTable::create(
                to,
                "transcripts",
                transcripts::ROW,
                transcripts::fields(),
            )?,
            sounds: Vec::new(),
            sounds_in: to.identifying.then(|| to.path.to_owned()),
            events: FlowTable::create(to, "events", events::ROW, events::fields())?,
            tasks: TaskTables::create(to)?,
            plans: JsonLines::create(to.path, "materials/plans.jsonl".to_owned())?,
        })
    }

    /// Writes the rows of a session that can be read.
    async fn whole(
        &mut self,
        log: &mut ReplayedSessions,
        replayed: &ReplayedSession,
    ) -> Result<(), ExportError> {
        let counts = replayed.standing() == Standing::Counted;
        self.sessions.row(replayed, counts)?;
        for answer in answers::rows(replayed, self.identifying) {
            self.answers.row(&answer, counts)?;
        }
        for score in scores::rows(replayed) {
            self.scores.row(&score, counts)?;
        }
        for climb in staircases::rows(replayed) {
            self.staircases.row(&climb, counts)?;
        }
        let sounds_in = self.sounds_in.as_deref();
        let (recorded, sounds) = recordings::rows(replayed, log, sounds_in).await?;
        for recording in recorded {
            self.recordings.row(&recording, counts)?;
        }
        self.sounds.extend(sounds);
        let (said, files) = transcripts::rows(replayed, log, sounds_in).await?;
        for cue in said {
            self.transcripts.row(&cue, counts)?;
        }
        self.sounds.extend(files);
        let mut tasks = self.tasks.session(replayed, counts);
        while let Some(event) = log.next_event().await? {
            tasks.event(&event)?;
            let plan = Some(replayed.session.plan());
            let event = pseudonymous(event, plan, self.identifying);
            self.events.row_with_line(&event, &event.json, counts)?;
        }
        tasks.end()?;
        self.plans.line(&*replayed.stored.plan)?;
        self.sessions.session_ended(counts)?;
        self.answers.session_ended(counts)?;
        self.scores.session_ended(counts)?;
        self.staircases.session_ended(counts)?;
        self.recordings.session_ended(counts)?;
        self.transcripts.session_ended(counts)?;
        self.events.session_ended(counts)
    }

    /// Writes what can be read of a session in which something cannot.
    async fn damaged(
        &mut self,
        log: &mut ReplayedSessions,
        damaged: &DamagedSession,
    ) -> Result<(), ExportError> {
        while let Some(event) = log.next_event().await? {
            let event = pseudonymous(event, None, self.identifying);
            self.events.row_with_line(&event, &event.json, false)?;
        }
        if let Some(plan) = &damaged.plan {
            self.plans.line(&**plan)?;
        }
        self.events.session_ended(false)
    }

    /// Closes the files; returns the tables, and the manifest's entries for all files.
    fn finish(self) -> Result<(Vec<WrittenTable>, Vec<Value>), ExportError> {
        let mut tables = vec![
            self.sessions.finish()?,
            self.answers.finish()?,
            self.scores.finish()?,
            self.staircases.finish()?,
            self.recordings.finish()?,
            self.transcripts.finish()?,
            self.events.finish()?,
        ];
        tables.extend(self.tasks.finish()?);
        let files = tables.iter().flat_map(|table| table.files.clone());
        let mut files: Vec<Value> = files.collect();
        files.push(self.plans.finish()?);
        files.extend(self.sounds);
        Ok((tables, files))
    }
}

/// An event without what somebody typed, unless that is wanted.
fn pseudonymous(
    mut logged: LoggedEvent,
    plan: Option<&SessionPlan>,
    identifying: bool,
) -> LoggedEvent {
    if identifying {
        return logged;
    }
    if typed_text::withhold(&mut logged.envelope.event, plan) {
        // The text that is stored has it, too.
        logged.json = serde_json::to_string(&logged.envelope).unwrap_or_default();
    }
    logged
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

//! `redial export`: a study's data as tidy tables.
//!
//! Everything is derived anew from the event log, session by session, from one
//! consistent snapshot of the database; memory does not grow with the study. Every
//! column is declared beside the code that fills it: those of a task in
//! `domain::task`, those of the flow here.
//!
//! A session in which something cannot be read ends nothing: its readable events and its plan come
//! out, no number is made from it, and the manifest says what is wrong.

use std::path::Path;

use domain::task::TaskKind;
use serde_json::{Value, json};

use crate::folder::NewFolder;
use crate::storage::{Archive, Problem};

mod answers;
mod dictionary;
mod error;
mod events;
mod files;
mod flow_table;
mod log;
mod manifest;
mod replay;
mod scores;
mod sessions;
mod task_tables;
mod trust;

pub use error::ExportError;
pub use replay::{
    DamagedSession, LoggedEvent, ReplayedSession, ReplayedSessions, Standing, Visited, Whose,
};

use files::JsonLines;
use flow_table::FlowTable;
use task_tables::TaskTables;

/// What an export wrote.
pub struct Exported {
    /// Number of sessions in the tables.
    pub sessions: u64,
    /// Number of sessions of which only events and plan could be read, if that.
    pub damaged_sessions: u64,
    /// Everything that could not be read.
    pub problems: Vec<Problem>,
    /// An entry for each file: name, rows, bytes, SHA-256.
    pub files: Vec<Value>,
}

/// How an export is written.
#[derive(Debug, Clone, Copy)]
pub struct ExportOptions<'a> {
    /// Now, as RFC 3339.
    pub exported_at_utc: &'a str,
    /// Whether text in CSV files is changed so that a spreadsheet takes none for a formula: a `'`
    /// before `=`, `+`, `-`, `@`, and `\u{fffd}` for characters that nobody sees. JSON Lines have
    /// every text as it is.
    pub spreadsheet_safe: bool,
    /// Whose sessions.
    pub whose: Whose,
}

impl<'a> ExportOptions<'a> {
    /// Every text as it is.
    #[must_use]
    pub fn new(exported_at_utc: &'a str) -> Self {
        Self {
            exported_at_utc,
            spreadsheet_safe: false,
            whose: Whose::People,
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
/// [`Exported::problems`].
pub async fn export(
    archive: &dyn Archive,
    study: &str,
    folder: &Path,
    options: &ExportOptions<'_>,
) -> Result<Exported, ExportError> {
    let staging = NewFolder::new(folder)?;
    let here = staging.path();
    let to = files::TablesFolder {
        path: here,
        spreadsheet_safe: options.spreadsheet_safe,
    };
    let mut replayed_sessions = ReplayedSessions::open(archive, study, options.whose).await?;
    let mut sessions = FlowTable::create(&to, "sessions", sessions::ROW, sessions::fields())?;
    let mut answers = FlowTable::create(&to, "answers", answers::ROW, answers::fields())?;
    let mut scores = FlowTable::create(&to, "scores", scores::ROW, scores::fields())?;
    let mut events = FlowTable::create(&to, "events", events::ROW, events::fields())?;
    let mut tasks = TaskKind::ALL
        .iter()
        .map(|task| TaskTables::create(&to, *task))
        .collect::<Result<Vec<_>, _>>()?;
    let mut plans = JsonLines::create(here, "plans.jsonl")?;
    let mut seen = manifest::Seen::default();
    let (mut count, mut damaged_count) = (0, 0);
    let mut problems = Vec::from_iter(replayed_sessions.unlisted());
    while let Some(visited) = replayed_sessions.next().await? {
        let replayed = match visited {
            Visited::Whole(replayed) => replayed,
            Visited::Damaged(damaged) => {
                for event in &damaged.events {
                    events.row_with_line(event, &event.json)?;
                }
                if let Some(plan) = &damaged.plan {
                    plans.line(&**plan)?;
                }
                problems.extend(damaged.problems);
                damaged_count += 1;
                continue;
            }
        };
        sessions.row(&replayed)?;
        for answer in answers::rows(&replayed) {
            answers.row(&answer)?;
        }
        for score in scores::rows(&replayed) {
            scores.row(&score)?;
        }
        for event in &replayed.events {
            events.row_with_line(event, &event.json)?;
        }
        for task in &mut tasks {
            task.session(&replayed)?;
        }
        plans.line(&*replayed.stored.plan)?;
        seen.session(&replayed);
        count += 1;
    }

    let mut tables = vec![
        sessions.finish()?,
        answers.finish()?,
        scores.finish()?,
        events.finish()?,
    ];
    for task in tasks {
        tables.extend(task.finish()?);
    }
    let mut files: Vec<Value> = tables
        .iter()
        .flat_map(|table| table.files.clone())
        .collect();
    files.push(plans.finish()?);
    let (definitions, of_definitions) = replayed_sessions.definitions().await?;
    problems.extend(of_definitions);
    for (sha256, bytes) in definitions {
        let name = format!("study-{}.json", sha256.get(..12).unwrap_or(&sha256));
        files::write(here, &name, &bytes)?;
    }
    let (texts, of_texts) = replayed_sessions.texts().await?;
    problems.extend(of_texts);
    let mut told = Vec::new();
    for (study_sha256, text) in texts {
        let name = format!(
            "text-{}-{}",
            text.sha256.get(..12).unwrap_or_default(),
            text.file
        );
        told.push(json!({
            "file": name, "study_sha256": study_sha256, "text": text.file, "sha256": text.sha256,
        }));
        files::write(here, &name, &text.markdown)?;
    }
    dictionary::write(here, &tables)?;
    let manifest = json!({
        "format": 2,
        "study": study,
        "exported_at_utc": options.exported_at_utc,
        "redial_version": env!("CARGO_PKG_VERSION"),
        "formats": manifest::formats(),
        "sessions": count,
        "damaged_sessions": damaged_count,
        "problems": problems,
        "models": seen.models(),
        "active_time_rules": seen.active_time_rules(),
        "tables": tables.iter().map(files::Written::summary).collect::<Vec<_>>(),
        "files": files,
        "texts": told,
        "spreadsheet_safe": options.spreadsheet_safe,
        "simulated_people": options.whose == Whose::Simulated,
    });
    files::write_json(here, "manifest.json", &manifest)?;
    staging.publish()?;
    Ok(Exported {
        sessions: count,
        damaged_sessions: damaged_count,
        problems,
        files,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

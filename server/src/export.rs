//! `redial export`: a study's data as tidy tables.
//!
//! Everything is derived anew from the event log, session by session, from one
//! consistent snapshot of the database; memory does not grow with the study.

use std::path::Path;

use anyhow::Context;
use domain::event::Envelope;
use domain::session::Session;
use serde_json::{Value, json};

use crate::storage::{Storage, StoredSession, StudySnapshot};

mod dictionary;
mod files;
mod rows;
mod tables;

use files::{Lines, Staging, TableWriter};
use tables::Table;

/// Sessions read from the database at a time.
const SESSIONS_PER_PAGE: u32 = 50;
/// Events read from the database at a time.
const EVENTS_PER_PAGE: u32 = 5_000;

/// One session with its log, replayed.
pub struct Replayed {
    /// The session as stored.
    pub stored: StoredSession,
    /// Its events, each with the text it is stored as.
    pub events: Vec<(String, Envelope)>,
    /// The state its log leads to.
    pub session: Session,
}

/// Visits the sessions of a snapshot one by one, replayed.
pub struct Sessions {
    snapshot: Box<dyn StudySnapshot>,
    page: std::vec::IntoIter<StoredSession>,
    after: u64,
}

impl Sessions {
    /// Starts at the first session of a study, as of now.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn open(storage: &dyn Storage, study: &str) -> anyhow::Result<Self> {
        let snapshot = storage.study_snapshot(study).await?;
        Ok(Self {
            snapshot,
            page: Vec::new().into_iter(),
            after: 0,
        })
    }

    /// The next session, in order of ordinal; `None` after the last.
    ///
    /// # Errors
    /// When the database cannot be read, or a log does not replay.
    pub async fn next(&mut self) -> anyhow::Result<Option<Replayed>> {
        let stored = match self.page.next() {
            Some(stored) => stored,
            None => {
                self.page = self
                    .snapshot
                    .sessions(self.after, SESSIONS_PER_PAGE)
                    .await?
                    .into_iter();
                match self.page.next() {
                    Some(stored) => stored,
                    None => return Ok(None),
                }
            }
        };
        self.after = stored.ordinal;
        let events = self.events(&stored).await?;
        let session = Session::replay(stored.plan.clone(), events.iter().map(|(_, event)| event))
            .map_err(|(index, refusal)| {
            anyhow::anyhow!(
                "session {}: event {index} does not replay: {refusal}",
                stored.id
            )
        })?;
        Ok(Some(Replayed {
            stored,
            events,
            session,
        }))
    }

    async fn events(&mut self, stored: &StoredSession) -> anyhow::Result<Vec<(String, Envelope)>> {
        let mut events = Vec::new();
        loop {
            let page = self
                .snapshot
                .events(&stored.id, events.len() as u64, EVENTS_PER_PAGE)
                .await?;
            if page.is_empty() {
                return Ok(events);
            }
            for event in page {
                let envelope = event
                    .envelope()
                    .with_context(|| format!("session {}", stored.id))?;
                events.push((event.json, envelope));
            }
        }
    }

    /// The study files that sessions were started with, by hash.
    async fn definitions(&mut self) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
        let mut definitions = Vec::new();
        for sha256 in self.snapshot.study_versions().await? {
            if let Some(bytes) = self.snapshot.study_version(&sha256).await? {
                definitions.push((sha256, bytes));
            }
        }
        Ok(definitions)
    }
}

/// What an export wrote.
pub struct Exported {
    /// Number of sessions.
    pub sessions: u64,
    /// An entry for each file: name, rows, bytes, SHA-256.
    pub files: Vec<Value>,
}

/// Writes all tables of a study into a new folder.
///
/// The folder appears only once everything in it is written. A study without
/// sessions gives tables without rows.
///
/// # Errors
/// When the folder holds something already, the database cannot be read, or
/// the files cannot be written; then there is no folder.
pub async fn export(
    storage: &dyn Storage,
    study: &str,
    folder: &Path,
    exported_at: &str,
) -> anyhow::Result<Exported> {
    let staging = Staging::new(folder)?;
    let here = staging.path();
    let mut sessions = Sessions::open(storage, study).await?;
    let mut out = Tables::create(here)?;
    let mut plans = Lines::create(here, "plans.jsonl")?;
    let mut count = 0;
    while let Some(replayed) = sessions.next().await? {
        out.session(&replayed)?;
        plans.line(&*replayed.stored.plan)?;
        count += 1;
    }

    let mut files = out.finish()?;
    files.push(plans.finish()?);
    for (sha256, bytes) in sessions.definitions().await? {
        let name = format!("study-{}.json", sha256.get(..12).unwrap_or(&sha256));
        std::fs::write(here.join(&name), bytes).with_context(|| format!("cannot write {name}"))?;
    }
    dictionary::write(here)?;
    let manifest = json!({
        "format": 1,
        "study": study,
        "exported_at_utc": exported_at,
        "redial_version": env!("CARGO_PKG_VERSION"),
        "sessions": count,
        "files": files,
    });
    let text = serde_json::to_string_pretty(&manifest)?;
    std::fs::write(here.join("manifest.json"), text + "\n")
        .context("cannot write manifest.json")?;
    staging.publish()?;
    Ok(Exported {
        sessions: count,
        files,
    })
}

/// The tables being written.
struct Tables {
    sessions: TableWriter,
    questions: TableWriter,
    dimensions: TableWriter,
    snapshots: TableWriter,
    answers: TableWriter,
    events: TableWriter,
}

impl Tables {
    fn create(folder: &Path) -> anyhow::Result<Self> {
        let table = |table: Table| TableWriter::create(folder, table);
        Ok(Self {
            sessions: table(tables::SESSIONS)?,
            questions: table(tables::QUESTIONS)?,
            dimensions: table(tables::DIMENSIONS)?,
            snapshots: table(tables::SNAPSHOTS)?,
            answers: table(tables::ANSWERS)?,
            events: table(tables::EVENTS)?,
        })
    }

    fn session(&mut self, replayed: &Replayed) -> anyhow::Result<()> {
        self.sessions.row(rows::session(replayed))?;
        let paths = rows::Paths::of(&replayed.events);
        for record in replayed.session.records() {
            self.questions
                .row(rows::question(replayed, &paths, &record))?;
            for row in rows::dimensions(replayed, &paths, &record) {
                self.dimensions.row(row)?;
            }
        }
        for row in rows::answers(replayed) {
            self.answers.row(row)?;
        }
        for (text, envelope) in &replayed.events {
            self.events.row_with_line(rows::event(envelope)?, text)?;
        }
        for row in paths.snapshots() {
            self.snapshots.row(row)?;
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<Vec<Value>> {
        let Self {
            sessions,
            questions,
            dimensions,
            snapshots,
            answers,
            events,
        } = self;
        let all = [sessions, questions, dimensions, snapshots, answers, events];
        let mut files = Vec::new();
        for table in all {
            files.extend(table.finish()?);
        }
        Ok(files)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

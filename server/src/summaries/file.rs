//! The file that a study's rows are kept in while the server does not run: lines of JSON, the first about the others.
//!
//! It holds no cell that can say who somebody is. One of another version of the program, or in which anything is
//! not as it was written, is thrown away. A program that erases a session removes the file ([`crate::storage`]);
//! so after one was written, it is looked once more whether all sessions in it are still there.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::row::{RowOrigin, SummaryRow};
use super::{StudySummaries, Summaries, lock};
use crate::export::session_columns;
use crate::private_files;
use crate::secrets::{hex, unhex};
use crate::storage::{ListedSessions, SessionMark};

/// The code that made the rows: those of other code may hold other numbers.
const CODE: &str = env!("REDIAL_FOLDS");

/// A file is written again after so long at the earliest. Rows that it lacks are made again.
const REST: Duration = Duration::from_mins(1);

/// The first line.
#[derive(PartialEq, Serialize, Deserialize)]
struct Head {
    code: String,
    study: String,
    /// Of the lines that follow.
    sha256: String,
}

/// One of the others.
#[derive(Serialize, Deserialize)]
struct Line {
    ordinal: u64,
    mark: String,
    session: Option<SessionId>,
    problems: Vec<String>,
    cells: Vec<String>,
    facts: String,
}

impl Summaries {
    fn file_of(&self, study: &str) -> Option<PathBuf> {
        let name = hex(&Sha256::digest(study));
        let folder = self.folder.as_ref()?;
        Some(folder.join(format!("{}.jsonl", name.get(..32)?)))
    }

    /// Takes up what was kept, the first time.
    pub(super) async fn read_file(&self, of: &StudySummaries) {
        let read = async {
            let Some(path) = self.file_of(&of.study) else {
                return;
            };
            let study = of.study.clone();
            let read = move || read(&path, &study);
            if let Ok(Some(rows)) = self.processor.run(read).await {
                let mut known = lock(&of.rows);
                for row in rows {
                    known.entry(row.ordinal).or_insert_with(|| row.into());
                }
            }
        };
        of.read.get_or_init(|| read).await;
    }

    /// Keeps the rows of a study. A file that cannot be written is no fault: everything in it can be made again.
    pub(super) async fn save(&self, of: &StudySummaries) {
        let Some(path) = self.file_of(&of.study) else {
            return;
        };
        if lock(&of.saved).is_some_and(|saved| saved.elapsed() < REST) {
            return;
        }
        let rows: Vec<_> = lock(&of.rows).values().cloned().collect();
        let ordinals: Vec<u64> = rows.iter().map(|row| row.ordinal).collect();
        let (study, to) = (of.study.clone(), path.clone());
        let written = self.processor.run(move || {
            let text = text(&study, rows.iter().map(AsRef::as_ref));
            write(&to, &text)
        });
        let written = match written.await {
            Ok(written) => written,
            Err(error) => Err(io::Error::other(error)),
        };
        if let Err(error) = written {
            tracing::warn!(path = %path.display(), %error, "summaries of sessions are not kept");
            return;
        }
        let there = async {
            let mut snapshot = self.storage.study_snapshot(&of.study).await?;
            ListedSessions::of(&mut *snapshot).await
        };
        let there = there.await.is_ok_and(|listed| {
            let mut ordinals = ordinals.iter();
            ordinals.all(|ordinal| listed.marks.contains_key(ordinal))
        });
        if there {
            *lock(&of.saved) = Some(Instant::now());
        } else if let Err(error) = std::fs::remove_file(&path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %path.display(), %error, "a file of summaries cannot be removed");
        }
    }
}

fn text<'a>(study: &str, rows: impl Iterator<Item = &'a SummaryRow>) -> String {
    let columns = session_columns();
    let mut lines = String::new();
    for row in rows {
        // Without a mark nobody could say whether it is out of date.
        let Some(SessionMark(mark)) = row.mark else {
            continue;
        };
        let cell = |(at, column): (usize, &domain::common::table::Column)| {
            let text = if column.identifying { "" } else { row.cell(at) };
            text.to_owned()
        };
        let line = Line {
            ordinal: row.ordinal,
            mark: hex(&mark),
            session: row.session.clone(),
            problems: row.problems.clone(),
            cells: columns.iter().enumerate().map(cell).collect(),
            facts: row.facts.to_string(),
        };
        lines += &serde_json::to_string(&line).unwrap_or_default();
        lines.push('\n');
    }
    let head = Head {
        code: CODE.to_owned(),
        study: study.to_owned(),
        sha256: hex(&Sha256::digest(&lines)),
    };
    format!(
        "{}\n{lines}",
        serde_json::to_string(&head).unwrap_or_default()
    )
}

/// Whole or not at all.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder)?;
    }
    let new = path.with_extension("new");
    private_files::write(&new, text.as_bytes())?;
    std::fs::rename(&new, path)
}

/// The rows in a file; nothing where it is of no use.
fn read(path: &Path, study: &str) -> Option<Vec<SummaryRow>> {
    let text = std::fs::read_to_string(path).ok()?;
    let (head, lines) = text.split_once('\n')?;
    let expected = Head {
        code: CODE.to_owned(),
        study: study.to_owned(),
        sha256: hex(&Sha256::digest(lines)),
    };
    if serde_json::from_str::<Head>(head).ok()? != expected {
        return None;
    }
    let columns = session_columns().len();
    let row = |line: &str| {
        let line: Line = serde_json::from_str(line).ok()?;
        if line.cells.len() != columns {
            return None;
        }
        let origin = RowOrigin {
            ordinal: line.ordinal,
            mark: Some(SessionMark(unhex(&line.mark)?)),
            read_at: None,
        };
        let cells = line.cells.iter().map(String::as_str);
        let mut row = SummaryRow::new(origin, line.session, line.problems, cells, false);
        row.facts = line.facts.into();
        Some(row)
    };
    lines.lines().map(row).collect()
}

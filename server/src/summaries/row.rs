//! One row of the table of sessions.

use domain::recruitment::assignment::Purpose;
use domain::session::event::SessionId;
use tokio::time::Instant;

use crate::export::{Visited, session_cells, session_columns};
use crate::session_facts::SessionFacts;
use crate::storage::{LedgerLine, SessionMark};

/// A session's row.
pub struct SummaryRow {
    /// Number of the session within its study.
    pub ordinal: u64,
    /// Its name, if that can be read.
    pub session: Option<SessionId>,
    /// Its problems: what cannot be read of it.
    pub problems: Vec<String>,
    cells: Cells,
    /// The facts that are shown of it while it goes on, as JSON; empty where it is damaged.
    pub(super) facts: Box<str>,
    /// Whether cells are among them that can say who somebody is.
    pub(super) with_identifying: bool,
    /// The mark of the session's stored records when the row was made; none where that cannot be read.
    pub(super) mark: Option<SessionMark>,
    /// It shows the session at this moment or a little later; none for one of an earlier run of the server.
    pub(super) read_at: Option<Instant>,
}

/// The session that a row was made of, and the moment.
#[derive(Clone, Copy)]
pub(super) struct RowOrigin {
    pub(super) ordinal: u64,
    pub(super) mark: Option<SessionMark>,
    pub(super) read_at: Option<Instant>,
}

/// The texts of cells one after another: there are ten thousand rows of some fifty each.
struct Cells {
    text: Box<str>,
    /// Where each ends.
    ends: Box<[usize]>,
}

impl Cells {
    fn of<'a>(cells: impl Iterator<Item = &'a str>) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for cell in cells {
            text += cell;
            ends.push(text.len());
        }
        Self {
            text: text.into(),
            ends: ends.into(),
        }
    }

    fn get(&self, column: usize) -> &str {
        let start = column.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[column]]
    }
}

impl SummaryRow {
    /// The row of a session that was visited.
    pub(super) fn of(
        study: &str,
        visited: &Visited,
        line: Option<&LedgerLine>,
        origin: RowOrigin,
    ) -> Self {
        match visited {
            Visited::Whole(session) => {
                let cells = session_cells(session);
                let id = session.stored.id.clone();
                let cells = cells.iter().map(String::as_str);
                let facts = SessionFacts::of(
                    &session.session,
                    session.stored.created_at_unix_ms,
                    session.log.heard_at_unix_ms,
                    &session.log.trace,
                );
                let facts = serde_json::to_string(&facts).unwrap_or_default();
                Self {
                    facts: facts.into(),
                    ..Self::new(origin, Some(id), Vec::new(), cells, true)
                }
            }
            Visited::Damaged(damaged) => {
                // The cells that are not made from its log.
                let ordinal = origin.ordinal.to_string();
                let row = line.map(|line| line.entry.row.to_string());
                let columns = session_columns();
                let cells = columns.iter().map(|column| match column.name {
                    "session" => damaged.id.as_ref().map_or("", |id| &id.0),
                    "study" => study,
                    "ordinal" => &ordinal,
                    "purpose" => line
                        .map_or(Purpose::Participant, |line| line.purpose)
                        .name(),
                    "cell" => line.map_or("", |line| &line.entry.cell),
                    "order_row" => row.as_deref().unwrap_or_default(),
                    _ => "",
                });
                let problems = damaged.problems.iter().map(ToString::to_string).collect();
                Self::new(origin, damaged.id.clone(), problems, cells, true)
            }
        }
    }

    /// A row that was made before.
    pub(super) fn new<'a>(
        origin: RowOrigin,
        session: Option<SessionId>,
        problems: Vec<String>,
        cells: impl Iterator<Item = &'a str>,
        with_identifying: bool,
    ) -> Self {
        Self {
            ordinal: origin.ordinal,
            session,
            problems,
            cells: Cells::of(cells),
            facts: Box::default(),
            with_identifying,
            mark: origin.mark,
            read_at: origin.read_at,
        }
    }

    /// The facts that are shown of it while it goes on; nothing where it is damaged.
    #[must_use]
    pub fn facts(&self) -> Option<SessionFacts> {
        serde_json::from_str(&self.facts).ok()
    }

    /// The cell in a column, by the column's place among [`session_columns`]; empty for nothing.
    #[must_use]
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column)
    }
}

//! Making the rows that are missing, beside the requests of participants.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::Instant;

use super::row::{RowOrigin, SummaryRow};
use super::{StudySummaries, Summaries, broken, lock};
use crate::export::{ReplayedSessions, SessionSelection};
use crate::storage::{ListedSessions, Result};

/// How long one view of the database is read from. While it lasts, the database's log of changes can only grow.
const ONE_VIEW: Duration = Duration::from_secs(5);

impl Summaries {
    /// How the reading ends that is under way, or begins now.
    pub(super) fn fill(
        self: &Arc<Self>,
        of: &Arc<StudySummaries>,
    ) -> watch::Receiver<Option<Result<()>>> {
        let mut filling = lock(&of.filling);
        if let Some(under_way) = &*filling
            && under_way.borrow().is_none()
            && under_way.has_changed().is_ok()
        {
            return under_way.clone();
        }
        let (ends, ended) = watch::channel(None);
        *filling = Some(ended.clone());
        let (all, of) = (self.clone(), of.clone());
        tokio::spawn(async move {
            let read = all.stopping.run_until_cancelled(all.read(&of)).await;
            ends.send_replace(Some(read.unwrap_or(Ok(()))));
        });
        ended
    }

    /// Makes all rows that are out of date now.
    async fn read(&self, of: &StudySummaries) -> Result<()> {
        let _turn = self.turn.lock().await;
        let began = Instant::now();
        loop {
            let read_at = Instant::now();
            let archive = &*self.storage;
            let mut sessions =
                ReplayedSessions::open(archive, &of.study, SessionSelection::All).await?;
            let listed = Arc::new(sessions.listed().await?);
            of.keep(&listed);
            let stale = of.stale(&listed, began);
            if stale.is_empty() {
                break;
            }
            sessions.only(&stale);
            if self.read_one_by_one(of, sessions, &listed, read_at).await? {
                break;
            }
        }
        self.save(of).await;
        Ok(())
    }

    /// Makes the rows of sessions from one view of the database; whether of all of them.
    async fn read_one_by_one(
        &self,
        of: &StudySummaries,
        mut sessions: ReplayedSessions,
        listed: &Arc<ListedSessions>,
        read_at: Instant,
    ) -> Result<bool> {
        while read_at.elapsed() < ONE_VIEW {
            let study = of.study.clone();
            let listed = listed.clone();
            let work = move || {
                // Logs are read and replayed in turn with all else that takes long, a session at a time.
                let visited = Handle::current().block_on(sessions.next());
                let ordinal = sessions.ordinal().unwrap_or_default();
                let mark = listed.marks.get(&ordinal).copied().flatten();
                let origin = RowOrigin {
                    ordinal,
                    mark,
                    read_at: Some(read_at),
                };
                let row = visited.map(|visited| {
                    visited.map(|visited| SummaryRow::of(&study, &visited, sessions.line(), origin))
                });
                (row, sessions)
            };
            let (row, back) = self.processor.run(work).await.map_err(broken)?;
            sessions = back;
            match row? {
                Some(row) => of.put(row),
                None => return Ok(true),
            }
        }
        Ok(false)
    }
}

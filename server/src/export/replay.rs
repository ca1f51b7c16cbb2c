//! Sessions of a study, one by one, replayed from their logs.

use std::sync::Arc;

use domain::event::{Author, Envelope, SessionId};
use domain::plan::SessionPlan;
use domain::session::Session;

use super::log::read_log;
use crate::storage::{
    Archive, Problem, Result, SessionList, StorageError, StoredSession, StudySnapshot, events_of,
};

/// An event as it was stored, and as it is read today.
pub struct LoggedEvent {
    /// The text it is stored as, in the format of its time.
    pub json: String,
    /// When the server received or wrote it, in milliseconds since 1970.
    pub received_at_unix_ms: u64,
    /// The event.
    pub envelope: Envelope,
}

/// One session with its log, replayed.
pub struct ReplayedSession {
    /// The session as stored.
    pub stored: StoredSession,
    /// The events of all authors in one order.
    pub events: Vec<LoggedEvent>,
    /// The state its log leads to.
    pub session: Session,
}

/// What can be read of a session in which something cannot. No number is made from it.
#[derive(Default)]
pub struct DamagedSession {
    /// What was asked, if that can be read.
    pub plan: Option<Arc<SessionPlan>>,
    /// The events that can be read, of all authors in one order.
    pub events: Vec<LoggedEvent>,
    /// What cannot be read, or makes no sense; at least one.
    pub problems: Vec<Problem>,
}

/// A session of a study.
pub enum Visited {
    /// Every record of it can be read.
    Whole(Box<ReplayedSession>),
    /// Some cannot.
    Damaged(DamagedSession),
}

/// Visits the sessions of a study one by one, replayed.
pub struct ReplayedSessions {
    snapshot: Box<dyn StudySnapshot>,
    ordinals: std::vec::IntoIter<u64>,
    damage: Option<StorageError>,
}

impl ReplayedSessions {
    /// Starts at the first session of a study, as of now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn open(archive: &dyn Archive, study: &str) -> Result<Self> {
        let mut snapshot = archive.study_snapshot(study).await?;
        let SessionList { ordinals, damage } = snapshot.sessions().await?;
        Ok(Self {
            snapshot,
            ordinals: ordinals.into_iter(),
            damage,
        })
    }

    /// The next session, in order of ordinal; `None` after the last.
    ///
    /// # Errors
    /// When the database fails. Damage to one session is none.
    pub async fn next(&mut self) -> Result<Option<Visited>> {
        match self.ordinals.next() {
            Some(ordinal) => self.visit(ordinal).await.map(Some),
            None => Ok(None),
        }
    }

    /// Why there may be more sessions than are visited, if there may.
    #[must_use]
    pub fn unlisted(&self) -> Option<Problem> {
        let error = self.damage.as_ref()?;
        let why = format!("there may be more than can be found: {error}");
        Some(Problem::general("list of sessions", why))
    }

    async fn visit(&mut self, ordinal: u64) -> Result<Visited> {
        let name = format!("row of the session with ordinal {ordinal}");
        let unnamed = |problem| {
            Ok(Visited::Damaged(DamagedSession {
                problems: vec![problem],
                ..DamagedSession::default()
            }))
        };
        let id = match self.snapshot.session_id(ordinal).await {
            Ok(Some(id)) => id,
            Ok(None) => return unnamed(Problem::general(name, "it is missing")),
            Err(error) if error.is_damage() => {
                return unnamed(Problem::from_error(None, &name, error));
            }
            Err(error) => return Err(error),
        };
        let mut problems = Vec::new();
        let stored = match self.snapshot.session(&id).await {
            Ok(Some(stored)) => Some(stored),
            Ok(None) => {
                problems.push(Problem::of(&id, name, "it is missing"));
                None
            }
            Err(error) if error.is_damage() => {
                problems.push(Problem::from_error(Some(&id), "row or plan", error));
                None
            }
            Err(error) => return Err(error),
        };
        let log_len = stored.as_ref().map(|stored| stored.log_len);
        let events = self.events(&id, log_len, &mut problems).await?;
        let plan = stored.as_ref().map(|stored| stored.plan.clone());
        if let Some(stored) = stored
            && problems.is_empty()
        {
            let envelopes = events.iter().map(|event| &event.envelope);
            let session = Session::with_keys(stored.plan.clone(), stored.keys.clone());
            match session.replayed(envelopes) {
                Ok(session) => {
                    return Ok(Visited::Whole(Box::new(ReplayedSession {
                        stored,
                        events,
                        session,
                    })));
                }
                Err((index, refusal)) => {
                    let record = events.get(index).map_or_else(String::new, |event| {
                        let Envelope { author, seq, .. } = event.envelope;
                        events_of(author, seq, seq + 1)
                    });
                    let why = format!("it does not follow from those before: {refusal}");
                    problems.push(Problem::of(&id, record, why));
                }
            }
        }
        Ok(Visited::Damaged(DamagedSession {
            plan,
            events,
            problems,
        }))
    }

    /// The logs of all authors in one order: that of [`domain::event::merged`].
    async fn events(
        &mut self,
        session: &SessionId,
        log_len: Option<u64>,
        problems: &mut Vec<Problem>,
    ) -> Result<Vec<LoggedEvent>> {
        let mut events = Vec::new();
        for author in Author::ALL {
            let len = log_len.filter(|_| author == Author::Participant);
            let log = read_log(&mut *self.snapshot, session, author, len).await?;
            events.extend(log.events);
            problems.extend(log.problems);
        }
        events.sort_by_key(|LoggedEvent { envelope, .. }| {
            (envelope.at_ms, envelope.author, envelope.seq)
        });
        Ok(events)
    }

    /// The study files that sessions were started with, by hash, and what is wrong with the others.
    pub(super) async fn definitions(&mut self) -> Result<(Vec<(String, Vec<u8>)>, Vec<Problem>)> {
        let (mut definitions, mut problems) = (Vec::new(), Vec::new());
        let hashes = match self.snapshot.study_versions().await {
            Err(error) if error.is_damage() => {
                problems.push(Problem::from_error(None, "list of study files", error));
                Vec::new()
            }
            hashes => hashes?,
        };
        for sha256 in hashes {
            match self.snapshot.study_version(&sha256).await {
                Ok(Some(bytes)) => definitions.push((sha256, bytes)),
                Ok(None) => {}
                Err(error) if error.is_damage() => {
                    let record = format!("study file {sha256}");
                    problems.push(Problem::from_error(None, &record, error));
                }
                Err(error) => return Err(error),
            }
        }
        Ok((definitions, problems))
    }
}

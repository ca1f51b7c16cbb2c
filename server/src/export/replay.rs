//! Sessions of a study, one by one, replayed from their logs.
//!
//! Longer than most files: reading, replaying and what is said of damage belong together.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::assignment::{Progress, Purpose};
use domain::event::{Author, Envelope, Event, SessionId};
use domain::inclusion::{Exclusion, InclusionRule, exclusions, rules_of};
use domain::plan::SessionPlan;
use domain::platform::Ended;
use domain::session::{Phase, Session};
use domain::simulate::USER_AGENT;

use super::log::read_log;
use crate::storage::{
    Archive, Erasure, LedgerLine, Problem, Result, SessionList, StorageError, StoredArrival,
    StoredSession, StoredText, StudySnapshot, events_of,
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
    /// Its line in the study's ledger; absent if that cannot be read.
    pub line: Option<LedgerLine>,
    /// How the participant came from a platform; absent if from none, or if that cannot be read.
    pub arrival: Option<StoredArrival>,
    /// The study's inclusion rules that it does not meet; absent if they cannot be read.
    pub exclusions: Option<Vec<Exclusion>>,
}

impl ReplayedSession {
    /// What the session is for. Where its line of the ledger cannot be read, its log still says
    /// whether it is simulated.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        if let Some(line) = &self.line {
            return line.purpose;
        }
        let simulated = |logged: &LoggedEvent| match &logged.envelope.event {
            Event::PageOpened { page } => page.user_agent.starts_with(USER_AGENT),
            _ => false,
        };
        if self.events.iter().any(simulated) {
            Purpose::Simulated
        } else {
            Purpose::Participant
        }
    }

    /// Whether it meets the study's inclusion rules; absent while it is not complete, or where
    /// they cannot be read.
    #[must_use]
    pub fn is_included(&self) -> Option<bool> {
        let unmet = self.exclusions.as_ref()?;
        (self.session.phase() == Phase::Complete).then_some(unmet.is_empty())
    }

    /// Name of the platform that the participant came from: `link` if from none.
    #[must_use]
    pub fn platform(&self) -> &str {
        let arrival = self.arrival.as_ref();
        arrival.map_or("link", |arrival| &arrival.platform)
    }

    /// How the session ended, as the participant took it back to their platform last.
    #[must_use]
    pub fn told(&self) -> Option<Ended> {
        let mut events = self.events.iter().rev();
        events.find_map(|logged| match &logged.envelope.event {
            Event::WayBackGiven { ended, .. } => Some(*ended),
            _ => None,
        })
    }

    /// Where it stands in its quota; of simulated people, in theirs.
    #[must_use]
    pub fn standing(&self) -> Standing {
        let progress = self.line.as_ref().map(|line| line.entry.progress);
        if matches!(self.purpose(), Purpose::Pilot | Purpose::Preview) {
            return Standing::NoData;
        }
        match self.session.phase() {
            Phase::Complete => match (self.is_included(), progress) {
                (Some(false), _) => Standing::Excluded,
                (_, Some(Progress::Completed { over_quota, .. })) if over_quota => {
                    Standing::OverQuota
                }
                _ => Standing::Counted,
            },
            Phase::Declined | Phase::Withdrawn | Phase::ScreenedOut => Standing::Ended,
            _ => Standing::Unfinished,
        }
    }
}

/// Where a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is complete and counts.
    Counted,
    /// It is complete, and excluded by the study's rules.
    Excluded,
    /// It was completed late, when its cell was full.
    OverQuota,
    /// It ended before: declined, withdrawn, screened out.
    Ended,
    /// It has not come to its end.
    Unfinished,
    /// It is a pilot or a preview.
    NoData,
}

impl Standing {
    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::Excluded => "excluded",
            Self::OverQuota => "over_quota",
            Self::Ended => "ended",
            Self::Unfinished => "unfinished",
            Self::NoData => "no_data",
        }
    }
}

/// Whose sessions are wanted. Simulated people are never among real ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Whose {
    /// Those of people: participants, pilots and previews.
    #[default]
    People,
    /// Those of pilots alone.
    Pilots,
    /// Those of simulated people.
    Simulated,
    /// All: to look after the database.
    All,
}

impl Whose {
    fn takes(self, purpose: Purpose) -> bool {
        match self {
            Self::People => purpose != Purpose::Simulated,
            Self::Pilots => purpose == Purpose::Pilot,
            Self::Simulated => purpose == Purpose::Simulated,
            Self::All => true,
        }
    }
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
    whose: Whose,
    /// Sessions that are not wanted, passed over so far or not listed at all.
    passed_over: usize,
    ordinals: std::vec::IntoIter<u64>,
    damage: Option<StorageError>,
    /// By ordinal.
    ledger: BTreeMap<u64, LedgerLine>,
    /// By the hash of the study's definition; none where they cannot be read.
    rules: BTreeMap<String, Option<Vec<InclusionRule>>>,
}

impl ReplayedSessions {
    /// Starts at the first session of a study that is wanted, as of now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn open(archive: &dyn Archive, study: &str, whose: Whose) -> Result<Self> {
        let mut snapshot = archive.study_snapshot(study).await?;
        let SessionList {
            mut ordinals,
            damage,
        } = snapshot.sessions().await?;
        let lines = match snapshot.ledger().await {
            Err(error) if error.is_damage() => Vec::new(),
            ledger => ledger?.lines,
        };
        let ledger: BTreeMap<u64, LedgerLine> =
            lines.into_iter().map(|line| (line.ordinal, line)).collect();
        let listed = ordinals.len();
        ordinals.retain(|ordinal| {
            let line = ledger.get(ordinal);
            line.is_none_or(|line| whose.takes(line.purpose))
        });
        Ok(Self {
            snapshot,
            whose,
            passed_over: listed - ordinals.len(),
            ordinals: ordinals.into_iter(),
            damage,
            ledger,
            rules: BTreeMap::new(),
        })
    }

    /// The next session, in order of ordinal; `None` after the last.
    ///
    /// # Errors
    /// When the database fails. Damage to one session is none.
    pub async fn next(&mut self) -> Result<Option<Visited>> {
        while let Some(ordinal) = self.ordinals.next() {
            let visited = self.visit(ordinal).await?;
            match &visited {
                Visited::Whole(replayed) if !self.whose.takes(replayed.purpose()) => {
                    self.passed_over += 1;
                }
                _ => return Ok(Some(visited)),
            }
        }
        Ok(None)
    }

    /// How many sessions of the study are not among those that are wanted; once all are visited.
    #[must_use]
    pub fn passed_over(&self) -> usize {
        self.passed_over
    }

    /// What stays of the study's sessions whose participants took everything back.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn erasures(&mut self) -> Result<Vec<Erasure>> {
        self.snapshot.erasures().await
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
                    let rules = self.rules(&stored.study_sha256).await?;
                    let arrival = match self.snapshot.arrival(&id).await {
                        Err(error) if error.is_damage() => None,
                        arrival => arrival?,
                    };
                    return Ok(Visited::Whole(Box::new(ReplayedSession {
                        arrival,
                        exclusions: rules.map(|rules| exclusions(&rules, &session)),
                        line: self.ledger.get(&ordinal).cloned(),
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

    /// The inclusion rules of a definition of the study; none if they cannot be read.
    async fn rules(&mut self, sha256: &str) -> Result<Option<Vec<InclusionRule>>> {
        if let Some(known) = self.rules.get(sha256) {
            return Ok(known.clone());
        }
        let rules = match self.snapshot.study_version(sha256).await {
            Ok(json) => json.and_then(|json| rules_of(&json).ok()),
            Err(error) if error.is_damage() => None,
            Err(error) => return Err(error),
        };
        self.rules.insert(sha256.to_owned(), rules.clone());
        Ok(rules)
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

    /// What participants read, and what is wrong with the rest.
    pub(crate) async fn texts(&mut self) -> Result<(Vec<(String, StoredText)>, Vec<Problem>)> {
        match self.snapshot.texts().await {
            Err(error) if error.is_damage() => {
                let problem = Problem::from_error(None, "texts that participants read", error);
                Ok((Vec::new(), vec![problem]))
            }
            texts => Ok((texts?, Vec::new())),
        }
    }

    /// The study files that sessions were started with, by hash, and what is wrong with the others.
    pub(crate) async fn definitions(&mut self) -> Result<(Vec<(String, Vec<u8>)>, Vec<Problem>)> {
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

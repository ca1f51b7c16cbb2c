//! Sessions of a study, one by one, replayed from their logs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::recruitment::assignment::{AssignmentStatus, Purpose};
use domain::recruitment::pay::{self, Account, Pay, PayableSession, account};
use domain::recruitment::platform::Ended;
use domain::session::event::{Envelope, SessionId};
use domain::session::plan::SessionPlan;
use domain::session::{Phase, Session};
use domain::study::StoredDefinition;
use domain::study::automation::{self, AutomationMeasures, AutomationThresholds};
use domain::study::inclusion::{Exclusion, InclusionRule, exclusions};

use super::log::{LogReader, LogRecord, LoggedEvent};
use super::log_summary::LogSummary;
use super::selection::Selection;
use super::standing::Standing;
use crate::storage::{
    Archive, Erasure, LedgerLine, ListedSessions, Problem, Result, SessionList, StorageError,
    StoredArrival, StoredPiece, StoredSession, StoredText, StudySnapshot, Transcript, events_of,
    unless_damaged,
};

/// One session, replayed. [`ReplayedSessions::next_event`] reads its log once more.
pub struct ReplayedSession {
    /// The session as stored.
    pub stored: StoredSession,
    /// Counts over its log.
    pub log: LogSummary,
    /// Ordinal of the first session that was started with the same participant's code, or of this
    /// one, if it was started without; absent if that cannot be read.
    pub participant: Option<u64>,
    /// The state its log leads to.
    pub session: Session,
    /// Its line in the study's ledger; absent if that cannot be read.
    pub line: Option<LedgerLine>,
    /// How the participant came from a platform; absent if from none, or if that cannot be read.
    pub arrival: Option<StoredArrival>,
    /// The study's inclusion rules that it does not meet; absent if they cannot be read.
    pub exclusions: Option<Vec<Exclusion>>,
    /// Signs that a script or an agent took part.
    pub automation: AutomationMeasures,
    /// From where on its study calls them flags; absent if that cannot be read.
    pub automation_thresholds: Option<AutomationThresholds>,
    /// Which of them are flags by these; absent if these cannot be read.
    pub automation_flags: Option<Vec<&'static str>>,
    /// Whether it took exceptionally little time beside the study's others; absent where it is not complete, no
    /// participant's, or where that cannot be read.
    pub too_fast: Option<bool>,
    /// The pay that the study promised when it was started; absent if none, or if that cannot be read.
    pub pay: Option<Pay>,
    /// The entries of the ledger of payments that are about it, oldest first; absent if they cannot be read.
    pub payments: Option<Vec<pay::Entry>>,
}

impl ReplayedSession {
    /// How it went, as far as pay goes.
    #[must_use]
    pub fn payable(&self) -> PayableSession {
        let standing = self.standing();
        PayableSession {
            ended: Ended::of(&self.session),
            over_quota: standing == Standing::OverQuota,
            excluded: standing == Standing::Excluded,
        }
    }

    /// Its account of pay owed and paid, as the study promised when it was started; absent for somebody whom nobody
    /// pays, and where the ledger cannot be read.
    #[must_use]
    pub fn account(&self) -> Option<Account> {
        let payments = self.payments.as_ref()?;
        let account = || account(self.pay.as_ref(), self.payable(), payments);
        self.purpose().counts().then(account)
    }

    /// The purpose of the session. Where its line of the ledger cannot be read, its log still says
    /// whether it is simulated.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        if let Some(line) = &self.line {
            return line.purpose;
        }
        if self.log.simulated {
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
        self.is_complete().then_some(unmet.is_empty())
    }

    /// Whether it was taken to its end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.session.phase() == Phase::Complete
    }

    /// Name of the platform that the participant came from: `link` if from none.
    #[must_use]
    pub fn platform(&self) -> &str {
        let arrival = self.arrival.as_ref();
        arrival.map_or("link", |arrival| &arrival.platform)
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
                (_, Some(AssignmentStatus::Completed { over_quota, .. })) if over_quota => {
                    Standing::OverQuota
                }
                _ => Standing::Counted,
            },
            phase if phase.is_end() => Standing::Ended,
            _ => Standing::Unfinished,
        }
    }
}

/// The readable records of a session in which something cannot be read. No number is made from it.
#[derive(Default)]
pub struct DamagedSession {
    /// Its name, if that can be read.
    pub id: Option<SessionId>,
    /// The session's plan, if that can be read.
    pub plan: Option<Arc<SessionPlan>>,
    /// Number of events that can be read.
    pub events: usize,
    /// The records that cannot be read, or make no sense; at least one.
    pub problems: Vec<Problem>,
}

/// A session of a study.
pub enum Visited {
    /// Every record of it can be read.
    Whole(Box<ReplayedSession>),
    /// Some cannot.
    Damaged(DamagedSession),
}

/// The rules and thresholds that a study's definition declares for its sessions' logs.
#[derive(Clone)]
struct Declared {
    inclusion: Vec<InclusionRule>,
    automation: AutomationThresholds,
}

/// The fields that are read of a study's definition, each by itself.
#[derive(Clone, Default)]
struct Definition {
    /// None where it cannot be read.
    declared: Option<Declared>,
    /// None where it promises nothing, too.
    pay: Option<Pay>,
}

impl Definition {
    fn read(definition: &[u8]) -> Self {
        let Ok(definition) = StoredDefinition::read(definition) else {
            return Self::default();
        };
        let rules = definition
            .inclusion()
            .ok()
            .zip(definition.automation().ok());
        Self {
            declared: rules.map(|(inclusion, automation)| Declared {
                inclusion,
                automation,
            }),
            pay: definition.pay().unwrap_or_default(),
        }
    }
}

/// Is told how many sessions have been visited, and how many there are at most.
pub type Watch<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Visits the sessions of a study one by one, replayed.
pub struct ReplayedSessions {
    snapshot: Box<dyn StudySnapshot>,
    selection: Selection,
    /// Sessions that are not wanted, passed over so far or not listed at all.
    passed_over: usize,
    ordinals: std::vec::IntoIter<u64>,
    /// That of the session that was visited last.
    ordinal: Option<u64>,
    damage: Option<StorageError>,
    /// By ordinal.
    ledger: BTreeMap<u64, LedgerLine>,
    /// Sessions that were exceptionally fast, by ordinal; none if that cannot be read.
    too_fast: Option<BTreeMap<u64, SessionId>>,
    /// By the hash of the study's definition.
    definitions: BTreeMap<String, Definition>,
    /// The ledger of payments, oldest entries first; none if it cannot be read.
    payments: Option<BTreeMap<SessionId, Vec<pay::Entry>>>,
    /// The log that is being read once more.
    again: Option<LogReader>,
    sound_problems: Vec<Problem>,
}

impl ReplayedSessions {
    /// Starts at the first session of a study that is wanted, as of now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn open(
        archive: &dyn Archive,
        study: &str,
        selection: impl Into<Selection>,
    ) -> Result<Self> {
        let selection = selection.into();
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
        let too_fast = unless_damaged(snapshot.too_fast().await)?;
        let entries = unless_damaged(snapshot.payments().await)?;
        let payments = entries.map(|entries| {
            let mut by_session = BTreeMap::<_, Vec<_>>::new();
            for entry in entries {
                let of_session = by_session.entry(entry.session.clone());
                of_session.or_default().push(entry);
            }
            by_session
        });
        let listed = ordinals.len();
        ordinals.retain(|ordinal| {
            let line = ledger.get(ordinal);
            line.is_none_or(|line| selection.whose.takes(line.purpose))
        });
        Ok(Self {
            snapshot,
            selection,
            passed_over: listed - ordinals.len(),
            ordinals: ordinals.into_iter(),
            ordinal: None,
            damage,
            ledger,
            too_fast,
            definitions: BTreeMap::new(),
            payments,
            again: None,
            sound_problems: Vec::new(),
        })
    }

    /// Visits only those of the sessions that are still to come which have one of these ordinals.
    pub fn only(&mut self, ordinals: &BTreeSet<u64>) {
        let to_come = std::mem::take(&mut self.ordinals);
        let wanted = to_come.filter(|ordinal| ordinals.contains(ordinal));
        self.ordinals = wanted.collect::<Vec<_>>().into_iter();
    }

    /// Ordinal of the session that was visited last.
    #[must_use]
    pub fn ordinal(&self) -> Option<u64> {
        self.ordinal
    }

    /// Line of the study's ledger of the session that was visited last, if it can be read.
    #[must_use]
    pub fn line(&self) -> Option<&LedgerLine> {
        self.ledger.get(&self.ordinal?)
    }

    /// All sessions of the study at the moment that is visited, each with what changes when it does.
    ///
    /// # Errors
    /// When the database fails. Damage is none.
    pub async fn listed(&mut self) -> Result<ListedSessions> {
        ListedSessions::of(&mut *self.snapshot).await
    }

    /// The next session, in order of ordinal; `None` after the last.
    ///
    /// # Errors
    /// When the database fails. Damage to one session is none.
    pub async fn next(&mut self) -> Result<Option<Visited>> {
        self.again = None;
        while let Some(ordinal) = self.ordinals.next() {
            self.ordinal = Some(ordinal);
            match self.visit(ordinal).await? {
                Some(visited) => {
                    self.again = match &visited {
                        Visited::Whole(replayed) => {
                            let StoredSession { id, log_len, .. } = &replayed.stored;
                            Some(LogReader::new(id, Some(*log_len)))
                        }
                        Visited::Damaged(damaged) => {
                            damaged.id.as_ref().map(|id| LogReader::new(id, None))
                        }
                    };
                    return Ok(Some(visited));
                }
                None => self.passed_over += 1,
            }
        }
        Ok(None)
    }

    /// The next event of the session that was visited last, from the beginning of its log: all
    /// that can be read of it, of all authors in one order. `None` after the last.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn next_event(&mut self) -> Result<Option<LoggedEvent>> {
        let Some(log) = &mut self.again else {
            return Ok(None);
        };
        while let Some(entry) = log.next(&mut *self.snapshot).await? {
            if let LogRecord::Event(event) = entry {
                return Ok(Some(*event));
            }
        }
        Ok(None)
    }

    /// How a session's participant came from a platform; nothing where they did not, or where that cannot be read.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn arrival(&mut self, session: &SessionId) -> Result<Option<StoredArrival>> {
        Ok(unless_damaged(self.snapshot.arrival(session).await)?.flatten())
    }

    /// The pieces of a session's recordings, without their bytes.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn pieces(&mut self, session: &SessionId) -> Result<Vec<StoredPiece>> {
        self.snapshot.pieces(session).await
    }

    /// The transcripts of a session's recordings.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn transcripts(&mut self, session: &SessionId) -> Result<Vec<Transcript>> {
        self.snapshot.transcripts(session).await
    }

    /// The bytes of a piece of a recording. Those that are missing or damaged are told by
    /// [`sound_problems`](Self::sound_problems).
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn piece(
        &mut self,
        session: &SessionId,
        recording: u32,
        piece: u32,
    ) -> Result<Option<Vec<u8>>> {
        let problem = match self.snapshot.piece(session, recording, piece).await {
            Ok(Some(bytes)) => return Ok(Some(bytes)),
            Ok(None) => "its sound is missing".to_owned(),
            Err(StorageError::Corrupt { why, .. }) => why,
            Err(error) if error.is_damage() => error.to_string(),
            Err(error) => return Err(error),
        };
        self.sound_problems.push(Problem::of(
            session,
            format!("recording {recording}, piece {piece}"),
            problem,
        ));
        Ok(None)
    }

    /// The missing or damaged pieces of the sound that was read so far.
    pub(crate) fn sound_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.sound_problems)
    }

    /// The rest of the log of the session that was visited last, without the texts that the
    /// events are stored as.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn envelopes(&mut self) -> Result<Vec<Envelope>> {
        let mut envelopes = Vec::new();
        while let Some(event) = self.next_event().await? {
            envelopes.push(event.envelope);
        }
        Ok(envelopes)
    }

    /// How many sessions are still to be visited, at most: some may turn out not to be wanted.
    #[must_use]
    pub fn left(&self) -> usize {
        self.ordinals.len()
    }

    /// How many sessions of the study are not among those that are wanted; once all are visited.
    #[must_use]
    pub fn passed_over(&self) -> usize {
        self.passed_over
    }

    /// The erasures of the study's sessions whose participants took everything back.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn erasures(&mut self) -> Result<Vec<Erasure>> {
        self.snapshot.erasures().await
    }

    /// The study's ledger of payments, oldest entry first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn payments(&mut self) -> Result<Vec<pay::Entry>> {
        self.snapshot.payments().await
    }

    /// Why there may be more sessions than are visited, if there may.
    #[must_use]
    pub fn unlisted(&self) -> Option<Problem> {
        self.damage.as_ref().map(Problem::unlisted)
    }

    /// Reads and replays a session; `None` if it is not wanted.
    async fn visit(&mut self, ordinal: u64) -> Result<Option<Visited>> {
        let name = format!("row of the session with ordinal {ordinal}");
        let unnamed = |problem| {
            Ok(Some(Visited::Damaged(DamagedSession {
                problems: vec![problem],
                ..DamagedSession::default()
            })))
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
        if let Some(stored) = &stored
            && !self.selection.takes_stored(stored)
        {
            return Ok(None);
        }
        let (log, session) = self.replay(&id, stored.as_ref(), &mut problems).await?;
        let (stored, session) = match (stored, session) {
            (Some(stored), Some(session)) if problems.is_empty() => (stored, session),
            (stored, _) => {
                return Ok(Some(Visited::Damaged(DamagedSession {
                    id: Some(id),
                    plan: stored.map(|stored| stored.plan),
                    events: log.events,
                    problems,
                })));
            }
        };
        let definition = self.definition(&stored.study_sha256).await?;
        let arrival = self.arrival(&id).await?;
        let participant = match &stored.participant_code {
            None => Some(ordinal),
            Some(code) => unless_damaged(self.snapshot.first_with_code(code).await)?.flatten(),
        };
        let automation = log.automation.measures(&session.ended());
        let declared = definition.declared.as_ref();
        let payments = self.payments.as_ref();
        let replayed = ReplayedSession {
            log,
            participant,
            arrival,
            exclusions: declared.map(|declared| exclusions(&declared.inclusion, &session)),
            automation_thresholds: declared.map(|declared| declared.automation.clone()),
            automation_flags: declared
                .map(|declared| automation::flags(&automation, &declared.automation)),
            automation,
            line: self.ledger.get(&ordinal).cloned(),
            too_fast: self.too_fast.as_ref().and_then(|fast| {
                let of_participant = self.ledger.get(&ordinal)?.purpose == Purpose::Participant;
                let is_data = of_participant && stored.completed_at_unix_ms.is_some();
                is_data.then(|| fast.contains_key(&ordinal))
            }),
            pay: definition.pay.clone(),
            payments: payments.map(|all| all.get(&id).cloned().unwrap_or_default()),
            stored,
            session,
        };
        let wanted = self
            .selection
            .takes(replayed.purpose(), replayed.standing());
        Ok(wanted.then(|| Visited::Whole(Box::new(replayed))))
    }

    /// Goes through a log: counts it, and gives the state that it leads to, if all of it can be read
    /// and follows.
    async fn replay(
        &mut self,
        id: &SessionId,
        stored: Option<&StoredSession>,
        problems: &mut Vec<Problem>,
    ) -> Result<(LogSummary, Option<Session>)> {
        let mut log = LogReader::new(id, stored.map(|stored| stored.log_len));
        let mut summary = LogSummary::default();
        let created = stored.map_or(0, |stored| stored.created_at_unix_ms);
        let mut session =
            stored.map(|stored| Session::with_keys(stored.plan.clone(), stored.keys.clone()));
        while let Some(entry) = log.next(&mut *self.snapshot).await? {
            let event = match entry {
                LogRecord::Event(event) => event,
                LogRecord::Problem(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            summary.take(&event, created);
            // Events that follow a record that cannot be read say nothing.
            let Some(machine) = session.as_mut().filter(|_| problems.is_empty()) else {
                continue;
            };
            if let Err(refusal) = machine.replay(&event.envelope) {
                let Envelope { author, seq, .. } = event.envelope;
                let why = format!("it does not follow from those before: {refusal}");
                problems.push(Problem::of(id, events_of(author, seq, seq + 1), why));
                session = None;
            }
        }
        Ok((summary, session))
    }

    /// The fields of a definition of the study; nothing if it cannot be read.
    async fn definition(&mut self, sha256: &str) -> Result<Definition> {
        if let Some(known) = self.definitions.get(sha256) {
            return Ok(known.clone());
        }
        let definition = match self.snapshot.study_version(sha256).await {
            Ok(json) => json.map(|json| Definition::read(&json)),
            Err(error) if error.is_damage() => None,
            Err(error) => return Err(error),
        };
        let definition = definition.unwrap_or_default();
        self.definitions
            .insert(sha256.to_owned(), definition.clone());
        Ok(definition)
    }

    /// The texts that participants read, and the problems with the rest.
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
    ///
    /// # Errors
    /// When the database fails.
    pub async fn definitions(&mut self) -> Result<(Vec<(String, Vec<u8>)>, Vec<Problem>)> {
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

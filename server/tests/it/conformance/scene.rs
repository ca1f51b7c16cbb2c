//! What a case works with, and what it stores.

use std::sync::Arc;

use domain::design::{AssignmentRules, Counts, Design, Factor, Varies};
use domain::recruitment::assignment::Purpose;
use domain::recruitment::platform::Ended;
use domain::session::Phase;
use domain::session::event::{Author, EVENT_FORMAT, Envelope, Event, SessionId};
use serde_json::json;
use server::secrets::TokenHash;
use server::storage::{
    Append, AssignRequest, Created, Erase, InclusionDecision, NewSession, Storage, StoredArrival,
    StoredAssignment, StoredSession, StudyLedger, StudySnapshot,
};

pub const MINUTE_MS: u64 = 60_000;

/// Two connections to a database, and a study of one's own.
pub struct Scene {
    pub storage: Arc<dyn Storage>,
    pub other: Arc<dyn Storage>,
    pub study: String,
}

/// Cells `c0`, `c1` … with a cap each, an hour's lease, and only those counted who are included.
pub fn design(cells: usize, cap: u32) -> Design {
    Design {
        factors: vec![Factor {
            name: "model".into(),
            levels: (0..cells).map(|cell| format!("c{cell}")).collect(),
            varies: Varies::Between,
            question: None,
        }],
        assignment: AssignmentRules {
            cap: Some(cap),
            counts: Counts::Included,
            lease_minutes: Some(60),
            ..AssignmentRules::default()
        },
    }
}

impl Scene {
    /// The same connections, and another study.
    pub fn with_study(&self, name: &str) -> Self {
        Self {
            storage: self.storage.clone(),
            other: self.other.clone(),
            study: format!("{}-{name}", self.study),
        }
    }

    /// The name of the session of an attempt.
    pub fn id(&self, attempt: &str) -> SessionId {
        SessionId(format!("{}-{attempt}", self.study))
    }

    pub fn request(&self, design: &Design, attempt: &str, now_unix_ms: u64) -> AssignRequest {
        AssignRequest {
            study: self.study.clone(),
            attempt: attempt.into(),
            design: Arc::new(design.clone()),
            rows: 3,
            purpose: Purpose::Participant,
            condition: None,
            answers: Default::default(),
            study_seed: Some(11),
            fresh_seed: [0; 32],
            now_unix_ms,
        }
    }

    /// A session with an empty plan.
    pub fn session(
        &self,
        attempt: &str,
        assigned: &StoredAssignment,
        now_unix_ms: u64,
    ) -> NewSession {
        let id = self.id(attempt);
        let sha256 = self.study.clone();
        let plan = json!({ "format": 2, "session": id, "study": self.study, "study_sha256": sha256,
            "mode": "online", "parts": [], "stages": [] });
        NewSession {
            session: StoredSession {
                study: self.study.clone(),
                study_sha256: sha256,
                ordinal: assigned.ordinal,
                seed: assigned.seed,
                attempt: attempt.into(),
                attempt_spent: false,
                token: TokenHash::of(attempt),
                participant_code: None,
                created_at_unix_ms: now_unix_ms,
                plan: Arc::new(serde_json::from_value(plan).unwrap()),
                embedded: Vec::new(),
                keys: Arc::default(),
                phase: "ready".into(),
                log_len: 0,
                completed_at_unix_ms: None,
                completion_code: None,
                id,
            },
            study_json: format!("{{\"id\":\"{}\"}}", self.study).into_bytes().into(),
            instances: Vec::new(),
            bundles: Vec::new(),
            one_per_code: true,
            texts: Vec::new(),
            delete_text_at_unix_ms: None,
            arrival: None,
        }
    }

    /// A session that was assigned for a purpose, not created yet.
    pub async fn assigned_for(&self, attempt: &str, purpose: Purpose) -> NewSession {
        let request = AssignRequest {
            purpose,
            ..self.request(&design(1, 1_000), attempt, 0)
        };
        let assigned = self.storage.assign(request).await.unwrap().unwrap();
        self.session(attempt, &assigned, 0)
    }

    /// A participant's session that was assigned, not created yet.
    pub async fn assigned(&self, attempt: &str) -> NewSession {
        self.assigned_for(attempt, Purpose::Participant).await
    }

    /// The same, created; its name.
    pub async fn started(&self, attempt: &str) -> SessionId {
        let new = self.assigned(attempt).await;
        self.create(new).await
    }

    /// Creates a session that is not there; its name.
    pub async fn create(&self, new: NewSession) -> SessionId {
        let id = new.session.id.clone();
        let created = self.storage.create_session(new).await;
        assert_eq!(created.unwrap(), Created::New);
        id
    }

    /// The session of somebody who came from a platform.
    pub async fn arrived(&self, attempt: &str, platform: &str) -> SessionId {
        let new = NewSession {
            arrival: Some(arrival(platform, attempt)),
            ..self.assigned(attempt).await
        };
        self.create(new).await
    }

    /// What an attempt's page adds to its log: this many events, the first of this number.
    pub fn append(&self, attempt: &str, from: u64, events: u64) -> Append {
        let session = self.id(attempt);
        Append {
            events: (from..from + events)
                .map(|seq| event(&session, Author::Participant, seq, Event::TutorialFinished))
                .collect(),
            session,
            own_len: 0,
            received_at_unix_ms: 1,
            phase: Phase::Consent,
            inclusion: None,
        }
    }

    /// The only event of a log, which completes its session.
    pub fn completion(
        &self,
        design: &Design,
        attempt: &str,
        included: bool,
        now_unix_ms: u64,
    ) -> Append {
        Append {
            received_at_unix_ms: now_unix_ms,
            phase: Phase::Complete,
            inclusion: Some(InclusionDecision {
                included,
                rules: design.assignment.clone(),
            }),
            ..self.append(attempt, 0, 1)
        }
    }

    pub async fn snapshot(&self) -> Box<dyn StudySnapshot> {
        self.other.study_snapshot(&self.study).await.unwrap()
    }

    pub async fn ledger(&self) -> StudyLedger {
        self.snapshot().await.ledger().await.unwrap()
    }

    /// The numbers of the events in an author's log.
    pub async fn log(&self, session: &SessionId, author: Author) -> Vec<u64> {
        let events = self.other.events(session, author, 0, 1_000).await.unwrap();
        events.iter().map(|event| event.seq).collect()
    }
}

pub fn event(session: &SessionId, author: Author, seq: u64, event: Event) -> Envelope {
    Envelope {
        format: EVENT_FORMAT,
        session: session.clone(),
        author,
        seq,
        at_ms: seq,
        event,
    }
}

/// Somebody who came from a platform.
pub fn arrival(platform: &str, participant: &str) -> StoredArrival {
    StoredArrival {
        platform: platform.into(),
        participant: Some(participant.into()),
        submission: Some("s".into()),
        link: [("PID".to_owned(), participant.to_owned())].into(),
    }
}

pub fn erase(session: &SessionId, ended: Ended, keeps_code: bool) -> Erase {
    Erase {
        session: session.clone(),
        ended,
        keeps_code,
        erased_at_unix_ms: 9,
    }
}

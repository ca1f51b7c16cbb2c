//! A server for one test.

use api::{Ack, Batch, ErrorBody, ErrorCode, SessionStarted, routes};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use domain::recruitment::assignment::Purpose;
use domain::session::event::Envelope;
use domain::simulate::SimulatedParticipant;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use server::catalogue::{Catalogue, StudyEntry, StudyFiles};
use server::http::router;
use server::state::ServerState;
use server::storage::{self, StoredSession, StudySnapshot};
use server::system::System;
use server::zoo::Models;
use std::path::PathBuf;
use tempfile::TempDir;
use tower::ServiceExt;

pub const STUDY: &str = "small";
pub const ATTEMPT: &str = "0123456789-abcdef";

/// Two stages of closed forms with everything around them; consent holds raw HTML.
pub fn study_json() -> Value {
    json!({
        "format": 1,
        "id": STUDY,
        "title": "Small",
        "consent": {
            "file": "consent.md", "investigator": "I", "contact": "c@example.org", "duration_minutes": 1
        },
        "practice": {},
        "stages": [
            { "model": "sinelines-gt5", "questions": 2 },
            { "id": "again", "model": "sinelines-gt5", "questions": 1, "rename_dials": true }
        ],
        "closing": [{ "id": "end", "title": "End", "items": [
            { "id": "comments", "text": "Comments?", "answer": { "kind": "text" }, "optional": true }
        ]}],
        "seed": 7
    })
}

pub fn entry(json: &Value, models: &Models) -> StudyEntry {
    tried_entry(json, models).unwrap()
}

/// The study, or what is wrong with it or the files beside it.
pub fn tried_entry(json: &Value, models: &Models) -> Result<StudyEntry, Vec<String>> {
    let file = |name: &str| match name {
        "consent.md" => Some(b"# Consent <script>alert(1)</script>".to_vec()),
        "sona.txt" => Some(b"9185d436e5f94b1581b0918162e8\n".to_vec()),
        "codes.txt" => Some(b"P1\n P-02\r\n\n".to_vec()),
        "wrong-codes.txt" => Some("P1\nundefined\nP2\nP\u{200b}3\n".into()),
        _ => None,
    };
    let id = json["id"].as_str().unwrap();
    let files = StudyFiles::named(&file);
    StudyEntry::new(id, json.to_string().as_bytes(), models, &files)
}

/// What a server is made of.
#[derive(Clone)]
pub struct Setup {
    pub system: System,
    /// Folder of further models.
    pub models: Option<PathBuf>,
    pub study: Value,
    /// Further studies.
    pub others: Vec<Value>,
    /// What sessions are for.
    pub purpose: Purpose,
    /// Origins that stand for platforms.
    pub stand_ins: Vec<String>,
    /// Address of the keys that Prolific signs with.
    pub keys_of_prolific: Option<String>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            system: System::default(),
            models: None,
            study: study_json(),
            others: Vec::new(),
            purpose: Purpose::Participant,
            stand_ins: Vec::new(),
            keys_of_prolific: None,
        }
    }
}

pub struct App {
    pub state: ServerState,
    pub router: Router,
    pub folder: TempDir,
    pub setup: Setup,
}

pub struct AppResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl AppResponse {
    pub fn json<T: DeserializeOwned>(&self) -> T {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        serde_json::from_slice(&self.bytes).unwrap()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The error that this answer must be.
    pub fn error(&self) -> api::ErrorInfo {
        let body: ErrorBody = serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|_| panic!("{} {:?} is no error", self.status, self.text()));
        assert_eq!(self.status, server::http::error::status(body.error.code));
        body.error
    }

    pub fn refused(&self, code: ErrorCode) -> api::ErrorInfo {
        let error = self.error();
        assert_eq!(error.code, code, "{}", error.message);
        error
    }
}

pub async fn state_on(folder: &TempDir, setup: &Setup) -> ServerState {
    let url = format!("sqlite://{}", folder.path().join("data/test.db").display());
    let storage = storage::open(&url).await.unwrap();
    let models = Models::load(setup.models.as_deref()).unwrap();
    let mut catalogue = Catalogue::default();
    for study in std::iter::once(&setup.study).chain(&setup.others) {
        catalogue.add(entry(study, &models));
    }
    let catalogue = catalogue
        .with_stand_ins(setup.stand_ins.clone())
        .with_keys_of_prolific(setup.keys_of_prolific.clone());
    let dist = folder.path().join("dist");
    let system = setup.system.clone();
    ServerState {
        purpose: setup.purpose,
        ..ServerState::new(storage, catalogue, models, Some(dist), system)
    }
}

impl App {
    pub async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub async fn with(setup: Setup) -> Self {
        Self::on(tempfile::tempdir().unwrap(), setup).await
    }

    /// A server on a folder that may have a database.
    pub async fn on(folder: TempDir, setup: Setup) -> Self {
        let state = state_on(&folder, &setup).await;
        Self {
            router: router(state.clone()),
            state,
            folder,
            setup,
        }
    }

    /// A new server on the same database.
    pub async fn restart(self) -> Self {
        let setup = self.setup.clone();
        self.restart_with(setup).await
    }

    /// A new server on the same database, made of something else.
    pub async fn restart_with(self, setup: Setup) -> Self {
        self.state.storage.close().await;
        Self::on(self.folder, setup).await
    }

    pub async fn send(&self, request: Request<Body>) -> AppResponse {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response
            .into_body()
            .collect()
            .await
            .unwrap()
            .to_bytes()
            .to_vec();
        AppResponse {
            status,
            headers,
            bytes,
        }
    }

    pub async fn get(&self, path: &str) -> AppResponse {
        self.send(Request::get(path).body(Body::empty()).unwrap())
            .await
    }

    pub async fn call(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
        body: Option<Value>,
    ) -> AppResponse {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let body = match body {
            Some(json) => {
                request = request.header("content-type", "application/json");
                Body::from(json.to_string())
            }
            None => Body::empty(),
        };
        self.send(request.body(body).unwrap()).await
    }

    pub async fn post(&self, path: &str, token: Option<&str>, body: Value) -> AppResponse {
        self.call(Method::POST, path, token, Some(body)).await
    }

    pub async fn start(&self, attempt: &str) -> SessionStarted {
        self.post(
            &routes::study_sessions(STUDY),
            None,
            json!({ "attempt": attempt }),
        )
        .await
        .json()
    }

    /// Starts a session with a participant's code, or opens the one it has.
    pub async fn start_as(&self, attempt: &str, code: &str) -> SessionStarted {
        let body = json!({ "attempt": attempt, "participant_code": code });
        self.post(&routes::study_sessions(STUDY), None, body)
            .await
            .json()
    }

    /// Sends events over POST.
    pub async fn append(&self, started: &SessionStarted, events: &[Envelope]) -> AppResponse {
        let batch = Batch {
            events: events.to_vec(),
        };
        let path = routes::events(&started.plan.session);
        self.post(
            &path,
            Some(&started.token),
            serde_json::to_value(batch).unwrap(),
        )
        .await
    }

    /// Exports the study; the folder.
    pub async fn export(&self) -> PathBuf {
        let out = self.folder.path().join("out");
        let options = server::export::ExportOptions::new("");
        server::export::export(&*self.state.storage, STUDY, &out, &options)
            .await
            .unwrap();
        out
    }

    pub async fn acked_len(&self, started: &SessionStarted) -> u64 {
        let session = self
            .state
            .sessions
            .authorise(&started.plan.session, &started.token)
            .await
            .unwrap();
        self.state.sessions.ack(&session).await.unwrap().acked_len
    }

    /// Everything stored of the study's sessions but their logs, in order.
    pub async fn stored(&self) -> Vec<StoredSession> {
        let mut snapshot = self.state.storage.study_snapshot(STUDY).await.unwrap();
        stored_of(&mut *snapshot).await
    }

    pub async fn sessions(&self) -> u64 {
        self.state
            .storage
            .study_snapshot(STUDY)
            .await
            .unwrap()
            .sessions()
            .await
            .unwrap()
            .ordinals
            .len() as u64
    }
}

/// The sessions of a study, in order.
pub async fn stored_of(snapshot: &mut dyn StudySnapshot) -> Vec<StoredSession> {
    let mut stored = Vec::new();
    for ordinal in snapshot.sessions().await.unwrap().ordinals {
        let id = snapshot.session_id(ordinal).await.unwrap().unwrap();
        stored.push(snapshot.session(&id).await.unwrap().unwrap());
    }
    stored
}

/// The whole log of a simulated participant.
pub fn log_of(started: &SessionStarted) -> Vec<Envelope> {
    SimulatedParticipant::new(started.plan.clone(), 1, 5).collect()
}

pub fn ack(answer: &AppResponse) -> u64 {
    answer.json::<Ack>().acked_len
}

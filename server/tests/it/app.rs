//! A server for one test.

use api::{Ack, DepartureInfo, ErrorBody, ErrorCode, SessionStarted, SessionState, routes};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use domain::recruitment::assignment::Purpose;
use domain::session::event::{Author, EVENT_FORMAT, Envelope, Event, SessionId};
use domain::simulate::SimulatedParticipant;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use server::catalogue::{Catalogue, StudyEntry, StudyFiles};
use server::export::ExportOptions;
use server::export_jobs::ExportJobs;
use server::http::router;
use server::library::{Collection, Library};
use server::platforms::Platforms;
use server::state::ServerState;
use server::storage::{
    self, BlobPlace, DatabaseAddress, StoredEvent, StoredSession, StudySnapshot,
};
use server::system::System;
use server::zoo::Models;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::net::TcpListener;
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
        "consent.md" | "consent.de.md" => Some(b"# Consent <script>alert(1)</script>".to_vec()),
        "sona.txt" => Some(b"9185d436e5f94b1581b0918162e8\n".to_vec()),
        "codes.txt" => Some(b"P1\n P-02\r\n\n".to_vec()),
        "wrong-codes.txt" => Some("P1\nundefined\nP2\nP\u{200b}3\n".into()),
        _ => None,
    };
    let id = json["id"].as_str().unwrap();
    let files = StudyFiles::named(&file);
    let entry = StudyEntry::new(id, json.to_string().as_bytes(), models, &files);
    entry.map_err(|faults| faults.iter().map(ToString::to_string).collect())
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
    /// Platforms that decisions can be sent to.
    pub platforms: Platforms,
    /// Where blobs are.
    pub blobs: BlobPlace,
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
            platforms: Platforms::default(),
            blobs: BlobPlace::default(),
        }
    }
}

impl Setup {
    /// A server with this study.
    pub fn of(study: Value) -> Self {
        Self {
            study,
            ..Self::default()
        }
    }
}

/// A study of free play after a consent form, with something more in its file.
pub fn study_with(more: Value) -> Value {
    let mut study = json!({ "format": 2, "id": STUDY, "title": "V", "parts": [
        { "kind": "consent", "file": "consent.md", "investigator": "I", "contact": "C",
          "duration_minutes": 1 },
        { "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "sinelines-gt5" } }
    ] });
    let more = more.as_object().unwrap().clone();
    study.as_object_mut().unwrap().extend(more);
    study
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

/// The file in an app's folder with the address of its database, where that is no file.
const ADDRESS: &str = "database.url";

/// Tests that look into the file of the database, or change it: they run on SQLite whatever is asked for.
const ABOUT_FILES: [&str; 23] = [
    "copy::",
    "damage::",
    "database::",
    "erasure::a_backup_that_is_restored",
    "erasure::a_log_that_cannot_be_read",
    "erasure::nothing_that_was_given",
    "erasure::while_somebody_reads",
    "erasure::who_took_everything_back",
    "lab::recordings_are_deleted",
    "log_length::a_full_log",
    "opening::",
    "research::erasure::a_session_is_erased",
    "research::matching::both_lists",
    "research::replay::of_a_damaged_log",
    "research::sessions::a_row_is_that",
    "research::sessions::a_thousand_sessions",
    "research::sessions::a_viewer_learns",
    "research::sessions::of_an_erased_session",
    "research::sessions::what_is_kept_is_used",
    "restore::",
    "start_time::",
    "trials::trials_of_earlier_versions",
    "typed_text::texts_go",
];

/// The address of a folder's database: a file in it, or, where all tests run on PostgreSQL
/// (`REDIAL_TEST_DATABASE=postgresql`), a database of its own.
fn database_of(folder: &Path) -> String {
    let file = folder.join("data/test.db");
    let is_asked_for =
        std::env::var_os("REDIAL_TEST_DATABASE").is_some_and(|kind| kind == "postgresql");
    let test = std::thread::current();
    let test = test.name().unwrap_or_default();
    let is_about_files = ABOUT_FILES.iter().any(|about| test.starts_with(about));
    let noted = folder.join(ADDRESS);
    let is_file = !is_asked_for || is_about_files || file.exists();
    if is_file && !noted.exists() {
        return storage::url_of(&file);
    }
    std::fs::read_to_string(&noted).unwrap_or_else(|_| {
        let url = cluster::cluster().database();
        std::fs::write(&noted, &url).unwrap();
        url
    })
}

pub async fn state_on(folder: &TempDir, setup: &Setup) -> ServerState {
    let at = DatabaseAddress {
        url: database_of(folder.path()),
        blobs: setup.blobs.clone(),
    };
    let storage = storage::open(at).await.unwrap();
    let models = Models::load(setup.models.as_deref()).unwrap();
    let mut catalogue = Catalogue::default();
    for study in std::iter::once(&setup.study).chain(&setup.others) {
        catalogue.add(entry(study, &models));
    }
    let collection = Collection {
        catalogue,
        models: Arc::new(models),
    };
    let library = Library::new(collection)
        .with_stand_ins(setup.stand_ins.clone())
        .with_keys_of_prolific(setup.keys_of_prolific.clone())
        .with_platforms(setup.platforms.clone());
    let dist = folder.path().join("dist");
    let system = setup.system.clone();
    let mut state = ServerState {
        purpose: setup.purpose,
        ..ServerState::new(storage, library, Some(dist), system.clone())
    };
    let exports = ExportJobs::nowhere(state.storage.clone(), system, state.stopping.clone());
    let database = folder.path().join("data/test.db");
    state.exports = Arc::new(exports.beside(&database).unwrap());
    state
}

impl App {
    pub async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub async fn with(setup: Setup) -> Self {
        Self::on(tempfile::tempdir().unwrap(), setup).await
    }

    /// A server with this study.
    pub async fn of(study: Value) -> Self {
        Self::with(Setup::of(study)).await
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

    /// A server on the database of an address.
    pub async fn at(url: &str, setup: Setup) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(ADDRESS), url).unwrap();
        Self::on(folder, setup).await
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

    /// A request of a session's own page, without a body.
    pub async fn own(&self, method: Method, path: &str, started: &SessionStarted) -> AppResponse {
        self.call(method, path, Some(&started.token), None).await
    }

    /// Asks for a session as its page does.
    pub async fn read(&self, started: &SessionStarted) -> AppResponse {
        let path = routes::session(&started.plan.session);
        self.own(Method::GET, &path, started).await
    }

    pub async fn state_of(&self, started: &SessionStarted) -> SessionState {
        self.read(started).await.json()
    }

    /// Takes everything back.
    pub async fn erase(&self, started: &SessionStarted) -> AppResponse {
        let path = routes::session(&started.plan.session);
        self.own(Method::DELETE, &path, started).await
    }

    pub async fn depart(&self, started: &SessionStarted) -> DepartureInfo {
        let path = routes::departure(&started.plan.session);
        self.own(Method::POST, &path, started).await.json()
    }

    pub async fn complete(&self, started: &SessionStarted) -> AppResponse {
        let path = routes::completion(&started.plan.session);
        self.own(Method::POST, &path, started).await
    }

    pub async fn post(&self, path: &str, token: Option<&str>, body: Value) -> AppResponse {
        self.call(Method::POST, path, token, Some(body)).await
    }

    /// Asks for a session of the study.
    pub async fn ask_to_start(&self, body: Value) -> AppResponse {
        self.post(&routes::study_sessions(STUDY), None, body).await
    }

    pub async fn start(&self, attempt: &str) -> SessionStarted {
        let body = json!({ "attempt": attempt });
        self.ask_to_start(body).await.json()
    }

    /// Starts a session with a participant's code, or opens the one it has.
    pub async fn start_as(&self, attempt: &str, code: &str) -> SessionStarted {
        let body = json!({ "attempt": attempt, "participant_code": code });
        self.ask_to_start(body).await.json()
    }

    /// Sends events over POST.
    pub async fn append(&self, started: &SessionStarted, events: &[Envelope]) -> AppResponse {
        let path = routes::events(&started.plan.session);
        let batch = json!({ "events": events });
        self.post(&path, Some(&started.token), batch).await
    }

    /// Sends events that are refused.
    pub async fn refuses(
        &self,
        started: &SessionStarted,
        events: &[Envelope],
        code: ErrorCode,
    ) -> api::ErrorInfo {
        self.append(started, events).await.refused(code)
    }

    /// Sends the whole log of a simulated participant.
    pub async fn append_all(&self, started: &SessionStarted) {
        let log = log_of(started);
        assert_eq!(ack(&self.append(started, &log).await), log.len() as u64);
    }

    /// The database's file.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("data/test.db")
    }

    pub fn url(&self) -> String {
        database_of(self.folder.path())
    }

    /// Listens from now on; the address.
    pub async fn listen(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(server::serve::run(listener, self.state.clone()));
        address
    }

    /// Exports the study; the folder.
    pub async fn export(&self) -> PathBuf {
        self.export_of(STUDY, ExportOptions::new("")).await
    }

    /// Exports a study in one way; the folder.
    pub async fn export_of(&self, study: &str, options: ExportOptions<'_>) -> PathBuf {
        let out = self.folder.path().join("out");
        let exported = server::export::export(&*self.state.storage, study, &out, &options);
        exported.await.unwrap();
        out
    }

    /// An author's log as it is stored.
    pub async fn events(&self, session: &SessionId, author: Author) -> Vec<StoredEvent> {
        let events = self.state.storage.events(session, author, 0, 10_000);
        events.await.unwrap()
    }

    /// A session as it is stored.
    pub async fn session(&self, session: &SessionId) -> StoredSession {
        let stored = self.state.storage.session(session).await;
        stored.unwrap().unwrap()
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

/// An event of a session's page.
pub fn of_page(started: &SessionStarted, seq: u64, at_ms: u64, event: Event) -> Envelope {
    Envelope {
        format: EVENT_FORMAT,
        session: started.plan.session.clone(),
        author: Author::Participant,
        seq,
        at_ms,
        event,
    }
}

/// An export with what people typed, and whatever else says who they are.
pub fn identifying() -> ExportOptions<'static> {
    ExportOptions {
        identifying: true,
        ..ExportOptions::new("")
    }
}

/// The rows of a file of lines of JSON.
pub fn json_lines(text: &str) -> Vec<Value> {
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

pub fn ack(answer: &AppResponse) -> u64 {
    answer.json::<Ack>().acked_len
}

//! The messages between browser and server.
//!
//! A session's events travel in numbered [`Batch`]es over a WebSocket, over
//! POST, or in a beacon when the page is left; all three reach one idempotent
//! append, and all three are answered with how many events the server has acknowledged.
//!
//! Deliberately absent: sending and receiving, which frontend and server do; answer keys, which no
//! answer to a browser holds; and rules, which are those of `domain`. Paths stand in [`routes`] alone.

use std::collections::BTreeMap;

use domain::design::Levels;
use domain::json::named;
use domain::questionnaire::Item;
use domain::recruitment::platform::{Ended, Parameters, WayBack};
use domain::session::event::{Envelope, QuestionRef, SessionId};
use domain::session::flow::Span;
use domain::session::plan::SessionPlan;
use domain::study::Agreement;
use domain::task::Verdict;
use serde::{Deserialize, Serialize};

pub mod lab;
pub mod preview;
pub mod replay;
pub mod research;
pub mod routes;

/// Most events taken in one batch.
pub const MAX_BATCH_EVENTS: usize = 1_000;

/// Largest request body taken, in bytes.
pub const MAX_BODY_BYTES: usize = 1024 * 1024;

/// A study, as the list and its first page show it. Reading it creates nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyInfo {
    /// Name in links.
    pub id: String,
    /// The language of all texts here (BCP 47).
    pub language: String,
    /// The languages that the study comes in, its first one first.
    pub languages: Vec<String>,
    /// Title.
    pub title: String,
    /// What it is about, in a sentence or two.
    pub summary: Option<String>,
    /// How many stages a person gets, practice not counted.
    pub stages: Span,
    /// How many questions they get in them.
    pub questions: Span,
    /// The models that a session may need, in the order of the study's parts: a browser may
    /// fetch them before there is a session.
    pub models: Vec<ModelRef>,
    /// What a participant must be told, if consent is asked for.
    pub consent: Option<ConsentInfo>,
    /// What is asked before the start: a choice for each factor that varies with the answer, with its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions_before: Vec<Item>,
    /// How somebody with this link comes to the study.
    #[serde(default)]
    pub arrival: ArrivalInfo,
}

/// How somebody comes to a study, by the parameters of their link.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ArrivalInfo {
    /// Whether they may start.
    pub door: Admission,
    /// The platforms that the study is opened from, as people read them; of an open door the one
    /// that they came from, if it is a platform.
    pub platforms: Vec<String>,
    /// How they go back without having taken part, where the platform has a way for that.
    pub way_back: Option<WayBack>,
    /// Whether what is started now is a trial: without completion code, way back and pay.
    pub trial: bool,
}

/// Whether somebody may start a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", schemars(rename = "Door"))]
pub enum Admission {
    /// They may.
    #[default]
    Open,
    /// They may look: they have not accepted the task on their platform.
    Preview,
    /// They may not: their link is of none of the study's platforms, or lacks something.
    Closed,
    /// They may not: their link was made wrongly, and does not say who they are.
    WrongLink,
    /// They may not now: whether the platform signed their link cannot be found out.
    Unchecked,
    /// They may not now: the study is not open yet, or not any more.
    NotNow,
}

/// A model, as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelRef {
    /// Its name.
    pub name: String,
    /// SHA-256 in hex over all files of its bundle, by which it is fetched.
    pub bundle_sha256: String,
}

/// The consent form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConsentInfo {
    /// Who is responsible.
    pub investigator: String,
    /// Where to turn to.
    pub contact: String,
    /// How long it takes, in minutes.
    pub duration_minutes: u32,
    /// What participants get.
    pub pay: Option<String>,
    /// Version of the text.
    #[serde(default)]
    pub version: Option<String>,
    /// Number of the protocol that the ethics board approved.
    #[serde(default)]
    pub protocol: Option<String>,
    /// How the participant agrees.
    #[serde(default)]
    pub agree: Agreement,
    /// How long the form stays on screen at least before one can agree, in seconds.
    #[serde(default)]
    pub at_least_s: f64,
    /// SHA-256 of the text in hex: with another one the participant is asked again.
    #[serde(default)]
    pub text_sha256: String,
    /// The text as HTML, made by the server from the study's Markdown; raw HTML in it is shown as text.
    pub text_html: String,
}

/// List of studies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyList {
    /// The studies, by name.
    pub studies: Vec<StudyInfo>,
    /// The language for the list itself: of those that the app's texts come in, the one that
    /// is wanted most.
    pub language: String,
}

/// Asks for a session. Sent when a participant presses Start.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StartRequest {
    /// A random name for this attempt to start, made by the browser (16 to 64
    /// letters, digits, `-`). Sent again after a lost answer, it gives the same session.
    pub attempt: String,
    /// A code for the participant, as the researcher hands it out; optional.
    #[serde(default)]
    pub participant_code: Option<String>,
    /// The condition that the link named: a level of the study's factor that varies with the
    /// link; optional.
    #[serde(default)]
    pub condition: Option<String>,
    /// What was answered on the first page: the level of each factor that varies with the answer, by the factor's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: Levels,
    /// The language that was shown before the start; absent, or none of the study's: its first.
    #[serde(default)]
    pub language: Option<String>,
    /// The parameters of the link, by which platforms say who comes.
    #[serde(default)]
    pub link: Parameters,
    /// Pages of earlier versions say `participant`, and nothing else is taken: what a session is for
    /// is decided by the server.
    #[serde(default, skip_serializing)]
    pub purpose: OnlyParticipants,
}

/// What a request may say that its session is for, which is nothing new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnlyParticipants {
    /// For data.
    #[default]
    Participant,
}

/// A session, as its own browser gets it, both at the start and when it resumes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionStarted {
    /// The secret that lets this browser write to the session, and to nothing else.
    pub token: String,
    /// Everything that will be asked.
    pub plan: SessionPlan,
    /// Number of events that its log has: more than none if it was started before.
    #[serde(default)]
    pub log_len: u64,
    /// What the page keeps for the case that the server loses the session: with it the server makes
    /// the session again ([`RestoreRequest`]). Sealed; absent for a session that was started before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
}

/// Asks the server for a session again that it does not know any more, as after an older backup was put
/// in the place of its database. The page then hands in its log from the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RestoreRequest {
    /// What came with the session when it was started.
    pub receipt: String,
}

/// A session as the server has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionState {
    /// Everything that will be asked.
    pub plan: SessionPlan,
    /// The log of the participant's page, from sequence number 0.
    pub events: Vec<Envelope>,
    /// The completion code, once there is one.
    pub completion_code: Option<String>,
    /// Milliseconds since the server received the last event, by its own clock; absent without events.
    pub since_last_event_ms: Option<u64>,
}

/// Events in order, without a gap between them. They may overlap what the
/// server has already, if they say the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// The events; at least one, at most [`MAX_BATCH_EVENTS`].
    pub events: Vec<Envelope>,
}

/// A batch with the token inside: a beacon can carry no headers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Beacon {
    /// The session's secret.
    pub token: String,
    /// The events.
    pub batch: Batch,
}

/// Why a page broke down, for the server's own log. Nothing of it is data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PageError {
    /// What the browser says; the server keeps the first 2,000 characters.
    pub message: String,
    /// Path of the page, without query and fragment.
    pub path: String,
}

/// A report was heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Heard"))]
pub struct ReportLogged {
    /// Whether it was written to the server's log: after many in a minute no more are.
    pub logged: bool,
}

/// How many events of the session are on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ack {
    /// Number of events on disk, without a gap: the next sequence number wanted.
    pub acked_len: u64,
}

/// Asks whether an answer was right. Answered once the server has the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerdictRequest {
    /// The question.
    #[serde(flatten)]
    pub at: QuestionRef,
}

/// Whether an answer was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerdictAnswer {
    /// What the page logs as received.
    pub verdict: Verdict,
}

/// Asks which answers to a questionnaire are wrong. Answered once the server has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CheckRequest {
    /// 0-based index of the part.
    pub part: usize,
}

/// Which of the answers handed in last are wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckAnswer {
    /// What the page logs as received: names of items, in the order of the page.
    pub wrong: Vec<String>,
}

/// The completion code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Completion"))]
pub struct CompletionCode {
    /// The code, to be shown and copied.
    pub code: String,
}

/// How a participant goes back after their session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Departure"))]
pub struct DepartureInfo {
    /// How the session ended.
    pub ended: Ended,
    /// The way back; none where they did not come from a platform, or it wants nothing of us.
    pub way_back: Option<WayBack>,
    /// The completion code of a session that was complete before everything in it was erased: its
    /// page can ask for it nowhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// What a browser says over the WebSocket. The first message must be `hello`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientMessage {
    /// Says which session this is; answered with an acknowledgement of what the server has.
    Hello {
        /// The session.
        session: SessionId,
        /// Its secret.
        token: String,
    },
    /// Events; answered with an acknowledgement or a refusal.
    Batch(Batch),
}

/// What the server says over the WebSocket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The events are on disk.
    Ack(Ack),
    /// Something was refused; nothing of it was stored.
    Refused(ErrorInfo),
}

/// The kinds of error, each with one HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// 400: the body is not JSON, or not of the expected shape.
    Malformed,
    /// 401: no token, or not this session's.
    Unauthorised,
    /// 403: whoever is signed in may not do this, or there is no such thing.
    Forbidden,
    /// 429: there were too many wrong passwords; try again later.
    TooManyAttempts,
    /// 404: no such study, session, model or page.
    NotFound,
    /// 405: the address exists, the method does not.
    MethodNotAllowed,
    /// 409: the batch leaves a gap after the end of the log.
    Gap,
    /// 409: an event differs from the one logged under its number.
    Conflict,
    /// 409: the session is not complete, so there is no code.
    NotComplete,
    /// 409: the session is a trial, and never has a code.
    NoCode,
    /// 409: the question has not been answered, as far as the server's log goes.
    NotAnswered,
    /// 409: every cell of the study is full or paused; nothing was started.
    StudyFull,
    /// 409: the participant has taken part in a study that rules this one out; nothing was started.
    TookPart,
    /// 403: the link is of none of the study's platforms, a mere look, or has a participant code
    /// that the study does not know; nothing was started.
    WrongLink,
    /// 409: something else was decided before, or it is too late for this.
    Decided,
    /// 409: the study is not open yet, or not any more; nothing was started.
    NotOpen,
    /// 410: the session cannot go on: what it was drawn with is not there any more, or what is
    /// stored of it is damaged.
    Gone,
    /// 410: everything that was given in the session was erased, as its participant wished.
    Erased,
    /// 410: its participant was away for longer than the study allows.
    NotResumable,
    /// 413: the body or the batch is too large.
    TooLarge,
    /// 415: the body is not declared as JSON.
    UnsupportedMediaType,
    /// 422: an event that the session's state does not allow.
    Refused,
    /// 500: our fault; the detail is in the server's log.
    Internal,
    /// 503: the server is starting, stopping or overloaded; try again.
    Unavailable,
    /// 503: the server's storage is full, nothing was stored; try again once there is room.
    StorageFull,
}

named!(ErrorCode: Malformed, Unauthorised, Forbidden, TooManyAttempts, NotFound, MethodNotAllowed, Gap, Conflict, NotComplete, NoCode, NotAnswered, StudyFull, TookPart, WrongLink, Decided, NotOpen, Gone, Erased, NotResumable, TooLarge, UnsupportedMediaType, Refused, Internal, Unavailable, StorageFull);

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorInfo {
    /// The kind.
    pub code: ErrorCode,
    /// What was found and what to do, in a sentence.
    pub message: String,
    /// For batches: how many events are on disk, so that the sender can go on from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acked_len: Option<u64>,
}

/// The body of every answer that is an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorInfo,
}

//! Paths of the HTTP interface, written once.

use domain::session::event::SessionId;

mod research;

pub use research::*;

/// List of studies (GET).
pub const STUDIES: &str = "/api/studies";
/// The OpenAPI description (GET).
pub const OPENAPI: &str = "/api/openapi.json";
/// Whether the process runs (GET).
pub const HEALTH: &str = "/healthz";
/// Whether it can take sessions (GET).
pub const READY: &str = "/readyz";

/// A study (GET).
#[must_use]
pub fn study(id: &str) -> String {
    format!("{STUDIES}/{id}")
}

/// Starts a session (POST [`crate::StartRequest`], answered with [`crate::SessionStarted`]).
#[must_use]
pub fn study_sessions(id: &str) -> String {
    format!("{STUDIES}/{id}/sessions")
}

/// Begins a session at any part, where the server runs for looking at studies (POST
/// [`crate::preview::PreviewRequest`], answered with [`crate::preview::PreviewOpened`]).
#[must_use]
pub fn study_preview(id: &str) -> String {
    format!("{STUDIES}/{id}/preview")
}

/// A session's state (GET, bearer token).
#[must_use]
pub fn session(id: &SessionId) -> String {
    format!("/api/sessions/{id}")
}

/// Appends events (POST [`crate::Batch`], bearer token).
#[must_use]
pub fn events(id: &SessionId) -> String {
    format!("/api/sessions/{id}/events")
}

/// Appends events when the page is left (POST [`crate::Beacon`]).
#[must_use]
pub fn beacon(id: &SessionId) -> String {
    format!("/api/sessions/{id}/beacon")
}

/// The completion code (POST without body, bearer token).
#[must_use]
pub fn completion(id: &SessionId) -> String {
    format!("/api/sessions/{id}/completion")
}

/// Makes a session again that the server has lost (POST [`crate::RestoreRequest`], bearer token).
#[must_use]
pub fn restore(id: &SessionId) -> String {
    format!("/api/sessions/{id}/restore")
}

/// How the participant goes back to their platform (POST without body, bearer token).
#[must_use]
pub fn departure(id: &SessionId) -> String {
    format!("/api/sessions/{id}/departure")
}

/// Whether an answer was right (POST [`crate::VerdictRequest`], bearer token).
#[must_use]
pub fn verdicts(id: &SessionId) -> String {
    format!("/api/sessions/{id}/verdicts")
}

/// Says that the page broke down (POST [`crate::PageError`]).
pub const PAGE_ERRORS: &str = "/api/page-errors";

/// Which answers to a questionnaire are wrong (POST [`crate::CheckRequest`], bearer token).
#[must_use]
pub fn checks(id: &SessionId) -> String {
    format!("/api/sessions/{id}/checks")
}

/// The experimenter's requests to a lab session's page (GET, [`crate::lab::ReadFrom`] as the
/// query, bearer token). Answered once there is something, or after a while.
#[must_use]
pub fn asked(id: &SessionId) -> String {
    format!("/api/sessions/{id}/asked")
}

/// A piece of a lab session's recording (POST the bytes, bearer token). Numbers count from 0.
#[must_use]
pub fn piece(id: &SessionId, recording: &str, piece: &str) -> String {
    format!("/api/sessions/{id}/recordings/{recording}/{piece}")
}

/// The WebSocket all sessions stream to (GET with upgrade).
pub const STREAM: &str = "/api/stream";

/// The card of a model, by the hash of its bundle (GET).
#[must_use]
pub fn bundle_card(sha256: &str) -> String {
    format!("/api/bundles/{sha256}/card.json")
}

/// The weights of a model, by the hash of its bundle (GET).
#[must_use]
pub fn bundle_weights(sha256: &str) -> String {
    format!("/api/bundles/{sha256}/weights")
}

/// An instance that a plan names, by the hash of its bytes (GET).
#[must_use]
pub fn instance(sha256: &str) -> String {
    format!("/api/instances/{sha256}")
}

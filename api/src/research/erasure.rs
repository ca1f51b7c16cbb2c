//! Erasing a session, as its participant wished.

use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

/// Erases everything that the participant of a session gave. It cannot be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ErasureRequest {
    /// The name of the session once more, so that no other one is erased by mistake.
    pub session: SessionId,
}

/// The exports that have something of a session, by the list that is kept of them. What is copied elsewhere is not in
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExportsWithSession {
    /// They, the oldest first.
    pub exports: Vec<ExportWithSession>,
}

/// An export that has something of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExportWithSession {
    /// When it was made, as RFC 3339.
    pub exported_at_utc: String,
    /// Its folder or file on the server.
    pub folder: String,
    /// Whether that is still there.
    pub there: bool,
}

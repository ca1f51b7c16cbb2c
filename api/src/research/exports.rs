//! Exports that the server makes and keeps for a day.

use domain::json::named;
use serde::{Deserialize, Serialize};

/// For how many hours an export is kept.
pub const EXPORT_HOURS: u64 = 24;

/// Asks for an export, with the options of `redial export`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NewExport {
    /// Whose sessions.
    pub of: ExportOf,
    /// Whether what can say who somebody is comes out. It needs [`Right::Identify`](super::Right::Identify).
    pub identifying: bool,
    /// Whether the study's audit log comes out, as a table. It needs [`Right::Manage`](super::Right::Manage).
    pub audit: bool,
    /// Whether text in CSV files is changed so that no spreadsheet takes it for a formula.
    pub spreadsheet_safe: bool,
    /// Take only sessions that were started with one of these study files: beginnings of their SHA-256, 6 to 64 digits.
    pub study_versions: Vec<String>,
    /// Take only sessions that were started then or later, in milliseconds since 1970.
    pub since_unix_ms: Option<u64>,
    /// Take only sessions that were started before then.
    pub before_unix_ms: Option<u64>,
    /// Take only sessions that stand at one of these, as in the column `standing`.
    pub standings: Vec<String>,
    /// The server's address as whoever reads the tables reaches it, such as `https://study.example.org`: links to the replay
    /// begin with it. Without it they begin with the path.
    pub address: Option<String>,
}

/// Whose sessions are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExportOf {
    /// Those of people, pilots among them.
    #[default]
    People,
    /// Those of pilots alone.
    Pilots,
    /// Those of simulated people.
    Simulated,
}

named!(ExportOf: People, Pilots, Simulated);

/// The exports of a study that are kept or under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Exports {
    /// They, the newest first.
    pub exports: Vec<ExportInfo>,
}

/// An export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExportInfo {
    /// Its name.
    pub id: String,
    /// The study.
    pub study: String,
    /// How far it is.
    pub state: ExportState,
    /// Who asked for it; nothing where that is no longer known.
    pub by: Option<String>,
    /// What was asked for.
    pub request: NewExport,
    /// When it was asked for, in milliseconds since 1970.
    pub asked_at_unix_ms: u64,
    /// Sessions that are written.
    pub sessions_done: u64,
    /// Sessions that were looked at when it began: at most so many are written.
    pub sessions_listed: u64,
    /// What is known of it once it is ready.
    pub ready: Option<ExportReady>,
    /// Why there is none, in a sentence.
    pub problem: Option<String>,
}

/// What is known of an export that is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExportReady {
    /// Name of the file, a ZIP archive with the folder that `redial export` writes.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256 in hex.
    pub sha256: String,
    /// Sessions in it.
    pub sessions: u64,
    /// Sessions in it that count.
    pub included_sessions: u64,
    /// What could not be read. No number is made of a session that is damaged.
    pub problems: Vec<String>,
    /// Until when it is kept, in milliseconds since 1970.
    pub kept_until_unix_ms: u64,
}

/// How far an export is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExportState {
    /// Others are made before it.
    Waiting,
    /// It is being made.
    Running,
    /// It can be fetched.
    Ready,
    /// There is none, and [`ExportInfo::problem`] says why.
    Failed,
}

named!(ExportState: Waiting, Running, Ready, Failed);

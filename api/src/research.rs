//! The researcher's area: who may do what in it, and its messages.
//!
//! [`Role::may`] is the one table of rights. The server checks every request by it, the area hides by it what somebody may
//! not do, and `redial user roles` prints it.

use std::collections::BTreeMap;

use domain::json::named;
use domain::recruitment::StudyStatus;
use serde::{Deserialize, Serialize};

/// Name of the header that every request needs which changes something and is sent with the cookie of a sign-in. Its
/// value is [`Me::change_key`].
pub const CHANGE_KEY: &str = "x-redial-change-key";

/// Name of the header that every answer of the area has while the server cannot store anything. Its value is what
/// `/healthz` says of the storage: `full` where the disk is full. Reading goes on.
pub const STORAGE: &str = "x-redial-storage";

/// Fewest characters of a password.
pub const SHORTEST_PASSWORD: usize = 12;
/// Most characters of a password.
pub const LONGEST_PASSWORD: usize = 128;
/// Most days for which a token is valid.
pub const LONGEST_TOKEN_DAYS: u32 = 365;
/// Days for which a token is valid unless somebody says otherwise.
pub const TOKEN_DAYS: u32 = 90;
/// Most tokens of one person.
pub const MOST_TOKENS: usize = 20;

mod analysis;
mod checklist;
mod decisions;
mod erasure;
mod events;
mod exports;
pub mod live;
mod matching;
mod openid;
mod power;
mod questions;
mod rights;
mod sessions;
mod simulation;
mod sound;
mod trust;
mod tuning;

pub use analysis::{
    AnalysedVersion, AnalysisFileQuery, AnalysisView, FigureDrawing, FigureQuery, LeadsTo,
    PeopleCount, ResultOf, ResultQuery, ShownCell, ShownFigure, ShownHead, ShownTable, WorkedOut,
    Working,
};
pub use checklist::{CheckState, Checklist, ChecklistItem, StatusRequest};
pub use decisions::{
    CreditsNeed, DecisionInfo, DecisionMade, DecisionsNeed, FIRST_REFERENCE, Outbox,
    OutboxPlatform, PaidByHand, PaymentNoted, PaymentRequest, SettlementRequest, WantedDeed,
};
pub use erasure::{ErasureRequest, ExportWithSession, ExportsWithSession};
pub use events::EventsQuery;
pub use exports::{
    EXPORT_HOURS, ExportInfo, ExportOf, ExportReady, ExportState, Exports, NewExport,
};
pub use matching::{MatchCount, MatchLine, PlatformMatch};
pub use openid::{
    Admission, OUTCOME, OpenIdBegun, OpenIdOutcome, OpenIdRequest, PersonWaiting, StudyAdmission,
    Waiting, WaysToSignIn,
};
pub use power::{
    MOST_NUMBERS, MOST_PEOPLE, MOST_SIMULATIONS, PowerOfPeople, PowerQuery, PowerView,
};
pub use questions::{
    ABANDONED, AlignmentLine, QuestionLines, QuestionQuery, QuestionSeen, QuestionsSeen,
};
pub use rights::{Membership, Permission, Right, Role, Scope};
pub use sessions::{
    Comparison, Condition, Filter, MOST_ROWS, ROWS, SPAN, SessionColumn, SessionQuery, SessionRow,
    SessionTable, SessionsQuery,
};
pub use simulation::{
    LastSimulation, MOST_SIMULATED, NewSimulation, SimulatedPeople, SimulationInfo, SimulationState,
};
pub use sound::{RecordingQuery, SessionSound, SoundRecording, SpokenCue};
pub use trust::{
    AutomationView, ContradictingSession, ContradictionFound, FlaggedSession, MOST_CONTRADICTIONS,
    SignalView, SpreadBar, VerificationView,
};
pub use tuning::{
    BalanceQuery, MOST_ARRIVALS, MOST_QUESTIONS, MOST_VALUES, StudyBalance, TuningQuery, TuningView,
};

/// Signs somebody in.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SignInRequest {
    /// Their name.
    pub name: String,
    /// Their password.
    pub password: String,
}

/// Sets a password with a link that `redial user add` or `reset` has given.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PasswordByLink {
    /// What stands behind `#` in the link.
    pub key: String,
    /// The password from now on.
    pub password: String,
}

/// Changes the password of whoever is signed in. All their other sign-ins end.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PasswordChange {
    /// The password until now.
    pub old: String,
    /// The password from now on.
    pub new: String,
}

/// Somebody who is signed in, or whose token was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Me {
    /// Their name.
    pub name: String,
    /// Whether they look after people's accounts.
    pub admin: bool,
    /// What they are in which studies.
    pub studies: Vec<Membership>,
    /// What the header [`CHANGE_KEY`] must hold; nothing for tokens, which need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_key: Option<String>,
}

/// Everybody who has an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct People {
    /// They, by name.
    pub people: Vec<Person>,
}

/// Somebody who has an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Person {
    /// Their name.
    pub name: String,
    /// Whether they look after people's accounts.
    pub admin: bool,
    /// Whether they may not sign in.
    pub disabled: bool,
    /// Whether they have come by themselves, and wait to be let in.
    pub waits: bool,
    /// Whether they have set a password.
    pub has_password: bool,
    /// The providers of OpenID Connect that vouch for them, by their addresses.
    pub vouched_for_by: Vec<String>,
    /// What they are in which studies.
    pub studies: Vec<Membership>,
}

/// Places where somebody is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignIns {
    /// They, the newest first.
    pub sign_ins: Vec<SignInInfo>,
}

/// A place where somebody is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignInInfo {
    /// Its name, which opens nothing.
    pub id: String,
    /// Whether it is the one that asks.
    pub this: bool,
    /// Address that it came from.
    pub address: String,
    /// What the browser calls itself.
    pub browser: String,
    /// When it began, in milliseconds since 1970.
    pub began_at_unix_ms: u64,
    /// When it was last used, to the minute, in milliseconds since 1970.
    pub used_at_unix_ms: u64,
}

/// Makes a token for a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewApiToken {
    /// What it is for, in a few words.
    pub label: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// In which studies.
    pub studies: Vec<String>,
    /// For how many days: [`TOKEN_DAYS`] unless told, [`LONGEST_TOKEN_DAYS`] at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
}

/// A token that was made. It is shown here and never again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiTokenMade {
    /// The token, to be sent as a bearer.
    pub token: String,
    /// What is known of it.
    pub info: ApiTokenInfo,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiTokenInfo {
    /// Its name, which opens nothing.
    pub id: String,
    /// What it is for.
    pub label: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// In which studies.
    pub studies: Vec<String>,
    /// When it was made, in milliseconds since 1970.
    pub made_at_unix_ms: u64,
    /// From when on it is of no use, in milliseconds since 1970.
    pub ends_at_unix_ms: u64,
    /// When it was last used, to the minute, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at_unix_ms: Option<u64>,
}

/// The tokens of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiTokens {
    /// They, the newest first.
    pub tokens: Vec<ApiTokenInfo>,
}

/// The studies in which whoever asks has a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Studies {
    /// They, by name.
    pub studies: Vec<StudySummary>,
}

/// How a study stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudySummary {
    /// Name in links.
    pub study: String,
    /// Title; nothing where the server has no file of the study any more.
    pub title: Option<String>,
    /// What whoever asks is in it.
    pub role: Role,
    /// What was decided that it takes people for.
    pub status: StudyStatus,
    /// Whether sessions can be started.
    pub state: StudyState,
    /// How many participants are where; what the live stream says of it is newer.
    pub counts: live::LiveCounts,
    /// A line for each cell, as `redial study cells` prints them.
    pub cells: Vec<CellCounts>,
    /// Decisions for platforms that somebody should look at.
    pub decisions: DecisionsNeed,
    /// Credits at SONA that somebody should look at.
    pub credits: CreditsNeed,
    /// Sessions that somebody should look at; nothing where their rows are still being read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<SessionsNeed>,
}

/// Sessions of a study that somebody should look at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionsNeed {
    /// Work that was completed for a platform which waits to be approved or rejected, without a decision in the outbox.
    pub undecided: SessionsFound,
    /// Sessions that count, whose work is not approved, and that have a flag: contradictions, signs of a script, failed
    /// attention checks, too little time.
    pub flagged: SessionsFound,
}

/// Some sessions of a study.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionsFound {
    /// How many.
    pub number: u64,
    /// The condition of the table of sessions that finds them; nothing where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
}

impl SessionsFound {
    /// Those with these ordinals.
    #[must_use]
    pub fn of_ordinals(ordinals: Vec<u64>) -> Self {
        Self {
            number: ordinals.len() as u64,
            filter: Filter::of_ordinals(ordinals),
        }
    }
}

/// Whether sessions of a study can be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StudyState {
    /// Nobody can start: it is being written.
    Draft,
    /// They can, by people who try the study out.
    Pilot,
    /// They can, by participants.
    Running,
    /// Somebody has paused all cells.
    Paused,
    /// No cell has an open slot.
    Full,
    /// The time in which it takes people has not begun, or is over.
    NotOpen,
    /// Nobody can start any more.
    Closed,
    /// Its file has a mistake, which the server has named in its log.
    Refused,
    /// The server has no file of it.
    NoFile,
}

named!(StudyState: Draft, Pilot, Running, Paused, Full, NotOpen, Closed, Refused, NoFile);

/// Who is in a cell of a design.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CellCounts {
    /// Its name; empty where there is one cell for everybody.
    pub cell: String,
    /// The level of each factor.
    pub levels: BTreeMap<String, String>,
    /// How many are wanted; nothing: as many as come.
    pub cap: Option<u64>,
    /// Those who finished and count in the cap.
    pub counted: u64,
    /// Those whose slot is still theirs.
    pub under_way: u64,
    /// Slots that are left.
    pub open: Option<u64>,
    /// Those who ended, or whose slot was given back and who have not finished.
    pub left: u64,
    /// Those who finished and do not count.
    pub excluded: u64,
    /// Those who finished late, in a cell that was full.
    pub over_quota: u64,
    /// Whether nobody is put into it for now.
    pub paused: bool,
}

/// Puts nobody into cells any more, or people into them again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PauseRequest {
    /// Names of the cells; none: all.
    #[serde(default)]
    pub cells: Vec<String>,
    /// Whether they are paused from now on.
    pub paused: bool,
}

/// Excludes a session by hand, or takes that back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExclusionRequest {
    /// Whether it is excluded from now on.
    pub excluded: bool,
    /// Why. It stays in the session's log.
    pub why: String,
}

/// Something was done.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Done {}

/// Entries of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditLog {
    /// The entries, the newest first.
    pub entries: Vec<AuditEntry>,
    /// The number to ask for older ones with; nothing if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
}

/// Which entries of the audit log are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AuditQuery {
    /// Those before the one with this number.
    pub before: Option<u64>,
}

/// Something that somebody did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditEntry {
    /// Its number, from 1.
    pub number: u64,
    /// When, in milliseconds since 1970.
    pub at_unix_ms: u64,
    /// Who: somebody's name. Nothing for a command on the server's own machine, and, with an address, for
    /// somebody who could not sign in.
    pub by: Option<String>,
    /// What they did.
    pub act: Act,
    /// In which study.
    pub study: Option<String>,
    /// With which session.
    pub session: Option<String>,
    /// With what else: somebody's name, a role, the label of a token.
    pub about: Option<String>,
    /// Address that it came from.
    pub address: Option<String>,
    /// The sign-in or token with which it was done, by its name.
    pub with: Option<String>,
}

/// What is noted in the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Signed in.
    SignedIn,
    /// A wrong password or name was given for the last time before a wait.
    SignInRefused,
    /// Signed out, or ended a sign-in elsewhere.
    SignedOut,
    /// Set or changed a password.
    PasswordSet,
    /// Made an account.
    AccountAdded,
    /// Somebody unknown, for whom a provider vouches, waits to be let in.
    EntryAsked,
    /// Let somebody in who waited.
    AccountAdmitted,
    /// Signed in through a provider for the first time, as whoever has the confirmed e-mail address as a name.
    AccountLinked,
    /// Took the right to sign in.
    AccountDisabled,
    /// Gave the right to sign in back.
    AccountEnabled,
    /// Took a password away and made a link to set a new one.
    AccountReset,
    /// Gave or took a role in a study, or the right to look after accounts.
    RoleChanged,
    /// Made a token.
    TokenMade,
    /// Ended a token.
    TokenEnded,
    /// Looked at something identifying.
    Identified,
    /// Exported.
    Exported,
    /// Removed an export, or stopped it.
    ExportRemoved,
    /// Excluded a session.
    Excluded,
    /// Took an exclusion back.
    Readmitted,
    /// Erased a session.
    Erased,
    /// Paused cells of a study, or let people into them again.
    CellsPaused,
    /// Added entries to the ledger of payments.
    Paid,
    /// Decided what a platform is told of a session.
    Decided,
    /// Took such a decision back.
    DecisionTakenBack,
    /// Settled such a decision after a look at the platform.
    DecisionSettled,
    /// Dropped what platforms call the participants of a study.
    ArrivalsForgotten,
    /// Put a transcript beside a recording.
    TranscriptAdded,
    /// Named who runs a lab session.
    ExperimenterNamed,
    /// Decided what a study takes people for.
    StatusChanged,
    /// Let simulated people take a study.
    Simulated,
}

named!(Act: SignedIn, SignInRefused, SignedOut, PasswordSet, AccountAdded, EntryAsked, AccountAdmitted, AccountLinked, AccountDisabled, AccountEnabled, AccountReset, RoleChanged, TokenMade, TokenEnded, Identified, Exported, ExportRemoved, Excluded, Readmitted, Erased, CellsPaused, Paid, Decided, DecisionTakenBack, DecisionSettled, ArrivalsForgotten, TranscriptAdded, ExperimenterNamed, StatusChanged, Simulated);

//! A platform's own list of submissions beside the sessions that are here.

use domain::recruitment::matching::{MatchKind, ToDo};
use domain::recruitment::pay::Amount;
use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

/// What is found where a platform's list is put beside the sessions that are here. The list itself is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlatformMatch {
    /// The platform, by its name in study files.
    pub platform: String,
    /// The same as people read it.
    pub title: String,
    /// How many submissions the list has.
    pub listed: u64,
    /// How many rows of it say again what another row has said.
    pub repeated: u64,
    /// How many sessions came from the platform.
    pub known: u64,
    /// How many of these no row can be matched with any more, since what the platform calls their participants was
    /// dropped.
    pub nameless: u64,
    /// How many there are of each kind, with what is to be done.
    pub counts: Vec<MatchCount>,
    /// The rows of the list in their order, then those who are here alone.
    pub lines: Vec<MatchLine>,
    /// What cannot be read here.
    pub problems: Vec<String>,
    /// When the sessions' logs were read, in milliseconds since 1970.
    pub at_unix_ms: u64,
}

/// How many there are of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchCount {
    /// Whether the two lists say the same.
    pub kind: MatchKind,
    /// What is to be done.
    pub to_do: ToDo,
    /// How many.
    pub number: u64,
}

/// Somebody who is in the platform's list, here, or in both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchLine {
    /// The row in the list, as a table shows it: the heads of the columns are row 1. Nothing for those who are here
    /// alone.
    pub row: Option<u64>,
    /// The platform's name for the participant.
    pub participant: Option<String>,
    /// The platform's name for the work.
    pub submission: Option<String>,
    /// Where it stands there, in the platform's words.
    pub there: Option<String>,
    /// The session; nothing for those who are there alone.
    pub session: Option<SessionId>,
    /// Where it stands here: `unfinished`, how it ended, or `damaged`.
    pub here: Option<String>,
    /// Whether the participant has taken everything back. Then there is no session to be looked at.
    pub erased: bool,
    /// Whether the platform has approved or rejected the work, by the ledger of payments.
    pub approval: Option<String>,
    /// What is still to be paid; nothing without a currency.
    pub due: Option<Amount>,
    /// The currency by its three letters.
    pub currency: Option<String>,
    /// Whether the two lists say the same.
    pub kind: MatchKind,
    /// What is to be done.
    pub to_do: ToDo,
    /// Why, in a sentence without its end.
    pub why: String,
}

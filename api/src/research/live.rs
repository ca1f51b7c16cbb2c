//! Studies as they go on, by server-sent events ([`crate::routes::LIVE`]).
//!
//! Each event's `data` is a [`LiveMessage`] as JSON; its `event` has no name, so a page hears all of them as `message`. The
//! first after every connection is a [`LiveMessage::Picture`]: whoever reconnects starts from that and has no gap.
//! Nothing here can say who somebody is.

use domain::recruitment::StudyStatus;
use domain::recruitment::assignment::Purpose;
use domain::recruitment::pay::Amount;
use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

use super::{CellCounts, StudyState};

/// A [`LiveMessage::Pulse`] comes after so many seconds without another message. A page that has heard nothing for
/// twice as long and more is not live.
pub const PULSE_S: u64 = 10;
/// A session is in the list of those under way while something of it came within so many hours.
pub const HEARD_OF_H: u64 = 24;
/// A part has a median once so many people have completed it.
pub const FEWEST_FOR_MEDIAN: usize = 5;
/// A participant who makes no progress for so many times the median of their part is stuck.
pub const STUCK_AFTER_MEDIANS: u64 = 5;
/// Most values of [`LiveSession::alignment`].
pub const MOST_ALIGNMENTS: usize = 40;
/// Most streams that one person has open at once.
pub const MOST_STREAMS: usize = 10;

/// What the stream says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LiveMessage {
    /// All there is to show: in the place of everything that was said before.
    Picture(LivePicture),
    /// What is different in one study. It has to be put into the picture.
    Change(Box<LiveChange>),
    /// Nothing is different.
    Pulse {
        /// The moment that the picture shows now, in milliseconds since 1970.
        at_unix_ms: u64,
        /// How much there is to be written.
        storage: LiveStorage,
    },
}

/// All studies in which whoever asks may look on, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LivePicture {
    /// The moment that it shows, in milliseconds since 1970. Ages on a page count from here, by the page's own clock
    /// since the message came.
    pub at_unix_ms: u64,
    /// The studies.
    pub studies: Vec<LiveStudy>,
    /// How much there is to be written, of all studies of the server. While nothing is stored, hardly anything changes, so
    /// pulses say it, too.
    pub storage: LiveStorage,
}

/// How much there is to be written, and how long it takes. A message has it as it was when the message was made; it
/// causes none by itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveStorage {
    /// How the last transaction went: `good`, or what is wrong, as `/healthz` says it.
    pub health: String,
    /// Changes that wait to be written, or are being written.
    pub waiting: u64,
    /// For how long the transaction that is under way has been, in milliseconds; nothing where none is.
    pub writing_ms: Option<u64>,
    /// Number of transactions that the times are of: the last 100 at most.
    pub commits: u64,
    /// The median time of these until they were on disk, in milliseconds; 0 before the first.
    pub median_ms: f64,
    /// The longest of these times, in milliseconds.
    pub longest_ms: f64,
}

/// [`LiveStorage::health`] where all goes well.
const GOOD: &str = "good";

impl LiveStorage {
    /// The problem that keeps the server from storing anything, as in the header [`super::STORAGE`]: `full` where the
    /// disk is full. Nothing where it stores.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        let health = Some(self.health.as_str());
        health.filter(|health| *health != GOOD && !health.is_empty())
    }
}

/// What a study pays, and what that is an hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LivePay {
    /// The currency by its three letters.
    pub currency: String,
    /// For a session that was answered to its end.
    pub amount: Amount,
    /// Number of participants who came to their end and whose times can be read.
    pub people: u64,
    /// Their median time, from their start to the last event of their page, in milliseconds.
    pub median_ms: Option<u64>,
    /// What the amount is an hour by that time.
    pub hourly: Option<Amount>,
}

/// A study as it stands now. Participants alone are counted; pilots and previews are in [`LiveStudy::people`] with
/// their purpose. Simulated people are left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveStudy {
    /// Name in links.
    pub study: String,
    /// Title; nothing where the server has no file of it.
    pub title: Option<String>,
    /// What it takes people for.
    #[serde(default)]
    pub status: StudyStatus,
    /// Whether sessions can be started; nothing where the server has no file of it.
    #[serde(default)]
    pub state: Option<StudyState>,
    /// How many are where.
    pub counts: LiveCounts,
    /// The parts that sessions have, in their usual order: a funnel.
    pub parts: Vec<LivePart>,
    /// A line for each cell, as `redial study cells` prints them.
    pub cells: Vec<CellCounts>,
    /// What it pays an hour; nothing where its file declares no pay.
    pub pay: Option<LivePay>,
    /// Everybody who is under way and was heard of within [`HEARD_OF_H`] hours, by ordinal.
    pub people: Vec<LiveSession>,
    /// What is missing in this, in words: sessions that are still being read, or cannot be read.
    pub problems: Vec<String>,
}

/// What is different in a study since the message before. What is absent is as it was.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveChange {
    /// Name of the study in links.
    pub study: String,
    /// The moment that the picture shows with this change, in milliseconds since 1970.
    pub at_unix_ms: u64,
    /// [`LiveStudy::counts`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<LiveCounts>,
    /// [`LiveStudy::parts`], all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<LivePart>>,
    /// [`LiveStudy::cells`], all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Vec<CellCounts>>,
    /// [`LiveStudy::status`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<StudyStatus>,
    /// [`LiveStudy::state`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StudyState>,
    /// [`LiveStudy::pay`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pay: Option<LivePay>,
    /// [`LivePicture::storage`]. It alone makes no change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<LiveStorage>,
    /// People who are new or different: each takes the place of the one with the same session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<LiveSession>,
    /// People who are not in the list any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<SessionId>,
    /// [`LiveStudy::problems`], all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<String>>,
}

/// How many of a study's participants are where. The last four are sums over [`LiveStudy::cells`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveCounts {
    /// Sessions that were started.
    pub started: u64,
    /// Those that came to their end.
    pub completed: u64,
    /// Those of the completed that count in the quotas.
    pub counted: u64,
    /// Those that have not ended and whose slot is still theirs.
    pub under_way: u64,
    /// Those that ended before, or whose slot was given back and who have not finished.
    pub left: u64,
}

/// A part of a study's sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LivePart {
    /// Its name in the study; for a consent form or tutorial, which have none, what it is.
    pub name: String,
    /// What it is: `consent`, `instructions`, `tutorial`, `stage`, `questionnaire`, `device_check` or `break`.
    pub kind: String,
    /// Participants who have come to it.
    pub reached: u64,
    /// Those of them who have gone on to what comes after it.
    pub passed: u64,
    /// Those of them who left there ([`LiveCounts::left`]).
    pub left: u64,
    /// Median time in it of those who have gone on, in milliseconds; nothing for fewer than
    /// [`FEWEST_FOR_MEDIAN`]. Times away are in it.
    pub median_ms: Option<u64>,
}

/// A session that is under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveSession {
    /// Its name, for links.
    pub session: SessionId,
    /// Its number within the study.
    pub ordinal: u64,
    /// What it is for.
    pub purpose: Purpose,
    /// Name of its cell; empty where there is one for everybody.
    pub cell: String,
    /// When it was started, in milliseconds since 1970.
    pub started_at_unix_ms: u64,
    /// Where it stands, as the column `phase` says it.
    pub phase: String,
    /// The part that it is in: [`LivePart::name`].
    pub part: String,
    /// Since when, in milliseconds since 1970, by the server's clock.
    pub since_unix_ms: u64,
    /// The question that is on screen or comes next; nothing where there is none.
    pub question: Option<LiveQuestion>,
    /// Share of the session that is done, from 0 to 1.
    pub progress: f64,
    /// How near the picture was to the target during the question on screen, from 0 (far) to 1 (the same), the
    /// newest last, [`MOST_ALIGNMENTS`] at most. Empty where the question has no such thing.
    pub alignment: Vec<f64>,
    /// Since when the page is hidden or sleeps, in milliseconds since 1970; nothing while it is seen.
    pub away_since_unix_ms: Option<u64>,
    /// Whether the experimenter has it paused.
    pub paused: bool,
    /// Whether its page has a connection open over which it sends at once. Without one it may send all the same.
    pub connected: bool,
    /// When something of it was received last, in milliseconds since 1970.
    pub heard_at_unix_ms: u64,
    /// Whether it has made no progress for [`STUCK_AFTER_MEDIANS`] times the median of its part.
    pub stuck: bool,
}

/// A question of a stage, as the participant counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveQuestion {
    /// Its number, from 1.
    pub number: u64,
    /// How many there are at most.
    pub of: u64,
}

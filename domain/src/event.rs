//! The event log: the only truth about a session.
//!
//! A log is a sequence of [`Envelope`]s numbered from 0 without a gap. Logs of
//! every past [`EVENT_FORMAT`] stay readable; samples of each are kept in
//! `domain/tests/logs/`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::Arrangement;
use crate::questionnaire::Answer;

/// Format version written into every envelope today.
pub const EVENT_FORMAT: u16 = 1;

/// Name of a session: chosen by the server, unguessable, no secret in itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct SessionId(pub String);

impl std::fmt::Display for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// One entry of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Envelope {
    /// Format version of this record.
    pub format: u16,
    /// Session the record belongs to.
    pub session: SessionId,
    /// Position in the log, from 0, without gaps.
    pub seq: u64,
    /// Milliseconds since the session's start, from a clock that never goes back.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Where a question stands: stage in the order of this session's plan, question within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct QuestionRef {
    /// 0-based index into the plan's stages.
    pub stage: usize,
    /// 0-based index into the stage's questions.
    pub question: usize,
}

/// Which way a dimension is moving. Written as 1 and -1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i8", into = "i8")]
pub enum Direction {
    /// Towards larger values.
    Up,
    /// Towards smaller values.
    Down,
}

impl Direction {
    /// The direction of a change, or `None` if there is none (or it is `NaN`).
    #[must_use]
    pub fn of(change: f64) -> Option<Self> {
        if change > 0.0 {
            Some(Self::Up)
        } else if change < 0.0 {
            Some(Self::Down)
        } else {
            None
        }
    }
}

impl From<Direction> for i8 {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Up => 1,
            Direction::Down => -1,
        }
    }
}

impl TryFrom<i8> for Direction {
    type Error = String;
    fn try_from(value: i8) -> Result<Self, String> {
        match value {
            1 => Ok(Self::Up),
            -1 => Ok(Self::Down),
            other => Err(format!("a direction is 1 or -1, not {other}")),
        }
    }
}

#[cfg(feature = "check")]
impl schemars::JsonSchema for Direction {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Direction".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "enum": [1, -1] })
    }
}

/// The state of a question at one moment. x is g(z), so it is not stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Milliseconds since the question started, when the state was reached.
    /// At most the envelope's time: a value may be stored after the moment it was set.
    pub elapsed_ms: u64,
    /// The latent vector.
    pub z: Vec<f64>,
    /// The dimension last moved; absent until one has been.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<usize>,
    /// The direction it last moved in; absent until it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// d(x, x′), in [0, 1].
    pub distance: f64,
    /// Σ (x − x′)².
    pub squared_error: f64,
}

/// What the browser says of itself when a page opens. Nothing that names a person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct PageInfo {
    /// Width of the window in CSS pixels.
    #[serde(default)]
    pub viewport_width_px: u32,
    /// Height of the window in CSS pixels.
    #[serde(default)]
    pub viewport_height_px: u32,
    /// Device pixels per CSS pixel.
    #[serde(default)]
    pub pixel_ratio: f64,
    /// Whether the main pointer is a finger.
    #[serde(default)]
    pub touch: bool,
    /// The browser's user-agent string.
    #[serde(default)]
    pub user_agent: String,
}

/// Everything that can happen in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A page showing this session was opened: at the start and after every reload.
    PageOpened {
        /// The page's surroundings.
        page: PageInfo,
    },
    /// The page went into the background or was left.
    PageHidden,
    /// The page came back to the foreground.
    PageShown,
    /// The browser noticed that the server is out of reach.
    ConnectionLost,
    /// The server is in reach again.
    ConnectionRestored,
    /// The participant agreed to take part.
    ConsentGiven,
    /// The participant did not agree; the session is over.
    ConsentDeclined,
    /// The tutorial was read to its end.
    TutorialFinished,
    /// The participant went past a stage's introduction.
    StageStarted {
        /// 0-based index of the stage.
        stage: usize,
    },
    /// A question came on screen with its controls live.
    QuestionStarted {
        /// Which one.
        #[serde(flatten)]
        at: QuestionRef,
    },
    /// The state of the current question.
    Snapshot(Snapshot),
    /// The participant did something in a question that moves no dial
    /// (pointer or key); at most one a second is logged.
    Activity,
    /// Picture and target were put apart or over each other.
    DisplaySwitched {
        /// The new arrangement.
        arrangement: Arrangement,
    },
    /// A dial was given a name.
    DialRenamed {
        /// 0-based index of the dimension.
        dimension: usize,
        /// The new name, at most [`MAX_DIAL_NAME`] characters.
        name: String,
    },
    /// The threshold was reached; the controls are locked and the question's clock stands.
    QuestionSolved,
    /// The participant gave the question up; the next one follows.
    QuestionSkipped,
    /// The participant went on from a solved question.
    MovedOn,
    /// A questionnaire was filled in.
    QuestionnaireAnswered {
        /// Its name in the study.
        questionnaire: String,
        /// One answer per item, by the item's name; optional items may be missing.
        answers: BTreeMap<String, Answer>,
    },
}

/// Longest name a dial can be given, in characters.
pub const MAX_DIAL_NAME: usize = 60;

impl Event {
    /// The event's kind, as the log writes it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::PageOpened { .. } => "page_opened",
            Self::PageHidden => "page_hidden",
            Self::PageShown => "page_shown",
            Self::ConnectionLost => "connection_lost",
            Self::ConnectionRestored => "connection_restored",
            Self::ConsentGiven => "consent_given",
            Self::ConsentDeclined => "consent_declined",
            Self::TutorialFinished => "tutorial_finished",
            Self::StageStarted { .. } => "stage_started",
            Self::QuestionStarted { .. } => "question_started",
            Self::Snapshot(_) => "snapshot",
            Self::Activity => "activity",
            Self::DisplaySwitched { .. } => "display_switched",
            Self::DialRenamed { .. } => "dial_renamed",
            Self::QuestionSolved => "question_solved",
            Self::QuestionSkipped => "question_skipped",
            Self::MovedOn => "moved_on",
            Self::QuestionnaireAnswered { .. } => "questionnaire_answered",
        }
    }
}

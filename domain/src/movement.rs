//! Movements through a latent space: what a participant does with the dials.

use serde::{Deserialize, Serialize};

use crate::model::latent::LatentSpace;

mod decode;
pub mod decode_times;
pub mod dials;
pub mod filmstrip;
pub mod free_play;
pub mod gesture;
pub mod history;
mod measures;
mod pending_changes;
pub mod recorder;

pub use self::decode::{Decode, Undecodable};
pub use self::measures::MovementMeasures;
pub use self::pending_changes::Ticket;

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

/// A dial passed the target's value while it was slid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overshoot {
    /// 0-based index of its dimension.
    pub dimension: usize,
    /// The time of the first record after it had, in milliseconds since the question's start.
    pub elapsed_ms: u64,
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

/// A button that moves several dials at once. It is counted, not slid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Jump {
    /// Back to where the dials stood before the last movement.
    Undo,
    /// To a place drawn at random.
    Randomise,
}

/// What a person moves a control with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Modality {
    /// A mouse, or what passes for one: a trackpad, say.
    Mouse,
    /// A finger.
    Touch,
    /// A pen.
    Pen,
    /// Keys.
    Keyboard,
    /// Neither a pointer nor a key: a screen reader, voice control.
    Assistive,
}

crate::json::named!(Modality: Mouse, Touch, Pen, Keyboard, Assistive);

/// Where the dials stand at one moment of a question, and how they got there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Movement {
    /// Milliseconds since the question started, when the dials came to stand there.
    /// At most the envelope's time: a movement may be stored after it was made.
    pub elapsed_ms: u64,
    /// The latent vector.
    pub z: Vec<f64>,
    /// The dimension last moved; absent until one has been.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<usize>,
    /// The direction it last moved in; absent until it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The button that moved the dials, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jump: Option<Jump>,
    /// What it was moved with; absent where the dials start, and in logs from before this was
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Modality>,
}

impl Movement {
    /// The dials at the start of a question.
    #[must_use]
    pub fn start(z: Vec<f64>) -> Self {
        Self {
            elapsed_ms: 0,
            z,
            dimension: None,
            direction: None,
            jump: None,
            by: None,
        }
    }

    /// Why this cannot be the movement after `before`, stored `stored_ms` after the
    /// question started; `None` if it can.
    #[must_use]
    pub fn problem(
        &self,
        space: &LatentSpace,
        before: Option<&Self>,
        stored_ms: u64,
    ) -> Option<String> {
        if let Err(error) = space.validate(&self.z) {
            return Some(error.to_string());
        }
        if self.dimension.is_some_and(|d| d >= space.len()) {
            return Some("there is no such dimension".into());
        }
        if self.elapsed_ms > stored_ms {
            return Some("it was made after it was stored".into());
        }
        if before.is_some_and(|before| self.elapsed_ms < before.elapsed_ms) {
            return Some("it is older than the one before".into());
        }
        None
    }
}

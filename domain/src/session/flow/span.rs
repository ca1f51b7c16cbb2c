//! A number that is not the same for everybody.

use serde::{Deserialize, Serialize};

/// How many of something a person gets: at least and at most, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Span {
    /// The fewest.
    pub least: usize,
    /// The most.
    pub most: usize,
}

impl Span {
    /// The same number for everybody.
    #[must_use]
    pub fn of(count: usize) -> Self {
        Self {
            least: count,
            most: count,
        }
    }

    /// The span that covers both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// So many times.
    #[must_use]
    pub fn times(self, times: usize) -> Self {
        Self {
            least: self.least * times,
            most: self.most * times,
        }
    }
}

/// `22`, or `18 to 22`.
impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.least == self.most {
            write!(f, "{}", self.most)
        } else {
            write!(f, "{} to {}", self.least, self.most)
        }
    }
}

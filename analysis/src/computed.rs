//! Results that may not exist.

use measures::statistics::Undefined;
use serde::{Serialize, Serializer};

/// A result, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Computed<T> {
    /// The result.
    Defined(T),
    /// Why there is none.
    Undefined(Undefined),
}

/// As it is written: the reason in words stands beside its parts, the same words as in texts.
#[derive(Serialize)]
struct Refusal<'a> {
    #[serde(flatten)]
    why: &'a Undefined,
    reason: String,
}

impl<T: Serialize> Serialize for Computed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Defined(value) => value.serialize(serializer),
            Self::Undefined(why) => Refusal {
                why,
                reason: why.to_string(),
            }
            .serialize(serializer),
        }
    }
}

impl<T> Computed<T> {
    /// The result, if there is one.
    pub fn defined(&self) -> Option<&T> {
        self.as_ref().ok()
    }

    /// The result, borrowed, or why there is none.
    pub(crate) fn as_ref(&self) -> Result<&T, Undefined> {
        match self {
            Self::Defined(value) => Ok(value),
            Self::Undefined(why) => Err(*why),
        }
    }

    /// The result in words, or, in the same words everywhere, that there is none and why.
    pub(crate) fn said(&self, say: impl FnOnce(&T) -> String) -> String {
        self.as_ref().map_or_else(undefined, say)
    }
}

/// The words in the place of a result.
pub(crate) fn undefined(why: Undefined) -> String {
    format!("undefined: {why}")
}

impl<T> From<Result<T, Undefined>> for Computed<T> {
    fn from(result: Result<T, Undefined>) -> Self {
        match result {
            Ok(value) => Self::Defined(value),
            Err(why) => Self::Undefined(why),
        }
    }
}

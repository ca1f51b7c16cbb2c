//! Results that may not exist.

use measures::statistics::Undefined;
use serde::Serialize;

/// A result, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Found<T> {
    /// The result.
    Defined(T),
    /// Why there is none.
    Undefined(Undefined),
}

impl<T> Found<T> {
    /// The result, if there is one.
    pub fn defined(&self) -> Option<&T> {
        match self {
            Self::Defined(value) => Some(value),
            Self::Undefined(_) => None,
        }
    }
}

impl<T> From<Result<T, Undefined>> for Found<T> {
    fn from(result: Result<T, Undefined>) -> Self {
        match result {
            Ok(value) => Self::Defined(value),
            Err(why) => Self::Undefined(why),
        }
    }
}

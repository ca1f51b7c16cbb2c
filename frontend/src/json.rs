//! Reading JSON in the page.

use serde::de::DeserializeOwned;

/// Reads a value.
///
/// It goes by way of a tree: what older formats are turned into today's with is read from a tree,
/// and code that reads the same types from text as well would make the page larger by a tenth.
///
/// # Errors
/// When it is no JSON, or not of this type.
pub fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_value(serde_json::from_str(text)?)
}

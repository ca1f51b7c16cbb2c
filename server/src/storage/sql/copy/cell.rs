//! Values of rows as both databases have them.

use sha2::{Digest as _, Sha256};

use super::super::connection::Value;
use super::super::row::{Row, SqlResult};

/// The kind of the values in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Text,
    Bytes,
}

/// A value of a row. Those of one column are ordered as both databases order them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cell {
    Integer(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

impl Cell {
    pub(super) fn of(row: &Row, at: usize, kind: Kind) -> SqlResult<Self> {
        Ok(match kind {
            Kind::Integer => Self::Integer(row.try_get(at)?),
            Kind::Text => Self::Text(row.try_get(at)?),
            Kind::Bytes => Self::Bytes(row.try_get(at)?),
        })
    }

    pub(super) fn value(&self) -> Value<'_> {
        match self {
            Self::Integer(value) => (*value).into(),
            Self::Text(value) => value.into(),
            Self::Bytes(value) => value.as_deref().into(),
        }
    }

    /// The number of its bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Integer(_) => size_of::<i64>(),
            Self::Text(value) => value.as_ref().map_or(0, String::len),
            Self::Bytes(value) => value.as_ref().map_or(0, Vec::len),
        }
    }

    /// Adds it to a hash, so that no two rows of a table add the same.
    pub(super) fn add_to(&self, hash: &mut Sha256) {
        let mut add = |bytes: Option<&[u8]>| match bytes {
            None => hash.update([0]),
            Some(bytes) => {
                hash.update([1]);
                hash.update((bytes.len() as u64).to_le_bytes());
                hash.update(bytes);
            }
        };
        match self {
            Self::Integer(value) => add(value.map(i64::to_le_bytes).as_ref().map(|it| &it[..])),
            Self::Text(value) => add(value.as_deref().map(str::as_bytes)),
            Self::Bytes(value) => add(value.as_deref()),
        }
    }
}

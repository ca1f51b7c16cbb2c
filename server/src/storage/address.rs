//! Where a database is, and what it keeps outside.

use super::blobs::BlobPlace;

/// Where a database is, and its blobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseAddress {
    /// Its URL, such as `sqlite://data/redial.db` or `postgres://redial@localhost/redial`.
    pub url: String,
    /// Where its blobs are.
    pub blobs: BlobPlace,
}

/// A database with its blobs in it.
impl From<&str> for DatabaseAddress {
    fn from(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            blobs: BlobPlace::Database,
        }
    }
}

impl From<&String> for DatabaseAddress {
    fn from(url: &String) -> Self {
        url.as_str().into()
    }
}

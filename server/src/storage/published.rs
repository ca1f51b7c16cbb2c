//! Published items: studies, models and bundles of concepts that all servers on a database offer.

use std::sync::Arc;

/// A folder that is published: a study, a model or a bundle of concepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedItem {
    /// Where it belongs: `studies/NAME`, `models/NAME` or `models/concepts/NAME`.
    pub item: String,
    /// Its files, by name.
    pub files: Vec<PublishedFile>,
}

/// A file of something that is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedFile {
    /// Its name in the folder.
    pub name: String,
    /// Its contents.
    pub bytes: Arc<[u8]>,
}

/// All that is published at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Published {
    /// The number of the last change; 0 before the first.
    pub number: u64,
    /// The items, by name.
    pub items: Vec<PublishedItem>,
}

/// A change of what is published, all or nothing.
#[derive(Debug, Clone)]
pub struct Publication {
    /// The items that are published, each in the place of the one that has its name.
    pub items: Vec<PublishedItem>,
    /// The names of the items that are published no longer.
    pub withdrawn: Vec<String>,
    /// When, in milliseconds since 1970.
    pub at_unix_ms: u64,
}

//! Files of the browser app that servers on a database have offered.

use std::sync::Arc;

/// The files of the app that a server offers.
#[derive(Debug, Clone)]
pub struct AppFiles {
    /// The names of all files, which change with their contents.
    pub names: Vec<String>,
    /// Those that are not stored yet.
    pub new: Vec<(String, Arc<[u8]>)>,
    /// The time, in milliseconds since 1970.
    pub now_unix_ms: u64,
    /// Files that nobody has offered since then are deleted.
    pub delete_before_unix_ms: u64,
}

//! Servers that share a database.

/// The report of a server on itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeReport {
    /// A name that no other has.
    pub name: String,
    /// Where it listens.
    pub address: String,
    /// Its version of Redial.
    pub version: String,
    /// When it began, in milliseconds since 1970.
    pub began_at_unix_ms: u64,
    /// How far its clock is ahead of the database's, in milliseconds.
    pub clock_ms: i64,
    /// Jobs that wait to be written.
    pub waiting: u64,
    /// Open connections of pages.
    pub sockets: u64,
}

/// A server that shares a database with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredNode {
    /// Its last report.
    pub report: NodeReport,
    /// How long ago that was, in milliseconds.
    pub silent_ms: u64,
}

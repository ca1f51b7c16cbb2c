//! How much a storage has to write, and how long that takes.

use std::time::Duration;

/// How much there is to be written, and how long it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteLoad {
    /// Jobs that wait to be written, or are being written.
    pub waiting: usize,
    /// For how long the transaction that is under way has been; nothing where none is.
    pub writing_for: Option<Duration>,
    /// Number of transactions that the times are of: the last ones, whatever became of them.
    pub commits: usize,
    /// Their median time; nothing before the first.
    pub median: Duration,
    /// The longest of them.
    pub longest: Duration,
}

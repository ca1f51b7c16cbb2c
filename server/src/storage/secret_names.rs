//! Names of the secrets that a database keeps.

/// The secret that keys of the sessions are made from: receipts of erased ones, tokens of attempts to start.
pub const RECEIPTS: &str = "receipts";

/// The secret that pseudonyms of people from platforms are made with.
pub const PSEUDONYMS: &str = "pseudonyms";

/// The key of the lab's experimenters.
pub const LAB_KEY: &str = "lab key";

/// Those without which the pages and links of sessions would not lead on in another database. The lab's key opens
/// sessions of all studies, and is none of them.
pub const OF_SESSIONS: [&str; 2] = [RECEIPTS, PSEUDONYMS];

//! Rows of a platform's list.

/// A row of a platform's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRow {
    /// Its number in the list, as a table shows it: the heads of the columns are row 1.
    pub number: u64,
    /// The platform's name for the work.
    pub submission: String,
    /// The platform's name for whoever did it.
    pub participant: String,
    /// Where it stands there.
    pub state: ListedState,
    /// The same in the platform's own words.
    pub words: String,
    /// The code that was handed in; none where none was.
    pub code: Option<String>,
}

/// Where a submission stands at its platform. Of several submissions of one person the last in this order counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListedState {
    /// A word that is not known here.
    Unknown,
    /// The participant has given it back.
    Returned,
    /// Its time ran out.
    TimedOut,
    /// The participant was screened out.
    ScreenedOut,
    /// It was rejected.
    Rejected,
    /// The participant has a place, or is under way.
    UnderWay,
    /// It was handed in, and waits for a decision.
    HandedIn,
    /// It was approved.
    Approved,
}

impl ListedState {
    /// From a platform's own words, in capitals or not.
    #[must_use]
    pub fn of(platform: &str, words: &str) -> Self {
        let words = words.trim().replace(['-', '_'], " ").to_ascii_uppercase();
        match (platform, &*words) {
            ("prolific", "RESERVED" | "ACTIVE") => Self::UnderWay,
            ("prolific", "AWAITING REVIEW") | ("mturk", "SUBMITTED") => Self::HandedIn,
            ("prolific" | "mturk", "APPROVED") | ("prolific", "PARTIALLY APPROVED") => {
                Self::Approved
            }
            ("prolific" | "mturk", "REJECTED") => Self::Rejected,
            ("prolific", "RETURNED") => Self::Returned,
            ("prolific", "TIMED OUT") => Self::TimedOut,
            ("prolific", "SCREENED OUT") => Self::ScreenedOut,
            _ => Self::Unknown,
        }
    }
}

//! Records of who was put where, as they are handed in and out.

use std::sync::Arc;

use domain::design::{AssignmentRules, Cell, Design, Levels};
use domain::recruitment::StudyStatus;
use domain::recruitment::assignment::{AssignedSession, Ledger, NotAssigned, Purpose};
use domain::session::event::SessionId;
use sha2::{Digest, Sha256};

/// Somebody presses Start: what is asked of the transaction that a session begins with.
#[derive(Debug, Clone)]
pub struct AssignRequest {
    /// Name of the study.
    pub study: String,
    /// The browser's name for its attempt to start. The same attempt gets the same assignment.
    pub attempt: String,
    /// The study's design.
    pub design: Arc<Design>,
    /// Number of rows over which the study's orders are balanced.
    pub rows: u64,
    /// The purpose of the session.
    pub purpose: Purpose,
    /// The condition that the link named, if it did.
    pub condition: Option<String>,
    /// The answers on the first page: the level of each factor that varies with the answer.
    pub answers: Levels,
    /// The study's seed.
    pub study_seed: Option<u64>,
    /// The session's seed if the study has none.
    pub fresh_seed: [u8; 32],
    /// Now, in milliseconds since 1970.
    pub now_unix_ms: u64,
}

impl AssignRequest {
    /// Seed of everything that is drawn for the session with a number: its own share of the
    /// study's seed, or else a fresh one.
    #[must_use]
    pub fn seed(&self, ordinal: u64) -> [u8; 32] {
        match self.study_seed {
            None => self.fresh_seed,
            Some(study) => {
                let mut hash = Sha256::new_with_prefix(b"redial session");
                hash.update(study.to_le_bytes());
                hash.update(ordinal.to_le_bytes());
                hash.finalize().into()
            }
        }
    }
}

/// The assignment that a session begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAssignment {
    /// 1 for the study's first session, 2 for its second …
    pub ordinal: u64,
    /// Seed of everything that is drawn.
    pub seed: [u8; 32],
    /// The cell.
    pub cell: Cell,
    /// The row of the balanced orders, from 0.
    pub row: u64,
}

/// Where a session was that the storage has lost, and that is made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredPlace {
    /// Its purpose.
    pub purpose: Purpose,
    /// Name of the cell.
    pub cell: String,
    /// The row of the balanced orders, from 0.
    pub row: u64,
    /// When it was given out, in milliseconds since 1970.
    pub assigned_at_unix_ms: u64,
    /// Until when the slot was its own; `None`: for ever.
    pub lease_until_unix_ms: Option<u64>,
}

/// The answer to an [`AssignRequest`]: on disk, or nothing was stored.
pub type AssignAnswer = Result<StoredAssignment, NotAssigned>;

/// Whether a completed session counts, for the study's ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InclusionDecision {
    /// Whether it meets the study's inclusion rules.
    pub included: bool,
    /// The rules of the study as it is now.
    pub rules: AssignmentRules,
}

/// A line of a study's ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerLine {
    /// Number of the session within the study.
    pub ordinal: u64,
    /// Name of the session; absent where the start did not come to its end.
    pub session: Option<SessionId>,
    /// The participant's code, if there is one.
    pub participant_code: Option<String>,
    /// Its purpose.
    pub purpose: Purpose,
    /// Cell, row, and what became of it.
    pub entry: AssignedSession,
    /// When it was given out, in milliseconds since 1970.
    pub assigned_at_unix_ms: u64,
    /// Until when its slot was its own alone; `None`: for ever.
    pub lease_until_unix_ms: Option<u64>,
    /// When it was completed.
    pub completed_at_unix_ms: Option<u64>,
    /// Whether its participant took everything back.
    pub erased: bool,
}

impl LedgerLine {
    /// Whether a session came of it, even if it was erased since.
    #[must_use]
    pub fn was_started(&self) -> bool {
        self.session.is_some() || self.erased
    }

    /// Whether the session was completed after its lease.
    #[must_use]
    pub fn is_late(&self) -> bool {
        match (self.completed_at_unix_ms, self.lease_until_unix_ms) {
            (Some(completed), Some(until)) => completed >= until,
            _ => false,
        }
    }
}

/// The ledger of who was put where in a study.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StudyLedger {
    /// In order of ordinal.
    pub lines: Vec<LedgerLine>,
    /// Names of the paused cells.
    pub paused: std::collections::BTreeSet<String>,
    /// The status of the study: what it takes people for.
    pub status: StudyStatus,
}

impl StudyLedger {
    /// The ledger that assignment looks at for an arrival with that purpose.
    #[must_use]
    pub fn of(&self, purpose: Purpose) -> Ledger {
        let lines = self.lines.iter().filter(|line| line.purpose == purpose);
        let mut ledger: Ledger = lines.map(|line| &line.entry).collect();
        ledger.paused.clone_from(&self.paused);
        ledger
    }
}

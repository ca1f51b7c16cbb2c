//! Sessions of a study that somebody should look at, by the table of sessions.

use std::collections::BTreeSet;

use api::research::{SessionsFound, SessionsNeed};
use domain::recruitment::assignment::Purpose;

use crate::platforms::TOLD;
use crate::summaries::Rows;

/// The cells that it is found out from.
const COLUMNS: [&str; 10] = [
    "session",
    "ordinal",
    "purpose",
    "standing",
    "platform",
    "approval",
    "contradictions",
    "automation_flags",
    "attention_checks_failed",
    "too_fast",
];

/// Finds them. `decided` names the sessions of which the outbox has a decision that is not over.
#[must_use]
pub fn of_rows(rows: &Rows, decided: &BTreeSet<&str>) -> SessionsNeed {
    let (mut undecided, mut flagged) = (Vec::new(), Vec::new());
    for cells in rows.cells(COLUMNS) {
        let [
            session,
            ordinal,
            purpose,
            standing,
            platform,
            approval,
            flags @ ..,
        ] = cells;
        let is_open = approval.is_empty() && !decided.contains(session);
        let Some(ordinal) = ordinal.parse().ok().filter(|_| is_open) else {
            continue;
        };
        if purpose != Purpose::Participant.name() {
            continue;
        }
        let is_complete = ["counted", "excluded", "over_quota"].contains(&standing);
        if is_complete && TOLD.contains(&platform) {
            undecided.push(ordinal);
        }
        if standing == "counted" && has_flag(flags) {
            flagged.push(ordinal);
        }
    }
    SessionsNeed {
        undecided: SessionsFound::of_ordinals(undecided),
        flagged: SessionsFound::of_ordinals(flagged),
    }
}

/// Whether a cell with a flag says something: a number that is not 0, a list that is not empty, or yes.
fn has_flag(flags: [&str; 4]) -> bool {
    flags
        .iter()
        .any(|flag| !["", "0", "[]", "false"].contains(flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_what_says_something() {
        assert!(!has_flag(["", "", "", ""]));
        assert!(!has_flag(["0", "[]", "0", "false"]));
        assert!(has_flag(["3", "[]", "0", "false"]));
        assert!(has_flag(["0", "[\"gestures\"]", "0", ""]));
        assert!(has_flag(["0", "[]", "1", ""]));
        assert!(has_flag(["0", "[]", "0", "true"]));
    }
}

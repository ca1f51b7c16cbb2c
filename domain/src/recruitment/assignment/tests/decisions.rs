//! Decisions over a ledger leave the ledger as it was.

use super::*;

fn begun(
    ledger: &mut Ledger,
    earlier: Option<EarlierAttempt<'_>>,
    now_ms: u64,
) -> Result<Begun, NotAssigned> {
    let applicant = Applicant {
        purpose: Purpose::Participant,
        stratum: Stratum::default(),
    };
    let design = design(1, Some(1));
    begin(&design, 1, ledger, earlier, applicant, now_ms, &mut rng(1))
}

#[test]
fn a_start_takes_up_its_slot_gets_another_or_is_refused() {
    let own = under_way("c0", 100);
    let broke_off = EarlierAttempt {
        purpose: Purpose::Participant,
        entry: &own,
        session_is_there: false,
    };
    let mut ledger: Ledger = [&own].into_iter().collect();
    let again = begun(&mut ledger, Some(broke_off), 99).unwrap();
    assert!(matches!(again, Begun::Again { row: 0, .. }), "{again:?}");
    assert_eq!(begun(&mut ledger, None, 99), Err(NotAssigned::Full));
    // Its own lapsed slot is not in its way, nor does it add a second one.
    let anew = begun(&mut ledger, Some(broke_off), 100).unwrap();
    assert!(matches!(anew, Begun::Anew(_)), "{anew:?}");
    assert_eq!(ledger.sessions(), 1);
    // Somebody else has it by now.
    let other = under_way("c0", 200);
    ledger.add(&other);
    assert_eq!(
        begun(&mut ledger, Some(broke_off), 100),
        Err(NotAssigned::Full)
    );
    let there = EarlierAttempt {
        session_is_there: true,
        ..broke_off
    };
    assert!(matches!(
        begun(&mut ledger, Some(there), 100),
        Ok(Begun::Again { .. })
    ));
    assert_eq!(
        (ledger.sessions(), ledger.taken("c0", Counts::Included)),
        (2, 1)
    );
}

#[test]
fn a_completion_counts_once_and_anew_only_after_it_counted() {
    let rules = design(1, Some(1)).assignment;
    let own = under_way("c0", 100);
    let mut ledger: Ledger = [&own, &under_way("c0", 300)].into_iter().collect();
    let mut counted = |purpose, was_completed, which, now_ms| {
        let session = Finished {
            purpose,
            entry: &own,
            lease_until_unix_ms: Some(100),
            was_completed,
            included: true,
        };
        let counted = count(&rules, &mut ledger, session, which, now_ms);
        assert_eq!(ledger.sessions(), 2);
        counted
    };
    let participant = Purpose::Participant;
    assert_eq!(
        counted(participant, false, Count::JustCompleted, 99),
        Some(false)
    );
    assert_eq!(
        counted(participant, false, Count::JustCompleted, 200),
        Some(true)
    );
    assert_eq!(counted(participant, true, Count::JustCompleted, 200), None);
    assert_eq!(counted(participant, true, Count::Anew, 200), Some(true));
    assert_eq!(counted(participant, false, Count::Anew, 200), None);
    assert_eq!(
        counted(Purpose::Pilot, false, Count::JustCompleted, 200),
        Some(false)
    );
}

#[test]
fn what_was_erased_counts_nothing_however_it_ended() {
    for ended in [None, Some(Ended::Completed)] {
        let stored = StoredStatus {
            erased: true,
            ended,
            ..StoredStatus::default()
        };
        assert_eq!(AssignmentStatus::of(&stored), AssignmentStatus::Ended);
    }
}

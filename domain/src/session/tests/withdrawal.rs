//! Stopping before the end, and taking everything back.

use super::*;
use crate::recruitment::platform::Ended;
use crate::study::inclusion::{exclusions, is_included};

const STOP: Event = Event::Withdrew { erase: false };
const ERASE: Event = Event::Withdrew { erase: true };

#[test]
fn who_stops_in_a_question_has_ended_there() {
    let mut run = Run::to_first_stage();
    run.start_question(1, 0);
    assert!(run.session.can_withdraw(false));
    run.ok(STOP);
    assert_eq!(run.session.phase(), Phase::Withdrawn);
    assert_eq!(Ended::of(&run.session), Some(Ended::Withdrawn));
    assert_eq!(is_included(&[], &run.session), None);
    // The page that is being left may still say so; nothing else happens.
    run.ok(Event::PageHidden);
    assert!(matches!(run.refused(STOP), Refusal::NotNow { .. }));
    // Second thoughts about what is kept.
    run.ok(ERASE);
    assert!(run.session.wants_erasure());
    assert!(matches!(run.refused(ERASE), Refusal::NotNow { .. }));
}

#[test]
fn there_is_nothing_to_withdraw_from_before_consent_or_after_declining() {
    let mut run = Run::new(reconstruction_study());
    assert_eq!(run.session.phase(), Phase::Consent);
    assert!(matches!(run.refused(ERASE), Refusal::NotNow { .. }));
    run.ok(Event::ConsentDeclined);
    assert!(matches!(run.refused(ERASE), Refusal::NotNow { .. }));
}

#[test]
fn who_takes_everything_back_at_the_end_has_completed_and_is_not_included() {
    let mut run = complete();
    assert_eq!(is_included(&[], &run.session), Some(true));
    assert!(matches!(run.refused(STOP), Refusal::NotNow { .. }));
    let effects = run.ok(ERASE);
    assert!(!effects.contains(&Effect::Completed), "completed once");
    assert_eq!(Ended::of(&run.session), Some(Ended::Completed));
    assert_eq!(exclusions(&[], &run.session)[0].rule, "withdrawn");
    assert_eq!(is_included(&[], &run.session), Some(false));
}

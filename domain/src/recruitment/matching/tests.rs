use super::*;

fn row(submission: &str, participant: &str, state: ListedState) -> ListedRow {
    ListedRow {
        number: 2,
        submission: submission.to_owned(),
        participant: participant.to_owned(),
        state,
        words: String::new(),
        code: Some("C1".to_owned()),
    }
}

fn here(submission: &str, participant: &str, stands: Stands, due: u32) -> KnownSession {
    KnownSession {
        session: SessionId(format!("of {submission}")),
        participant: Some(participant.to_owned()),
        submission: Some(submission.to_owned()),
        stands,
        code: Some("C1".to_owned()),
        approval: None,
        refused: false,
        due: Amount::of_hundredths(due),
        decided: None,
    }
}

const DONE: Stands = Stands::Ended(Ended::Completed);

/// The finding about one row and one session of the same submission.
fn pair(row: ListedRow, session: KnownSession) -> (MatchKind, ToDo) {
    let found = matched(&[row], &[session]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].row, found[0].session), (Some(0), Some(0)));
    assert!(!found[0].why.is_empty());
    (found[0].kind, found[0].to_do)
}

#[test]
fn words_of_platforms_are_read_however_they_are_written() {
    use ListedState as S;
    for (platform, words, state) in [
        ("prolific", "AWAITING REVIEW", S::HandedIn),
        ("prolific", "Awaiting Review", S::HandedIn),
        ("prolific", "TIMED-OUT", S::TimedOut),
        ("prolific", "TIMED_OUT ", S::TimedOut),
        ("prolific", "PARTIALLY APPROVED", S::Approved),
        ("prolific", "SCREENED OUT", S::ScreenedOut),
        ("prolific", "Submitted", S::Unknown),
        ("mturk", "Submitted", S::HandedIn),
        ("mturk", "Approved", S::Approved),
        ("mturk", "RETURNED", S::Unknown),
        ("prolific", "", S::Unknown),
    ] {
        assert_eq!(ListedState::of(platform, words), state, "{words}");
    }
}

#[test]
fn what_was_handed_in_is_approved_once_it_was_completed_here() {
    let handed_in = || row("s", "p", ListedState::HandedIn);
    let completed = || here("s", "p", DONE, 300);
    assert_eq!(
        pair(handed_in(), completed()),
        (MatchKind::Agrees, ToDo::Approve)
    );
    let no_code = ListedRow {
        code: None,
        ..handed_in()
    };
    assert_eq!(
        pair(no_code, completed()),
        (MatchKind::Agrees, ToDo::Approve)
    );
    let wrong_code = ListedRow {
        code: Some("C9".to_owned()),
        ..handed_in()
    };
    assert_eq!(
        pair(wrong_code, completed()),
        (MatchKind::Differs, ToDo::Look)
    );
    let failed_checks = Stands::Ended(Ended::AttentionChecksFailed);
    assert_eq!(
        pair(handed_in(), here("s", "p", failed_checks, 300)),
        (MatchKind::Agrees, ToDo::Look)
    );
    let refused = KnownSession {
        refused: true,
        due: Amount::ZERO,
        ..completed()
    };
    assert_eq!(
        pair(handed_in(), refused),
        (MatchKind::Agrees, ToDo::Reject)
    );
    let waits = KnownSession {
        decided: Some(DeedKind::Approve),
        ..completed()
    };
    assert_eq!(pair(handed_in(), waits), (MatchKind::Agrees, ToDo::Nothing));
    let noted = KnownSession {
        approval: Some(Approval::Approved),
        due: Amount::ZERO,
        ..completed()
    };
    assert_eq!(
        pair(handed_in(), noted),
        (MatchKind::Differs, ToDo::LookThere)
    );
    let unfinished = here("s", "p", Stands::UnderWay, 0);
    assert_eq!(
        pair(handed_in(), unfinished),
        (MatchKind::Differs, ToDo::Look)
    );
    let withdrawn = Stands::Ended(Ended::Withdrawn);
    let handed = |due| pair(handed_in(), here("s", "p", withdrawn, due));
    assert_eq!(handed(0), (MatchKind::Differs, ToDo::AskToReturn));
    assert_eq!(handed(100), (MatchKind::Differs, ToDo::Bonus));
    let damaged = here("s", "p", Stands::Damaged, 0);
    assert_eq!(pair(handed_in(), damaged), (MatchKind::Differs, ToDo::Look));
}

#[test]
fn what_the_platform_pays_and_what_it_does_not_is_told_apart() {
    let completed = |due| here("s", "p", DONE, due);
    let noted = |approval, due| KnownSession {
        approval: Some(approval),
        ..completed(due)
    };
    let of = |state, session| pair(row("s", "p", state), session);
    use ListedState as S;
    use MatchKind::{Agrees, Differs};
    assert_eq!(of(S::Approved, completed(300)), (Differs, ToDo::NotePaid));
    let approved = noted(Approval::Approved, 0);
    assert_eq!(of(S::Approved, approved.clone()), (Agrees, ToDo::Nothing));
    let bonus_due = noted(Approval::Approved, 50);
    assert_eq!(of(S::Approved, bonus_due), (Differs, ToDo::Bonus));
    let rejected = noted(Approval::Rejected, 0);
    assert_eq!(
        of(S::Approved, rejected.clone()),
        (Differs, ToDo::LookThere)
    );
    assert_eq!(of(S::Rejected, rejected), (Agrees, ToDo::Nothing));
    assert_eq!(of(S::Rejected, approved), (Differs, ToDo::LookThere));
    assert_eq!(of(S::Rejected, completed(300)), (Differs, ToDo::Look));
    for gone in [S::Returned, S::TimedOut] {
        assert_eq!(of(gone, completed(300)), (Differs, ToDo::Bonus));
        assert_eq!(of(gone, completed(0)), (Differs, ToDo::Nothing));
        let unfinished = here("s", "p", Stands::UnderWay, 0);
        assert_eq!(of(gone, unfinished), (Agrees, ToDo::Nothing));
    }
    let screened = |due| here("s", "p", Stands::Ended(Ended::ScreenedOut), due);
    assert_eq!(of(S::ScreenedOut, screened(0)), (Agrees, ToDo::Nothing));
    assert_eq!(of(S::ScreenedOut, screened(50)), (Differs, ToDo::NotePaid));
    assert_eq!(of(S::ScreenedOut, completed(300)), (Differs, ToDo::Look));
    let unfinished = here("s", "p", Stands::UnderWay, 0);
    assert_eq!(of(S::Approved, unfinished.clone()), (Differs, ToDo::Look));
    assert_eq!(of(S::UnderWay, unfinished.clone()), (Agrees, ToDo::Nothing));
    assert_eq!(of(S::UnderWay, completed(300)), (Differs, ToDo::AskForCode));
    assert_eq!(of(S::Unknown, unfinished), (Differs, ToDo::LookThere));
    // The opposite of what waits to be sent.
    let waits = |kind| KnownSession {
        decided: Some(kind),
        ..completed(300)
    };
    assert_eq!(
        of(S::Approved, waits(DeedKind::Reject)),
        (Differs, ToDo::LookThere)
    );
    assert_eq!(
        of(S::Rejected, waits(DeedKind::Approve)),
        (Differs, ToDo::LookThere)
    );
}

#[test]
fn whoever_is_in_one_list_alone_is_found() {
    let rows = [
        row("s1", "p1", ListedState::HandedIn),
        row("s2", "p2", ListedState::Returned),
        row("s3", "p3", ListedState::Approved),
    ];
    let sessions = [
        here("s8", "p8", DONE, 300),
        here("s9", "p9", Stands::UnderWay, 0),
    ];
    let found = matched(&rows, &sessions);
    let told: Vec<_> = found.iter().map(|it| (it.kind, it.to_do)).collect();
    use MatchKind::{OnlyHere, OnlyThere};
    assert_eq!(
        told,
        [
            (OnlyThere, ToDo::AskForCode),
            (OnlyThere, ToDo::Nothing),
            (OnlyThere, ToDo::LookThere),
            (OnlyHere, ToDo::AskForCode),
            (OnlyHere, ToDo::Nothing),
        ]
    );
    assert_eq!((found[3].row, found[3].session), (None, Some(0)));
    assert!(matched(&[], &[]).is_empty());
}

#[test]
fn a_second_submission_of_somebody_belongs_to_their_session() {
    // Given back, then taken once more: the session began with the first.
    let rows = [
        row("s1", "p", ListedState::Returned),
        row("s2", "p", ListedState::HandedIn),
    ];
    let session = here("s1", "p", DONE, 300);
    let found = matched(&rows, std::slice::from_ref(&session));
    assert_eq!(found.len(), 2);
    assert_eq!(
        found[0].to_do,
        ToDo::Nothing,
        "no bonus beside the approval"
    );
    assert_eq!(
        (found[1].kind, found[1].to_do),
        (MatchKind::Differs, ToDo::LookThere),
        "what is told to the platform would be about s1"
    );
    // In the other order of rows it is the same.
    let turned = [rows[1].clone(), rows[0].clone()];
    let found = matched(&turned, &[session]);
    assert_eq!(
        (found[0].to_do, found[1].to_do),
        (ToDo::LookThere, ToDo::Nothing)
    );
    // Of two sessions that nobody names by their submission, nobody knows which it is.
    let two = [here("s8", "p", DONE, 300), here("s9", "p", DONE, 300)];
    let found = matched(&[row("s3", "p", ListedState::HandedIn)], &two);
    assert_eq!(found[0].session, None);
    assert_eq!(found.len(), 3);
    // The one that is left is theirs.
    let rows = [
        row("s8", "p", ListedState::Approved),
        row("s3", "p", ListedState::UnderWay),
    ];
    let found = matched(&rows, &two);
    assert_eq!((found[0].session, found[1].session), (Some(0), Some(1)));
}

#[test]
fn of_two_sessions_with_one_submission_the_completed_one_counts() {
    let sessions = [
        here("s", "p", Stands::Ended(Ended::Withdrawn), 0),
        here("s", "p", DONE, 300),
        here("s", "p", Stands::UnderWay, 0),
    ];
    let found = matched(&[row("s", "p", ListedState::HandedIn)], &sessions);
    assert_eq!((found[0].session, found[0].to_do), (Some(1), ToDo::Approve));
    assert_eq!(found.len(), 3);
}

#[test]
fn without_names_nobody_is_matched() {
    let dropped = KnownSession {
        participant: None,
        submission: None,
        ..here("s", "p", DONE, 0)
    };
    let found = matched(&[row("s", "p", ListedState::Approved)], &[dropped]);
    assert_eq!(found[0].kind, MatchKind::OnlyThere);
    assert_eq!(
        (found[1].kind, found[1].to_do),
        (MatchKind::OnlyHere, ToDo::Nothing)
    );
}

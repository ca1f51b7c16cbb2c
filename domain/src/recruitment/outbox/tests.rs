use super::*;

const WAIT_MS: u64 = 600_000;

fn sending() -> Course {
    Course::waiting(0, WAIT_MS).sending(WAIT_MS).unwrap()
}

fn said(words: &str) -> String {
    words.to_owned()
}

#[test]
fn a_decision_waits_and_can_be_taken_back_until_it_is_sent() {
    let waiting = Course::waiting(1_000, WAIT_MS);
    assert!(!waiting.is_due(1_000 + WAIT_MS - 1));
    assert!(waiting.sending(1_000).is_err(), "before its time");
    let back = waiting.taken_back(Some("ada".into()), 5_000).unwrap();
    assert_eq!(back.state, DecisionState::TakenBack);
    assert_eq!(
        (back.by.as_deref(), back.since_unix_ms),
        (Some("ada"), 5_000)
    );
    assert!(!back.is_due(u64::MAX), "it is never sent");
    assert!(back.sending(u64::MAX).is_err());
    assert!(back.taken_back(None, 6_000).is_err());

    let sending = waiting.sending(1_000 + WAIT_MS).unwrap();
    assert!(sending.in_doubt, "from here on a request may have arrived");
    let late = sending.taken_back(None, 2 * WAIT_MS).unwrap_err();
    assert_eq!(
        late.to_string(),
        "this decision is being sent; it cannot be taken back now"
    );
}

#[test]
fn every_answer_leads_somewhere_and_nothing_follows_an_end() {
    let after = |answer| sending().answered(answer, WAIT_MS + 10, 10_000).unwrap();
    let done = after(PlatformAnswer::Done);
    assert_eq!((done.state, done.answer), (DecisionState::Sent, None));
    let refused = after(PlatformAnswer::Refused(said("no such submission")));
    assert_eq!(refused.state, DecisionState::Failed);
    assert_eq!(refused.answer.as_deref(), Some("no such submission"));
    assert!(!refused.is_due(u64::MAX), "no is an answer");
    let unknown = after(PlatformAnswer::Unknown(said("gone")));
    assert_eq!(unknown.state, DecisionState::Uncertain);
    assert!(!unknown.is_due(u64::MAX), "somebody has to look");
    // A server that was killed in the middle leaves it being sent.
    assert!(sending().is_due(0));
    for state in DecisionState::ALL {
        let course = Course {
            state,
            ..Course::waiting(0, 0)
        };
        let answered = course.answered(PlatformAnswer::Done, 1, 1);
        assert_eq!(
            answered.is_ok(),
            state == DecisionState::Sending,
            "{state:?}"
        );
        let settled = course.settled(Settlement::Done, None, 1);
        let open_to_it = matches!(state, DecisionState::Failed | DecisionState::Uncertain);
        assert_eq!(settled.is_ok(), open_to_it, "{state:?}");
    }
}

#[test]
fn without_an_answer_it_is_tried_again_and_says_since_when() {
    let first = sending();
    let first = first.answered(PlatformAnswer::NotReached(said("down")), 700_000, 10_000);
    let first = first.unwrap();
    assert_eq!(first.state, DecisionState::TryingAgain);
    assert_eq!(first.next_at_unix_ms, Some(710_000));
    assert_eq!(first.failing_since_unix_ms, Some(700_000));
    assert!(first.can_be_taken_back(), "it did not arrive");
    let second = first.sending(710_000).unwrap();
    assert_eq!(second.attempts, 2);
    let second = second.answered(PlatformAnswer::None(said("silence")), 720_000, 20_000);
    let second = second.unwrap();
    assert_eq!(
        second.failing_since_unix_ms,
        Some(700_000),
        "still since then"
    );
    assert!(second.in_doubt);
    assert!(!second.can_be_taken_back(), "it may have arrived");
    // So somebody can look, and settle it; what has not arrived is taken back.
    assert!(second.can_be_settled() && !first.can_be_settled());
    let dropped = second.settled(Settlement::Dropped, None, 730_000).unwrap();
    assert_eq!(dropped.state, DecisionState::TakenBack);
    assert!(!dropped.is_due(u64::MAX), "it is never sent");
    assert_eq!(dropped.next_at_unix_ms, None);
    let third = second.sending(740_000).unwrap();
    let third = third.answered(PlatformAnswer::Done, 740_001, 0).unwrap();
    assert_eq!(third.failing_since_unix_ms, None);
}

#[test]
fn somebody_settles_what_is_uncertain_or_refused() {
    let begun = BegunBonus {
        name: said("b1"),
        like_it_before: 0,
    };
    let uncertain = sending().with_begun(begun).unwrap();
    let uncertain = uncertain
        .answered(PlatformAnswer::Unknown(said("?")), 1, 1)
        .unwrap();
    let settle = |how| uncertain.settled(how, Some(said("ada")), 9).unwrap();
    assert_eq!(settle(Settlement::Done).state, DecisionState::Sent);
    let dropped = settle(Settlement::Dropped);
    assert_eq!(dropped.state, DecisionState::TakenBack);
    let again = settle(Settlement::Again);
    assert!(again.is_due(9) && !again.in_doubt);
    assert_eq!(again.begun, None, "it is set up anew");
}

#[test]
fn what_comes_back_with_a_backup_is_not_sent_by_itself() {
    for state in DecisionState::ALL {
        let course = Course {
            state,
            ..Course::waiting(0, WAIT_MS)
        };
        let back = course.restored(5);
        assert!(!back.is_due(u64::MAX), "{state:?}");
        assert_eq!(back.state.is_open(), state.is_open(), "{state:?}");
    }
}

#[test]
fn deeds_say_what_is_wrong_with_them_before_they_are_sent() {
    let reject = |category, length: usize| Deed::Reject {
        category,
        message: "x".repeat(length),
        currency: said("GBP"),
    };
    let category = Some(RejectionCategory::NoData);
    let short = reject(category, 99).fault("prolific").unwrap();
    assert!(
        short.contains("99 characters") && short.contains("at least 100"),
        "{short}"
    );
    assert_eq!(reject(category, 100).fault("prolific"), None);
    assert!(
        reject(None, 100)
            .fault("prolific")
            .unwrap()
            .contains("category")
    );
    assert_eq!(reject(None, 1).fault("mturk"), None);
    assert!(reject(None, 0).fault("mturk").is_some());
    assert!(reject(None, 1_025).fault("mturk").is_some());
    let bonus = |hundredths, reason: &str, reference: &str| Deed::Bonus {
        amount: Amount::of_hundredths(hundredths),
        currency: said("GBP"),
        reason: said(reason),
        reference: said(reference),
    };
    assert_eq!(bonus(50, "a report", "1").fault("prolific"), None);
    for (hundredths, reason, reference) in [(0, "a", "1"), (50, "", "1"), (50, "a", "")] {
        assert!(
            bonus(hundredths, reason, reference)
                .fault("mturk")
                .is_some()
        );
    }
    for category in RejectionCategory::ALL {
        let written = serde_json::to_value(category).unwrap();
        assert_eq!(written, category.code());
    }
}

#[test]
fn the_ledger_says_what_was_done_and_whether_work_is_approved() {
    let session = SessionId(said("s"));
    let approve = Deed::Approve {
        amount: Amount::of_hundredths(300),
        currency: said("GBP"),
    };
    let reject = Deed::Reject {
        category: None,
        message: "x".repeat(900),
        currency: said("GBP"),
    };
    let bonus = Deed::Bonus {
        amount: Amount::of_hundredths(50),
        currency: said("GBP"),
        reason: said("a report"),
        reference: said("2"),
    };
    let of = |deed: &Deed| deed.entries(&session, "prolific", 7);
    let paid = of(&bonus);
    assert_eq!(paid.len(), 2);
    assert!(
        paid.iter()
            .all(|entry| entry.reference == "prolific bonus 2")
    );
    let refused = of(&reject);
    assert_eq!(
        refused[0].reason.as_ref().unwrap().chars().count(),
        MAX_TEXT
    );

    let mut entries = paid;
    assert_eq!(
        approval("prolific", &entries),
        None,
        "a bonus approves nothing"
    );
    entries.extend(refused);
    assert_eq!(approval("prolific", &entries), Some(Approval::Rejected));
    entries.extend(of(&approve));
    assert_eq!(approval("prolific", &entries), Some(Approval::Approved));
    assert_eq!(approval("mturk", &entries), None);
    assert!(DeedKind::Approve.excludes(DeedKind::Reject));
    assert!(!DeedKind::Approve.excludes(DeedKind::Bonus));
    assert!(DeedKind::Bonus.excludes(DeedKind::Bonus));
}

#[test]
fn what_was_paid_by_hand_and_what_is_not_finished_speak_against_an_approval() {
    use crate::session::ended::Ended;
    let paid = |reference: &str, hundredths| Entry {
        session: SessionId(said("s")),
        kind: EntryKind::Paid,
        reference: said(reference),
        amount: Amount::of_hundredths(hundredths),
        currency: said("GBP"),
        reason: None,
        at_unix_ms: 1,
    };
    let found = |entries: &[Entry], ended| {
        let found = cautions("prolific", entries, ended).into_iter();
        found.map(|it| it.to_string()).collect::<Vec<_>>()
    };
    let there = [paid("prolific", 300), paid("prolific bonus 1", 50)];
    assert!(found(&there, Some(Ended::Completed)).is_empty());
    assert!(found(&[], Some(Ended::AttentionChecksFailed)).is_empty());
    let by_hand = [paid("transfer of Monday", 300), paid("", 75)];
    let words = ["already paid 3.75 by hand"];
    assert_eq!(found(&by_hand, Some(Ended::Completed)), words);
    for ended in [None, Some(Ended::ScreenedOut)] {
        assert_eq!(found(&there, ended), ["not finished"]);
        assert_eq!(found(&by_hand, ended).len(), 2);
    }
    let owed = Entry {
        kind: EntryKind::Owed,
        ..paid("", 300)
    };
    assert!(found(&[owed], Some(Ended::Completed)).is_empty());
}

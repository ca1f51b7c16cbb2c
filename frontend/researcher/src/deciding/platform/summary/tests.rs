//! Sessions that are chosen, and what is said of them.

use api::research::{DecisionInfo, PaidByHand, SessionRow};
use domain::recruitment::outbox::{DecisionState, Deed};
use domain::recruitment::pay::Amount;

use super::*;

fn chosen(name: &str, platform: &str, approval: Option<&str>, due: u64) -> Chosen {
    Chosen {
        session: SessionId(name.to_owned()),
        platform: platform.to_owned(),
        approval: approval.map(str::to_owned),
        currency: Some("GBP".to_owned()),
        due,
        finished: true,
    }
}

fn outbox(reachable: bool) -> Outbox {
    Outbox {
        platforms: vec![OutboxPlatform {
            name: "prolific".to_owned(),
            title: "Prolific".to_owned(),
            reachable,
        }],
        wait_ms: 600_000,
        amount: Some(Amount::of_hundredths(300)),
        currency: Some("GBP".to_owned()),
        decisions: Vec::new(),
        too_fast: Vec::new(),
        paid_by_hand: Vec::new(),
        at_unix_ms: 0,
    }
}

fn approval(name: &str, state: DecisionState) -> DecisionInfo {
    DecisionInfo {
        number: 1,
        session: SessionId(name.to_owned()),
        platform: "prolific".to_owned(),
        deed: Deed::Approve {
            amount: Amount::ZERO,
            currency: "GBP".to_owned(),
        },
        decided_by: None,
        decided_at_unix_ms: 0,
        state,
        since_unix_ms: 0,
        next_at_unix_ms: None,
        can_be_taken_back: true,
        can_be_settled: false,
        failing_since_unix_ms: None,
        answer: None,
        settled_by: None,
    }
}

#[test]
fn a_summary_says_what_happens_and_who_is_left_out() {
    let people = [
        chosen("a", "prolific", None, 300),
        chosen("b", "prolific", None, 300),
        chosen("c", "prolific", Some("approved"), 0),
        chosen("d", "link", None, 300),
        chosen("e", "prolific", None, 300),
    ];
    let mut outbox = outbox(true);
    outbox.decisions = vec![
        approval("e", DecisionState::Waiting),
        approval("b", DecisionState::TakenBack),
    ];
    let found = summary(Wish::Tell(DeedKind::Approve), &people, &outbox, "s");
    let able: Vec<&str> = found.able.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(able, ["a", "b"]);
    let words = found.lines.join("\n");
    assert!(words.starts_with(
        "2 sessions: approved at Prolific, which pays 3.00 GBP each, 6.00 GBP in all."
    ));
    assert!(words.contains("sent in 10 minutes"), "{words}");
    assert_eq!(words.matches("Left out: 1 session").count(), 3, "{words}");
    assert!(found.commands.is_empty() && !found.anyway);
    // A bonus is in nobody's way.
    let bonus = summary(Wish::Tell(DeedKind::Bonus), &people, &outbox, "s");
    assert_eq!(bonus.able.len(), 4);
}

#[test]
fn without_credentials_the_command_is_shown() {
    let people = [
        chosen("a", "prolific", None, 0),
        chosen("b", "prolific", None, 0),
    ];
    let found = summary(Wish::Tell(DeedKind::Approve), &people, &outbox(false), "s");
    assert!(found.able.is_empty());
    assert_eq!(found.commands, ["redial platform prolific approve s a b"]);
    let found = summary(Wish::Tell(DeedKind::Reject), &people, &outbox(false), "s");
    assert_eq!(found.commands.len(), 2);
}

#[test]
fn what_is_due_is_summed_up_and_nothing_is_not_paid() {
    let people = [chosen("a", "link", None, 310), chosen("b", "link", None, 0)];
    let found = summary(Wish::Pay, &people, &outbox(true), "s");
    assert_eq!(found.able.len(), 1);
    assert!(
        found.lines[0].contains("3.10 GBP in all"),
        "{:?}",
        found.lines
    );
    assert!(found.lines[1].contains("nothing is due"));
    assert_eq!(duration(20_000), "20 seconds");
    assert_eq!(duration(60_000), "1 minute");
}

#[test]
fn who_was_paid_by_hand_and_who_is_not_finished_is_said_before_an_approval() {
    let people = [
        chosen("a", "prolific", None, 0),
        Chosen {
            finished: false,
            ..chosen("b", "prolific", None, 0)
        },
        chosen("c", "prolific", Some("approved"), 0),
    ];
    let mut outbox = outbox(true);
    outbox.paid_by_hand = ["a", "c"]
        .map(|name| PaidByHand {
            session: SessionId(name.to_owned()),
            amount: Amount::of_hundredths(375),
        })
        .to_vec();
    let found = summary(Wish::Tell(DeedKind::Approve), &people, &outbox, "s");
    let words = found.lines.join("\n");
    assert!(found.anyway, "{words}");
    // A session that is left out is not counted.
    let by_hand = "Already paid by hand: 1 session, 3.75 GBP in all.";
    assert!(words.contains(by_hand), "{words}");
    assert!(words.contains("Not finished: 1 session."), "{words}");
    let bonus = summary(Wish::Tell(DeedKind::Bonus), &people, &outbox, "s");
    assert!(!bonus.anyway);
    let rows = chosen_of(SessionTable {
        columns: Vec::new(),
        shown: COLUMNS.split(',').map(str::to_owned).collect(),
        rows: ["complete", "question"]
            .map(|phase| SessionRow {
                session: Some(SessionId("s".to_owned())),
                ordinal: 1,
                values: vec![None, None, None, None, None, Some(phase.to_owned())],
                problems: Vec::new(),
            })
            .to_vec(),
        matching: 2,
        all: 2,
        missing: 0,
        problems: Vec::new(),
        at_unix_ms: 0,
    });
    let finished: Vec<bool> = rows.iter().map(|it| it.finished).collect();
    assert_eq!(finished, [true, false]);
}

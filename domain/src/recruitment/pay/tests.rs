use super::*;
use crate::common::identifiers::SessionId;

fn pay() -> Pay {
    serde_json::from_str(
        r#"{ "currency": "GBP", "amount": "3.75", "screened_out": "0.50", "withdrawn": "1" }"#,
    )
    .unwrap()
}

fn course(ended: Ended) -> PayableSession {
    PayableSession {
        ended: Some(ended),
        ..PayableSession::default()
    }
}

fn entry(kind: EntryKind, amount: &str, reason: &str) -> Entry {
    Entry {
        session: SessionId("s".into()),
        kind,
        reference: String::new(),
        amount: amount.parse().unwrap(),
        currency: "GBP".into(),
        reason: Some(reason.into()),
        at_unix_ms: 0,
    }
}

fn due(course: PayableSession, entries: &[Entry]) -> String {
    account(Some(&pay()), course, entries).due().to_string()
}

#[test]
fn amounts_are_read_and_written_without_rounding() {
    for (text, hundredths) in [
        ("3.75", 375),
        ("0.05", 5),
        ("12", 1_200),
        ("999999.99", 99_999_999),
    ] {
        let amount: Amount = text.parse().unwrap();
        assert_eq!(amount.hundredths(), hundredths);
        let again: Amount = amount.to_string().parse().unwrap();
        assert_eq!(again, amount);
    }
    for bad in [
        "", "3.5", "3.", ".50", "-1", "+1.00", "1e3", "1000000", "3,75", " 3.75", "1.2.3",
    ] {
        assert!(bad.parse::<Amount>().is_err(), "{bad}");
    }
}

#[test]
fn what_is_promised_follows_from_how_the_session_went() {
    assert_eq!(due(course(Ended::Completed), &[]), "3.75");
    assert_eq!(due(course(Ended::AttentionChecksFailed), &[]), "3.75");
    assert_eq!(due(course(Ended::ScreenedOut), &[]), "0.50");
    assert_eq!(due(course(Ended::Withdrawn), &[]), "1.00");
    assert_eq!(due(course(Ended::NoConsent), &[]), "0.00");
    assert_eq!(due(PayableSession::default(), &[]), "0.00", "it goes on");
    for (over_quota, excluded) in [(true, false), (false, true), (true, true)] {
        let completed = PayableSession {
            ended: Some(Ended::Completed),
            over_quota,
            excluded,
        };
        assert_eq!(
            due(completed, &[]),
            "3.75",
            "excluding somebody is no rejection"
        );
    }
}

#[test]
fn the_last_decision_counts_and_payments_and_bonuses_add_up() {
    let completed = course(Ended::Completed);
    let refused = entry(EntryKind::Refused, "0", "a copy of another session");
    assert_eq!(due(completed, std::slice::from_ref(&refused)), "0.00");
    let after_all = [
        refused.clone(),
        entry(EntryKind::Owed, "3.75", "it was none"),
    ];
    assert_eq!(due(completed, &after_all), "3.75");
    let bonus = [
        refused,
        entry(EntryKind::Bonus, "0.25", "a report of a fault"),
    ];
    assert_eq!(due(completed, &bonus), "0.25");
    // Timed out on the platform: the log goes on, a part of the pay is decided on.
    let part = [
        entry(EntryKind::Part, "2.00", "timed out"),
        entry(EntryKind::Paid, "1.50", ""),
    ];
    assert_eq!(due(PayableSession::default(), &part), "0.50");
    let twice = [
        entry(EntryKind::Paid, "3.75", ""),
        entry(EntryKind::Paid, "3.75", ""),
    ];
    let account = account(Some(&pay()), completed, &twice);
    assert_eq!(account.due(), Amount::ZERO);
    assert_eq!(account.overpaid().to_string(), "3.75");
}

#[test]
fn a_study_that_declares_no_pay_owes_what_was_decided() {
    let nothing = account(None, course(Ended::Completed), &[]);
    assert_eq!((nothing.due(), nothing.currency), (Amount::ZERO, None));
    let decided = [entry(EntryKind::Owed, "5", "as agreed")];
    let decided = account(None, course(Ended::Completed), &decided);
    assert_eq!(decided.due().to_string(), "5.00");
    assert_eq!(decided.currency.as_deref(), Some("GBP"));
}

#[test]
fn an_entry_is_added_once_and_never_against_those_that_are_there() {
    let paid = entry(EntryKind::Paid, "1.00", "first");
    assert_eq!(paid.is_new_after(&[]), Ok(true));
    let there = std::slice::from_ref(&paid);
    // Neither time nor reason tell entries apart.
    assert_eq!(
        entry(EntryKind::Paid, "1.00", "again").is_new_after(there),
        Ok(false)
    );
    assert_eq!(
        entry(EntryKind::Bonus, "1.00", "on top").is_new_after(there),
        Ok(true)
    );
    let another = Entry {
        reference: "2".into(),
        ..entry(EntryKind::Paid, "2.00", "second")
    };
    assert_eq!(another.is_new_after(there), Ok(true));
    let said = |entry: Entry| entry.is_new_after(there).unwrap_err().to_string();
    assert_eq!(
        said(entry(EntryKind::Paid, "2.00", "other")),
        "session s has an entry 'paid' with the reference '' of 1.00 GBP, not 2.00; \
         another entry needs another --reference"
    );
    let dollars = Entry {
        currency: "USD".into(),
        ..another
    };
    assert_eq!(
        said(dollars),
        "the ledger of session s is in GBP; this entry is in USD"
    );
}

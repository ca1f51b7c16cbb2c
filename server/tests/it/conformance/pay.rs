//! The ledger of payments, and credit.

use domain::recruitment::pay::{Amount, Entry, EntryKind};
use domain::recruitment::platform::Ended;
use domain::session::event::SessionId;
use server::storage::{Credit, CreditState, StorageError};

use super::scene::{Scene, design, erase};

pub async fn payments_are_added_all_or_none_and_once(scene: Scene) {
    let (a, b) = (scene.started("a").await, scene.started("b").await);
    let entry = |session: &SessionId, reference: &str, hundredths: u32| Entry {
        session: session.clone(),
        kind: EntryKind::Paid,
        reference: reference.into(),
        amount: Amount::of_hundredths(hundredths),
        currency: "GBP".into(),
        reason: Some("work".into()),
        at_unix_ms: 3,
    };
    let record = |entries: Vec<Entry>| scene.storage.record_payments(&scene.study, entries);
    let first = vec![
        entry(&a, "1", 100),
        entry(&b, "1", 200),
        entry(&a, "1", 100),
    ];
    assert_eq!(record(first.clone()).await.unwrap(), 2);
    assert_eq!(record(first).await.unwrap(), 0);
    let dollars = Entry {
        currency: "USD".into(),
        ..entry(&a, "3", 100)
    };
    for wrong in [
        entry(&b, "1", 300),
        dollars,
        entry(&SessionId("nobody".into()), "1", 1),
    ] {
        let told = record(vec![entry(&a, "2", 50), wrong]).await;
        assert!(matches!(told, Err(StorageError::Payment(_))), "{told:?}");
    }
    // Whoever took everything back is paid all the same.
    let erased = scene
        .storage
        .erase(erase(&b, Ended::Completed, false))
        .await;
    assert!(erased.unwrap());
    assert_eq!(record(vec![entry(&b, "2", 10)]).await.unwrap(), 1);
    let payments = scene.snapshot().await.payments().await.unwrap();
    let expected = [entry(&a, "1", 100), entry(&b, "1", 200), entry(&b, "2", 10)];
    assert_eq!(payments, expected, "oldest first");
    let elsewhere = scene.with_study("elsewhere");
    let told = elsewhere
        .storage
        .record_payments(&elsewhere.study, vec![entry(&a, "4", 1)]);
    let told = told.await;
    assert!(matches!(told, Err(StorageError::Payment(_))), "{told:?}");
}

pub async fn credit_is_asked_for_until_there_is_an_answer(scene: Scene) {
    let id = scene.arrived("a", "sona").await;
    let gone = scene.arrived("b", "sona").await;
    scene.arrived("c", "prolific").await;
    let due = async |now: u64| scene.other.credits_due(&scene.study, now).await.unwrap();
    assert!(due(0).await.is_empty(), "nobody has ended");
    let design = design(1, 1_000);
    for attempt in ["a", "c"] {
        let done = scene.completion(&design, attempt, true, 1);
        scene.storage.append(done).await.unwrap();
    }
    let erased = scene
        .storage
        .erase(erase(&gone, Ended::Withdrawn, false))
        .await;
    assert!(erased.unwrap());
    let found = due(0).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((&found[0].session, &*found[0].survey_code), (&id, "a"));
    assert_eq!((found[0].attempts, found[0].ended_when_erased), (0, None));
    assert_eq!(found[1].ended_when_erased, Some(Ended::Withdrawn));
    let credit = |state: CreditState, attempts: u64| Credit {
        session: id.clone(),
        study: scene.study.clone(),
        state,
        attempts,
        next_at_unix_ms: 100,
        answer: format!("answer {attempts}"),
        asked_at_unix_ms: 10,
    };
    let waits = credit(CreditState::Waiting, 1);
    scene.storage.note_credit(waits).await.unwrap();
    let counts = async || {
        let mut snapshot = scene.other.study_snapshot(&scene.study).await.unwrap();
        snapshot.credit_counts().await.unwrap()
    };
    assert_eq!(counts().await, [(CreditState::Waiting, 1)]);
    assert_eq!(due(99).await.len(), 1);
    assert_eq!(due(100).await[0].attempts, 1);
    let given = credit(CreditState::Given, 2);
    scene.storage.note_credit(given.clone()).await.unwrap();
    let late = credit(CreditState::Refused, 3);
    scene.storage.note_credit(late).await.unwrap();
    assert_eq!(scene.other.credits(&scene.study).await.unwrap(), [given]);
    assert_eq!(counts().await, [(CreditState::Given, 1)]);
    assert_eq!(due(u64::MAX / 4).await.len(), 1, "the one who was erased");
}

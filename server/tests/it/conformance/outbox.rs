//! Decisions that platforms are told.

use domain::recruitment::outbox::{Course, DecisionState, Deed, PlatformAnswer};
use domain::recruitment::pay::Amount;
use domain::session::event::SessionId;
use server::storage::{
    DecisionAnswer, DecisionStep, NewDecision, StorageError, StoredDecision, TimeTaken,
};

use super::scene::{MINUTE_MS, Scene, design};

fn approve() -> Deed {
    Deed::Approve {
        amount: Amount::of_hundredths(300),
        currency: "GBP".into(),
    }
}

fn bonus(reference: &str) -> Deed {
    Deed::Bonus {
        amount: Amount::of_hundredths(50),
        currency: "GBP".into(),
        reason: "a report".into(),
        reference: reference.into(),
    }
}

fn reject() -> Deed {
    Deed::Reject {
        category: None,
        message: "nothing was answered".into(),
        currency: "GBP".into(),
    }
}

fn new(scene: &Scene, session: &SessionId, deed: Deed) -> NewDecision {
    NewDecision {
        study: scene.study.clone(),
        session: session.clone(),
        platform: "prolific".into(),
        deed,
        decided_by: Some("ada".into()),
        decided_at_unix_ms: 7,
        course: Course::waiting(7, MINUTE_MS),
    }
}

async fn stored(scene: &Scene, session: &SessionId, deed: Deed) -> StoredDecision {
    let answer = scene
        .storage
        .decide(new(scene, session, deed))
        .await
        .unwrap();
    let DecisionAnswer::Stored(number) = answer else {
        panic!("{answer:?}");
    };
    scene.other.decision(number).await.unwrap().unwrap()
}

async fn step(scene: &Scene, from: &StoredDecision, to: &Course) -> bool {
    let step = DecisionStep {
        number: from.number,
        from: from.course.clone(),
        to: to.clone(),
        entries: Vec::new(),
    };
    scene.storage.step_decision(step).await.unwrap()
}

pub async fn decisions_are_stored_unless_another_is_in_the_way(scene: Scene) {
    let (a, b) = (
        scene.arrived("a", "prolific").await,
        scene.arrived("b", "prolific").await,
    );
    let first = stored(&scene, &a, approve()).await;
    let NewDecision { deed, course, .. } = new(&scene, &a, approve());
    assert_eq!((&first.deed, &first.course), (&deed, &course));
    assert_eq!(first.decided_by.as_deref(), Some("ada"));
    // From another connection, too: of the same kind, and its opposite.
    for deed in [approve(), reject()] {
        let answer = scene.other.decide(new(&scene, &a, deed)).await.unwrap();
        assert_eq!(answer, DecisionAnswer::InTheWay(Box::new(first.clone())));
    }
    stored(&scene, &a, bonus("1")).await;
    stored(&scene, &b, approve()).await;
    let due = async |now| {
        let due = scene.other.decisions_due(now).await.unwrap();
        let of_study = due.into_iter().filter(|it| it.study == scene.study);
        of_study.map(|it| it.number).collect::<Vec<_>>()
    };
    assert!(due(7 + MINUTE_MS - 1).await.is_empty());
    assert_eq!(due(7 + MINUTE_MS).await.len(), 3);
    // What is over is in nobody's way, and listed last.
    let back = first.course.taken_back(Some("eve".into()), 9).unwrap();
    assert!(step(&scene, &first, &back).await);
    assert_eq!(due(u64::MAX / 4).await.len(), 2);
    stored(&scene, &a, reject()).await;
    let mut snapshot = scene.snapshot().await;
    let listed = snapshot.decisions().await.unwrap();
    let ends: Vec<_> = listed.iter().map(|it| it.course.state).collect();
    assert_eq!(listed.len(), 4);
    assert_eq!(ends[3], DecisionState::TakenBack);
    assert_eq!(listed[3].course, back);
    let counts = snapshot.decision_counts().await.unwrap();
    assert_eq!(counts, [(DecisionState::Waiting, 3)]);
    let elsewhere = scene.with_study("elsewhere");
    assert!(
        elsewhere
            .snapshot()
            .await
            .decisions()
            .await
            .unwrap()
            .is_empty()
    );
}

pub async fn a_step_takes_place_once_and_with_its_entries(scene: Scene) {
    let a = scene.arrived("a", "prolific").await;
    let waiting = stored(&scene, &a, bonus("1")).await;
    let sending = waiting.course.sending(7 + MINUTE_MS).unwrap();
    assert!(step(&scene, &waiting, &sending).await);
    // Whoever still believes that it waits is told that it does not.
    let back = waiting.course.taken_back(None, 9).unwrap();
    assert!(!step(&scene, &waiting, &back).await);
    let there = scene.other.decision(waiting.number).await.unwrap().unwrap();
    assert_eq!(there.course, sending);
    let done = sending.answered(PlatformAnswer::Done, 8 + MINUTE_MS, 0);
    let done = DecisionStep {
        number: there.number,
        from: there.course.clone(),
        to: done.unwrap(),
        entries: there.deed.entries(&a, "prolific", 8),
    };
    let dollars = DecisionStep {
        entries: {
            let mut entries = done.entries.clone();
            entries[1].currency = "USD".into();
            entries
        },
        ..done.clone()
    };
    // All of it or nothing.
    let told = scene.storage.step_decision(dollars).await;
    assert!(matches!(told, Err(StorageError::Payment(_))), "{told:?}");
    let payments = async || scene.snapshot().await.payments().await.unwrap();
    assert!(payments().await.is_empty());
    assert!(scene.storage.step_decision(done.clone()).await.unwrap());
    assert!(!scene.storage.step_decision(done.clone()).await.unwrap());
    assert_eq!(payments().await, done.entries);
    assert_eq!(scene.other.decision(u64::MAX / 4).await.unwrap(), None);
}

pub async fn those_who_completed_say_how_long_they_took(scene: Scene) {
    let a = scene.started("a").await;
    scene.started("b").await;
    let done = scene.completion(&design(1, 1_000), "a", true, 5_000);
    scene.storage.append(done).await.unwrap();
    let times = scene.snapshot().await.times_taken().await.unwrap();
    let of_a = TimeTaken {
        ordinal: 1,
        session: a,
        taken_ms: 5_000,
    };
    assert_eq!(times, [of_a]);
    assert!(scene.snapshot().await.too_fast().await.unwrap().is_empty());
}

//! Sessions as they are created, found and read back, with what they refer to.

use domain::recruitment::assignment::Purpose;
use domain::recruitment::platform::Ended;
use domain::session::Phase;
use domain::session::event::{Author, SessionId};
use server::secrets::TokenHash;
use server::storage::{Append, Created, NewSession, RestoredPlace, StorageError, StoredSession};

use super::scene::{Scene, design, erase};

/// The same session with a participant's code.
fn with_code(new: NewSession, code: &str) -> NewSession {
    NewSession {
        session: StoredSession {
            participant_code: Some(code.into()),
            ..new.session
        },
        ..new
    }
}

pub async fn what_is_created_is_read_back(scene: Scene) {
    let new = with_code(scene.assigned("a").await, "a's code");
    let expected = new.session.clone();
    assert!(scene.storage.session(&expected.id).await.unwrap().is_none());
    let id = scene.create(new).await;
    let found = scene.other.session(&id).await.unwrap();
    assert_eq!(found.as_ref(), Some(&expected));
    let found = scene.other.session_of_attempt(&scene.study, "a").await;
    assert_eq!(found.unwrap().as_ref(), Some(&expected));
    let mut snapshot = scene.snapshot().await;
    assert_eq!(snapshot.session(&id).await.unwrap(), Some(expected));
    assert_eq!(snapshot.session_id(1).await.unwrap(), Some(id));
    let listed = snapshot.sessions().await.unwrap();
    assert_eq!((listed.ordinals, listed.damage.is_none()), (vec![1], true));
    let found = snapshot.first_with_code("a's code").await.unwrap();
    assert_eq!(found, Some(1));
    let studies = scene.other.studies().await.unwrap();
    assert!(studies.contains(&scene.study), "{studies:?}");
}

pub async fn the_same_attempt_gets_the_same_session_with_the_new_token(scene: Scene) {
    let new = scene.assigned("a").await;
    let id = scene.create(new.clone()).await;
    let again = NewSession {
        session: StoredSession {
            id: scene.id("twin"),
            token: TokenHash::of("another"),
            ..new.session.clone()
        },
        ..new
    };
    let Created::Existing(existing) = scene.other.create_session(again).await.unwrap() else {
        panic!("two sessions of one attempt");
    };
    assert_eq!(
        (&existing.id, existing.token),
        (&id, TokenHash::of("another"))
    );
    let stored = scene.storage.session(&id).await.unwrap();
    assert_eq!(stored, Some(*existing));
    let twin = scene.storage.session(&scene.id("twin")).await.unwrap();
    assert!(twin.is_none());
}

pub async fn a_code_has_one_session_where_it_may_have_one_only(scene: Scene) {
    let code = format!("{}-code", scene.study);
    let first = with_code(scene.assigned("a").await, &code);
    let first = scene.create(first).await;
    let second = with_code(scene.assigned("b").await, &code);
    let created = scene.other.create_session(second.clone()).await.unwrap();
    assert!(matches!(created, Created::Existing(it) if it.id == first));
    let many = NewSession {
        one_per_code: false,
        ..second
    };
    scene.create(many).await;
    let found = scene.other.session_of_code(&scene.study, &code).await;
    assert_eq!(found.unwrap().unwrap().id, first, "of several the first");
    let elsewhere = scene.with_study("elsewhere");
    let found = scene.other.session_of_code(&elsewhere.study, &code).await;
    assert!(found.unwrap().is_none());
    elsewhere
        .create(with_code(elsewhere.assigned("a").await, &code))
        .await;
    let mut studies = [scene.study.clone(), elsewhere.study.clone()];
    studies.sort();
    assert_eq!(scene.other.studies_of_code(&code).await.unwrap(), studies);
}

pub async fn trials_and_those_who_declined_are_not_in_the_way_of_their_code(scene: Scene) {
    let code = format!("{}-code", scene.study);
    let pilot = scene.assigned_for("pilot", Purpose::Pilot).await;
    let pilot = scene.create(with_code(pilot, &code)).await;
    assert_eq!(scene.other.purpose(&pilot).await.unwrap(), Purpose::Pilot);
    let declined = with_code(scene.assigned("declined").await, &code);
    scene.create(declined).await;
    let declined = Append {
        phase: Phase::Declined,
        ..scene.append("declined", 0, 1)
    };
    scene.storage.append(declined).await.unwrap();
    let found = scene.other.session_of_code(&scene.study, &code).await;
    assert!(found.unwrap().is_none());
    assert!(scene.other.studies_of_code(&code).await.unwrap().is_empty());
    let agrees = with_code(scene.assigned("agrees").await, &code);
    let agrees = scene.create(agrees).await;
    let found = scene.other.session_of_code(&scene.study, &code).await;
    assert_eq!(found.unwrap().unwrap().id, agrees);
    let purpose = scene.other.purpose(&agrees).await.unwrap();
    assert_eq!(purpose, Purpose::Participant);
}

pub async fn a_spent_attempt_opens_nothing(scene: Scene) {
    let id = scene.started("a").await;
    for _ in 0..2 {
        scene.storage.spend_attempt(&id).await.unwrap();
    }
    let found = scene.other.session_of_attempt(&scene.study, "a").await;
    assert!(found.unwrap().is_none());
    let stored = scene.other.session(&id).await.unwrap().unwrap();
    assert!(stored.attempt_spent);
    let request = scene.request(&design(1, 1_000), "a", 0);
    let anew = scene.other.assign(request).await.unwrap().unwrap();
    assert_eq!(anew.ordinal, 2, "the assignment is the session's still");
}

pub async fn tokens_codes_and_secrets_are_those_that_were_first_or_last_as_promised(scene: Scene) {
    let id = scene.started("a").await;
    let (storage, other) = (&scene.storage, &scene.other);
    for token in ["one", "two"].map(TokenHash::of) {
        storage.replace_token(&id, token).await.unwrap();
        let stored = other.session(&id).await.unwrap().unwrap();
        assert_eq!(stored.token, token);
    }
    assert_eq!(
        storage.completion_code(&id, "first").await.unwrap(),
        "first"
    );
    assert_eq!(other.completion_code(&id, "second").await.unwrap(), "first");
    let stored = storage.session(&id).await.unwrap().unwrap();
    assert_eq!(stored.completion_code.as_deref(), Some("first"));
    let secret = format!("{} secret", scene.study);
    assert_eq!(storage.secret(&secret, "first").await.unwrap(), "first");
    assert_eq!(other.secret(&secret, "second").await.unwrap(), "first");
    let (one, two) = tokio::join!(
        storage.completion_code(&id, "third"),
        other.secret("another secret", "third")
    );
    assert_eq!(
        (one.unwrap(), two.unwrap()),
        ("first".into(), "third".into())
    );
}

pub async fn a_lost_session_comes_back_under_its_number_or_the_next(scene: Scene) {
    let place = RestoredPlace {
        purpose: Purpose::Participant,
        cell: "c0".into(),
        row: 2,
        assigned_at_unix_ms: 1,
        lease_until_unix_ms: None,
    };
    let there = scene.assigned("there").await;
    let lost = |attempt: &str, ordinal: u64| {
        let mut lost = there.clone();
        lost.session.id = scene.id(attempt);
        lost.session.attempt = attempt.into();
        lost.session.ordinal = ordinal;
        lost.session.seed = [u8::try_from(ordinal).unwrap(); 32];
        lost
    };
    scene.create(there.clone()).await;
    let restore = async |new: NewSession| {
        let id = new.session.id.clone();
        let done = scene.storage.restore_session(new, place.clone()).await;
        assert!(done.unwrap());
        scene.other.session(&id).await.unwrap().unwrap().ordinal
    };
    assert_eq!(restore(lost("seventh", 7)).await, 7);
    assert_eq!(
        restore(lost("first", 1)).await,
        8,
        "somebody else has its number"
    );
    let lines = scene.ledger().await.lines;
    let line = lines.iter().find(|line| line.ordinal == 7).unwrap();
    assert_eq!((line.entry.row, line.assigned_at_unix_ms), (2, 1));
    // One whose assignment is there gets its session back.
    let broke_off = scene.assigned("broke-off").await;
    assert_eq!(restore(broke_off).await, 9);
    // What was erased does not come back.
    let erase = erase(&scene.id("seventh"), Ended::Withdrawn, false);
    assert!(scene.storage.erase(erase).await.unwrap());
    let done = scene
        .storage
        .restore_session(lost("seventh", 7), place.clone())
        .await;
    assert!(!done.unwrap());
    // Nor does a second session of a code that may have one only.
    let code = format!("{}-code", scene.study);
    assert_eq!(restore(with_code(lost("tenth", 10), &code)).await, 10);
    let second = with_code(lost("eleventh", 11), &code);
    let done = scene.storage.restore_session(second, place).await;
    assert!(!done.unwrap());
}

pub async fn nobody_is_told_apart_from_somebody(scene: Scene) {
    let nobody = SessionId(format!("{}-nobody", scene.study));
    let storage = &scene.storage;
    assert!(storage.session(&nobody).await.unwrap().is_none());
    assert!(storage.arrival(&nobody).await.unwrap().is_none());
    assert!(storage.erasure(&nobody).await.unwrap().is_none());
    let found = storage.session_of_attempt(&scene.study, "none").await;
    assert!(found.unwrap().is_none());
    assert_eq!(scene.log(&nobody, Author::Participant).await, [0u64; 0]);
    let refused = [
        storage.replace_token(&nobody, TokenHash::of("x")).await,
        storage.completion_code(&nobody, "x").await.map(|_| ()),
    ];
    for error in refused {
        assert!(
            matches!(error, Err(StorageError::NoSession(_))),
            "{error:?}"
        );
    }
    let mut snapshot = scene.snapshot().await;
    assert_eq!(snapshot.session_id(1).await.unwrap(), None);
    assert!(snapshot.sessions().await.unwrap().ordinals.is_empty());
    assert!(snapshot.ledger().await.unwrap().lines.is_empty());
}

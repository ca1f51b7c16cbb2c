//! What is left of people once they take everything back, or are forgotten.

use domain::recruitment::assignment::Purpose;
use domain::recruitment::platform::Ended;
use domain::session::event::Author;
use server::secrets::TokenHash;
use server::storage::{NewSession, Recorded, StoredArrival, StoredSession};

use super::recordings::piece;
use super::scene::{Scene, arrival, design, erase};

pub async fn arrivals_are_kept_until_they_are_forgotten(scene: Scene) {
    let here = scene.arrived("a", "prolific").await;
    let elsewhere = scene.with_study("elsewhere");
    let there = elsewhere.arrived("b", "prolific").await;
    let gone = scene.arrived("c", "prolific").await;
    let erased = scene
        .storage
        .erase(erase(&gone, Ended::Withdrawn, false))
        .await;
    assert!(erased.unwrap());
    let expected = Some(arrival("prolific", "a"));
    assert_eq!(scene.other.arrival(&here).await.unwrap(), expected);
    assert_eq!(
        scene.snapshot().await.arrival(&here).await.unwrap(),
        expected
    );
    // Those of sessions that were erased are among them.
    assert_eq!(
        scene.storage.forget_arrivals(&scene.study).await.unwrap(),
        2
    );
    assert_eq!(
        scene.storage.forget_arrivals(&scene.study).await.unwrap(),
        0
    );
    let forgotten = Some(StoredArrival {
        participant: None,
        submission: None,
        link: [].into(),
        ..arrival("prolific", "a")
    });
    assert_eq!(scene.other.arrival(&here).await.unwrap(), forgotten);
    let erasure = scene.other.erasure(&gone).await.unwrap().unwrap();
    assert_eq!(erasure.arrival, forgotten);
    let other = scene.other.arrival(&there).await.unwrap();
    assert_eq!(other, Some(arrival("prolific", "b")));
}

pub async fn an_erased_session_leaves_what_is_needed_to_pay(scene: Scene) {
    let design = design(1, 1);
    let ask = |attempt: &str| scene.storage.assign(scene.request(&design, attempt, 0));
    let assigned = ask("a").await.unwrap().unwrap();
    let new = NewSession {
        arrival: Some(arrival("prolific", "a")),
        ..scene.session("a", &assigned, 0)
    };
    let id = scene.create(new).await;
    let done = scene.completion(&design, "a", true, 1);
    scene.storage.append(done).await.unwrap();
    scene.storage.completion_code(&id, "code").await.unwrap();
    let piece = piece(&id, 0, 0, u64::MAX / 4);
    assert!(scene.storage.store_piece(piece).await.unwrap());
    assert!(ask("b").await.unwrap().is_err(), "it takes the only slot");

    let erased = async || {
        scene
            .storage
            .erase(erase(&id, Ended::Completed, false))
            .await
    };
    assert!(erased().await.unwrap());
    assert!(!erased().await.unwrap(), "there is nothing any more");
    let other = &scene.other;
    assert!(other.session(&id).await.unwrap().is_none());
    assert!(other.arrival(&id).await.unwrap().is_none());
    assert_eq!(other.recorded(&id).await.unwrap(), Recorded::default());
    assert_eq!(scene.log(&id, Author::Participant).await, [0u64; 0]);
    assert!(!other.unverified().await.unwrap().contains(&id));
    let purpose = other.purpose(&id).await.unwrap();
    assert_eq!(purpose, Purpose::Participant, "as before");
    let erasure = other.erasure(&id).await.unwrap().unwrap();
    assert_eq!((&erasure.session, &erasure.study), (&id, &scene.study));
    assert_eq!(erasure.ended, Ended::Completed);
    assert_eq!(erasure.token, TokenHash::of("a"));
    assert_eq!(erasure.completion_code.as_deref(), Some("code"));
    assert_eq!(erasure.arrival, Some(arrival("prolific", "a")));
    assert_eq!(erasure.erased_at_unix_ms, 9);
    let mut snapshot = scene.snapshot().await;
    assert_eq!(snapshot.erasures().await.unwrap(), [erasure]);
    let line = scene.ledger().await.lines.pop().unwrap();
    assert!(line.erased && line.was_started() && line.session.is_none());
    assert!(ask("b").await.unwrap().is_ok(), "its slot is free");
}

pub async fn a_code_is_kept_of_an_erased_session_where_the_study_says_so(scene: Scene) {
    for keeps in [true, false] {
        let scene = scene.with_study(if keeps { "keeps" } else { "forgets" });
        let code = format!("{}-code", scene.study);
        let new = scene.assigned("a").await;
        let new = NewSession {
            session: StoredSession {
                participant_code: Some(code.clone()),
                ..new.session
            },
            ..new
        };
        let id = scene.create(new).await;
        let kept = async || {
            scene
                .other
                .erasure_keeps_code(&scene.study, &code)
                .await
                .unwrap()
        };
        assert!(!kept().await);
        let erased = scene
            .storage
            .erase(erase(&id, Ended::Withdrawn, keeps))
            .await;
        assert!(erased.unwrap());
        assert_eq!(kept().await, keeps);
        let studies = scene.other.studies_of_code(&code).await.unwrap();
        assert_eq!(studies.len(), usize::from(keeps), "{studies:?}");
    }
}

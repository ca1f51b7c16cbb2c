//! Logs: what is added to them, by whom, and how they are read.

use domain::recruitment::assignment::Purpose;
use domain::session::Phase;
use domain::session::event::{Author, Event};
use server::storage::{Append, StorageError};

use super::scene::{Scene, design, event};

const PAGE: Author = Author::Participant;

fn note(text: &str) -> Event {
    Event::NoteWritten {
        text: text.into(),
        mark: None,
        about_ms: None,
    }
}

pub async fn events_are_read_page_by_page_as_they_were_written(scene: Scene) {
    let id = scene.started("a").await;
    for from in [0, 60] {
        let append = Append {
            received_at_unix_ms: 7 + from,
            ..scene.append("a", from, 60)
        };
        scene.storage.append(append).await.unwrap();
    }
    let read = async |from: u64, limit: u32| {
        let events = scene.other.events(&id, PAGE, from, limit).await.unwrap();
        for stored in &events {
            assert_eq!(stored.author, PAGE);
            assert_eq!(stored.received_at_unix_ms, 7 + stored.seq / 60 * 60);
            let expected = event(&id, PAGE, stored.seq, Event::TutorialFinished);
            assert_eq!(stored.envelope().unwrap(), expected);
        }
        let numbers = events.iter().map(|event| event.seq);
        numbers.collect::<Vec<u64>>()
    };
    assert_eq!(read(0, 1_000).await, (0..120).collect::<Vec<u64>>());
    assert_eq!(read(58, 4).await, [58, 59, 60, 61]);
    assert_eq!(read(119, 4).await, [119]);
    assert_eq!(read(120, 4).await, [0u64; 0]);
    let stored = scene.other.session(&id).await.unwrap().unwrap();
    assert_eq!((stored.log_len, &*stored.phase), (120, "consent"));
}

pub async fn long_events_come_in_short_pages(scene: Scene) {
    let id = scene.started("a").await;
    let mut append = scene.append("a", 0, 3);
    for envelope in &mut append.events {
        envelope.event = note(&"x".repeat(300 * 1024));
    }
    scene.storage.append(append).await.unwrap();
    for from in 0..3 {
        let events = scene.other.events(&id, PAGE, from, 1_000).await.unwrap();
        assert_eq!((events.len(), events[0].seq), (1, from));
    }
}

pub async fn an_append_that_fails_takes_no_other_with_it(scene: Scene) {
    let (a, b) = (scene.started("a").await, scene.started("b").await);
    let (bad, good) = tokio::join!(
        scene.storage.append(scene.append("a", 1, 2)),
        scene.storage.append(scene.append("b", 0, 2))
    );
    assert!(
        matches!(bad, Err(StorageError::Stale { expected: 1, .. })),
        "{bad:?}"
    );
    good.unwrap();
    assert_eq!(scene.log(&a, PAGE).await, [0u64; 0]);
    assert_eq!(scene.log(&b, PAGE).await, [0, 1]);
}

pub async fn of_two_connections_one_adds_an_event_and_the_other_is_told(scene: Scene) {
    let id = scene.started("a").await;
    for seq in 0..10 {
        let (one, two) = tokio::join!(
            scene.storage.append(scene.append("a", seq, 1)),
            scene.other.append(scene.append("a", seq, 1))
        );
        assert_ne!(one.is_ok(), two.is_ok(), "{one:?} {two:?}");
        let told = one.and(two).unwrap_err();
        assert!(matches!(told, StorageError::Stale { .. }), "{told:?}");
    }
    assert_eq!(scene.log(&id, PAGE).await, (0..10).collect::<Vec<u64>>());
}

pub async fn authors_have_logs_of_their_own(scene: Scene) {
    let id = scene.started("a").await;
    scene.storage.append(scene.append("a", 0, 2)).await.unwrap();
    let own = |author: Author, seq: u64, known: u64| {
        let own = event(&id, author, seq, note("n"));
        scene.storage.append_own(own, known, 5, None)
    };
    own(Author::Server, 0, 2).await.unwrap();
    own(Author::Experimenter, 0, 3).await.unwrap();
    own(Author::Server, 1, 4).await.unwrap();
    // Whoever adds must have seen what all others wrote.
    for known in [4, 6] {
        let told = own(Author::Server, 2, known).await;
        assert!(matches!(told, Err(StorageError::Stale { .. })), "{told:?}");
        let page = Append {
            own_len: known - 2,
            ..scene.append("a", 2, 1)
        };
        let told = scene.storage.append(page).await;
        assert!(matches!(told, Err(StorageError::Stale { .. })), "{told:?}");
    }
    assert_eq!(scene.log(&id, PAGE).await, [0, 1]);
    assert_eq!(scene.log(&id, Author::Server).await, [0, 1]);
    assert_eq!(scene.log(&id, Author::Experimenter).await, [0]);
    let stored = scene.other.session(&id).await.unwrap().unwrap();
    assert_eq!(stored.log_len, 2, "that of the page");
    let asked = [id.clone(), scene.id("nobody")];
    let versions = scene.other.versions(&asked).await.unwrap();
    assert_eq!(versions.len(), 1);
    assert_eq!(versions[&id].events(), 5);
    assert_eq!(versions[&id].token, stored.token);
}

pub async fn many_at_once_are_all_stored_when_they_are_answered(scene: Scene) {
    const SESSIONS: u64 = 40;
    let mut ids = Vec::new();
    for n in 0..SESSIONS {
        ids.push(scene.started(&format!("a{n}")).await);
    }
    let asked = (0..SESSIONS).map(|n| {
        let append = scene.append(&format!("a{n}"), n % 3, n + 1);
        let asked = scene.storage.append(append);
        async move { (n, asked.await) }
    });
    for (n, answer) in futures_util::future::join_all(asked).await {
        let id = &ids[usize::try_from(n).unwrap()];
        let found = scene.log(id, PAGE).await.len() as u64;
        // Every third begins where its log ends.
        assert_eq!(answer.is_ok(), n % 3 == 0, "{n}: {answer:?}");
        assert_eq!(found, if n % 3 == 0 { n + 1 } else { 0 });
    }
}

pub async fn who_has_ended_is_verified_once(scene: Scene) {
    let waiting = async |attempt: &str| {
        let waiting = scene.other.unverified().await.unwrap();
        waiting.contains(&scene.id(attempt))
    };
    let design = design(1, 1_000);
    for (attempt, purpose, phase, is_verified) in [
        ("done", Purpose::Participant, Phase::Complete, true),
        ("pilot", Purpose::Pilot, Phase::Withdrawn, true),
        ("declined", Purpose::Participant, Phase::Declined, false),
        ("simulated", Purpose::Simulated, Phase::Complete, false),
    ] {
        let new = scene.assigned_for(attempt, purpose).await;
        scene.create(new).await;
        assert!(!waiting(attempt).await);
        let mut ended = scene.completion(&design, attempt, true, 1);
        ended.phase = phase;
        if phase != Phase::Complete {
            ended.inclusion = None;
        }
        scene.storage.append(ended).await.unwrap();
        assert_eq!(waiting(attempt).await, is_verified, "{attempt}");
    }
    let id = scene.id("done");
    let verified = Event::Verified {
        redial: "1".into(),
        decoded: 0,
        contradictions: 0,
        first: None,
    };
    let verified = event(&id, Author::Server, 0, verified);
    scene
        .storage
        .append_own(verified, 1, 9, None)
        .await
        .unwrap();
    assert!(!waiting("done").await);
    // What is logged after the end asks for nothing again.
    let more = Append {
        phase: Phase::Complete,
        own_len: 1,
        ..scene.append("done", 1, 1)
    };
    scene.storage.append(more).await.unwrap();
    assert!(!waiting("done").await);
    let line = scene.ledger().await.lines.remove(0);
    assert_eq!(line.completed_at_unix_ms, Some(1));
}

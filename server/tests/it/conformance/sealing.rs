//! Logs of sessions that have ended take less room, and are what they were.

use domain::recruitment::platform::Ended;
use domain::session::Phase;
use domain::session::event::{Author, Envelope, Event, SessionId};
use server::storage::{Append, SessionMark, StoredEvent, TextDeletion};

use super::scene::{MINUTE_MS, Scene, erase, event};

const PAGE: Author = Author::Participant;

fn note(text: &str) -> Event {
    Event::NoteWritten {
        text: text.into(),
        mark: None,
        about_ms: None,
    }
}

/// Everything in the logs of a session, read by pages of this many events.
async fn logs(scene: &Scene, id: &SessionId, page: u32) -> Vec<StoredEvent> {
    let mut all = Vec::new();
    for author in Author::ALL {
        let mut next = 0;
        loop {
            let events = scene.other.events(id, author, next, page).await.unwrap();
            let Some(last) = events.last() else { break };
            next = last.seq + 1;
            all.extend(events);
        }
    }
    all
}

async fn marks(scene: &Scene) -> Vec<(u64, SessionMark)> {
    scene.snapshot().await.marks().await.unwrap()
}

async fn is_due(scene: &Scene, id: &SessionId, now_unix_ms: u64) -> bool {
    let due = scene.other.logs_to_seal(now_unix_ms).await.unwrap();
    due.contains(id)
}

/// A session that somebody left after many events, a few of them long, and that the server and an experimenter
/// have written to.
async fn left(scene: &Scene, attempt: &str, events: u64) -> SessionId {
    let id = scene.started(attempt).await;
    for from in (0..events).step_by(100) {
        let mut append = Append {
            received_at_unix_ms: 100 + from,
            ..scene.append(attempt, from, 100.min(events - from))
        };
        append.events[0].event = note(&format!("{from} é ").repeat(500));
        scene.storage.append(append).await.unwrap();
    }
    for (known, author) in [Author::Server, Author::Experimenter]
        .into_iter()
        .enumerate()
    {
        let own = event(&id, author, 0, note("own"));
        let known = events + known as u64;
        scene.storage.append_own(own, known, 7, None).await.unwrap();
    }
    let end = Append {
        own_len: 2,
        received_at_unix_ms: 1_000,
        phase: Phase::Withdrawn,
        ..scene.append(attempt, events, 1)
    };
    scene.storage.append(end).await.unwrap();
    id
}

pub async fn sealed_logs_are_read_and_go_on_as_before(scene: Scene) {
    let due_at = 1_000 + 60 * MINUTE_MS;
    let id = left(&scene, "a", 2_500).await;
    let other = scene.started("b").await;
    let (before, marked) = (logs(&scene, &id, 1_000).await, marks(&scene).await);
    assert_eq!(before.len(), 2_503);
    assert!(!is_due(&scene, &id, due_at - 1).await);
    assert!(is_due(&scene, &id, due_at).await);
    assert!(!is_due(&scene, &other, u64::MAX / 4).await, "it goes on");
    // Whoever reads meanwhile sees no difference either.
    let (sealed, ()) = tokio::join!(scene.storage.seal_logs(&id, due_at), async {
        for page in [7, 300, 2_000] {
            assert_eq!(logs(&scene, &id, page).await, before);
        }
    });
    sealed.unwrap();
    assert!(!is_due(&scene, &id, u64::MAX / 4).await);
    for page in [7, 300, 1_000, 5_000] {
        assert_eq!(logs(&scene, &id, page).await, before);
    }
    for from in [0, 1, 999, 1_000, 1_001, 2_499, 2_500, 2_501, 9_000] {
        let found = scene.other.events(&id, PAGE, from, 3).await.unwrap();
        let expected = before
            .iter()
            .filter(|it| it.author == PAGE && it.seq >= from);
        let expected: Vec<&StoredEvent> = expected.take(found.len().max(1)).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "from {from}");
    }
    assert_eq!(marks(&scene).await, marked, "nothing was changed");

    // What comes later follows, and is sealed in its turn.
    let own = event(&id, Author::Server, 1, note("later"));
    scene.storage.append_own(own, 2_503, 8, None).await.unwrap();
    assert!(!is_due(&scene, &id, u64::MAX / 4).await);
    let more = Append {
        own_len: 3,
        received_at_unix_ms: due_at,
        phase: Phase::Withdrawn,
        ..scene.append("a", 2_501, 2)
    };
    scene.storage.append(more).await.unwrap();
    let (longer, marked) = (logs(&scene, &id, 1_000).await, marks(&scene).await);
    assert_eq!(longer.len(), 2_506);
    let again_at = due_at + 60 * MINUTE_MS;
    assert!(!is_due(&scene, &id, again_at - 1).await && is_due(&scene, &id, again_at).await);
    scene.storage.seal_logs(&id, again_at).await.unwrap();
    assert!(!is_due(&scene, &id, again_at).await);
    assert_eq!(logs(&scene, &id, 1_000).await, longer);
    assert_eq!(marks(&scene).await, marked);
}

pub async fn of_two_who_seal_a_log_each_event_is_moved_once(scene: Scene) {
    let due_at = 1_000 + 60 * MINUTE_MS;
    let id = left(&scene, "a", 3_000).await;
    let before = logs(&scene, &id, 1_000).await;
    let (one, two) = tokio::join!(
        scene.storage.seal_logs(&id, due_at),
        scene.other.seal_logs(&id, due_at)
    );
    one.unwrap();
    two.unwrap();
    assert_eq!(logs(&scene, &id, 1_000).await, before);
    scene.storage.seal_logs(&id, due_at).await.unwrap();
    assert_eq!(logs(&scene, &id, 1_000).await, before);
    assert!(!is_due(&scene, &id, due_at).await);
}

pub async fn typed_texts_are_deleted_in_sealed_logs_too(scene: Scene) {
    let id = left(&scene, "a", 1_500).await;
    scene.storage.seal_logs(&id, u64::MAX / 4).await.unwrap();
    // Two in one piece, one in the next, one of another author, and one in a row of its own.
    let own = event(&id, Author::Server, 1, note("later"));
    scene.storage.append_own(own, 1_503, 8, None).await.unwrap();
    let mut expected = logs(&scene, &id, 1_000).await;
    let without = |author, seq| event(&id, author, seq, note(""));
    let events: Vec<Envelope> = vec![
        without(Author::Server, 1),
        without(PAGE, 1_400),
        without(PAGE, 100),
        without(PAGE, 300),
        without(Author::Experimenter, 0),
    ];
    let deletion = TextDeletion {
        session: id.clone(),
        events: events.clone(),
        again_at_unix_ms: None,
    };
    scene.storage.delete_texts(deletion).await.unwrap();
    for event in &events {
        let is_it = |it: &&mut StoredEvent| it.author == event.author && it.seq == event.seq;
        let old = expected.iter_mut().find(is_it).unwrap();
        assert_ne!(old.envelope().unwrap(), *event);
        old.json = serde_json::to_string(event).unwrap();
    }
    assert_eq!(logs(&scene, &id, 1_000).await, expected);
}

pub async fn a_session_with_sealed_logs_is_erased(scene: Scene) {
    let id = left(&scene, "a", 1_500).await;
    scene.storage.seal_logs(&id, u64::MAX / 4).await.unwrap();
    assert!(
        scene
            .storage
            .erase(erase(&id, Ended::Withdrawn, false))
            .await
            .unwrap()
    );
    assert_eq!(logs(&scene, &id, 1_000).await, []);
    // There is nothing left to be sealed.
    scene.storage.seal_logs(&id, u64::MAX / 4).await.unwrap();
    // One that is made again has ended long ago.
    let mut ended = scene.assigned("b").await;
    ended.session.phase = Phase::Withdrawn.name().to_owned();
    let id = scene.create(ended).await;
    assert!(is_due(&scene, &id, MINUTE_MS).await);
}

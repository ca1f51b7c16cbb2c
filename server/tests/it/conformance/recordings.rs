//! Voices and typed words, and the day on which they are deleted.

use domain::session::event::{Author, Event, SessionId};
use server::storage::{
    Blob, NewPiece, NewSession, Recorded, StorageError, TextDeletion, Transcript,
};

use super::scene::{Scene, event};

/// What nobody else has recorded.
fn sound(session: &SessionId, recording: u32, piece: u32) -> Blob {
    Blob::of(format!("{session} {recording}.{piece}").into_bytes())
}

pub fn piece(session: &SessionId, recording: u32, piece: u32, delete_at_unix_ms: u64) -> NewPiece {
    NewPiece {
        session: session.clone(),
        recording,
        piece,
        blob: sound(session, recording, piece),
        received_at_unix_ms: 1,
        delete_at_unix_ms,
    }
}

pub async fn pieces_of_sound_are_stored_once_and_deleted_on_their_day(scene: Scene) {
    let id = scene.started("a").await;
    let storage = &scene.storage;
    for (recording, number, day) in [(0, 0, 100), (0, 1, 100), (1, 0, u64::MAX / 4)] {
        let new = piece(&id, recording, number, day);
        assert!(storage.store_piece(new.clone()).await.unwrap());
        assert!(!storage.store_piece(new.clone()).await.unwrap());
        let another = NewPiece {
            blob: Blob::of(*b"another"),
            ..new
        };
        let told = storage.store_piece(another).await;
        assert!(matches!(told, Err(StorageError::Rejected(_))), "{told:?}");
    }
    let recorded = async || scene.other.recorded(&id).await.unwrap();
    let (first, last) = (sound(&id, 0, 1), sound(&id, 1, 0));
    let all = Recorded {
        pieces: 3,
        bytes: 3 * first.bytes().len() as u64,
    };
    assert_eq!(recorded().await, all);
    let mut snapshot = scene.snapshot().await;
    let pieces = snapshot.pieces(&id).await.unwrap();
    let names: Vec<&str> = pieces.iter().map(|piece| &*piece.sha256).collect();
    assert_eq!(names[1..], [first.sha256(), last.sha256()]);
    assert_eq!(pieces[1].length, first.bytes().len() as u64);
    let bytes = snapshot.piece(&id, 0, 1).await.unwrap();
    assert_eq!(bytes.as_deref(), Some(&**first.bytes()));
    assert_eq!(snapshot.piece(&id, 2, 0).await.unwrap(), None);
    drop(snapshot);
    assert_eq!(storage.delete_due_pieces(99).await.unwrap(), 0);
    assert_eq!(storage.delete_due_pieces(100).await.unwrap(), 2);
    assert_eq!(recorded().await.pieces, 1);
    let blobs = scene.other.blobs();
    assert!(!blobs.has(first.sha256()).await.unwrap());
    assert!(blobs.has(last.sha256()).await.unwrap());
}

pub async fn a_transcript_belongs_to_a_recording_and_goes_with_it(scene: Scene) {
    let id = scene.started("a").await;
    let store = async |webvtt: &str| {
        let transcript = Transcript {
            recording: 0,
            webvtt: webvtt.into(),
        };
        let stored = scene.storage.store_transcript(&id, transcript, 1).await;
        stored.unwrap()
    };
    assert!(!store("WEBVTT").await, "there is no such recording");
    for number in 0..2 {
        let new = piece(&id, 0, number, 200);
        assert!(scene.storage.store_piece(new).await.unwrap());
    }
    assert!(store("WEBVTT one").await && store("WEBVTT two").await);
    let transcripts = async || scene.snapshot().await.transcripts(&id).await.unwrap();
    let found = transcripts().await;
    assert_eq!((found.len(), &*found[0].webvtt), (1, "WEBVTT two"));
    scene.storage.delete_due_pieces(200).await.unwrap();
    assert!(transcripts().await.is_empty());
}

pub async fn typed_texts_are_deleted_on_their_day(scene: Scene) {
    let new = NewSession {
        delete_text_at_unix_ms: Some(50),
        ..scene.assigned("a").await
    };
    let id = scene.create(new).await;
    scene.started("never").await;
    let note = |text: &str| Event::NoteWritten {
        text: text.into(),
        mark: None,
        about_ms: None,
    };
    let mut append = scene.append("a", 0, 2);
    append.events[1].event = note("secret");
    scene.storage.append(append).await.unwrap();
    let due = async |now: u64| {
        let due = scene.other.texts_due(now).await.unwrap();
        assert!(!due.contains(&scene.id("never")));
        due.contains(&id)
    };
    assert!(!due(49).await && due(50).await);
    let without = event(&id, Author::Participant, 1, note(""));
    let deletion = TextDeletion {
        session: id.clone(),
        events: vec![without.clone()],
        again_at_unix_ms: Some(70),
    };
    scene.storage.delete_texts(deletion.clone()).await.unwrap();
    let events = scene
        .other
        .events(&id, Author::Participant, 0, 9)
        .await
        .unwrap();
    assert_eq!(events.len(), 2);
    assert_eq!(events[1].envelope().unwrap(), without);
    assert!(!due(69).await && due(70).await);
    let last = TextDeletion {
        events: Vec::new(),
        again_at_unix_ms: None,
        ..deletion
    };
    scene.storage.delete_texts(last).await.unwrap();
    assert!(!due(u64::MAX / 4).await);
}

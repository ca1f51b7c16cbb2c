//! Blobs: every store does the same, and rows say which are kept.

use domain::recruitment::platform::Ended;
use domain::session::event::SessionId;
use server::storage::{Blob, BlobStore, Erase, NewPiece, StorageError};

use super::scene::Scene;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// When blobs are stored here: with any store, time is what we say.
const NOW_MS: u64 = 1_900_000_000_000;

/// What every store of blobs has to do; `other` is the same store as another server has it. Names begin with
/// `name`.
pub async fn contract(store: &dyn BlobStore, other: &dyn BlobStore, name: &str) {
    let blob = |what: &str| Blob::of(format!("{name} {what}").into_bytes());
    let (first, second, large) = (
        blob("first"),
        blob("second"),
        Blob::of(name.repeat(400_000).into_bytes()),
    );
    assert!(!other.has(first.sha256()).await.unwrap());
    assert_eq!(other.get(first.sha256()).await.unwrap(), None);
    for blob in [&first, &second, &first, &large] {
        store.put(blob, NOW_MS).await.unwrap();
        assert!(other.has(blob.sha256()).await.unwrap());
        let found = other.get(blob.sha256()).await.unwrap();
        assert!(found.as_deref() == Some(&**blob.bytes()));
    }

    let is_listed = async |blob: &Blob, before_ms: u64| {
        let listed = other.list(before_ms).await.unwrap();
        listed.iter().any(|sha256| sha256 == blob.sha256())
    };
    assert!(!is_listed(&first, NOW_MS).await);
    assert!(is_listed(&first, NOW_MS + 1).await && is_listed(&large, NOW_MS + 1).await);
    store.put(&first, NOW_MS + DAY_MS).await.unwrap();
    assert!(!is_listed(&first, NOW_MS + DAY_MS).await, "stored anew");

    let both = [&first, &second].map(|blob| blob.sha256().to_owned());
    other.delete(&both, NOW_MS + DAY_MS).await.unwrap();
    assert!(store.has(first.sha256()).await.unwrap(), "stored since");
    assert!(!store.has(second.sha256()).await.unwrap());
    other.delete(&both, u64::MAX).await.unwrap();
    assert_eq!(store.get(first.sha256()).await.unwrap(), None);
    assert!(store.has(large.sha256()).await.unwrap());
    store.put(&second, NOW_MS).await.unwrap();
    assert!(other.has(second.sha256()).await.unwrap(), "it comes back");
}

pub async fn a_store_keeps_what_it_is_given_until_it_is_deleted(scene: Scene) {
    let (store, other) = (scene.storage.blobs(), scene.other.blobs());
    contract(&*store, &*other, &scene.study).await;
    scene.storage.close().await;
    let told = store.put(&Blob::of(*b"late"), NOW_MS).await;
    assert!(matches!(told, Err(StorageError::Closed)), "{told:?}");
}

fn piece_of(session: &SessionId, blob: &Blob) -> NewPiece {
    NewPiece {
        session: session.clone(),
        recording: 0,
        piece: 0,
        blob: blob.clone(),
        received_at_unix_ms: NOW_MS,
        delete_at_unix_ms: u64::MAX / 4,
    }
}

pub async fn what_no_row_names_is_deleted_after_a_day(scene: Scene) {
    let blob = |what: &str| Blob::of(format!("{} {what}", scene.study).into_bytes());
    let (named, unnamed) = (blob("named"), blob("unnamed"));
    let id = scene.started("a").await;
    let new = piece_of(&id, &named);
    assert!(scene.storage.store_piece(new).await.unwrap());
    let store = scene.other.blobs();
    store.put(&unnamed, NOW_MS).await.unwrap();
    let delete = async |now_ms: u64| scene.storage.delete_unnamed_blobs(now_ms).await.unwrap();
    delete(NOW_MS + DAY_MS).await;
    assert!(store.has(unnamed.sha256()).await.unwrap(), "not yet");
    assert!(delete(NOW_MS + DAY_MS + 1).await > 0);
    assert!(!store.has(unnamed.sha256()).await.unwrap());
    assert!(store.has(named.sha256()).await.unwrap());
    assert_eq!(delete(NOW_MS + 2 * DAY_MS).await, 0);
}

pub async fn sound_of_an_erased_session_goes_unless_another_has_the_same(scene: Scene) {
    let blob = Blob::of(format!("{} same", scene.study).into_bytes());
    let ids = [scene.started("a").await, scene.started("b").await];
    for id in &ids {
        assert!(
            scene
                .storage
                .store_piece(piece_of(id, &blob))
                .await
                .unwrap()
        );
    }
    let store = scene.other.blobs();
    for (id, is_kept) in ids.iter().zip([true, false]) {
        let erase = Erase {
            session: id.clone(),
            ended: Ended::Completed,
            keeps_code: false,
            erased_at_unix_ms: NOW_MS,
        };
        assert!(scene.storage.erase(erase).await.unwrap());
        assert_eq!(store.has(blob.sha256()).await.unwrap(), is_kept);
    }
}

//! Blobs: every store does the same, and rows say which are kept.

use domain::recruitment::platform::Ended;
use domain::session::event::SessionId;
use server::storage::{Blob, Erase, NewPiece};

use super::scene::Scene;
use crate::blobs::{Clock, DAY_MS, NOW_MS, contract};

pub async fn a_store_keeps_what_it_is_given_until_it_is_deleted(scene: Scene) {
    let (store, other) = (scene.storage.blobs(), scene.other.blobs());
    contract(&*store, &*other, Clock::Ours, &scene.study).await;
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

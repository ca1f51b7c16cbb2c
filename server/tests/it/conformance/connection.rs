//! A connection that works, and one that is closed.

use server::storage::{Append, StorageError, WriteHealth};

use super::scene::Scene;

pub async fn a_database_that_works_says_so_and_a_closed_one_does_nothing(scene: Scene) {
    let id = scene.started("a").await;
    scene.storage.check().await.unwrap();
    assert_eq!(*scene.storage.write_health().borrow(), WriteHealth::Good);
    scene.storage.close().await;
    let closed = [
        scene.storage.check().await,
        scene.storage.session(&id).await.map(|_| ()),
        scene.storage.append(scene.append("a", 0, 1)).await,
    ];
    for told in closed {
        assert!(matches!(told, Err(StorageError::Closed)), "{told:?}");
    }
    // The other connection goes on.
    let append = Append {
        received_at_unix_ms: 2,
        ..scene.append("a", 0, 1)
    };
    scene.other.append(append).await.unwrap();
}

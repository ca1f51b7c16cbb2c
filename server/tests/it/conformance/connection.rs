//! What several servers share, a connection that works, and one that is closed.

use server::storage::{Append, DutyClaim, StorageError, WriteHealth};

use super::scene::Scene;

pub async fn a_duty_is_one_server_s_until_its_lease_ends(scene: Scene) {
    let claim = async |holder: &str, now_unix_ms: u64, until_unix_ms: u64| {
        let claim = DutyClaim {
            duty: scene.study.clone(),
            holder: holder.into(),
            now_unix_ms,
            until_unix_ms,
            longest_ms: 60,
        };
        let storage = if holder == "one" {
            &scene.storage
        } else {
            &scene.other
        };
        storage.claim_duty(claim).await.unwrap()
    };
    assert!(claim("one", 1_000, 1_060).await);
    assert!(!claim("two", 1_059, 1_119).await);
    assert!(claim("one", 1_030, 1_090).await, "claimed again");
    assert!(!claim("two", 1_060, 1_120).await);
    assert!(claim("two", 1_090, 1_150).await, "the lease has ended");
    assert!(!claim("one", 1_100, 1_160).await);
    assert!(claim("two", 1_100, 1_100).await, "it is given back");
    assert!(claim("one", 1_100, 1_160).await);
    assert!(claim("two", 500, 560).await, "the clock was set back");
}

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

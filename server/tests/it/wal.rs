//! The log of changes beside the database.

use server::storage::{self, Storage, StoredInstance};

use std::time::Duration;

/// What the log shrinks to, in bytes.
const LIMIT: u64 = 8 * 1024 * 1024;
/// Bytes of each instance stored.
const SIZE: usize = 256 * 1024;

async fn store(storage: &dyn Storage, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let instance = StoredInstance {
            sha256: format!("{number:064x}"),
            bytes: vec![7; SIZE].into(),
        };
        storage.store_instances(vec![instance]).await.unwrap();
    }
}

#[tokio::test]
async fn what_a_long_export_has_let_grow_shrinks_again() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/test.db", folder.path().display());
    let storage = storage::open(&url).await.unwrap();
    let size = || folder.path().join("test.db-wal").metadata().unwrap().len();
    store(&*storage, 0..1).await;

    let snapshot = storage.study_snapshot("s").await.unwrap();
    store(&*storage, 1..101).await;
    let grown = size();
    assert!(grown > 100 * SIZE as u64, "{grown}");
    drop(snapshot);

    // The snapshot ends in the background, on a busy machine some writes later.
    let mut shrunk = grown;
    for number in 101..1000 {
        store(&*storage, number..number + 1).await;
        shrunk = size();
        if shrunk <= LIMIT {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(shrunk <= LIMIT, "{shrunk} bytes after {grown}");
    storage.close().await;
}

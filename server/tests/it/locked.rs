//! Another process holds the database's write lock.

use std::time::{Duration, Instant};

use domain::session::event::SessionId;
use server::storage::{self, StorageError, WriteHealth};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

const BUSY_TIMEOUT: Duration = Duration::from_millis(400);
const JOBS: usize = 20;

#[tokio::test]
async fn a_lock_delays_what_waits_once_not_once_for_each() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.db");
    let url = format!("sqlite://{}", file.display());
    let storage = storage::open_with(&url, BUSY_TIMEOUT).await.unwrap();
    let mut other = SqliteConnectOptions::new()
        .filename(&file)
        .connect()
        .await
        .unwrap();
    let lock = other.begin_with("BEGIN IMMEDIATE").await.unwrap();

    let begun = Instant::now();
    let nobody = SessionId("0".repeat(32));
    // The first goes alone; the others wait for it and share one attempt.
    let jobs = (0..JOBS).map(|_| storage.completion_code(&nobody, "x"));
    let answers = futures_util::future::join_all(jobs).await;
    let took = begun.elapsed();
    for answer in answers {
        assert!(matches!(answer, Err(StorageError::Locked)), "{answer:?}");
    }
    assert!(
        took < 4 * BUSY_TIMEOUT,
        "{JOBS} jobs waited {took:?} for a lock that one may wait {BUSY_TIMEOUT:?} for"
    );
    assert_eq!(*storage.write_health().borrow(), WriteHealth::Locked);

    lock.rollback().await.unwrap();
    storage.check().await.unwrap();
    assert_eq!(*storage.write_health().borrow(), WriteHealth::Good);
}

//! Copies that break off, and the next one that goes on.

use std::sync::atomic::{AtomicU64, Ordering};

use cluster::cluster;
use server::storage::{self, CopyError, Copying};

use super::every_kind::{self, TABLES, change};
use super::rows_of;
use crate::app::App;

async fn holds_the_same(file: &std::path::Path, source: &App) {
    for table in TABLES {
        let rows = rows_of(&source.file(), table).await;
        assert!(!rows.is_empty(), "{table}");
        assert_eq!(rows_of(file, table).await, rows, "{table}");
    }
}

/// Copies, and loses every connection to the target once so many rows are read.
async fn copy_until(from: &str, to: &str, most: u64) -> CopyError {
    let name = to.rsplit('/').next().unwrap();
    let cut = |rows| {
        if rows >= most {
            let cut = format!(
                "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{name}'"
            );
            cluster().sql("postgres", &cut).unwrap();
        }
    };
    let broken = storage::copy(from, to, Copying::default(), &cut)
        .await
        .unwrap_err();
    assert!(
        broken.to_string().contains("The same command goes on"),
        "{broken}"
    );
    broken
}

#[tokio::test]
async fn a_copy_that_lost_its_connections_goes_on_and_takes_what_has_changed() {
    let source = every_kind::database().await;
    let (url, server) = (source.url(), cluster().database());
    let name = server.rsplit('/').next().unwrap();
    let count = |table: &str| {
        let count = cluster().sql(name, &format!("SELECT COUNT(*) FROM {table}"));
        count.unwrap().parse::<u64>().unwrap()
    };
    let sessions = rows_of(&source.file(), "sessions").await.len() as u64;

    copy_until(&url, &server, 8).await;
    assert!(count("study_versions") > 0, "what was written is there");
    assert_eq!(count("events"), 0);
    // Nothing else opens it.
    for refused in [
        storage::open(&server).await.err().unwrap(),
        storage::open_archive(&server).await.err().unwrap(),
        storage::inspect(&server).await.err().unwrap(),
    ] {
        let refused = refused.to_string();
        assert!(
            refused.contains("has not ended: go on with it"),
            "{refused}"
        );
    }
    // Nor is it written from elsewhere, or with a part.
    let other = every_kind::database().await;
    for (from, study) in [(other.url(), None), (url.clone(), Some("small"))] {
        let refused = storage::copy(
            &from,
            &server,
            Copying {
                study,
                ..Copying::default()
            },
            &|_| {},
        )
        .await;
        assert!(matches!(refused, Err(CopyError::Another)), "{refused:?}");
    }

    // The source goes on: somebody adds, changes and goes.
    let before = source.setup.clone();
    let source = source.restart_with(before).await;
    let more = source.start("0000000000000009").await;
    source.append_all(&more).await;
    source.state.storage.close().await;
    let whole = storage::copy(&url, &cluster().database(), Copying::default(), &|_| {})
        .await
        .unwrap();
    copy_until(&url, &server, whole - 3).await;
    assert_eq!(count("sessions"), sessions + 1);
    assert!(count("events") > 0);

    let source = source.restart().await;
    assert!(source.erase(&more).await.status.is_success());
    source.state.storage.close().await;
    change(
        &source.file(),
        &[
            "UPDATE credits SET answer = 'another', attempts = 2".to_owned(),
            "UPDATE recording_pieces SET length = 1 WHERE piece = 1".to_owned(),
            "DELETE FROM transcripts".to_owned(),
            "INSERT INTO transcripts SELECT session, 4, 'WEBVTT', 7, 8 FROM recording_pieces LIMIT 1"
                .to_owned(),
        ],
    )
    .await;
    let ahead = Copying {
        is_ahead: true,
        ..Copying::default()
    };
    let rows = storage::copy(&url, &server, ahead, &|_| {}).await.unwrap();
    assert!(
        storage::open(&server).await.is_err(),
        "it does not count yet"
    );
    change(
        &source.file(),
        &["UPDATE credits SET attempts = 3".to_owned()],
    )
    .await;
    let again = storage::copy(&url, &server, Copying::default(), &|_| {}).await;
    assert_eq!(again.unwrap(), rows);
    let left = cluster().sql(name, "SELECT COUNT(*) FROM copies").unwrap();
    assert_eq!(left, "0", "it has ended");

    // And back, broken off where it happens to be: the file is left as a killed process leaves it.
    let folder = tempfile::tempdir().unwrap();
    let back = storage::url_of(&folder.path().join("back.db"));
    let stop = tokio::sync::Notify::new();
    let seen = AtomicU64::new(0);
    let tell = |now: u64| {
        seen.store(now, Ordering::Relaxed);
        if now > rows / 2 {
            stop.notify_one();
        }
    };
    let broken = tokio::select! {
        done = storage::copy(&server, &back, Copying::default(), &tell) => Some(done),
        () = stop.notified() => None,
    };
    assert!(broken.is_none() && seen.load(Ordering::Relaxed) < rows);
    let refused = storage::open(&back).await.err().unwrap().to_string();
    assert!(
        refused.contains("back.db that began on") && refused.contains("has not ended"),
        "{refused}"
    );
    let again = storage::copy(&server, &back, Copying::default(), &|_| {})
        .await
        .unwrap();
    assert_eq!(again, rows);
    holds_the_same(&folder.path().join("back.db"), &source).await;
    let whole = storage::copy(&server, &back, Copying::default(), &|_| {})
        .await
        .unwrap_err();
    assert!(
        matches!(whole, CopyError::NotEmpty("study_versions")),
        "{whole}"
    );
}

//! A backup of a database that several servers write to meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use api::ErrorCode;
use cluster::cluster;
use server::database;
use server::erasure_keeper::ErasureKeeper;
use server::storage::{self, BlobPlace, Copying};

use super::{Nodes, is_whole, take_part};
use crate::app::{App, Setup};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_under_load_has_what_was_acknowledged_before_and_nothing_that_was_erased_since() {
    let url = cluster().database();
    let nodes = Arc::new(Nodes::at(&vec![url.clone(); 2], &Setup::default()).await);
    let mut before = Vec::new();
    for who in 0..4 {
        before.push(take_part(nodes.clone(), who).await);
    }
    let over = Arc::new(AtomicBool::new(false));
    let places = (1..5).map(|place| {
        let (nodes, over) = (nodes.clone(), over.clone());
        tokio::spawn(async move {
            let mut people = 0;
            while !over.load(Ordering::Relaxed) {
                take_part(nodes.clone(), 1_000 * place + people).await;
                people += 1;
            }
            people
        })
    });
    let places: Vec<_> = places.collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("backup.db");
    let report = database::backup(&url, &file).await.unwrap();
    over.store(true, Ordering::Relaxed);
    let meanwhile = futures_util::future::join_all(places).await;
    let meanwhile: u64 = meanwhile.into_iter().map(Result::unwrap).sum();
    assert_eq!(report.problems, []);
    assert!(report.sessions >= 4 && meanwhile >= 4, "{meanwhile}");
    // Erased after the backup, and listed where no backup of the database is put back.
    let erased = before.pop().unwrap();
    assert!(nodes.0[1].erase(&erased).await.status.is_success());
    let (own, place) = (folder.path().join("own"), folder.path().join("blobs"));
    let place = BlobPlace::Folder(place);
    let keeper = |app: &App| {
        let storage = app.state.storage.clone();
        ErasureKeeper::new(storage, &own, &place).unwrap()
    };
    assert_eq!(keeper(&nodes.0[0]).catch_up().await.unwrap(), 0);

    let empty = cluster().database();
    storage::copy(&storage::url_of(&file), &empty, Copying::default(), &|_| {})
        .await
        .unwrap();
    let back = App::at(&empty, Setup::default()).await;
    assert_eq!(keeper(&back).catch_up().await.unwrap(), 1);
    back.read(&erased).await.refused(ErrorCode::Erased);
    for started in &before {
        is_whole(&back, started).await;
    }
    let report = database::check(&empty).await.unwrap();
    assert_eq!(report.problems, []);
    // Whoever was under way goes on.
    take_part(Arc::new(Nodes(vec![back])), 9_000).await;
}

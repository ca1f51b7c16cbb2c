//! Servers that reach their database by way of PgBouncer, which gives each transaction another connection.

use std::sync::Arc;

use cluster::cluster;
use server::database;
use server::storage::{self, Copying};

use super::{Nodes, is_whole, take_part};
use crate::app::Setup;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_behind_a_pool_of_connections_lead_everybody_to_their_end() {
    let direct = cluster().database();
    let bouncer = cluster().bouncer();
    let url = bouncer.address(&direct);
    // Both make the tables: one of them waits for the other.
    let (first, second) = tokio::join!(storage::open(&url), storage::open(&url));
    for made in [first, second] {
        made.unwrap().close().await;
    }
    let nodes = Arc::new(Nodes::at(&[url.clone(), url.clone()], &Setup::default()).await);
    let people = (0..16).map(|who| tokio::spawn(take_part(nodes.clone(), who)));
    for started in futures_util::future::join_all(people).await {
        let started = started.unwrap();
        is_whole(&nodes.0[0], &started).await;
        let sealed = nodes.0[1]
            .state
            .storage
            .seal_logs(&started.plan.session, u64::MAX >> 1);
        sealed.await.unwrap();
        is_whole(&nodes.0[0], &started).await;
    }
    nodes.0[1].export().await;
    // Commands go the same way.
    let report = database::check(&url).await.unwrap();
    assert_eq!(
        (report.sessions, report.problems.len()),
        (16, 0),
        "{:?}",
        report.problems
    );
    assert!(database::vacuum(&url).await.unwrap().after > 0);
    let other = bouncer.address(&cluster().database());
    let there = storage::copy(&url, &other, Copying::default(), &|_| {})
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let back = storage::url_of(&folder.path().join("back.db"));
    assert_eq!(
        storage::copy(&other, &back, Copying::default(), &|_| {})
            .await
            .unwrap(),
        there
    );
}

//! Whether transactions of several servers wait for each other in a circle. PostgreSQL counts such circles, and breaks them;
//! the servers would try again, so nobody else notices them.
//!
//! Four servers, 16 people at once for 5 s; 200 for 10 minutes with `REDIAL_LONG=1`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use api::SessionStarted;
use cluster::cluster;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use server::system::{Clock as _, SystemClock};

use super::{Nodes, capped, is_whole, send_log, until_answered};
use crate::app::{STUDY, log_of};

/// A session after the other until the time is over: two tabs that send one log, two starts with one code, an erasure while
/// events arrive, a log that is sealed, all at once and at any server.
async fn people_in_turn(nodes: Arc<Nodes>, place: u64, until: Instant) -> Vec<SessionStarted> {
    let mut whole = Vec::new();
    let mut rng = ChaCha8Rng::seed_from_u64(place);
    let mut who = 0;
    while Instant::now() < until {
        who += 1;
        let code = format!("P{place}-{who}");
        let start = |attempt: &'static str, at: usize| {
            let asked = json!({
                "attempt": format!("{attempt}-of-{code}-0000000"),
                "participant_code": code,
            });
            let nodes = nodes.clone();
            async move { until_answered(|| nodes.0[at].ask_to_start(asked.clone())).await }
        };
        let at = |rng: &mut ChaCha8Rng| rng.random_range(0..nodes.0.len());
        let (one, two) = (at(&mut rng), at(&mut rng));
        let (first, second) = tokio::join!(start("first", one), start("second", two));
        let [first, second]: [SessionStarted; 2] = [first.json(), second.json()];
        assert_eq!(
            first.plan.session, second.plan.session,
            "one code, one session"
        );
        // The page that started last goes on; which that was, a read tells.
        let goes_on = nodes.0[one].read(&first).await.status.is_success();
        let started = if goes_on { first } else { second };
        let log = log_of(&started);
        let (mut this, mut other) = (rng.clone(), ChaCha8Rng::seed_from_u64(rng.random()));
        let is_erased = rng.random_bool(0.2);
        let (eraser, id) = (at(&mut rng), started.plan.session.clone());
        if is_erased {
            let some = &log[..log.len() / 2];
            send_log(&nodes, &started, some, &mut this).await;
            let (erased, _) = tokio::join!(
                nodes.0[eraser].erase(&started),
                nodes.any(&mut other).append(&started, &log[some.len()..]),
            );
            assert!(erased.status.is_success(), "{}", erased.text());
            continue;
        }
        tokio::join!(
            send_log(&nodes, &started, &log, &mut this),
            send_log(&nodes, &started, &log, &mut other),
        );
        let storage = |at: usize| nodes.0[at].state.storage.clone();
        let (one, two, day) = (storage(one), storage(two), 24 * 60 * 60 * 1_000);
        let later = SystemClock.now_unix_ms() + day;
        let (done, again, sealed) = tokio::join!(
            nodes.0[eraser].complete(&started),
            nodes.any(&mut rng).complete(&started),
            one.seal_logs(&id, later),
        );
        assert!(done.status.is_success() && again.status.is_success());
        sealed.unwrap();
        two.seal_logs(&id, later).await.unwrap();
        whole.push(started);
    }
    whole
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_transactions_wait_for_each_other_in_a_circle() {
    let long = std::env::var_os("REDIAL_LONG").is_some();
    let (people, seconds) = if long { (200, 600) } else { (16, 5) };
    let url = cluster().database();
    let nodes = Nodes::at(&vec![url.clone(); 4], &capped(7, 1_000_000)).await;
    let nodes = Arc::new(nodes.for_crowds());
    let until = Instant::now() + Duration::from_secs(seconds);
    let places = (0..people).map(|place| tokio::spawn(people_in_turn(nodes.clone(), place, until)));
    let places: Vec<_> = places.collect();
    // Meanwhile somebody exports.
    while Instant::now() < until {
        let snapshot = nodes.0[3].state.storage.study_snapshot(STUDY).await;
        snapshot.unwrap().ledger().await.unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let mut whole = 0;
    for started in futures_util::future::join_all(places).await {
        for started in started.unwrap() {
            is_whole(&nodes.0[0], &started).await;
            whole += 1;
        }
    }
    let name = url.rsplit('/').next().unwrap();
    let counted = format!("SELECT deadlocks FROM pg_stat_database WHERE datname = '{name}'");
    let circles = cluster().sql("postgres", &counted).unwrap();
    println!("{whole} whole logs; circles: {circles}");
    assert!(whole >= people);
    assert_eq!(circles.trim(), "0");
}

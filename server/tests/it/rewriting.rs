//! What was erased is in no file of PostgreSQL's after the night.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cluster::Cluster;
use server::duties;
use server::system::{Clock, System, SystemClock};
use sqlx::Connection as _;

use crate::app::{ATTEMPT, App, Setup, log_of};
use crate::copy::holding;
use crate::system::SetClock;

/// What nobody else is called.
const CODE: &str = "Somebody whom nobody else is called";

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
const HOUR_MS: u64 = DAY_MS / 24;

/// A server on a cluster of its own, with a clock that is set.
struct Rig {
    cluster: Cluster,
    clock: Arc<SetClock>,
    app: App,
    url: String,
}

impl Rig {
    async fn new() -> Self {
        let cluster = Cluster::own();
        let url = cluster.database();
        let noon = SystemClock.now_unix_ms() / DAY_MS * DAY_MS + 12 * HOUR_MS;
        let clock = Arc::new(SetClock(AtomicU64::new(noon)));
        let system = System {
            clock: clock.clone(),
            ..System::default()
        };
        let setup = Setup {
            system,
            ..Setup::default()
        };
        let app = App::at(&url, setup).await;
        Self {
            cluster,
            clock,
            app,
            url,
        }
    }

    /// Files in which the code is.
    fn holding(&self) -> Vec<PathBuf> {
        self.cluster.sql("postgres", "CHECKPOINT").unwrap();
        holding(&self.cluster.data(), CODE)
    }

    /// A session of this code from the start to its erasure.
    async fn erased(&self) {
        let started = self.app.start_as(ATTEMPT, CODE).await;
        self.app.append_all(&started).await;
        let id = &started.plan.session;
        self.app
            .state
            .storage
            .seal_logs(id, u64::MAX >> 1)
            .await
            .unwrap();
        assert!(!self.holding().is_empty(), "it was given");
        assert!(self.app.erase(&started).await.status.is_success());
    }

    async fn left(&self) -> Vec<String> {
        self.app.state.storage.parts_to_rewrite().await.unwrap()
    }
}

#[tokio::test]
async fn what_was_erased_is_in_no_file_after_the_night() {
    let rig = Rig::new().await;
    let stays = rig.app.start("0000000000000002").await;
    rig.app.append_all(&stays).await;
    assert_eq!(rig.left().await, Vec::<String>::new());
    rig.erased().await;
    let left = rig.left().await;
    assert!(left.contains(&"sessions".to_owned()), "{left:?}");
    let events = left.iter().filter(|part| part.starts_with("events_"));
    assert_eq!(events.count(), 1, "those of its session alone: {left:?}");
    assert!(!rig.holding().is_empty(), "deleted rows stay for a while");

    let state = &rig.app.state;
    let perform = || {
        let stopping = state.stopping.child_token();
        let performing = duties::perform_all(state.sessions.clone(), None, stopping.clone());
        (tokio::spawn(performing), stopping)
    };
    // At noon it waits.
    let (by_day, stop) = perform();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(rig.left().await, left);
    stop.cancel();
    by_day.await.unwrap();
    rig.clock.0.fetch_add(14 * HOUR_MS, Ordering::Relaxed);
    let (at_night, stop) = perform();
    let began = Instant::now();
    while !rig.left().await.is_empty() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{:?}",
            rig.left().await
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stop.cancel();
    at_night.await.unwrap();
    assert_eq!(rig.holding(), Vec::<PathBuf>::new());
    assert_eq!(rig.app.state_of(&stays).await.events, log_of(&stays));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_reads_is_not_disturbed_and_participants_go_on() {
    let rig = Rig::new().await;
    let storage = &rig.app.state.storage;
    // Somebody sees all as it was before the erasure.
    let mut reads = sqlx::PgConnection::connect(&rig.url).await.unwrap();
    let statement = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT COUNT(*) FROM study_versions";
    sqlx::raw_sql(statement).execute(&mut reads).await.unwrap();
    rig.erased().await;
    assert!(
        !storage.rewrite_part("sessions").await.unwrap(),
        "it would keep what is seen"
    );
    sqlx::raw_sql("COMMIT").execute(&mut reads).await.unwrap();
    // Somebody has the table.
    let statement = "BEGIN; SELECT COUNT(*) FROM sessions";
    sqlx::raw_sql(statement).execute(&mut reads).await.unwrap();
    let started = rig.app.start("0000000000000003").await;
    let (log, began) = (log_of(&started), Instant::now());
    let (done, answer) = tokio::join!(
        storage.rewrite_part("sessions"),
        rig.app.append(&started, &log[..5])
    );
    assert!(!done.unwrap());
    assert!(answer.status.is_success(), "{}", answer.text());
    assert!(
        began.elapsed() < Duration::from_secs(8),
        "{:?}",
        began.elapsed()
    );
    assert!(
        rig.left().await.contains(&"sessions".to_owned()),
        "the next time"
    );
    sqlx::raw_sql("COMMIT").execute(&mut reads).await.unwrap();
    for part in rig.left().await {
        assert!(storage.rewrite_part(&part).await.unwrap(), "{part}");
    }
    assert_eq!(rig.holding(), Vec::<PathBuf>::new());
    assert!(storage.rewrite_part("pg_class").await.is_err());
}

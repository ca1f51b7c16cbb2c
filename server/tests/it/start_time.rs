//! How long *Start* takes in a study of 100 sessions and in one of 100,000: `cargo xtask bench start`.

use std::time::{Duration, Instant};

use cluster::cluster;
use serde_json::json;
use server::storage::{self, AssignRequest, Copying, Storage};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};

use crate::app::{App, STUDY, Setup};

/// Starts on each study.
const STARTS: usize = 200;

/// At most so many times as long with 100,000 sessions as with 100.
const MOST: f64 = 1.5;

fn setup() -> Setup {
    let study = json!({
        "format": 2, "id": STUDY, "title": "Start",
        "design": { "factors": [{ "name": "arm", "levels": ["a", "b", "c", "d"] }],
            "assignment": { "cap": 1_000_000 } },
        "parts": [{ "kind": "group", "id": "parts", "order": "latin_square", "parts": [
            { "kind": "stage", "id": "one", "task": {
                "kind": "reconstruction", "model": "sinelines-gt5", "questions": 1 } },
            { "kind": "stage", "id": "two", "task": {
                "kind": "reconstruction", "model": "sinelines-gt5", "questions": 1 } }] }]
    });
    Setup::of(study)
}

/// A server whose study has so many sessions: most complete, some under way, left or screened out.
async fn with_sessions(count: u32) -> App {
    let app = App::with(setup()).await;
    app.start("attempt-00000000").await;
    let file = app.file();
    app.state.storage.close().await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await.unwrap();
    let row = sqlx::query("SELECT study_sha256, created_at FROM sessions")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    let (sha256, now): (String, i64) = (row.get(0), row.get(1));
    let numbers =
        "WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)";
    let sessions = format!(
        "{numbers} INSERT INTO sessions (id, study, study_sha256, ordinal, seed, attempt, token_sha256, \
         created_at, phase, log_len, completed_at) SELECT printf('%032x', n), '{STUDY}', ?2, n, \
         printf('%064x', n), 'spent ' || n, printf('%064x', n), ?3, \
         CASE n % 10 WHEN 0 THEN 'screened_out' WHEN 1 THEN 'question' WHEN 2 THEN 'question' \
         ELSE 'complete' END, 100, iif(n % 10 > 2, ?3, NULL) FROM numbers"
    );
    // Of those who have not finished every other one holds a lease.
    let assignments = format!(
        "{numbers} INSERT INTO assignments (study, ordinal, attempt, seed, purpose, cell, order_row, \
         assigned_at, lease_until, completed_at, included, over_quota) SELECT '{STUDY}', n, \
         'spent ' || n, printf('%064x', n), 'participant', substr('abcd', 1 + n % 4, 1), n / 4, ?3, \
         iif(n % 10 = 1, ?3 + 7200000, ?3 - 1), iif(n % 10 > 2, ?3, NULL), \
         iif(n % 10 > 2, 1, NULL), iif(n % 10 > 2, 0, NULL) FROM numbers WHERE ?2 <> ''"
    );
    for insert in [sessions, assignments] {
        sqlx::query(sqlx::AssertSqlSafe(insert))
            .bind(count)
            .bind(&sha256)
            .bind(now)
            .execute(&mut connection)
            .await
            .unwrap();
    }
    connection.close().await.unwrap();
    App::on(app.folder, app.setup).await
}

/// The same, in PostgreSQL.
async fn in_postgresql(app: &App) -> App {
    let url = cluster().database();
    storage::copy(&app.url(), &url, Copying::default(), &|_| {})
        .await
        .unwrap();
    App::at(&url, app.setup.clone()).await
}

/// The time that 95 of 100 do not exceed.
fn p95(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() * 95 / 100]
}

async fn assign_alone(app: &App, storage: &dyn Storage, number: usize) -> Duration {
    let design = app.state.library.study(STUDY).unwrap().study.design.clone();
    let request = AssignRequest {
        study: STUDY.into(),
        attempt: format!("assign-{number:016}"),
        design: design.into(),
        rows: 2,
        purpose: domain::recruitment::assignment::Purpose::Participant,
        condition: None,
        answers: Default::default(),
        study_seed: None,
        fresh_seed: [1; 32],
        now_unix_ms: 1_900_000_000_000,
    };
    let start = Instant::now();
    storage.assign(request).await.unwrap().unwrap();
    start.elapsed()
}

#[tokio::test]
#[ignore = "a measurement: cargo xtask bench start"]
async fn a_start_takes_as_long_with_100_000_sessions_as_with_100() {
    let apps = [with_sessions(100).await, with_sessions(100_000).await];
    let in_postgresql = [in_postgresql(&apps[0]).await, in_postgresql(&apps[1]).await];
    println!("SQLite");
    take_as_long(apps).await;
    println!("PostgreSQL");
    take_as_long(in_postgresql).await;
}

async fn take_as_long(apps: [App; 2]) {
    let mut times = [Vec::new(), Vec::new()];
    let mut first = Vec::new();
    // In turns, so that whatever else the machine does meets both.
    for number in 0..=STARTS {
        for (app, times) in apps.iter().zip(&mut times) {
            let start = Instant::now();
            app.start(&format!("attempt-{number:016}")).await;
            if number == 0 {
                // It reads the ledger; those that follow do not.
                first.push(start.elapsed());
            } else {
                times.push(start.elapsed());
            }
        }
    }
    let mut storages = Vec::new();
    for app in &apps {
        app.state.storage.close().await;
        storages.push(storage::open(&app.url()).await.unwrap());
    }
    let mut alone = [Vec::new(), Vec::new()];
    for number in 0..=STARTS {
        for ((app, storage), alone) in apps.iter().zip(&storages).zip(&mut alone) {
            let took = assign_alone(app, &**storage, number).await;
            if number > 0 {
                alone.push(took);
            }
        }
    }
    println!("sessions | first start | p95 of Start | p95 of the assignment alone");
    let [few, many] = times.map(p95);
    let [alone_few, alone_many] = alone.map(p95);
    println!("100      | {:.1?} | {few:.1?} | {alone_few:.1?}", first[0]);
    println!(
        "100,000  | {:.1?} | {many:.1?} | {alone_many:.1?}",
        first[1]
    );
    let ratio = many.as_secs_f64() / few.as_secs_f64();
    println!("ratio of Start: {ratio:.2}");
    assert!(
        ratio <= MOST,
        "{ratio:.2} times as long, at most {MOST} is taken"
    );
}

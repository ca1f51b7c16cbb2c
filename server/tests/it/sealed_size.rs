//! What the logs of a session take before and after they are sealed, and how long it takes to read one:
//! `cargo xtask bench seal`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cluster::cluster;
use domain::session::event::{Author, SessionId};
use server::catalogue::Catalogue;
use server::database;
use server::processor::Processor;
use server::simulation::{Attendance, Simulation, simulate};
use server::storage::{self, Storage};
use server::zoo::Models;

/// The paper's study.
const STUDY: &str = "chi21-synthetic";

/// People who take it.
const PEOPLE: usize = 40;

/// Sealed, a session of somebody who solves questions quickly takes this part of its room at most: a longer one takes less.
const MOST: f64 = 0.1;

/// A kind of database.
enum Kind {
    Sqlite(tempfile::TempDir),
    Postgres(String),
}

impl Kind {
    fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => storage::url_of(&folder.path().join("test.db")),
            Self::Postgres(url) => url.clone(),
        }
    }

    /// Bytes of what only sessions have, once what was deleted is gone: their logs and their plans.
    async fn bytes(&self) -> u64 {
        database::vacuum(&self.url()).await.unwrap();
        match self {
            Self::Sqlite(folder) => {
                use sqlx::{ConnectOptions as _, Row as _};
                let file = folder.path().join("test.db");
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
                let mut connection = options.connect().await.unwrap();
                let row = sqlx::query(
                    "SELECT SUM(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema \
                     WHERE tbl_name IN ('events', 'sealed_events', 'plans', 'plan_skeletons'))",
                );
                let bytes: i64 = row.fetch_one(&mut connection).await.unwrap().get(0);
                bytes.unsigned_abs()
            }
            Self::Postgres(url) => {
                // Each table has a page or two of its own though it is empty; there are 64 of events.
                let sum = "SELECT SUM(pg_table_size(oid) + pg_indexes_size(oid)) FROM pg_class \
                     WHERE (relname ~ '^events_[0-9]' OR relname IN ('sealed_events', 'plans', 'plan_skeletons')) \
                     AND relkind = 'r' AND relpages > 0";
                let name = url.rsplit('/').next().unwrap();
                let bytes = cluster().sql(name, sum).unwrap();
                bytes.trim().parse().unwrap()
            }
        }
    }
}

/// The longest log, read as a whole: its events, their bytes, and the time of the quickest of a few times.
async fn read(storage: &dyn Storage, sessions: &[SessionId]) -> (usize, usize, Duration) {
    let mut longest = (0, 0, Duration::MAX);
    for id in sessions {
        for _ in 0..5 {
            let began = Instant::now();
            let (mut events, mut bytes) = (0, 0);
            loop {
                let page = storage.events(id, Author::Participant, events as u64, 1_000);
                let page = page.await.unwrap();
                if page.is_empty() {
                    break;
                }
                events += page.len();
                bytes += page.iter().map(|event| event.json.len()).sum::<usize>();
            }
            if events > longest.0 {
                longest = (events, bytes, began.elapsed());
            } else if events == longest.0 {
                longest.2 = longest.2.min(began.elapsed());
            }
        }
    }
    longest
}

#[tokio::test]
#[ignore = "a measurement; cargo xtask bench seal"]
async fn sealed_logs_take_a_tenth_of_the_room() {
    let models = Arc::new(Models::load(None).unwrap());
    let catalogue = Catalogue::load(None, &models).unwrap();
    let entry = catalogue.get(STUDY).unwrap();
    let of_file = Kind::Sqlite(tempfile::tempdir().unwrap());
    let of_server = Kind::Postgres(cluster().database());
    for kind in [of_file, of_server] {
        let url = kind.url();
        let storage = storage::open(&url).await.unwrap();
        let simulation = Simulation {
            people: Attendance::Arrive(PEOPLE),
            mixture: "knows_dimensions".parse().unwrap(),
            seed: 1,
            first_unix_ms: 1_790_000_000_000,
            processor: Processor::default(),
        };
        let (stored, models) = (storage.clone(), models.clone());
        simulate(stored, models, entry, &simulation, &|| {})
            .await
            .unwrap();
        let sessions = storage.logs_to_seal(u64::MAX / 4).await.unwrap();
        assert_eq!(sessions.len(), PEOPLE);
        let read_before = read(&*storage, &sessions).await;
        storage.close().await;
        let before = kind.bytes().await;

        let storage = storage::open(&url).await.unwrap();
        let began = Instant::now();
        for id in &sessions {
            storage.seal_logs(id, u64::MAX / 4).await.unwrap();
        }
        let sealing = began.elapsed() / PEOPLE as u32;
        let read_after = read(&*storage, &sessions).await;
        assert_eq!((read_after.0, read_after.1), (read_before.0, read_before.1));
        storage.close().await;
        let after = kind.bytes().await;
        let each = |bytes: u64| bytes / PEOPLE as u64 / 1024;
        println!(
            "{}: {} kB a session before, {} kB sealed ({:.1} x), plan included; sealed in {sealing:.1?}; \
             a log of {} events and {} kB read in {:.1?} before, {:.1?} sealed",
            if matches!(kind, Kind::Sqlite(_)) {
                "SQLite"
            } else {
                "PostgreSQL"
            },
            each(before),
            each(after),
            before as f64 / after as f64,
            read_before.0,
            read_before.1 / 1024,
            read_before.2,
            read_after.2,
        );
        assert!(
            after as f64 <= MOST * before as f64,
            "{after} of {before} bytes"
        );
    }
}

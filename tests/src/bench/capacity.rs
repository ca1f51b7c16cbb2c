//! What a session takes of a server and its database, and whether that stays so with more people at once:
//! docs/capacity.md has the figures.
//!
//! People take a study on a clock that runs faster than theirs: a hundred who are ten times as fast send as
//! many events as a thousand people do. They decode nothing, and their reports are verified like those of others.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use cluster::Cluster;

use super::statistics::quantile;
use crate::client::Client;
use crate::driver::descendants;
use crate::server::{Server, busy_s};
use crate::simulated::run::{CompletedSession, SessionPace, take_part};

const STUDY: &str = "quickstart";

/// How many times faster than people.
const SPEED: u32 = 10;

/// Time from one move of a dial to the next, by the clock of people.
const STEP: Duration = Duration::from_millis(100);

/// Moves of a dial in a question: somebody moves dials for fifteen seconds of it.
const MOVES_PER_QUESTION: usize = 150;

/// Clients at once, each as fast as [`SPEED`] people.
const CLIENTS: [usize; 4] = [10, 50, 100, 200];

/// Clients that each address of this machine starts.
const PER_PLACE: usize = 100;

/// Measures and prints a table for each kind of database.
///
/// # Errors
/// When a session fails.
pub async fn run() -> Result<()> {
    println!("\ncapacity: sessions of {STUDY}, {SPEED} times as fast as people");
    let cluster = Cluster::own();
    for database in [None, Some(cluster.database())] {
        let name = if database.is_some() {
            "PostgreSQL"
        } else {
            "SQLite"
        };
        println!(
            "{name:<12} {:>8} {:>9} {:>9} {:>12} {:>10} {:>8} {:>9} {:>10} {:>8} {:>7}",
            "people",
            "events/s",
            "a session",
            "server CPU s",
            "database s",
            "commits",
            "kB sent",
            "kB on disk",
            "p99 ms",
            "busy"
        );
        let mut first = None;
        for clients in CLIENTS {
            let used = measure(&cluster, database.as_deref(), clients).await?;
            let first = *first.get_or_insert(used);
            used.print(clients, &first);
        }
    }
    Ok(())
}

/// What a session takes, on average.
#[derive(Clone, Copy)]
struct Used {
    events: f64,
    server_s: f64,
    database_s: f64,
    commits: f64,
    sent_kb: f64,
    disk_kb: f64,
    p99_ms: f64,
    /// Sessions that ended each second.
    per_s: f64,
}

impl Used {
    fn print(&self, clients: usize, first: &Self) {
        let busy = |of: &Self| (of.server_s + of.database_s) * self.per_s;
        println!(
            "{:<12} {:>8} {:>9.0} {:>9.0} {:>12.3} {:>10.3} {:>8.0} {:>9.0} {:>10.0} {:>8.1} {:>7.2}   extrapolated from the first row: {:.2}",
            "",
            clients * SPEED as usize,
            self.events * self.per_s,
            self.events,
            self.server_s,
            self.database_s,
            self.commits,
            self.sent_kb,
            self.disk_kb,
            self.p99_ms,
            busy(self),
            busy(first)
        );
    }
}

/// What a server and its database have used so far.
struct Meter {
    server_s: f64,
    database_s: f64,
    events: f64,
    commits: f64,
    sent: f64,
    disk: f64,
}

impl Meter {
    async fn read(
        server: &Server,
        figures: &str,
        cluster: &Cluster,
        database: Option<&str>,
    ) -> Result<Self> {
        let text = Client::new(figures).get("/metrics").await?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let figure = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.trim().parse().ok())
                .unwrap_or(0.0)
        };
        let (database_s, disk) = match database {
            None => {
                let folder = std::fs::read_dir(server.folder())?.flatten();
                let files = folder.filter(|file| {
                    let name = file.file_name();
                    name.to_string_lossy().starts_with("redial.db")
                });
                let sizes = files.map(|file| file.metadata().map_or(0, |it| it.len()));
                (0.0, sizes.sum::<u64>() as f64)
            }
            Some(url) => {
                let name = url.rsplit('/').next().context("no name in the address")?;
                let size = "SELECT pg_database_size(current_database())";
                let size = cluster
                    .sql(name, size)
                    .map_err(|error| anyhow!("{error}"))?
                    .trim()
                    .parse::<f64>()?;
                let pid = std::fs::read_to_string(cluster.data().join("postmaster.pid"))?;
                let pid = pid.lines().next().context("no process of PostgreSQL")?;
                let mut busy = 0.0;
                for process in descendants(pid.trim().parse()?) {
                    busy += busy_s(process).unwrap_or(0.0); // it may have ended
                }
                (busy, size)
            }
        };
        Ok(Self {
            server_s: server.busy_s()?,
            database_s,
            events: figure("redial_events_acknowledged_total"),
            commits: figure("redial_commit_seconds_count"),
            sent: figure("redial_event_bytes_acknowledged_total"),
            disk,
        })
    }
}

async fn measure(cluster: &Cluster, database: Option<&str>, clients: usize) -> Result<Used> {
    let port = std::net::TcpListener::bind("127.0.0.1:0")?
        .local_addr()?
        .port();
    let figures = format!("127.0.0.1:{port}");
    let server = Server::start_with_figures(&figures, database).await?;
    // Models are decoded for the first time, and stored, by somebody who is not counted.
    let first = format!("capacity-of-{clients}-first");
    Client::new(server.address()).start(STUDY, &first).await?;
    let before = Meter::read(&server, &figures, cluster, database).await?;
    let begun = Instant::now();
    let mut people = Vec::new();
    for number in 0..clients {
        let address = server.address().to_owned();
        let attempt = format!("capacity-of-{clients}-{number}");
        // Not all at once: nobody's questions begin at the same moment.
        let wait = STEP / SPEED * u32::try_from(number)?;
        people.push(tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            let place = u8::try_from(2 + number / PER_PLACE)?;
            let started = Client::asking_from(&address, place)
                .start(STUDY, &attempt)
                .await?;
            let pace = SessionPace {
                step: STEP / SPEED,
                moves_per_question: MOVES_PER_QUESTION,
                limit: Duration::from_secs(570),
                speed: SPEED,
            };
            take_part(&address, started, pace).await
        }));
    }
    let mut acks_s = Vec::new();
    for person in people {
        let outcome: CompletedSession = person.await??;
        acks_s.extend(outcome.acks.iter().map(Duration::as_secs_f64));
    }
    let took_s = begun.elapsed().as_secs_f64();
    // Reports are verified after the end.
    tokio::time::sleep(Duration::from_secs(10)).await;
    let after = Meter::read(&server, &figures, cluster, database).await?;
    let each = |of: fn(&Meter) -> f64| (of(&after) - of(&before)) / clients as f64;
    Ok(Used {
        events: each(|it| it.events),
        server_s: each(|it| it.server_s),
        database_s: each(|it| it.database_s),
        commits: each(|it| it.commits),
        sent_kb: each(|it| it.sent) / 1024.0,
        disk_kb: each(|it| it.disk) / 1024.0,
        p99_ms: quantile(&acks_s, 0.99) * 1_000.0,
        per_s: clients as f64 / took_s,
    })
}

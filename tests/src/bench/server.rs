//! How many snapshots a second the server takes, and how soon it acknowledges them.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use api::{Batch, ClientMessage, SessionStarted};
use cluster::Cluster;
use domain::simulate::SimulatedParticipant;
use serde_json::Value;
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use tempfile::TempDir;

use super::psiturk::PsiTurk;
use super::statistics::{ServerMeasurement, quantile};
use crate::client::Client;
use crate::events;
use crate::server::Server;
use crate::simulated::SimulatedClient;
use crate::simulated::run::{SessionPace, take_part};
use crate::simulated::stream::{Reply, Stream};

const STUDY: &str = "quickstart";
/// Sessions that behave like people, ten snapshots a second each.
const PEOPLE: usize = 200;
const PEOPLE_PACE: SessionPace = SessionPace {
    step: Duration::from_millis(100),
    moves_per_question: 25,
    limit: Duration::from_secs(180),
    speed: 1,
};
/// Sessions that send the next batch as soon as the last one is acknowledged.
const PUSHING: usize = 64;
/// Snapshots in each of their batches.
const PUSHED: usize = 10;
/// Batches of each, written before the clock starts, so that the bench itself costs little: more than
/// a session gets to in that time.
const PUSHED_BATCHES: usize = 1_000;
const PUSH_FOR: Duration = Duration::from_secs(10);
const YARDSTICK_FOR: Duration = Duration::from_secs(5);

/// Measures and prints a table.
///
/// # Errors
/// When a session fails.
pub async fn run() -> Result<()> {
    println!("\nserver: snapshots over the WebSocket, acknowledged when they are on disk");
    println!(
        "{:<44} {:>12} {:>10} {:>10} {:>10}",
        "", "per second", "p50 ms", "p99 ms", "max ms"
    );
    let commits = yardstick(TempDir::new()?.path()).await?;
    println!(
        "{:<44} {commits:>12.0}",
        "SQLite alone, one row and one fsync a commit"
    );
    let what = format!("{PEOPLE} people, 10 snapshots a second each");
    row(&what, people(&Nodes::with_a_file().await?).await?);
    let what = format!("{PUSHING} sessions, {PUSHED} snapshots a batch, no pause");
    let pushed = push(&Nodes::with_a_file().await?).await?;
    let ours = row(&what, pushed);
    println!(
        "that is {:.1} × as many snapshots as SQLite commits",
        ours / commits
    );
    let cluster = Cluster::own();
    for nodes in [1, 2, 4] {
        let on = Nodes::start(&cluster, nodes).await?;
        let what = format!("PostgreSQL, servers: {nodes}; {PEOPLE} people");
        row(&what, people(&on).await?);
        let what = format!("PostgreSQL, servers: {nodes}; {PUSHING} sessions");
        let theirs = row(&what, push(&on).await?);
        println!("that is {:.2} of one server with SQLite", theirs / ours);
    }
    let psiturk = PsiTurk::start().await?;
    let snapshot = a_snapshot().await?;
    for (what, newest_only) in [
        ("psiTurk, the same; each save has all data so far", false),
        ("psiTurk, if a save could have the newest alone", true),
    ] {
        let pushed = psiturk.push(PUSHING, &snapshot, PUSHED, newest_only, PUSH_FOR);
        let theirs = row(what, pushed.await?);
        println!("ours takes {:.0} × as many", ours / theirs);
    }
    Ok(())
}

/// Servers on one database.
struct Nodes(Vec<Server>);

impl Nodes {
    /// One server with a file of SQLite.
    async fn with_a_file() -> Result<Self> {
        Ok(Self(vec![Server::start().await?]))
    }

    /// So many on a new database of PostgreSQL.
    async fn start(cluster: &Cluster, count: usize) -> Result<Self> {
        let database = cluster.database();
        let mut servers = Vec::new();
        for _ in 0..count {
            servers.push(Server::start_on(&database).await?);
        }
        Ok(Self(servers))
    }

    /// So many sessions, started in turn at each server, with the address of that.
    async fn sessions(&self, count: usize) -> Result<Vec<(String, SessionStarted)>> {
        let mut all = Vec::new();
        for (which, server) in self.0.iter().enumerate() {
            let share = (count + self.0.len() - 1 - which) / self.0.len();
            let started = start_from(server, which * count, share).await?;
            all.extend(
                started
                    .into_iter()
                    .map(|it| (server.address().to_owned(), it)),
            );
        }
        Ok(all)
    }
}

/// A snapshot as it is in a log.
async fn a_snapshot() -> Result<Value> {
    let server = Server::start().await?;
    let started = start(&server, 1).await?.remove(0);
    let mut log = SimulatedParticipant::new(started.plan, 1, 20);
    let snapshot = log.find(|envelope| events::snapshot(&envelope.event).is_some());
    Ok(serde_json::to_value(snapshot.context("no snapshot")?)?)
}

fn row(what: &str, measured: ServerMeasurement) -> f64 {
    let ms = |q: f64| quantile(&measured.acks_s, q) * 1000.0;
    println!(
        "{what:<44} {:>12.0} {:>10.1} {:>10.1} {:>10.1}",
        measured.per_s,
        ms(0.5),
        ms(0.99),
        ms(1.0)
    );
    measured.per_s
}

async fn people(nodes: &Nodes) -> Result<ServerMeasurement> {
    let started = nodes.sessions(PEOPLE).await?;
    let begun = Instant::now();
    let sessions: Vec<_> = started
        .into_iter()
        .map(|(address, started)| {
            tokio::spawn(async move { take_part(&address, started, PEOPLE_PACE).await })
        })
        .collect();
    let (mut snapshots, mut acks_s) = (0, Vec::new());
    for session in sessions {
        let outcome = session.await??;
        snapshots += outcome.snapshots;
        acks_s.extend(outcome.acks.iter().map(Duration::as_secs_f64));
    }
    Ok(ServerMeasurement {
        per_s: snapshots as f64 / begun.elapsed().as_secs_f64(),
        acks_s,
    })
}

async fn push(nodes: &Nodes) -> Result<ServerMeasurement> {
    let mut prepared = Vec::new();
    for (address, started) in nodes.sessions(PUSHING).await? {
        let batches = batches(&started)?;
        prepared.push((address, started, batches));
    }
    let begun = Instant::now();
    let sessions: Vec<_> = prepared
        .into_iter()
        .map(|(address, started, batches)| {
            tokio::spawn(async move { push_one(&address, &started, batches).await })
        })
        .collect();
    let mut acks_s = Vec::new();
    for session in sessions {
        acks_s.extend(session.await??);
    }
    let per_s = (acks_s.len() * PUSHED) as f64 / begun.elapsed().as_secs_f64();
    Ok(ServerMeasurement { per_s, acks_s })
}

/// What a session sends: the beginning of a long question, in batches.
fn batches(started: &SessionStarted) -> Result<Vec<String>> {
    let events = PUSHED * PUSHED_BATCHES;
    let mut participant = SimulatedClient::new(started.plan.clone(), events);
    let mut now_ms = 0;
    while participant.log().len() < events {
        ensure!(!participant.is_complete(), "the session is over too soon");
        now_ms += 100;
        participant.step(now_ms)?;
    }
    let batches = participant.log()[..events].chunks(PUSHED).map(|events| {
        let events = events.to_vec();
        serde_json::to_string(&ClientMessage::Batch(Batch { events }))
    });
    Ok(batches.collect::<Result<_, _>>()?)
}

async fn push_one(
    address: &str,
    started: &SessionStarted,
    batches: Vec<String>,
) -> Result<Vec<f64>> {
    let session = &started.plan.session;
    let (mut stream, _) = Stream::open(address, session, &started.token).await?;
    let (begun, mut acks_s) = (Instant::now(), Vec::new());
    let mut sent = 0;
    for batch in batches {
        if begun.elapsed() >= PUSH_FOR {
            return Ok(acks_s);
        }
        let at = Instant::now();
        stream.text(batch).await?;
        sent += PUSHED;
        match stream.reply().await? {
            Reply::Acked(acked_len) if acked_len == sent as u64 => {
                acks_s.push(at.elapsed().as_secs_f64());
            }
            other => bail!("{sent} events were sent, the server says {other:?}"),
        }
    }
    bail!("{PUSHED_BATCHES} batches were too few")
}

pub(super) async fn start(server: &Server, count: usize) -> Result<Vec<SessionStarted>> {
    start_from(server, 0, count).await
}

/// Starts sessions whose attempts are numbered from here on.
async fn start_from(server: &Server, first: usize, count: usize) -> Result<Vec<SessionStarted>> {
    let mut started = Vec::new();
    for n in 0..count {
        // One place of this machine for each hundred.
        let place = u8::try_from(2 + n / 100).context("too many people for the places")?;
        let client = Client::asking_from(server.address(), place);
        started.push(
            client
                .start(STUDY, &format!("bench-attempt-{:06}", first + n))
                .await?,
        );
    }
    Ok(started)
}

/// Commits a second of SQLite alone with the server's settings: what the disk allows.
async fn yardstick(folder: &Path) -> Result<f64> {
    let options = SqliteConnectOptions::new()
        .filename(folder.join("yardstick.db"))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let mut connection = SqliteConnection::connect_with(&options).await?;
    sqlx::query(
        "CREATE TABLE events (session TEXT, seq INTEGER, json TEXT, PRIMARY KEY (session, seq))",
    )
    .execute(&mut connection)
    .await?;
    // About as long as a snapshot of five dimensions.
    let json = "x".repeat(250);
    let (begun, mut commits) = (Instant::now(), 0_i32);
    while begun.elapsed() < YARDSTICK_FOR {
        sqlx::query("INSERT INTO events VALUES ('yardstick', ?, ?)")
            .bind(commits)
            .bind(&json)
            .execute(&mut connection)
            .await
            .context("yardstick")?;
        commits += 1;
    }
    Ok(f64::from(commits) / begun.elapsed().as_secs_f64())
}

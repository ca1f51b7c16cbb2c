//! The researcher's area: how soon its table of many sessions is there, and what it costs participants that people
//! look on.

mod export;
mod replay;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use api::research::SessionTable;
use api::research::live::LiveMessage;
use api::routes;
use http_body_util::BodyExt as _;
use hyper::Method;
use hyper::body::Incoming;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::server::start;
use super::statistics::quantile;
use crate::area::token_of_owner;
use crate::client::Client;
use crate::server::{Server, add};
use crate::simulated::run::{CompletedSession, SessionPace, take_part};
use crate::wait;

const STUDY: &str = "quickstart";
/// The study of the table: a formula and few questions, since making ten thousand sessions of pictures would take most
/// of an hour.
const MANY: &str = "many";
/// Sessions in the table.
const SESSIONS: usize = 10_000;
/// How often each page is asked for.
const ASKED: usize = 20;
/// People under way at once.
const PEOPLE: usize = 1_000;
/// Most of them do not move a dial at any one moment: two snapshots a second each.
const PACE: SessionPace = SessionPace {
    step: Duration::from_millis(500),
    moves_per_question: 12,
    limit: Duration::from_secs(600),
    speed: 1,
};
/// Those who look on. One person has at most ten streams.
const WATCHERS: usize = 20;
const OWNERS: [&str; 2] = ["ada", "bob"];
/// Sessions that are started while all others go on, to see how soon that shows.
const PROBES: usize = 10;
const PROBE_EVERY: Duration = Duration::from_secs(3);
/// How long filling the rows of a table may take.
const FILLED: Duration = Duration::from_secs(1_800);

/// Measures and prints.
///
/// # Errors
/// When the server fails.
pub async fn run() -> Result<()> {
    replay::measure().await?;
    table().await?;
    let alone = people(0).await?;
    let watched = people(WATCHERS).await?;
    let ms = |acks: &[f64], q| quantile(acks, q) * 1e3;
    println!("\nacknowledgements of {PEOPLE} people, two snapshots a second each");
    println!(
        "{:<24} {:>10} {:>10} {:>14}",
        "", "p50 ms", "p99 ms", "server, cores"
    );
    for (what, of) in [("nobody looks on", &alone), ("20 look on", &watched)] {
        let (p50, p99) = (ms(&of.acks_s, 0.5), ms(&of.acks_s, 0.99));
        println!("{what:<24} {p50:>10.1} {p99:>10.1} {:>14.3}", of.cores);
    }
    println!(
        "that is {:.2} × the p99, and {:.3} of a core for those who look on",
        ms(&watched.acks_s, 0.99) / ms(&alone.acks_s, 0.99),
        watched.cores - alone.cores
    );
    println!(
        "a start shows after {:.2} s (median), {:.2} s (worst of {})",
        quantile(&watched.shown_s, 0.5),
        quantile(&watched.shown_s, 1.0),
        watched.shown_s.len()
    );
    Ok(())
}

/// The table of sessions, first page, another order, conditions.
async fn table() -> Result<()> {
    let mut server = Server::start_with(|studies| {
        let definition = json!({
            "format": 2, "id": MANY, "title": "Many", "seed": 1,
            "parts": [{ "kind": "stage", "id": "a",
                "task": { "kind": "reconstruction", "model": "circles", "questions": 3 } }],
        });
        add(studies, &definition)
    })
    .await?;
    // One program at a time writes to a database.
    server.stop().await?;
    let begun = Instant::now();
    let made = server
        .command(&["simulate", MANY, "--participants", &SESSIONS.to_string()])?
        .output()?;
    ensure!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    println!(
        "\n{SESSIONS} simulated sessions were made in {:.0} s",
        begun.elapsed().as_secs_f64()
    );
    server.restart().await?;
    let token = token_of_owner(&server, OWNERS[0], &[MANY]).await?;
    let page = async |server: &Server, query: &str| {
        let client = Client::new(server.address());
        let path = format!("{}?{query}", routes::research_sessions(MANY));
        let begun = Instant::now();
        let answer = client.send(Method::GET, &path, Some(&token), None).await?;
        let took_s = begun.elapsed().as_secs_f64();
        let table: SessionTable = answer.success(&path)?.json()?;
        anyhow::Ok((took_s, table))
    };
    let begun = Instant::now();
    let (first_s, _) = page(&server, "").await?;
    println!(
        "first page, when no row is made yet: {:.0} ms",
        first_s * 1e3
    );
    wait::until("every row to be made", FILLED, async || {
        let (_, table) = page(&server, "").await?;
        Ok((table.matching == SESSIONS as u64 && table.problems.is_empty()).then_some(()))
    })
    .await?;
    println!(
        "all rows are made after {:.1} s",
        begun.elapsed().as_secs_f64()
    );
    server.stop().await?;
    server.restart().await?;
    let (restarted_s, table) = page(&server, "").await?;
    println!(
        "first page after a restart: {:.0} ms, {} of {SESSIONS} rows",
        restarted_s * 1e3,
        table.matching
    );
    for query in [
        "",
        "page=100",
        "sort=questions_solved",
        "sort=-last_event_at_ms",
        "filter=questions_solved%3C3",
    ] {
        let mut took_s = Vec::new();
        for _ in 0..ASKED {
            took_s.push(page(&server, query).await?.0);
        }
        println!(
            "{:<32} {:>6.0} ms (median), {:>6.0} ms (worst of {ASKED})",
            if query.is_empty() {
                "first page"
            } else {
                query
            },
            quantile(&took_s, 0.5) * 1e3,
            quantile(&took_s, 1.0) * 1e3
        );
    }
    println!("the server had {:.0} MB at most", server.most_memory_mb()?);
    export::measure(&server, MANY, &token).await
}

/// What was measured while people took part.
struct Measured {
    /// Time to each acknowledgement, in seconds.
    acks_s: Vec<f64>,
    /// How many cores the server kept busy.
    cores: f64,
    /// How long each start took to show, at every watcher, in seconds.
    shown_s: Vec<f64>,
}

async fn people(watchers: usize) -> Result<Measured> {
    let server = Server::start().await?;
    let mut tokens = Vec::new();
    for name in OWNERS {
        tokens.push(token_of_owner(&server, name, &[STUDY]).await?);
    }
    let started = start(&server, PEOPLE).await?;
    let mut watching = Vec::new();
    for n in 0..watchers {
        watching.push(Watcher::open(&server, &tokens[n % tokens.len()]).await?);
    }
    let (begun, busy_s) = (Instant::now(), server.busy_s()?);
    let sessions: Vec<JoinHandle<Result<CompletedSession>>> = started
        .into_iter()
        .map(|started| {
            let address = server.address().to_owned();
            tokio::spawn(async move { take_part(&address, started, PACE).await })
        })
        .collect();
    let mut shown_s = Vec::new();
    let client = Client::new(server.address());
    for n in 0..PROBES {
        sleep(PROBE_EVERY).await;
        client
            .start(STUDY, &format!("probe-attempt-{n:06}"))
            .await?;
        let at = Instant::now();
        let there = (PEOPLE + n + 1) as u64;
        for watcher in &watching {
            watcher.shows(there).await?;
            shown_s.push(at.elapsed().as_secs_f64());
        }
    }
    let mut acks_s = Vec::new();
    for session in sessions {
        acks_s.extend(session.await??.acks.iter().map(Duration::as_secs_f64));
    }
    let cores = (server.busy_s()? - busy_s) / begun.elapsed().as_secs_f64();
    Ok(Measured {
        acks_s,
        cores,
        shown_s,
    })
}

/// Somebody who looks on.
struct Watcher {
    started: Arc<AtomicU64>,
    reading: JoinHandle<Result<()>>,
}

impl Watcher {
    async fn open(server: &Server, token: &str) -> Result<Self> {
        let stream = Client::new(server.address())
            .open(routes::LIVE, token)
            .await?;
        let started = Arc::new(AtomicU64::new(0));
        let reading = tokio::spawn(read(stream, started.clone()));
        Ok(Self { started, reading })
    }

    /// Returns once so many sessions are said to have been started.
    async fn shows(&self, started: u64) -> Result<()> {
        wait::until("a start to show", Duration::from_secs(60), async || {
            ensure!(!self.reading.is_finished(), "the stream has ended");
            Ok((self.started.load(Ordering::Relaxed) >= started).then_some(()))
        })
        .await
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

async fn read(mut stream: Incoming, started: Arc<AtomicU64>) -> Result<()> {
    let mut unread = Vec::new();
    while let Some(frame) = stream.frame().await {
        let Ok(bytes) = frame?.into_data() else {
            continue;
        };
        unread.extend_from_slice(&bytes);
        while let Some(end) = unread.windows(2).position(|it| it == b"\n\n") {
            let event: Vec<u8> = unread.drain(..end + 2).collect();
            let event = std::str::from_utf8(&event).context("an event is no text")?;
            for data in event.lines().filter_map(|line| line.strip_prefix("data:")) {
                let counts = match serde_json::from_str(data.trim_start())? {
                    LiveMessage::Picture(picture) => {
                        let mut studies = picture.studies.into_iter();
                        studies.find(|it| it.study == STUDY).map(|it| it.counts)
                    }
                    LiveMessage::Change(change) if change.study == STUDY => change.counts,
                    _ => None,
                };
                if let Some(counts) = counts {
                    started.store(counts.started, Ordering::Relaxed);
                }
            }
        }
    }
    Ok(())
}

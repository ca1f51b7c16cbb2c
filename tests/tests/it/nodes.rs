//! Four servers on one PostgreSQL behind a balancer without memory, while servers are killed (SIGKILL) one after the other
//! and the database breaks down and is away for a while. No acknowledged event is lost, none is there twice, and everybody
//! gets to their code.
//!
//! 50 people, 2 kills and 1 breakdown; 200, 40 and 3 with `cargo xtask test --long`.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cluster::Cluster;
use tests::balancer::Balancer;
use tests::client::Client;
use tests::export::{Export, check_numbering};
use tests::server::Server;
use tests::simulated::run::{SessionPace, take_part};
use tests::{tools, wait};

const STUDY: &str = "quickstart";
const NODES: usize = 4;
/// Questions of the study, practice among them.
const QUESTIONS: u64 = 7;
/// Time from one step of a participant to the next.
const STEP_MS: u64 = 100;
/// Time from one kill to the next.
const BETWEEN: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_and_database_break_down_and_nobody_loses_anything() -> Result<()> {
    let (people, kills, breakdowns) = if tools::long() {
        (200, 40, 3)
    } else {
        (50, 2, 1)
    };
    let faults = BETWEEN * kills + Duration::from_secs(15) * breakdowns;
    let limit = 2 * faults + Duration::from_secs(300);
    wait::at_most(limit, run(people, kills, breakdowns, faults)).await
}

async fn run(people: usize, kills: u32, breakdowns: u32, faults: Duration) -> Result<()> {
    let cluster = Cluster::own();
    let database = cluster.database();
    let mut servers = Vec::new();
    for _ in 0..NODES {
        servers.push(Server::start_on(&database).await?);
    }
    let addresses = servers.iter().map(|server| server.address().to_owned());
    let balancer = Balancer::before(addresses.collect(), 34).await?;
    let moves = u64::try_from(faults.as_millis())? / STEP_MS / QUESTIONS;
    let pace = SessionPace {
        step: Duration::from_millis(STEP_MS),
        moves_per_question: usize::try_from(moves + 5)?,
        limit: 2 * faults + Duration::from_secs(200),
        speed: 1,
    };
    let mut started = Vec::new();
    for n in 0..people {
        let server = &servers[n % NODES];
        let attempt = format!("nodes-test-attempt-{n:04}");
        started.push(Client::new(server.address()).start(STUDY, &attempt).await?);
    }
    let begun = Instant::now();
    let sessions = started.into_iter().map(|started| {
        let address = balancer.address();
        tokio::spawn(async move { take_part(&address, started, pace).await })
    });
    let sessions: Vec<_> = sessions.collect();
    let every = kills / breakdowns.max(1);
    for n in 0..kills {
        tokio::time::sleep(BETWEEN).await;
        let server = &mut servers[n as usize % NODES];
        server.kill()?;
        if n % every == every / 2 {
            cluster.crash().map_err(anyhow::Error::from_boxed)?;
            // Longer than a server waits by itself: pages are told, and try again.
            tokio::time::sleep(Duration::from_secs(12)).await;
            cluster.run().map_err(anyhow::Error::from_boxed)?;
        }
        server.restart().await?;
    }
    let mut codes = BTreeSet::new();
    let (mut snapshots, mut reconnections) = (0, 0);
    for (n, session) in sessions.into_iter().enumerate() {
        let outcome = session.await?.with_context(|| format!("session {n}"))?;
        snapshots += outcome.snapshots;
        reconnections += outcome.reconnections;
        codes.insert(outcome.code);
    }
    println!(
        "{people} sessions complete after {:.1} s: {snapshots} snapshots, {reconnections} reconnections",
        begun.elapsed().as_secs_f64()
    );
    ensure!(codes.len() == people, "completion codes repeat");
    let exported = Export::of(&servers[0], STUDY)?.events()?;
    ensure!(
        exported.len() == people,
        "{} sessions are exported",
        exported.len()
    );
    exported.values().try_for_each(|log| check_numbering(log))?;
    let said = servers[1].command(&["database", "check"])?.output()?;
    let text = String::from_utf8_lossy(&said.stdout);
    let error = String::from_utf8_lossy(&said.stderr);
    ensure!(said.status.success(), "{text}{error}");
    Ok(())
}

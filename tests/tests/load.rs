//! Two hundred participants at once, over the real WebSocket, while the server
//! is killed and started again three times.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tests::client::Client;
use tests::export::{Export, check_numbering};
use tests::server::Server;
use tests::simulated::run::{Pace, take_part};
use tests::wait;

const STUDY: &str = "quickstart";
const SESSIONS: usize = 200;
/// Ten steps a second; with the moves of its seven questions a session takes about 25 seconds.
const PACE: Pace = Pace {
    step: Duration::from_millis(100),
    moves_per_question: 30,
    limit: Duration::from_secs(180),
};
/// When the server is killed, in seconds after the sessions began, and how long it stays away.
const KILLS: [(u64, u64); 3] = [(5, 1), (12, 3), (19, 1)];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_server_is_killed() -> Result<()> {
    wait::at_most(Duration::from_secs(400), storm()).await
}

async fn storm() -> Result<()> {
    let mut server = Server::start().await?;
    let address = server.address().to_owned();
    let client = Client::new(&address);
    let mut started = Vec::new();
    for n in 0..SESSIONS {
        started.push(
            client
                .start(STUDY, &format!("load-test-attempt-{n:04}"))
                .await?,
        );
    }
    let begun = Instant::now();
    let sessions: Vec<_> = started
        .into_iter()
        .map(|started| {
            let address = address.clone();
            tokio::spawn(async move { take_part(&address, started, PACE).await })
        })
        .collect();
    for (at_s, away_s) in KILLS {
        tokio::time::sleep_until((begun + Duration::from_secs(at_s)).into()).await;
        server.kill()?;
        tokio::time::sleep(Duration::from_secs(away_s)).await;
        server.restart().await?;
        println!("{:.1} s: the server is back", begun.elapsed().as_secs_f64());
    }
    let mut codes = BTreeSet::new();
    let (mut snapshots, mut reconnections) = (0, 0);
    for (n, session) in sessions.into_iter().enumerate() {
        let outcome = session.await?.with_context(|| format!("session {n}"))?;
        ensure!(
            outcome.reconnections > 0,
            "session {n} never lost its connection"
        );
        snapshots += outcome.snapshots;
        reconnections += outcome.reconnections;
        codes.insert(outcome.code);
    }
    println!(
        "{SESSIONS} sessions complete after {:.1} s: {snapshots} snapshots, {reconnections} reconnections",
        begun.elapsed().as_secs_f64()
    );
    ensure!(codes.len() == SESSIONS, "completion codes repeat");
    let exported = Export::of(&server, STUDY)?.events()?;
    ensure!(
        exported.len() == SESSIONS,
        "{} sessions are exported",
        exported.len()
    );
    exported.values().try_for_each(|log| check_numbering(log))
}

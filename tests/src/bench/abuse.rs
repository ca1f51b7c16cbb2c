//! What attacks cost: the server's memory, and what honest participants notice of them.
//!
//! Each attack comes from another loopback address than the participants, against a server of its own.
//! Everything that the server acknowledged to a participant must be there at the end, or the run fails.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use api::routes;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

use super::statistics::quantile;
use crate::client::Client;
use crate::server::Server;
use crate::simulated::run::{SessionPace, take_part};

const STUDY: &str = "quickstart";
/// Participants beside each attack, ten snapshots a second each.
const PEOPLE: usize = 20;
const PACE: SessionPace = SessionPace {
    step: Duration::from_millis(100),
    moves_per_question: 25,
    limit: Duration::from_secs(180),
    speed: 1,
};
/// How long an attack goes on: about as long as the participants' sessions.
const LASTS: Duration = Duration::from_secs(20);
/// Where attacks come from.
const ATTACKER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 66));

/// Most memory beside an attack, as a multiple of that without one.
const MOST_MEMORY: f64 = 2.0;
/// Longest time to the acknowledgement of an honest participant, but for one in a hundred.
const MOST_P99_MS: f64 = 1_000.0;

/// An attack.
#[derive(Debug, Clone, Copy)]
enum Attack {
    None,
    HalfSentHeads,
    UnreadDownloads,
    DrippingBodies,
    HugeBodies,
    Starts,
    Nonsense,
    Flood,
    SilentSockets,
    TricklingBodies,
    LongTexts,
    FewDescriptors,
}

impl Attack {
    const ALL: [Self; 12] = [
        Self::None,
        Self::HalfSentHeads,
        Self::UnreadDownloads,
        Self::DrippingBodies,
        Self::HugeBodies,
        Self::Starts,
        Self::Nonsense,
        Self::Flood,
        Self::SilentSockets,
        Self::TricklingBodies,
        Self::LongTexts,
        Self::FewDescriptors,
    ];

    fn in_words(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::HalfSentHeads => "1,100 connections that send half a head",
            Self::UnreadDownloads => "600 downloads of the app that nobody reads",
            Self::DrippingBodies => "300 bodies of a byte a second",
            Self::HugeBodies => "100 bodies of 100 MB, over and over",
            Self::Starts => "sessions started as fast as one address can",
            Self::Nonsense => "50 connections of random bytes, over and over",
            Self::Flood => "a session that logs as fast as it can",
            Self::SilentSockets => "150 sockets of 4 MB without a hello, over and over",
            Self::TricklingBodies => "400 bodies of 2 MB that trickle",
            Self::LongTexts => "16 sessions with texts of 900 kB",
            Self::FewDescriptors => "1,000 connections, of 512 descriptors",
        }
    }

    /// How many files the server may have open; absent: as many as it likes.
    fn descriptors(self) -> Option<u64> {
        matches!(self, Self::FewDescriptors).then_some(512)
    }
}

/// Measures and prints a table.
///
/// # Errors
/// When an honest session fails, an event that was acknowledged is not there, or an attack costs more than
/// [`MOST_MEMORY`] or [`MOST_P99_MS`].
pub async fn run() -> Result<()> {
    println!(
        "\nabuse: {PEOPLE} honest participants beside each attack, which lasts {} s",
        LASTS.as_secs()
    );
    println!(
        "{:<48} {:>8} {:>8} {:>8} {:>10} {:>10} {:>9}",
        "attack", "p50 ms", "p99 ms", "max ms", "start ms", "memory MB", "refused"
    );
    let (mut quiet_mb, mut beyond) = (f64::NAN, Vec::new());
    for attack in Attack::ALL {
        let row = beside(attack).await.with_context(|| attack.in_words())?;
        let ms = |q: f64| quantile(&row.acks_s, q) * 1_000.0;
        println!(
            "{:<48} {:>8.1} {:>8.1} {:>8.1} {:>10.1} {:>10.1} {:>9}",
            attack.in_words(),
            ms(0.5),
            ms(0.99),
            ms(1.0),
            row.start_s * 1_000.0,
            row.memory_mb,
            row.refused
        );
        if matches!(attack, Attack::None) {
            quiet_mb = row.memory_mb;
        }
        if row.memory_mb > MOST_MEMORY * quiet_mb || ms(0.99) > MOST_P99_MS {
            beyond.push(attack.in_words());
        }
    }
    ensure!(
        beyond.is_empty(),
        "more than {MOST_MEMORY} times the memory of a quiet server, or a p99 above {MOST_P99_MS} ms: {}",
        beyond.join("; ")
    );
    Ok(())
}

/// What was measured beside an attack.
struct AttackOutcome {
    /// Seconds to each acknowledgement of an honest participant.
    acks_s: Vec<f64>,
    /// Seconds that an honest Start took in the middle of the attack, the slowest of a few.
    start_s: f64,
    /// Most memory that the server had.
    memory_mb: f64,
    /// How many of the attacker's requests or connections the server refused or ended.
    refused: usize,
}

async fn beside(attack: Attack) -> Result<AttackOutcome> {
    let server = match attack.descriptors() {
        None => Server::start().await?,
        Some(descriptors) => Server::start_with_descriptors(descriptors).await?,
    };
    let address: SocketAddr = server.address().parse()?;
    let client = Client::new(server.address());
    let mut people = JoinSet::new();
    for n in 0..PEOPLE {
        let started = client
            .start(STUDY, &format!("honest-attempt-{n:06}"))
            .await?;
        let address = server.address().to_owned();
        people.spawn(async move { take_part(&address, started, PACE).await });
    }
    let attacker = tokio::spawn(attacked(attack, address));
    let mut start_s: f64 = 0.0;
    for n in 0..5 {
        tokio::time::sleep(LASTS / 8).await;
        let begun = Instant::now();
        client.start(STUDY, &format!("late-attempt-{n:08}")).await?;
        start_s = start_s.max(begun.elapsed().as_secs_f64());
    }
    let mut acks_s = Vec::new();
    while let Some(outcome) = people.join_next().await {
        // Fails if anything acknowledged is not there.
        acks_s.extend(outcome??.acks.iter().map(Duration::as_secs_f64));
    }
    let refused = attacker.await??;
    Ok(AttackOutcome {
        acks_s,
        start_s,
        memory_mb: server.most_memory_mb()?,
        refused,
    })
}

/// Attacks for [`LASTS`]; gives how often the server refused or ended something.
async fn attacked(attack: Attack, server: SocketAddr) -> Result<usize> {
    let mut tasks = JoinSet::new();
    let until = Instant::now() + LASTS;
    match attack {
        Attack::None => tokio::time::sleep(LASTS).await,
        Attack::HalfSentHeads => {
            for _ in 0..1_100 {
                tasks.spawn(hold(server, b"GET / HTTP/1.1\r\nHost: a".to_vec(), until));
            }
        }
        Attack::UnreadDownloads => {
            let page = Client::new(&server.to_string()).get("/").await?;
            let page = String::from_utf8_lossy(&page);
            let module = page.split('"').find(|part| part.ends_with(".wasm"));
            let module = module.context("the page names no module")?;
            let path = format!("/{}", module.trim_start_matches('/'));
            for _ in 0..600 {
                let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
                tasks.spawn(hold(server, request.into_bytes(), until));
            }
        }
        Attack::DrippingBodies => {
            for _ in 0..300 {
                tasks.spawn(drip(server, until));
            }
        }
        Attack::HugeBodies => {
            for _ in 0..100 {
                tasks.spawn(huge(server, until));
            }
        }
        Attack::Starts => {
            for n in 0..16 {
                tasks.spawn(start(server, n, until));
            }
        }
        Attack::Nonsense => {
            for n in 0..50 {
                tasks.spawn(nonsense(server, n, until));
            }
        }
        Attack::Flood => {
            tasks.spawn(flood(server, until));
        }
        Attack::SilentSockets => {
            for _ in 0..150 {
                tasks.spawn(silent_socket(server, until));
            }
        }
        Attack::TricklingBodies => {
            for _ in 0..400 {
                tasks.spawn(trickle(server, until));
            }
        }
        Attack::LongTexts => {
            for n in 0..16 {
                tasks.spawn(long_texts(server, n, until));
            }
        }
        Attack::FewDescriptors => {
            for _ in 0..1_000 {
                tasks.spawn(hold(server, Vec::new(), until));
            }
        }
    }
    let mut refused = 0;
    while let Some(one) = tasks.join_next().await {
        refused += one??;
    }
    Ok(refused)
}

/// A connection from the attacker's address; none if the server takes none.
async fn connect(server: SocketAddr) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().ok()?;
    socket.bind(SocketAddr::new(ATTACKER, 0)).ok()?;
    let connecting = tokio::time::timeout(Duration::from_secs(5), socket.connect(server));
    connecting.await.ok()?.ok()
}

/// Sends something and reads nothing; gives 1 if the server ended the connection meanwhile.
async fn hold(server: SocketAddr, bytes: Vec<u8>, until: Instant) -> Result<usize> {
    let Some(mut stream) = connect(server).await else {
        return Ok(1);
    };
    if stream.write_all(&bytes).await.is_err() {
        return Ok(1);
    }
    tokio::time::sleep_until(until.into()).await;
    // What arrives next to nothing being read, is the end.
    Ok(usize::from(stream.write_all(b"x").await.is_err()))
}

async fn drip(server: SocketAddr, until: Instant) -> Result<usize> {
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n",
        routes::study_sessions(STUDY)
    );
    let Some(mut stream) = connect(server).await else {
        return Ok(1);
    };
    stream.write_all(head.as_bytes()).await?;
    while Instant::now() < until {
        if stream.write_all(b" ").await.is_err() {
            return Ok(1);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(0)
}

async fn huge(server: SocketAddr, until: Instant) -> Result<usize> {
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n",
        routes::study_sessions(STUDY)
    );
    let (block, mut refused) = (vec![b' '; 64 * 1024], 0);
    while Instant::now() < until {
        let Some(mut stream) = connect(server).await else {
            refused += 1;
            tokio::time::sleep(Duration::from_millis(200)).await;
            continue;
        };
        let mut sent = stream.write_all(head.as_bytes()).await;
        while sent.is_ok() && Instant::now() < until {
            sent = stream.write_all(&block).await;
        }
        refused += usize::from(sent.is_err());
    }
    Ok(refused)
}

/// Sends a request on a connection of its own; whether the answer is an error.
async fn is_refused(server: SocketAddr, request: &[u8]) -> bool {
    let Some(mut stream) = connect(server).await else {
        return true;
    };
    if stream.write_all(request).await.is_err() {
        return true;
    }
    let mut answer = [0; 16];
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read(&mut answer));
    !matches!(read.await, Ok(Ok(n)) if n >= 12 && answer.starts_with(b"HTTP/1.1 2"))
}

async fn start(server: SocketAddr, task: usize, until: Instant) -> Result<usize> {
    let (mut refused, mut n) = (0, 0);
    while Instant::now() < until {
        let body = json!({ "attempt": format!("attack-{task:04}-{n:08}") }).to_string();
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            routes::study_sessions(STUDY),
            body.len()
        );
        refused += usize::from(is_refused(server, request.as_bytes()).await);
        n += 1;
    }
    Ok(refused)
}

/// Bytes that look random, the same in every run (xorshift).
async fn nonsense(server: SocketAddr, seed: u64, until: Instant) -> Result<usize> {
    let (mut state, mut refused) = (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, 0);
    while Instant::now() < until {
        let bytes: Vec<u8> = (0..512)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 32) as u8
            })
            .collect();
        refused += usize::from(is_refused(server, &bytes).await);
    }
    Ok(refused)
}

/// A session of the attacker's own, with the right token, that logs without pause.
async fn flood(server: SocketAddr, until: Instant) -> Result<usize> {
    let client = Client::new(&server.to_string());
    let started = client.start(STUDY, "attack-flood-attempt").await?;
    let log: Vec<_> =
        domain::simulate::SimulatedParticipant::new(started.plan.clone(), 1, 20_000).collect();
    let path = routes::events(&started.plan.session);
    let (mut sent, mut refused) = (0, 0);
    while Instant::now() < until && sent < log.len() {
        let end = log.len().min(sent + api::MAX_BATCH_EVENTS);
        let batch = json!({ "events": log[sent..end] });
        let answer = client.post(&path, Some(&started.token), &batch).await?;
        if answer.status.is_success() {
            sent = end;
        } else {
            refused += 1;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    ensure!(sent > 0, "the flood was refused from its beginning");
    Ok(refused)
}

/// Becomes a WebSocket, says no hello, and sends one frame of 4 MB; again when it is ended.
async fn silent_socket(server: SocketAddr, until: Instant) -> Result<usize> {
    let head = format!(
        "GET {} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
        routes::STREAM
    );
    // FIN and text; a mask of zeros, and a length in 8 bytes (RFC 6455, section 5.2).
    let mut frame = vec![0x81, 0xff];
    frame.extend((4_000_000_u64).to_be_bytes());
    frame.extend([0; 4]);
    let (block, mut refused) = (vec![b' '; 64 * 1024], 0);
    while Instant::now() < until {
        let Some(mut stream) = connect(server).await else {
            refused += 1;
            tokio::time::sleep(Duration::from_millis(200)).await;
            continue;
        };
        let mut sent = stream.write_all(head.as_bytes()).await;
        if sent.is_ok() {
            sent = stream.write_all(&frame).await;
        }
        let mut bytes = 0;
        while sent.is_ok() && bytes < 3_900_000 {
            sent = stream.write_all(&block).await;
            bytes += block.len();
        }
        if sent.is_ok() {
            // All of it but the end is there: it is held as long as the server likes.
            let mut answer = [0; 1024];
            let read = async { while matches!(stream.read(&mut answer).await, Ok(1..)) {} };
            let _ = tokio::time::timeout_at(until.into(), read).await;
        }
        refused += usize::from(Instant::now() < until);
    }
    Ok(refused)
}

/// A body of 2 MB without a token, of which all but a little is sent at once, and the rest never ends.
async fn trickle(server: SocketAddr, until: Instant) -> Result<usize> {
    let session = domain::session::event::SessionId("0".repeat(32));
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n\
         Content-Type: application/json\r\nContent-Length: 2000000\r\n\r\n",
        routes::events(&session)
    );
    let Some(mut stream) = connect(server).await else {
        return Ok(1);
    };
    let block = vec![b' '; 64 * 1024];
    let mut sent = stream.write_all(head.as_bytes()).await;
    for _ in 0..30 {
        if sent.is_ok() {
            sent = stream.write_all(&block).await;
        }
    }
    while sent.is_ok() && Instant::now() < until {
        tokio::time::sleep(Duration::from_secs(1)).await;
        sent = stream.write_all(b" ").await;
    }
    Ok(usize::from(sent.is_err()))
}

/// A session of the attacker's own, with the right token, whose consent names a version of 900 kB.
async fn long_texts(server: SocketAddr, task: usize, until: Instant) -> Result<usize> {
    let client = Client::new(&server.to_string());
    let started = client
        .start(STUDY, &format!("attack-texts-{task:06}"))
        .await?;
    let path = routes::events(&started.plan.session);
    let consent = json!({
        "format": 2, "session": started.plan.session, "seq": 0, "at_ms": 0,
        "kind": "consent_given", "version": "x".repeat(900_000),
    });
    let batch = json!({ "events": [consent] });
    let mut refused = 0;
    while Instant::now() < until {
        let answer = client.post(&path, Some(&started.token), &batch).await;
        refused += usize::from(answer.is_ok_and(|answer| !answer.status.is_success()));
    }
    ensure!(refused > 0, "texts of 900 kB were taken");
    Ok(refused)
}

//! Several servers on one database of PostgreSQL, behind a balancer that sends each request to any of them.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use api::replay::NewEvents;
use api::{CompletionCode, ErrorCode, SessionStarted, routes};
use axum::http::Method;
use cluster::{Cluster, cluster};
use domain::session::Session;
use domain::session::event::{Author, Envelope};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use server::limits::Limits;
use server::secrets::TokenHash;
use server::system::{Clock, System, SystemClock};

use crate::app::{ATTEMPT, App, AppResponse, STUDY, Setup, log_of, study_json, study_with};

mod backup;
mod deadlocks;
mod dropping;
mod failover;
mod pooled;
mod versions;
mod watched;

use dropping::Dropping;

/// Servers that share a database.
struct Nodes(Vec<App>);

impl Nodes {
    async fn at(urls: &[String], setup: &Setup) -> Self {
        let mut nodes = Vec::new();
        for url in urls {
            nodes.push(App::at(url, setup.clone()).await);
        }
        Self(nodes)
    }

    /// So many servers on a new database.
    async fn new(count: usize, setup: &Setup) -> Self {
        let url = cluster().database();
        Self::at(&vec![url; count], setup).await
    }

    /// Lets any number of people start, though all come from one address.
    fn for_crowds(mut self) -> Self {
        for app in &mut self.0 {
            let limits = Limits {
                starts_at_once: NonZeroU32::MAX,
                ..Limits::default()
            };
            app.state = app.state.clone().with_limits(limits);
            app.router = server::http::router(app.state.clone());
        }
        self
    }

    fn any(&self, rng: &mut ChaCha8Rng) -> &App {
        self.0.choose(rng).unwrap()
    }
}

/// Sends a page's log in batches of any length to any server, as a page with a poor connection does: it sends some
/// again, and goes on from where a server says that the log ends. Gives how often a server was busy.
async fn send_log(
    nodes: &Nodes,
    started: &SessionStarted,
    log: &[Envelope],
    rng: &mut ChaCha8Rng,
) -> u32 {
    let (mut at, mut busy) = (0, 0);
    while at < log.len() {
        let from = at.saturating_sub(rng.random_range(0..4));
        let to = (at + rng.random_range(1..12)).min(log.len());
        let answer = nodes.any(rng).append(started, &log[from..to]).await;
        if answer.status.is_success() {
            let acked: api::Ack = answer.json();
            at = usize::try_from(acked.acked_len).unwrap();
            assert!(at >= to, "what was taken is taken");
            continue;
        }
        let error = answer.error();
        assert_eq!(error.code, ErrorCode::Unavailable, "{}", error.message);
        busy += 1;
        assert!(busy < 1_000, "{}", error.message);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    busy
}

/// Asks until a server is not busy.
async fn until_answered<F: Future<Output = AppResponse>>(ask: impl Fn() -> F) -> AppResponse {
    let began = Instant::now();
    loop {
        let answer = ask().await;
        let is_busy =
            answer.status.as_u16() == 503 && answer.error().code == ErrorCode::Unavailable;
        if !is_busy || began.elapsed() > Duration::from_secs(60) {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Takes part from the start to the code, each request at any server.
async fn take_part(nodes: Arc<Nodes>, who: u64) -> SessionStarted {
    let mut rng = ChaCha8Rng::seed_from_u64(who);
    let node = nodes.any(&mut rng);
    let attempt = format!("attempt-of-number-{who}");
    let started = until_answered(|| node.ask_to_start(json!({ "attempt": attempt }))).await;
    let started: SessionStarted = started.json();
    let log = log_of(&started);
    send_log(&nodes, &started, &log, &mut rng).await;
    let mut codes = Vec::new();
    for _ in 0..3 {
        let node = nodes.any(&mut rng);
        let CompletionCode { code } = until_answered(|| node.complete(&started)).await.json();
        codes.push(code);
    }
    codes.dedup();
    assert_eq!(codes.len(), 1, "one code, wherever it is asked for");
    started
}

/// What is stored of a session is the log that its page sent, once, and it leads to the end.
async fn is_whole(app: &App, started: &SessionStarted) {
    let stored = app.events(&started.plan.session, Author::Participant).await;
    let stored: Vec<Envelope> = stored.iter().map(|it| it.envelope().unwrap()).collect();
    assert_eq!(stored, log_of(started));
    let session = Session::new(started.plan.clone())
        .replayed(&stored)
        .unwrap();
    assert!(session.phase().is_end());
}

/// A study with so many cells, and places for so many in each.
fn capped(cells: usize, cap: usize) -> Setup {
    let levels: Vec<String> = (0..cells).map(|cell| format!("c{cell}")).collect();
    Setup::of(study_with(json!({ "design": {
        "factors": [{ "name": "side", "levels": levels }],
        "assignment": { "cap": cap }
    } })))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_go_to_any_server_lead_everybody_to_their_end() {
    let nodes = Arc::new(Nodes::new(4, &Setup::default()).await);
    let people = (0..24).map(|who| tokio::spawn(take_part(nodes.clone(), who)));
    let started = futures_util::future::join_all(people).await;
    let mut numbers = Vec::new();
    for started in started {
        let started = started.unwrap();
        is_whole(&nodes.0[0], &started).await;
        numbers.push(nodes.0[1].session(&started.plan.session).await.ordinal);
    }
    numbers.sort_unstable();
    assert_eq!(
        numbers,
        (1..=24).collect::<Vec<_>>(),
        "no number is given out twice"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_breaks_down_loses_nothing_that_was_acknowledged() {
    let cluster = Cluster::own();
    let url = cluster.database();
    let nodes = Arc::new(Nodes::at(&vec![url; 3], &Setup::default()).await);
    let over = Arc::new(AtomicBool::new(false));
    // People come one after the other, at several places at once, until the breakdowns are over.
    let places = (0..8).map(|place| {
        let (nodes, over) = (nodes.clone(), over.clone());
        tokio::spawn(async move {
            let mut started = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let who = 1_000 * place + started.len() as u64;
                started.push(take_part(nodes.clone(), who).await);
            }
            started
        })
    });
    let places: Vec<_> = places.collect();
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(900)).await;
        cluster.crash().unwrap();
        tokio::time::sleep(Duration::from_millis(400)).await;
        cluster.run().unwrap();
    }
    over.store(true, Ordering::Relaxed);
    let mut people = 0;
    for started in futures_util::future::join_all(places).await {
        for started in started.unwrap() {
            is_whole(&nodes.0[0], &started).await;
            people += 1;
        }
    }
    assert!(people >= 8, "{people}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_without_an_answer_is_looked_up_and_never_done_twice() {
    let database = cluster().database();
    let name = database.rsplit('/').next().unwrap().to_owned();
    // Tables are made before, by somebody whose COMMITs are all answered.
    let made = server::storage::open(&database).await.unwrap();
    made.close().await;
    // Every third COMMIT gets no answer: of these every other one has reached the database.
    let proxy = Dropping::start(cluster().socket(), 3).await;
    let url = format!("postgres://redial@{}/{name}", proxy.address);
    let nodes = Arc::new(Nodes::at(&vec![url; 2], &Setup::default()).await);
    let people = (0..12).map(|who| tokio::spawn(take_part(nodes.clone(), who)));
    let started = futures_util::future::join_all(people).await;
    let (reached, lost) = proxy.dropped();
    assert!(reached > 5 && lost > 5, "{reached} {lost}");
    for started in started {
        is_whole(&nodes.0[0], &started.unwrap()).await;
    }
    let sessions = nodes.0[0].stored().await;
    assert_eq!(sessions.len(), 12, "nobody was started twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_servers_fill_cells_by_the_rule_and_give_the_last_place_once() {
    let long = std::env::var_os("REDIAL_LONG").is_some();
    let (people, cells, cap) = if long { (2_000, 7, 200) } else { (30, 3, 4) };
    let nodes = Nodes::new(4, &capped(cells, cap)).await;
    let nodes = Arc::new(nodes.for_crowds());
    let arrivals = (0..people).map(|who| {
        let nodes = nodes.clone();
        tokio::spawn(async move {
            let attempt = format!("attempt-of-number-{who}");
            let asked = json!({ "attempt": attempt });
            let answer = nodes.0[who % 4].ask_to_start(asked).await;
            match answer.status.is_success() {
                true => Some(answer.json::<SessionStarted>()),
                false => {
                    answer.refused(ErrorCode::StudyFull);
                    None
                }
            }
        })
    });
    let started = futures_util::future::join_all(arrivals).await;
    let started = started.into_iter().filter_map(Result::unwrap).count();
    assert_eq!(started, cells * cap);
    let ledger = nodes.0[0]
        .state
        .storage
        .study_snapshot(STUDY)
        .await
        .unwrap();
    let ledger = { ledger }.ledger().await.unwrap();
    // By the rule each went where the fewest were before, in the order in which they were numbered.
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for line in &ledger.lines {
        let in_all = taken.values().copied();
        let fewest = if taken.len() < cells {
            0
        } else {
            in_all.min().unwrap()
        };
        let here = taken.entry(line.entry.cell.clone()).or_default();
        assert_eq!(*here, fewest, "{line:?}");
        *here += 1;
    }
    assert!(taken.into_values().all(|count| count == cap));
}

#[tokio::test]
async fn who_is_erased_or_goes_on_elsewhere_is_so_at_every_server() {
    let nodes = Nodes::new(2, &Setup::default()).await;
    let [first, second] = &nodes.0[..] else {
        unreachable!()
    };
    let started = first.start_as(ATTEMPT, "P1").await;
    let log = log_of(&started);
    first.append(&started, &log[..4]).await;
    // Another browser takes the session over at the other server.
    let again = second.start_as("another-attempt-0", "P1").await;
    assert_eq!(again.plan.session, started.plan.session);
    first.read(&started).await.refused(ErrorCode::Unauthorised);
    first.append(&again, &log[4..6]).await.json::<api::Ack>();
    let other = second.start("0000000000000009").await;
    second.append(&other, &log_of(&other)[..4]).await;
    first.read(&other).await;
    let gone = second.erase(&other).await;
    assert!(gone.status.is_success(), "{}", gone.text());
    first.read(&other).await.refused(ErrorCode::Erased);
    let more = first.append(&other, &log_of(&other)[4..5]).await;
    more.refused(ErrorCode::Erased);
}

/// So many servers with a study for the lab, and the key of its experimenters.
async fn lab_servers(count: usize) -> (Nodes, String) {
    let mut study = study_json();
    study["mode"] = json!("lab");
    let mut nodes = Nodes::new(count, &Setup::of(study)).await.for_crowds();
    let key = nodes.0[0].state.sessions.lab_key().await.unwrap();
    for app in &mut nodes.0 {
        app.state.lab_key = Some(TokenHash::of(&key));
        app.router = server::http::router(app.state.clone());
        let sessions = app.state.sessions.clone();
        let stopping = app.state.stopping.clone();
        tokio::spawn(async move { sessions.follow_others(stopping).await });
    }
    (nodes, key)
}

#[tokio::test]
async fn an_experimenter_at_another_server_sees_what_the_page_logs() {
    let (nodes, key) = lab_servers(2).await;
    let [page, beside] = &nodes.0[..] else {
        unreachable!()
    };
    let started = page.start_as(ATTEMPT, "P1").await;
    let log = log_of(&started);
    let path = routes::research_events(STUDY, &started.plan.session);
    let waits = format!("{path}?identifying=true&participant=0&server=0&experimenter=0");
    let asked = beside.call(Method::GET, &waits, Some(&key), None);
    let sent = async {
        tokio::time::sleep(Duration::from_millis(600)).await;
        page.append(&started, &log[..3]).await.json::<api::Ack>()
    };
    let began = Instant::now();
    let (seen, _) = tokio::join!(asked, sent);
    let took = began.elapsed();
    assert_eq!(seen.json::<NewEvents>().events.len(), 3);
    // Without the feed it is told when its time is over, after 20 s.
    assert!(took < Duration::from_secs(10), "{took:?}");
}

/// A clock that is an hour ahead.
struct Fast;

impl Clock for Fast {
    fn now_unix_ms(&self) -> u64 {
        SystemClock.now_unix_ms() + 3_600_000
    }
}

#[tokio::test]
async fn servers_know_each_other_and_one_whose_clock_is_off_is_not_ready() {
    let url = cluster().database();
    let right = App::at(&url, Setup::default()).await;
    let system = System {
        clock: Arc::new(Fast),
        ..System::default()
    };
    let setup = Setup {
        system,
        ..Setup::default()
    };
    let wrong = App::at(&url, setup).await;
    let addresses = [right.listen().await, wrong.listen().await];
    let began = Instant::now();
    let nodes = loop {
        let nodes = right.state.storage.nodes().await.unwrap();
        if nodes.len() == 2 {
            break nodes;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{nodes:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    for (app, address) in [&right, &wrong].into_iter().zip(addresses) {
        let listed = nodes
            .iter()
            .find(|node| node.report.address == address.to_string());
        let ahead_ms = listed.unwrap().report.clock_ms;
        let answer = app.get("/readyz").await;
        if ahead_ms > 3_000_000 {
            let error = answer.refused(ErrorCode::Unavailable);
            assert!(error.message.contains("clock"), "{}", error.message);
        } else {
            assert!(ahead_ms.abs() < 2_000, "{ahead_ms}");
            assert_eq!(answer.status, 200);
        }
    }
    assert_eq!(wrong.get("/readyz").await.status, 503);
    // Whoever ends is forgotten.
    wrong.state.stopping.cancel();
    let began = Instant::now();
    while right.state.storage.nodes().await.unwrap().len() > 1 {
        assert!(began.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn what_another_server_adds_while_a_session_is_erased_goes_too() {
    use sqlx::Connection as _;
    let url = cluster().database();
    let app = App::at(&url, Setup::default()).await;
    let started = app.start(ATTEMPT).await;
    app.append(&started, &log_of(&started)[..5]).await;
    let id = &started.plan.session.0;
    // Another server has added an event, and not yet committed it.
    let mut other = sqlx::PgConnection::connect(&url).await.unwrap();
    let add = format!(
        "BEGIN; UPDATE sessions SET log_len = log_len + 1 WHERE id = '{id}'; \
         INSERT INTO events SELECT session, author, 5, at_ms, kind, received_at, envelope \
         FROM events WHERE session = '{id}' AND seq = 4"
    );
    let add = sqlx::AssertSqlSafe(add);
    sqlx::raw_sql(add).execute(&mut other).await.unwrap();
    let commits = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    };
    let (erased, ()) = tokio::join!(app.erase(&started), commits);
    assert!(erased.status.is_success(), "{}", erased.text());
    let name = url.rsplit('/').next().unwrap();
    let left = cluster().sql(name, "SELECT COUNT(*) FROM events").unwrap();
    assert_eq!(left.trim(), "0");
}

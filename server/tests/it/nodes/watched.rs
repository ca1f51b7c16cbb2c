//! How soon a session is seen at another server than its page's, and what is stored meanwhile. All run in one process, and
//! share its cores: `cargo xtask bench watch`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use api::replay::NewEvents;
use api::{SessionStarted, routes};
use axum::http::Method;
use domain::session::event::Envelope;

use super::lab_servers;
use crate::app::{App, STUDY, log_of};

/// Sessions, each watched by one experimenter.
const WATCHED: usize = 100;

/// Events that each of them sends, one after the other.
const EVENTS: usize = 20;

/// So many push whole logs meanwhile, each of so many sessions, one after the other: few, who leave the cores time for those
/// who watch, and as many as the cores can take.
const PUSHING: [(usize, usize); 2] = [(4, 30), (32, 6)];

/// Pushing ends by then, while all others are still there.
const PUSHING_TIME: Duration = Duration::from_secs(8);

/// Rounds with nobody who watches, and as many with somebody for each session.
const ROUNDS: usize = 3;

/// Of all events, this share is seen within [`SOON`].
const SHARE: f64 = 0.95;
const SOON: Duration = Duration::from_secs(1);

/// Sends events one by one, each as soon as the last one is stored; how many it were a second.
async fn push(
    page: Arc<App>,
    by_each: usize,
    sessions: Vec<(SessionStarted, Vec<Envelope>)>,
) -> f64 {
    let began = Instant::now();
    let sending = sessions.chunks(by_each).map(|sessions| {
        let (page, sessions) = (page.clone(), sessions.to_vec());
        tokio::spawn(async move {
            let mut sent = 0;
            for (started, log) in &sessions {
                for event in log.chunks(1) {
                    if began.elapsed() > PUSHING_TIME {
                        return sent;
                    }
                    page.append(started, event).await.json::<api::Ack>();
                    sent += 1;
                }
            }
            sent
        })
    });
    let sent = futures_util::future::join_all(sending).await;
    let sent: usize = sent.into_iter().map(Result::unwrap).sum();
    sent as f64 / began.elapsed().as_secs_f64()
}

/// Sessions whose pages send an event about twice a second, while others push theirs: how many of these were stored a second,
/// and how long after an event was stored somebody saw it at another server, where somebody watches.
async fn round(
    nodes: [&Arc<App>; 2],
    key: &str,
    name: &str,
    (pushing, by_each): (usize, usize),
    watched: bool,
) -> (f64, Vec<Duration>) {
    let [page, beside] = nodes;
    let start = async |count: usize, name: &str| {
        let mut started = Vec::new();
        for number in 0..count {
            let attempt = format!("{name}-attempt-{number:04}");
            let one = page.start_as(&attempt, &format!("{name}{number}")).await;
            let log = log_of(&one);
            started.push((one, log));
        }
        started
    };
    let calm = start(WATCHED, &format!("{name}-calm")).await;
    let pushed = start(pushing * by_each, &format!("{name}-pushed")).await;
    let pages = calm
        .into_iter()
        .enumerate()
        .map(|(number, (started, log))| {
            let (page, beside, key) = (page.clone(), beside.clone(), key.to_owned());
            tokio::spawn(async move {
                let path = routes::research_events(STUDY, &started.plan.session);
                let mut took = Vec::new();
                for known in 0..EVENTS {
                    let wanted = format!(
                        "{path}?identifying=true&participant={known}&server=0&experimenter=0"
                    );
                    let stored = async {
                        let pause = 300 + (number * 37 + known * 101) % 400;
                        tokio::time::sleep(Duration::from_millis(pause as u64)).await;
                        page.append(&started, &log[known..=known])
                            .await
                            .json::<api::Ack>();
                        Instant::now()
                    };
                    if !watched {
                        stored.await;
                        continue;
                    }
                    let seen = async {
                        let seen = beside.call(Method::GET, &wanted, Some(&key), None).await;
                        assert_eq!(seen.json::<NewEvents>().events.len(), 1);
                        Instant::now()
                    };
                    let (seen, stored) = tokio::join!(seen, stored);
                    took.push(seen.saturating_duration_since(stored));
                }
                took
            })
        });
    let pages: Vec<_> = pages.collect();
    let stored = push(page.clone(), by_each, pushed).await;
    let took = futures_util::future::join_all(pages).await;
    (stored, took.into_iter().flat_map(Result::unwrap).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement; cargo xtask bench watch"]
async fn what_happens_is_seen_elsewhere_within_a_second() {
    let (nodes, key) = lab_servers(2).await;
    let nodes: Vec<Arc<App>> = nodes.0.into_iter().map(Arc::new).collect();
    let nodes = [&nodes[0], &nodes[1]];
    let mut took = Vec::new();
    for pushing in PUSHING {
        let (mut unwatched, mut watched) = (Vec::new(), Vec::new());
        // In turns, since the machine is not always as quick. The first round warms everything up.
        for number in 0..=ROUNDS {
            let name = format!("{}-{number}", pushing.0);
            let (stored, _) = round(nodes, &key, &format!("alone{name}"), pushing, false).await;
            let watching = format!("watched{name}");
            let (stored_watched, seen) = round(nodes, &key, &watching, pushing, true).await;
            if number > 0 {
                unwatched.push(stored);
                watched.push(stored_watched);
                took.extend(seen);
            }
        }
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        let shown = |rates: &[f64]| {
            let rates: Vec<String> = rates.iter().map(|it| format!("{it:.0}")).collect();
            rates.join(", ")
        };
        println!(
            "batches stored a second, of {} who push beside {WATCHED} pages that send two a second each: \
             {:.0} with nobody watching ({}), {:.0} with {WATCHED} who watch ({}): {:.2} of it",
            pushing.0,
            mean(&unwatched),
            shown(&unwatched),
            mean(&watched),
            shown(&watched),
            mean(&watched) / mean(&unwatched),
        );
    }
    took.sort_unstable();
    let late = took[(took.len() as f64 * SHARE) as usize];
    println!(
        "seen at another server: half within {:.0?}, 95 % within {late:.0?}, all within {:.0?}",
        took[took.len() / 2],
        took[took.len() - 1],
    );
    assert!(late <= SOON, "{late:?}");
}

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

/// People who send their logs meanwhile, event by event.
#[derive(Clone, Copy)]
struct Load {
    people: usize,
    /// Sessions of each, one after the other.
    sessions: usize,
    /// Between an answer and the next event.
    pause: Duration,
}

/// A load that leaves the cores time, and as much as they can take.
const LOADS: [Load; 2] = [
    Load {
        people: 32,
        sessions: 2,
        pause: Duration::from_millis(50),
    },
    Load {
        people: 32,
        sessions: 6,
        pause: Duration::ZERO,
    },
];

/// Pushing ends by then, while all others are still there.
const PUSHING_TIME: Duration = Duration::from_secs(8);

/// Rounds with nobody who watches, and as many with somebody for each session.
const ROUNDS: usize = 3;

/// Of all events, this share is seen within [`SOON`].
const SHARE: f64 = 0.95;
const SOON: Duration = Duration::from_secs(1);

/// How many events were stored a second, and how long each took to be acknowledged.
struct Stored {
    a_second: f64,
    took: Vec<Duration>,
}

/// Sends whole logs event by event, until [`PUSHING_TIME`] is over.
async fn push(
    page: Arc<App>,
    load: Load,
    sessions: Vec<(SessionStarted, Vec<Envelope>)>,
) -> Stored {
    let began = Instant::now();
    let sending = sessions.chunks(load.sessions).map(|sessions| {
        let (page, sessions) = (page.clone(), sessions.to_vec());
        tokio::spawn(async move {
            let mut took = Vec::new();
            for (started, log) in &sessions {
                for event in log.chunks(1) {
                    if began.elapsed() > PUSHING_TIME {
                        return took;
                    }
                    let sent = Instant::now();
                    page.append(started, event).await.json::<api::Ack>();
                    took.push(sent.elapsed());
                    tokio::time::sleep(load.pause).await;
                }
            }
            took
        })
    });
    let took = futures_util::future::join_all(sending).await;
    let took: Vec<Duration> = took.into_iter().flat_map(Result::unwrap).collect();
    Stored {
        a_second: took.len() as f64 / began.elapsed().as_secs_f64(),
        took,
    }
}

/// Sessions whose pages send an event about twice a second, while others send theirs: what was stored of these, and how long
/// after an event was stored it was seen at another server, where somebody watches.
async fn round(
    nodes: [&Arc<App>; 2],
    key: &str,
    name: &str,
    load: Load,
    watched: bool,
) -> (Stored, Vec<Duration>) {
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
    let pushed = start(load.people * load.sessions, &format!("{name}-pushed")).await;
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
    let stored = push(page.clone(), load, pushed).await;
    let took = futures_util::future::join_all(pages).await;
    (stored, took.into_iter().flat_map(Result::unwrap).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement; cargo xtask bench watch"]
async fn what_happens_is_seen_elsewhere_within_a_second() {
    let (nodes, key) = lab_servers(2).await;
    let nodes: Vec<Arc<App>> = nodes.0.into_iter().map(Arc::new).collect();
    let nodes = [&nodes[0], &nodes[1]];
    let mut seen = Vec::new();
    for load in LOADS {
        let (mut unwatched, mut watched) = (Vec::new(), Vec::new());
        // In turns, since the machine is not always as quick. The first round warms everything up.
        for number in 0..=ROUNDS {
            let name = format!("{}-{number}", load.pause.as_millis());
            let (alone, _) = round(nodes, &key, &format!("alone{name}"), load, false).await;
            let (beside, took) = round(nodes, &key, &format!("watched{name}"), load, true).await;
            if number > 0 {
                unwatched.push(alone);
                watched.push(beside);
                seen.extend(took);
            }
        }
        println!(
            "{} people send their logs, an event {} ms after the answer to the last, beside {WATCHED} pages that send two a second:",
            load.people,
            load.pause.as_millis(),
        );
        for (stored, watchers) in [(&unwatched, 0), (&watched, WATCHED)] {
            let rates: Vec<String> = stored
                .iter()
                .map(|it| format!("{:.0}", it.a_second))
                .collect();
            let took = stored.iter().flat_map(|it| it.took.iter().copied());
            let (half, most) = within(took.collect());
            println!(
                "  {watchers} watch: {} stored a second; half within {half:.1?}, 95 % within {most:.1?}",
                rates.join(", "),
            );
        }
    }
    let (half, late) = within(seen);
    println!("seen at another server: half within {half:.0?}, 95 % within {late:.0?}");
    assert!(late <= SOON, "{late:?}");
}

/// Within which time half of them happened, and [`SHARE`] of them.
fn within(mut took: Vec<Duration>) -> (Duration, Duration) {
    took.sort_unstable();
    let at = |share: f64| took[(took.len() as f64 * share) as usize];
    (at(0.5), at(SHARE))
}

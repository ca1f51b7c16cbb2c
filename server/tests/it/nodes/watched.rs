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

/// Of all events, this share is seen within [`SOON`].
const SHARE: f64 = 0.95;
const SOON: Duration = Duration::from_secs(1);

/// Sends events one by one, each as soon as the last one is stored.
async fn push(page: Arc<App>, sessions: Vec<(SessionStarted, Vec<Envelope>)>) -> f64 {
    let began = Instant::now();
    let sending = sessions.into_iter().map(|(started, log)| {
        let page = page.clone();
        tokio::spawn(async move {
            for event in log.chunks(1) {
                page.append(&started, event).await.json::<api::Ack>();
            }
            log.len()
        })
    });
    let sent = futures_util::future::join_all(sending).await;
    let sent: usize = sent.into_iter().map(Result::unwrap).sum();
    sent as f64 / began.elapsed().as_secs_f64()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement; cargo xtask bench watch"]
async fn what_happens_is_seen_elsewhere_within_a_second() {
    let (nodes, key) = lab_servers(2).await;
    let nodes: Vec<Arc<App>> = nodes.0.into_iter().map(Arc::new).collect();
    let (page, beside) = (nodes[0].clone(), nodes[1].clone());
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
    let alone = push(page.clone(), start(32, "alone").await).await;

    let watched = start(WATCHED, "watched").await;
    let pushed = start(32, "pushed").await;
    let watching = watched
        .into_iter()
        .enumerate()
        .map(|(number, (started, log))| {
            let (page, beside, key) = (page.clone(), beside.clone(), key.clone());
            tokio::spawn(async move {
                let path = routes::research_events(STUDY, &started.plan.session);
                let mut took = Vec::new();
                for known in 0..EVENTS {
                    let wanted = format!(
                        "{path}?identifying=true&participant={known}&server=0&experimenter=0"
                    );
                    let seen = async {
                        let seen = beside.call(Method::GET, &wanted, Some(&key), None).await;
                        assert_eq!(seen.json::<NewEvents>().events.len(), 1);
                        Instant::now()
                    };
                    let stored = async {
                        let pause = 300 + (number * 37 + known * 101) % 400;
                        tokio::time::sleep(Duration::from_millis(pause as u64)).await;
                        page.append(&started, &log[known..=known])
                            .await
                            .json::<api::Ack>();
                        Instant::now()
                    };
                    let (seen, stored) = tokio::join!(seen, stored);
                    took.push(seen.saturating_duration_since(stored));
                }
                took
            })
        });
    let watching: Vec<_> = watching.collect();
    let meanwhile = push(page.clone(), pushed).await;
    let took = futures_util::future::join_all(watching).await;
    let mut took: Vec<Duration> = took.into_iter().flat_map(Result::unwrap).collect();
    took.sort_unstable();
    let late = took[(took.len() as f64 * SHARE) as usize];
    println!(
        "seen at another server: half within {:.0?}, 95 % within {late:.0?}, all within {:.0?}; \
         {alone:.0} batches stored a second with nobody watching, {meanwhile:.0} with {WATCHED}, whose pages send two a second each",
        took[took.len() / 2],
        took[took.len() - 1],
    );
    assert!(late <= SOON, "{late:?}");
}

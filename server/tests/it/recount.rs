//! The ledger that writers keep in memory.

use std::sync::Arc;

use cluster::cluster;
use domain::session::Phase;
use server::storage::{self, Append, Erase, Storage};

use crate::conformance::scene::{MINUTE_MS, Scene, design};

/// What a long-lived writer knows of a study is what a recount gives: the same histories lead to the
/// same answers on a storage that stays open, and on one that is opened anew for each arrival.
#[tokio::test]
async fn what_the_writer_keeps_counted_is_what_a_recount_gives() {
    for seed in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        let url = storage::url_of(&folder.path().join("test.db"));
        let kept = [storage::open(&url).await.unwrap()];
        lead_to_the_answers_of_a_recount(seed, &kept, 60).await;
    }
}

/// So do the ledgers of several servers that write in turn, each with writers of its own.
#[tokio::test]
async fn what_several_servers_keep_counted_is_what_a_recount_gives() {
    for seed in 4..6 {
        let url = cluster().database();
        let open = || async { storage::open(&url).await.unwrap() };
        let kept = [open().await, open().await, open().await];
        lead_to_the_answers_of_a_recount(seed, &kept, 80).await;
    }
}

/// A history of so many happenings, each at one of the storages by chance, and each at one that is opened anew.
async fn lead_to_the_answers_of_a_recount(seed: u64, storages: &[Arc<dyn Storage>], length: usize) {
    use rand::{RngExt as _, SeedableRng as _};
    let folder = tempfile::tempdir().unwrap();
    let url = storage::url_of(&folder.path().join("test.db"));
    let scene = |storage: &Arc<dyn Storage>| Scene {
        other: storage.clone(),
        storage: storage.clone(),
        study: "recounted".into(),
    };
    let design = design(3, 4);
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let (mut minute, mut people) = (0_u64, Vec::<String>::new());
    for number in 0..length {
        minute += rng.random_range(0..9);
        let attempt = format!("attempt-{number}");
        let happening = rng.random_range(0..5);
        let who = (!people.is_empty()).then(|| rng.random_range(0..people.len()));
        let included = rng.random();
        let kept = scene(&storages[rng.random_range(0..storages.len())]);
        let fresh = scene(&storage::open(&url).await.unwrap());
        let mut answers = Vec::new();
        for scene in [&kept, &fresh] {
            let storage = &scene.storage;
            let now = minute * MINUTE_MS;
            match (happening, who) {
                (0, Some(who)) => {
                    let done = scene.completion(&design, &people[who], included, now);
                    storage.append(done).await.unwrap();
                }
                (1, Some(who)) => {
                    let ended = Append {
                        phase: Phase::ENDS[who % 4],
                        inclusion: None,
                        ..scene.completion(&design, &people[who], included, now)
                    };
                    storage.append(ended).await.unwrap();
                }
                (2, Some(who)) => {
                    let erase = Erase {
                        session: scene.id(&people[who]),
                        ended: domain::recruitment::platform::Ended::Withdrawn,
                        keeps_code: false,
                        erased_at_unix_ms: now,
                    };
                    assert!(storage.erase(erase).await.unwrap());
                    // What is refused changes nothing.
                    let again = scene.completion(&design, &people[who], true, now);
                    assert!(storage.append(again).await.is_err());
                }
                _ => {
                    let ask = storage.assign(scene.request(&design, &attempt, now)).await;
                    let answer = ask.unwrap();
                    if let Ok(assigned) = &answer {
                        let new = scene.session(&attempt, assigned, now);
                        storage.create_session(new).await.unwrap();
                    }
                    answers.push(answer);
                }
            }
        }
        fresh.storage.close().await;
        match answers.as_slice() {
            [kept, recounted] => {
                assert_eq!(kept, recounted, "seed {seed}, arrival {number}");
                people.extend(kept.is_ok().then_some(attempt));
            }
            _ => drop(who.map(|who| people.remove(who))),
        }
    }
}

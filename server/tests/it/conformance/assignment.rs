//! Who is put where: quotas, leases, late completions, two connections at once.

use std::collections::BTreeMap;

use domain::recruitment::StudyStatus;
use domain::recruitment::assignment::{AssignmentStatus, NotAssigned, Purpose};
use domain::session::Phase;
use domain::session::event::{Author, Event};
use server::storage::{Append, AssignRequest, Created, InclusionDecision};

use super::scene::{MINUTE_MS, Scene, design, event};

pub async fn numbers_count_up_and_draw_their_seeds_from_the_study_s(scene: Scene) {
    let design = design(2, 5);
    let mut given = Vec::new();
    for (n, storage) in [&scene.storage, &scene.other, &scene.storage]
        .into_iter()
        .enumerate()
    {
        let request = scene.request(&design, &format!("attempt-{n}"), 0);
        let assigned = storage.assign(request.clone()).await.unwrap().unwrap();
        assert_eq!(assigned.ordinal, n as u64 + 1);
        assert_eq!(assigned.seed, request.seed(assigned.ordinal));
        given.push(assigned);
    }
    let fresh = AssignRequest {
        study_seed: None,
        fresh_seed: [7; 32],
        ..scene.request(&design, "fresh", 0)
    };
    let fresh = scene.storage.assign(fresh).await.unwrap().unwrap();
    assert_eq!((fresh.ordinal, fresh.seed), (4, [7; 32]));
    let lines = scene.ledger().await.lines;
    assert_eq!(lines.len(), 4);
    for (line, given) in lines.iter().zip(&given) {
        assert_eq!((line.ordinal, line.entry.row), (given.ordinal, given.row));
        assert_eq!(line.entry.cell, given.cell.name);
        assert_eq!(line.lease_until_unix_ms, Some(60 * MINUTE_MS));
        assert!(!line.was_started());
    }
    let unknown = AssignRequest {
        condition: Some("none of these".into()),
        ..scene.request(&design, "unknown", 0)
    };
    let refused = scene.storage.assign(unknown).await.unwrap();
    assert_eq!(refused, Err(NotAssigned::NoSuchCondition));
    assert_eq!(scene.ledger().await.lines.len(), 4, "nothing is stored");
}

pub async fn purposes_have_slots_of_their_own(scene: Scene) {
    let design = design(1, 1);
    for purpose in Purpose::ALL {
        for n in 0..2 {
            let request = AssignRequest {
                purpose,
                ..scene.request(&design, &format!("{}-{n}", purpose.name()), 0)
            };
            let assigned = scene.storage.assign(request).await.unwrap();
            let is_free = n == 0 || !purpose.has_quotas();
            assert_eq!(assigned.is_ok(), is_free, "{purpose:?} {n}: {assigned:?}");
        }
    }
    // An attempt that is for something else now takes a slot there.
    let pilot = AssignRequest {
        purpose: Purpose::Participant,
        ..scene.request(&design, "pilot-0", 0)
    };
    let later = scene.storage.assign(pilot).await.unwrap();
    assert!(later.is_ok(), "what it was given before: {later:?}");
}

pub async fn an_early_end_gives_its_slot_back(scene: Scene) {
    let design = design(1, 1);
    let mut minute = 0;
    for phase in Phase::ENDS
        .into_iter()
        .filter(|end| *end != Phase::Complete)
    {
        let attempt = phase.name();
        let ask = |who: &str| scene.storage.assign(scene.request(&design, who, minute));
        let assigned = ask(attempt).await.unwrap().unwrap();
        scene.create(scene.session(attempt, &assigned, 0)).await;
        assert_eq!(ask("next").await.unwrap(), Err(NotAssigned::Full));
        let ended = Append {
            phase,
            ..scene.append(attempt, 0, 1)
        };
        scene.storage.append(ended).await.unwrap();
        let line = scene.ledger().await.lines.pop().unwrap();
        assert_eq!(line.entry.progress, AssignmentStatus::Ended, "{phase:?}");
        assert_eq!(line.completed_at_unix_ms, None);
        minute += 1;
    }
    let next = scene.request(&design, "next", minute);
    assert!(scene.storage.assign(next).await.unwrap().is_ok());
}

pub async fn a_late_completion_is_over_quota_where_its_cell_is_full(scene: Scene) {
    let design = design(1, 1);
    for (attempt, minute) in [("late", 0), ("in-time", 60)] {
        let request = scene.request(&design, attempt, minute * MINUTE_MS);
        let assigned = scene.storage.assign(request).await.unwrap().unwrap();
        scene.create(scene.session(attempt, &assigned, 0)).await;
    }
    for (attempt, over_quota) in [("late", true), ("in-time", false)] {
        let done = scene.completion(&design, attempt, true, 61 * MINUTE_MS);
        scene.storage.append(done).await.unwrap();
        let stored = scene
            .other
            .session(&scene.id(attempt))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(stored.completed_at_unix_ms, Some(61 * MINUTE_MS));
        let lines = scene.ledger().await.lines;
        let line = lines
            .iter()
            .find(|line| line.ordinal == stored.ordinal)
            .unwrap();
        let included = true;
        let expected = AssignmentStatus::Completed {
            included,
            over_quota,
        };
        assert_eq!(line.entry.progress, expected, "{attempt}");
        assert_eq!(line.is_late(), over_quota);
    }
}

pub async fn an_exclusion_by_hand_counts_a_completion_anew(scene: Scene) {
    let design = design(1, 1);
    let request = |attempt: &str| scene.request(&design, attempt, 0);
    let first = scene
        .storage
        .assign(request("first"))
        .await
        .unwrap()
        .unwrap();
    let id = scene.create(scene.session("first", &first, 0)).await;
    let excluded = |seq: u64| Event::Excluded {
        why: format!("reason {seq}"),
    };
    let inclusion = InclusionDecision {
        included: false,
        rules: design.assignment.clone(),
    };
    // Before it is completed nothing is counted.
    let own = event(&id, Author::Experimenter, 0, excluded(0));
    let appended = scene.storage.append_own(own, 0, 1, Some(inclusion.clone()));
    appended.await.unwrap();
    let line = scene.ledger().await.lines.pop().unwrap();
    assert!(matches!(
        line.entry.progress,
        AssignmentStatus::UnderWay { .. }
    ));
    let done = Append {
        own_len: 1,
        ..scene.completion(&design, "first", true, 5)
    };
    scene.storage.append(done).await.unwrap();
    let full = scene.other.assign(request("second")).await.unwrap();
    assert_eq!(full, Err(NotAssigned::Full));
    let own = event(&id, Author::Experimenter, 1, excluded(1));
    let appended = scene.storage.append_own(own, 2, 9, Some(inclusion));
    appended.await.unwrap();
    let line = scene.ledger().await.lines.pop().unwrap();
    assert_eq!(
        line.completed_at_unix_ms,
        Some(5),
        "when it was completed stays"
    );
    assert!(matches!(
        line.entry.progress,
        AssignmentStatus::Completed {
            included: false,
            ..
        }
    ));
    assert!(scene.other.assign(request("second")).await.unwrap().is_ok());
}

pub async fn two_connections_at_once_never_take_the_same_last_slot(scene: Scene) {
    let storages = [&scene.storage, &scene.other];
    let design = design(1, 3);
    for round in 0..10 {
        // In each round a slot is free: those of the round before have expired.
        let now = round * 61 * MINUTE_MS;
        let asks = (0..12).map(|n| {
            let attempt = format!("attempt-{round}-{n}");
            let request = scene.request(&design, &attempt, now);
            storages[n % 2].assign(request)
        });
        let answers = futures_util::future::join_all(asks).await;
        let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
        let assigned: Vec<_> = answers.iter().filter_map(|a| a.as_ref().ok()).collect();
        assert_eq!(assigned.len(), 3, "round {round}");
        let refused = answers.iter().filter_map(|a| a.as_ref().err());
        assert!(refused.into_iter().all(|why| *why == NotAssigned::Full));
        let mut rows: Vec<u64> = assigned.iter().map(|a| a.row).collect();
        rows.sort_unstable();
        assert_eq!(rows, [0, 1, 2], "each row of the square once");
    }
    let lines = scene.ledger().await.lines;
    let ordinals: Vec<u64> = lines.iter().map(|line| line.ordinal).collect();
    assert_eq!(
        ordinals,
        (1..=30).collect::<Vec<u64>>(),
        "no number is lost"
    );
}

pub async fn a_start_that_broke_off_takes_up_what_it_was_given_until_that_expires(scene: Scene) {
    let Scene { storage, other, .. } = &scene;
    let design = design(2, 1);
    let assign = async |attempt: &str, minutes: u64| {
        let request = scene.request(&design, attempt, minutes * MINUTE_MS);
        storage.assign(request).await.unwrap()
    };
    let first = assign("first", 0).await.unwrap();
    assert_eq!(assign("first", 59).await.unwrap(), first);
    let second = assign("second", 1).await.unwrap();
    assert_ne!(first.cell, second.cell);
    assert_eq!(assign("third", 59).await, Err(NotAssigned::Full));
    let third = assign("third", 60).await.unwrap();
    assert_eq!(third.cell, first.cell, "the lease has expired");
    assert_eq!(assign("first", 60).await, Err(NotAssigned::Full));
    // Once the session is there, the attempt leads to it whatever became of the slot.
    let created = other
        .create_session(scene.session("third", &third, 60))
        .await;
    assert_eq!(created.unwrap(), Created::New);
    assert_eq!(assign("third", 300).await.unwrap(), third);
}

pub async fn paused_cells_get_nobody_and_go_on_when_resumed(scene: Scene) {
    let Scene {
        storage,
        other,
        study,
    } = &scene;
    let design = design(2, 5);
    other.pause_cell(study, "c0", Some(7)).await.unwrap();
    for n in 0..5 {
        let request = scene.request(&design, &format!("attempt-{n}"), 0);
        let assigned = storage.assign(request).await.unwrap().unwrap();
        assert_eq!(assigned.cell.name, "c1");
    }
    let one_more = || storage.assign(scene.request(&design, "one-more", 0));
    assert_eq!(one_more().await.unwrap(), Err(NotAssigned::Paused));
    assert!(scene.ledger().await.paused.contains("c0"));
    other.pause_cell(study, "c0", None).await.unwrap();
    assert_eq!(one_more().await.unwrap().unwrap().cell.name, "c0");
}

/// What becomes of somebody, by the number of their session alone.
struct Fate {
    /// Minutes after which they finish; never, if they drop out.
    takes: Option<u64>,
    included: bool,
}

fn fate(ordinal: u64) -> Fate {
    use rand::{RngExt as _, SeedableRng as _};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(ordinal);
    let stays = rng.random::<f64>() >= 0.3;
    let in_time = rng.random::<f64>() >= 0.2;
    let takes = if in_time {
        rng.random_range(5..55)
    } else {
        rng.random_range(65..200)
    };
    Fate {
        takes: stays.then_some(takes),
        included: rng.random::<f64>() >= 0.1,
    }
}

/// One person, in the test's own account.
#[derive(Debug, Clone)]
struct Person {
    attempt: String,
    cell: String,
    begun: u64,
    finishes: Option<u64>,
    included: bool,
    /// Whether they have finished, and then whether they count.
    finished: Option<bool>,
}

impl Person {
    /// Whether a slot is theirs at a minute.
    fn has_slot(&self, minute: u64) -> bool {
        self.finished.unwrap_or(minute < self.begun + 60)
    }
}

fn taken(people: &[Person], cell: &str, minute: u64) -> u64 {
    let of_cell = people.iter().filter(|person| person.cell == cell);
    of_cell.filter(|person| person.has_slot(minute)).count() as u64
}

/// Lets people arrive, four at a time on two connections, and checks each step against an account
/// of its own. Returns the cells, by ordinal.
async fn run_study(scene: &Scene, cells: usize, cap: u32, arrivals: usize) -> Vec<(String, u64)> {
    let storages = [&scene.storage, &scene.other];
    let design = design(cells, cap);
    let mut people: Vec<Person> = Vec::new();
    let mut given = Vec::new();
    let (mut over_quota, mut late_that_filled, mut turned_away) = (0, 0, 0);
    for round in 0..arrivals / 4 + 30 {
        let minute = 10 * round as u64;
        // Who has finished since the last round, oldest first, on one connection or the other.
        for index in 0..people.len() {
            let person = people[index].clone();
            let Some(at) = person.finishes else { continue };
            if person.finished.is_some() || at > minute {
                continue;
            }
            let append = scene.completion(
                &design,
                &person.attempt,
                person.included,
                minute * MINUTE_MS,
            );
            storages[index % 2].append(append).await.unwrap();
            let late = minute >= person.begun + 60;
            people.remove(index);
            let open = taken(&people, &person.cell, minute) < u64::from(cap);
            let counts = person.included && (!late || open);
            over_quota += usize::from(person.included && !counts);
            late_that_filled += usize::from(counts && late);
            people.insert(
                index,
                Person {
                    finished: Some(counts),
                    ..person
                },
            );
        }
        if round >= arrivals / 4 {
            continue; // the last ones finish
        }
        let attempts: Vec<String> = (0..4).map(|n| format!("attempt-{round}-{n}")).collect();
        let starts = attempts.iter().enumerate().map(|(n, attempt)| {
            let (storage, design) = (storages[n % 2], &design);
            async move {
                let request = scene.request(design, attempt, minute * MINUTE_MS);
                let assigned = storage.assign(request).await.unwrap();
                if let Ok(assigned) = &assigned {
                    let new = scene.session(attempt, assigned, minute * MINUTE_MS);
                    assert_eq!(storage.create_session(new).await.unwrap(), Created::New);
                }
                (attempt, assigned)
            }
        });
        let mut answers = futures_util::future::join_all(starts).await;
        // In the order in which they were assigned; those who were not come last.
        answers.sort_by_key(|(_, assigned)| {
            assigned
                .as_ref()
                .map_or(u64::MAX, |assigned| assigned.ordinal)
        });
        for (attempt, assigned) in answers {
            let slots: BTreeMap<String, u64> = (0..cells)
                .map(|cell| format!("c{cell}"))
                .map(|cell| (cell.clone(), taken(&people, &cell, minute)))
                .collect();
            let open = slots.values().copied().filter(|n| *n < u64::from(cap));
            let fewest = open.min();
            let Ok(assigned) = assigned else {
                assert_eq!((assigned, fewest), (Err(NotAssigned::Full), None));
                turned_away += 1;
                continue;
            };
            assert_eq!(Some(slots[&assigned.cell.name]), fewest, "{slots:?}");
            given.push((assigned.cell.name.clone(), assigned.row));
            assert_eq!(assigned.ordinal, given.len() as u64, "numbers have no gap");
            let Fate { takes, included } = fate(assigned.ordinal);
            people.push(Person {
                attempt: attempt.clone(),
                cell: assigned.cell.name,
                begun: minute,
                finishes: takes.map(|takes| minute + takes),
                included,
                finished: None,
            });
        }
    }
    let ledger = scene.ledger().await;
    let counted = |cell: &str| {
        let of_cell = ledger.lines.iter().filter(|line| line.entry.cell == cell);
        of_cell
            .filter(|line| {
                let wanted = AssignmentStatus::Completed {
                    included: true,
                    over_quota: false,
                };
                line.entry.progress == wanted
            })
            .count()
    };
    for cell in (0..cells).map(|cell| format!("c{cell}")) {
        assert_eq!(counted(&cell), cap as usize, "full quotas equal the caps");
        let own = people
            .iter()
            .filter(|p| p.cell == cell && p.finished == Some(true));
        assert_eq!(own.count(), cap as usize);
    }
    let over = ledger.lines.iter().filter(
        |line| matches!(line.entry.progress, AssignmentStatus::Completed { over_quota, .. } if over_quota),
    );
    assert!(over.clone().all(server::storage::LedgerLine::is_late));
    assert_eq!(over.count(), over_quota);
    assert!(late_that_filled > 0 && over_quota > 0 && turned_away > 0);
    let sessions = scene.snapshot().await.sessions().await;
    let count = sessions.unwrap().ordinals.len();
    assert_eq!(count, people.len(), "who was turned away left nothing");
    given
}

/// 2,000 arrivals with `REDIAL_LONG=1`, 30 % of which drop out, over seven cells.
pub async fn arrivals_fill_the_open_cell_with_the_fewest_up_to_the_caps_and_repeat(scene: Scene) {
    let long = std::env::var_os("REDIAL_LONG").is_some_and(|value| value == "1");
    let (cap, arrivals) = if long { (100, 2_000) } else { (5, 200) };
    let once = run_study(&scene.with_study("once"), 7, cap, arrivals).await;
    let again = run_study(&scene.with_study("again"), 7, cap, arrivals).await;
    assert_eq!(once, again, "the same arrivals, outcomes and seed");
}

pub async fn a_study_takes_people_for_what_was_decided_last(scene: Scene) {
    let status = async |of: &Scene| of.other.study_status(&of.study).await.unwrap();
    let elsewhere = scene.with_study("elsewhere");
    assert_eq!(status(&scene).await, StudyStatus::Running);
    for (at_unix_ms, decided) in [(1, StudyStatus::Draft), (2, StudyStatus::Closed)] {
        let set = || {
            scene
                .storage
                .set_study_status(&scene.study, decided, at_unix_ms)
        };
        assert!(set().await.unwrap());
        assert!(!set().await.unwrap());
        assert_eq!(status(&scene).await, decided);
        assert_eq!(scene.ledger().await.status, decided);
    }
    assert_eq!(status(&elsewhere).await, StudyStatus::Running);
}

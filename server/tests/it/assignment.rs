//! Assignment against the real store: quotas, leases, late completions, two connections at once.
//!
//! Longer than most files: the simulated study needs its own account of what should happen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api::{ErrorCode, routes};
use domain::assignment::{NotAssigned, Progress, Purpose};
use domain::design::{AssignmentRules, Counts, Design, Factor, Varies};
use domain::event::{Author, EVENT_FORMAT, Envelope, Event, SessionId};
use domain::session::Phase;
use serde_json::{Value, json};
use server::export::layout::{Part, csv as csv_of};
use server::secrets::TokenHash;
use server::storage::sqlite::SqliteStorage;
use server::storage::{
    Append, Archive as _, AssignRequest, Completion, Created, NewSession, Storage as _,
    StoredAssignment, StoredSession, StudyLedger,
};

use crate::app::{ATTEMPT, App, STUDY, Setup, log_of};

const MINUTE_MS: u64 = 60_000;

fn design(cells: usize, cap: u32) -> Design {
    Design {
        factors: vec![Factor {
            name: "model".into(),
            levels: (0..cells).map(|cell| format!("c{cell}")).collect(),
            varies: Varies::Between,
        }],
        assignment: AssignmentRules {
            cap: Some(cap),
            counts: Counts::Included,
            lease_minutes: Some(60),
            ..AssignmentRules::default()
        },
    }
}

fn request(design: &Design, attempt: &str, now_unix_ms: u64) -> AssignRequest {
    AssignRequest {
        study: STUDY.into(),
        attempt: attempt.into(),
        design: Arc::new(design.clone()),
        rows: 3,
        purpose: Purpose::Participant,
        condition: None,
        study_seed: Some(11),
        fresh_seed: [0; 32],
        now_unix_ms,
    }
}

/// A session with an empty plan.
fn session(attempt: &str, assigned: &StoredAssignment, now_unix_ms: u64) -> NewSession {
    let id = SessionId(format!("session-{attempt}"));
    let plan = json!({ "format": 2, "session": id, "study": STUDY, "study_sha256": "00",
        "mode": "online", "parts": [], "stages": [] });
    NewSession {
        session: StoredSession {
            study: STUDY.into(),
            study_sha256: "00".into(),
            ordinal: assigned.ordinal,
            seed: assigned.seed,
            attempt: attempt.into(),
            attempt_spent: false,
            token: TokenHash::of(attempt),
            participant_code: None,
            created_at_unix_ms: now_unix_ms,
            plan: Arc::new(serde_json::from_value(plan).unwrap()),
            embedded: Vec::new(),
            keys: Arc::default(),
            phase: "ready".into(),
            log_len: 0,
            completed_at_unix_ms: None,
            completion_code: None,
            id,
        },
        study_json: b"{}".as_slice().into(),
        instances: Vec::new(),
        bundles: Vec::new(),
        one_per_code: true,
        texts: Vec::new(),
        delete_text_at_unix_ms: None,
        arrival: None,
    }
}

fn completion(design: &Design, attempt: &str, included: bool, now_unix_ms: u64) -> Append {
    let session = SessionId(format!("session-{attempt}"));
    Append {
        events: vec![Envelope {
            format: EVENT_FORMAT,
            session: session.clone(),
            author: Author::Participant,
            seq: 0,
            at_ms: 0,
            event: Event::TutorialFinished,
        }],
        session,
        received_at_unix_ms: now_unix_ms,
        phase: Phase::Complete,
        completion: Some(Completion {
            included,
            rules: design.assignment.clone(),
        }),
    }
}

/// Two connections to one database, as two servers have them.
async fn two_connections(folder: &tempfile::TempDir) -> [SqliteStorage; 2] {
    let url = format!("sqlite://{}", folder.path().join("test.db").display());
    [
        SqliteStorage::open(&url).await.unwrap(),
        SqliteStorage::open(&url).await.unwrap(),
    ]
}

async fn ledger(storage: &SqliteStorage) -> StudyLedger {
    let mut snapshot = storage.study_snapshot(STUDY).await.unwrap();
    snapshot.ledger().await.unwrap()
}

#[tokio::test]
async fn two_connections_at_once_never_take_the_same_last_slot() {
    let folder = tempfile::tempdir().unwrap();
    let storages = two_connections(&folder).await;
    let design = design(1, 3);
    for round in 0..10 {
        // In each round a slot is free: those of the round before have expired.
        let now = round * 61 * MINUTE_MS;
        let asks = (0..12).map(|n| {
            let attempt = format!("attempt-{round}-{n}");
            let request = request(&design, &attempt, now);
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
    let lines = ledger(&storages[0]).await.lines;
    let ordinals: Vec<u64> = lines.iter().map(|line| line.ordinal).collect();
    assert_eq!(
        ordinals,
        (1..=30).collect::<Vec<u64>>(),
        "no number is lost"
    );
}

#[tokio::test]
async fn a_start_that_broke_off_takes_up_what_it_was_given_until_that_expires() {
    let folder = tempfile::tempdir().unwrap();
    let [storage, other] = two_connections(&folder).await;
    let design = design(2, 1);
    let assign = async |attempt: &str, minutes: u64| {
        let request = request(&design, attempt, minutes * MINUTE_MS);
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
    let created = other.create_session(session("third", &third, 60)).await;
    assert_eq!(created.unwrap(), Created::New);
    assert_eq!(assign("third", 300).await.unwrap(), third);
}

#[tokio::test]
async fn paused_cells_get_nobody_and_go_on_when_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [storage, other] = two_connections(&folder).await;
    let design = design(2, 5);
    other.pause_cell(STUDY, "c0", Some(7)).await.unwrap();
    for n in 0..5 {
        let request = request(&design, &format!("attempt-{n}"), 0);
        let assigned = storage.assign(request).await.unwrap().unwrap();
        assert_eq!(assigned.cell.name, "c1");
    }
    let one_more = || storage.assign(request(&design, "one-more", 0));
    assert_eq!(one_more().await.unwrap(), Err(NotAssigned::Paused));
    assert!(ledger(&storage).await.paused.contains("c0"));
    other.pause_cell(STUDY, "c0", None).await.unwrap();
    assert_eq!(one_more().await.unwrap().unwrap().cell.name, "c0");
}

#[tokio::test]
async fn who_is_screened_out_gives_the_slot_back_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let [storage, other] = two_connections(&folder).await;
    let design = design(1, 1);
    let assign = async |attempt: &str| storage.assign(request(&design, attempt, 0)).await.unwrap();
    let first = assign("first").await.unwrap();
    storage
        .create_session(session("first", &first, 0))
        .await
        .unwrap();
    assert_eq!(assign("second").await, Err(NotAssigned::Full));
    let ended = Append {
        phase: Phase::ScreenedOut,
        completion: None,
        ..completion(&design, "first", true, 0)
    };
    other.append(ended).await.unwrap();
    assert_eq!(assign("second").await.unwrap().ordinal, 2);
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
async fn run_study(cells: usize, cap: u32, arrivals: usize) -> Vec<(String, u64)> {
    let folder = tempfile::tempdir().unwrap();
    let storages = two_connections(&folder).await;
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
            let append = completion(
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
            let (storage, design) = (&storages[n % 2], &design);
            async move {
                let request = request(design, attempt, minute * MINUTE_MS);
                let assigned = storage.assign(request).await.unwrap();
                if let Ok(assigned) = &assigned {
                    let new = session(attempt, assigned, minute * MINUTE_MS);
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
    let ledger = ledger(&storages[1]).await;
    let counted = |cell: &str| {
        let of_cell = ledger.lines.iter().filter(|line| line.entry.cell == cell);
        of_cell
            .filter(|line| {
                let wanted = Progress::Completed {
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
        |line| matches!(line.entry.progress, Progress::Completed { over_quota, .. } if over_quota),
    );
    assert!(over.clone().all(server::storage::LedgerLine::is_late));
    assert_eq!(over.count(), over_quota);
    assert!(late_that_filled > 0 && over_quota > 0 && turned_away > 0);
    let sessions = storages[0].study_snapshot(STUDY).await.unwrap();
    let count = { sessions }.sessions().await.unwrap().ordinals.len();
    assert_eq!(count, people.len(), "who was turned away left nothing");
    given
}

/// 2,000 arrivals with `REDIAL_LONG=1`, 30 % of which drop out, over seven cells.
#[tokio::test]
async fn arrivals_fill_the_open_cell_with_the_fewest_up_to_the_caps_and_repeat() {
    let long = std::env::var_os("REDIAL_LONG").is_some_and(|value| value == "1");
    let (cap, arrivals) = if long { (100, 2_000) } else { (5, 200) };
    let once = run_study(7, cap, arrivals).await;
    let again = run_study(7, cap, arrivals).await;
    assert_eq!(once, again, "the same arrivals, outcomes and seed");
}

/// Two arms that each take one person, of whom too much is asked.
fn two_arms(solved_at_least: u32) -> Setup {
    let study = json!({
        "format": 2, "id": STUDY, "title": "Two arms",
        "design": {
            "factors": [{"name": "arm", "levels": ["a", "b"]}],
            "assignment": {"cap": 1, "counts": "included"}},
        "inclusion": [{"rule": "solved_at_least", "questions": solved_at_least}],
        "parts": [{"kind": "stage", "id": "{arm}", "task": {
            "kind": "reconstruction", "model": "sinelines-gt5", "questions": 1}}]
    });
    Setup {
        study,
        ..Setup::default()
    }
}

async fn start(app: &App, attempt: &str, purpose: &str) -> crate::app::Answer {
    let body: Value = json!({ "attempt": attempt, "purpose": purpose });
    app.post(&routes::study_sessions(STUDY), None, body).await
}

#[tokio::test]
async fn a_full_study_says_so_kindly_and_makes_no_session() {
    let app = App::with(two_arms(1)).await;
    let first = app.start(ATTEMPT).await;
    let second = app.start("another-attempt-1").await;
    assert_ne!(first.plan.cell, second.plan.cell);
    assert_eq!(first.plan.stages[0].id, first.plan.cell["arm"]);
    let refused = start(&app, "another-attempt-2", "participant").await;
    let error = refused.refused(ErrorCode::StudyFull);
    assert!(error.message.contains("Thank you"), "{}", error.message);
    assert_eq!(app.sessions().await, 2);
    // Who has a session gets it again; who only looks is not counted.
    assert_eq!(app.start(ATTEMPT).await.plan, first.plan);
    for (attempt, purpose) in [
        ("another-attempt-3", "preview"),
        ("another-attempt-4", "pilot"),
        ("another-attempt-5", "simulated"),
    ] {
        start(&app, attempt, purpose)
            .await
            .json::<api::SessionStarted>();
    }
    assert_eq!(app.sessions().await, 5);
    let refused = start(&app, "another-attempt-2", "participant").await;
    refused.refused(ErrorCode::StudyFull);
}

#[tokio::test]
async fn an_excluded_session_gives_its_slot_back_and_an_included_one_keeps_it() {
    for (solved_at_least, open) in [(1, false), (2, true)] {
        let app = App::with(two_arms(solved_at_least)).await;
        for attempt in [ATTEMPT, "another-attempt-1"] {
            let started = app.start(attempt).await;
            app.append(&started, &log_of(&started))
                .await
                .json::<api::Ack>();
        }
        let third = start(&app, "another-attempt-2", "participant").await;
        if open {
            third.json::<api::SessionStarted>();
        } else {
            third.refused(ErrorCode::StudyFull);
        }
        let found = server::analysis::study_analysis(
            &*app.state.storage,
            STUDY,
            server::export::Whose::People,
        );
        let found = found.await.unwrap();
        assert_eq!(found.complete, 2);
        let version = &found.versions[0];
        let by_rules = version
            .excluded
            .iter()
            .find(|excluded| excluded.reason == analysis::LeftOut::InclusionRules)
            .unwrap();
        assert_eq!(by_rules.people, if open { 2 } else { 0 });
        assert_eq!(version.included.comparisons.is_empty(), open);
        // The third has started, where it could.
        assert_eq!(version.started, if open { 3 } else { 2 });

        let out = app.folder.path().join("out");
        let storage = &*app.state.storage;
        server::export::export(
            storage,
            STUDY,
            &out,
            &server::export::ExportOptions::new("2026-11-22T00:00:00Z"),
        )
        .await
        .unwrap();
        let mut table =
            csv::Reader::from_path(out.join(csv_of(STUDY, Part::Raw, "sessions"))).unwrap();
        let row: BTreeMap<String, String> = table.deserialize().next().unwrap().unwrap();
        let cells = ["included", "standing", "exclusion_reasons", "purpose"].map(|c| &*row[c]);
        let expected = if open {
            [
                "false",
                "excluded",
                "[\"solved_at_least: 1 solved, below 2\"]",
                "participant",
            ]
        } else {
            ["true", "counted", "[]", "participant"]
        };
        assert_eq!(cells, expected);
        assert!(["a", "b"].contains(&&*row["cell"]));
    }
}

/// The paper: two of six conditions for each person, and in each two of three models.
#[test]
fn three_people_of_the_pilot_cover_all_conditions_and_models() {
    use domain::draw::{Arrival, draw};
    use rand::SeedableRng as _;
    let models = server::zoo::Models::load(None).unwrap();
    let catalogue = server::catalogue::Catalogue::load(None, &models).unwrap();
    let entry = catalogue.get("chi21-pilot").unwrap();
    assert_eq!(entry.study.rows(), 3);
    let (mut conditions, mut of_dataset) = (Vec::new(), BTreeMap::<_, BTreeSet<_>>::new());
    for row in 0..3 {
        let arrival = Arrival {
            session: SessionId("s".into()),
            cell: entry.study.design.cells().remove(0),
            row,
            language: "en".into(),
        };
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(row);
        let drawn = draw(&entry.study, "", arrival, &models, &entry.texts, &mut rng).unwrap();
        let stages = drawn.plan.stages.iter().filter(|stage| !stage.practice);
        let mut own = BTreeMap::<_, usize>::new();
        for stage in stages {
            let level = |factor: &str| stage.levels[factor].clone();
            let condition = (level("task"), level("dataset"));
            let wanted = if condition.0 == "interactive" { 5 } else { 10 };
            assert_eq!(stage.task.question_count(), wanted, "{}", stage.id);
            of_dataset
                .entry(condition.1.clone())
                .or_default()
                .insert(level("model"));
            *own.entry(condition).or_default() += 1;
        }
        assert_eq!(own.values().copied().collect::<Vec<_>>(), [2, 2]);
        conditions.extend(own.into_keys());
    }
    conditions.sort();
    conditions.dedup();
    assert_eq!(conditions.len(), 6);
    assert!(
        of_dataset.values().all(|models| models.len() == 3),
        "{of_dataset:?}"
    );
}

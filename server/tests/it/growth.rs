//! What is done for a session does not cost more the longer it goes on. Work is counted, not timed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use api::{SessionStarted, routes};
use axum::body::Body;
use axum::http::Request;
use domain::session::event::{Author, Envelope, Event};
use serde_json::json;

use crate::app::{ATTEMPT, App, STUDY, ack, of_page};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's, which counts what each thread asks it for.
struct Counting;

// SAFETY: hands everything to the system's allocator as it is.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends has no counter any more.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A lab session that is recorded.
async fn recorded() -> (App, SessionStarted) {
    let study = json!({
        "format": 2, "id": STUDY, "title": "Sound", "mode": "lab", "seed": 3, "lab": { "recording": {} },
        "parts": [{ "kind": "stage", "id": "waves", "task": {
            "kind": "reconstruction", "model": "sinelines-gt5", "questions": 2 } }],
    });
    let app = App::of(study).await;
    let started = app.start(ATTEMPT).await;
    let begun = [
        Event::RecordingAnswered { agreed: true },
        Event::RecordingStarted {
            recording: 0,
            media_type: "audio/webm".to_owned(),
        },
    ];
    for (seq, event) in (0..).zip(begun) {
        ack(&app
            .append(&started, &[of_page(&started, seq, 10, event)])
            .await);
    }
    (app, started)
}

/// Hands in a piece and logs it.
async fn piece(app: &App, started: &SessionStarted, piece: u32) {
    let path = routes::piece(&started.plan.session, "0", &piece.to_string());
    let request = Request::post(path)
        .header("authorization", format!("Bearer {}", started.token))
        .body(Body::from(piece.to_string()))
        .unwrap();
    assert_eq!(app.send(request).await.status, 200);
    let logged = Event::PieceRecorded {
        recording: 0,
        piece,
        bytes: 4,
        sha256: "0".repeat(64),
        ended_ms: 10,
    };
    let logged = of_page(started, u64::from(piece) + 2, 10, logged);
    ack(&app.append(started, &[logged]).await);
}

/// 3,000 pieces took 0.3 s each in the end, 2 ms at first.
#[tokio::test]
async fn a_piece_of_sound_costs_as_much_after_many_as_after_few() {
    let (app, started) = recorded().await;
    let mut costs = Vec::new();
    for n in 0..400 {
        let before = ALLOCATIONS.get();
        piece(&app, &started, n).await;
        costs.push(ALLOCATIONS.get() - before);
    }
    let least = |costs: &[usize]| costs.iter().copied().min().unwrap();
    let (few, many) = (least(&costs[5..15]), least(&costs[390..]));
    assert!(
        many <= few + few / 5,
        "{few} allocations at first, {many} in the end"
    );
}

/// An experimenter's notes were all read for each new one.
#[tokio::test]
async fn a_note_costs_as_much_after_many_as_after_few() {
    let (mut app, started) = recorded().await;
    let key = app.state.sessions.lab_key().await.unwrap();
    app.state.lab_key = Some(server::secrets::TokenHash::of(&key));
    app.router = server::http::router(app.state.clone());
    let mut costs = Vec::new();
    for n in 0..200 {
        let act = json!({ "act": "note", "text": format!("note {n:03}") });
        let path = routes::lab_acts(STUDY, &started.plan.session);
        let before = ALLOCATIONS.get();
        let answer = app.post(&path, Some(&key), act).await;
        costs.push(ALLOCATIONS.get() - before);
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let least = |costs: &[usize]| costs.iter().copied().min().unwrap();
    let (few, many) = (least(&costs[5..15]), least(&costs[190..]));
    assert!(
        many <= few + few / 5,
        "{few} allocations at first, {many} in the end"
    );
}

/// *Start* took 28 s beside many who read long logs: each of its questions to the database waited for
/// all of theirs.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_does_not_wait_for_those_who_read_logs() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let shown = |seq| of_page(&started, seq, 10, Event::PageShown);
    let mut log: Vec<Envelope> = (0..1_000).map(shown).collect();
    log[0].event = Event::PageOpened {
        page: domain::session::event::PageInfo::default(),
    };
    ack(&app.append(&started, &log).await);
    let (stop, pages) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let mut readers = Vec::new();
    for _ in 0..64 {
        let (storage, id) = (app.state.storage.clone(), started.plan.session.clone());
        let (stop, pages) = (stop.clone(), pages.clone());
        readers.push(tokio::spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let page = storage.events(&id, Author::Participant, 0, 1_000).await;
                assert!(!page.unwrap().is_empty());
                pages.fetch_add(1, Ordering::Relaxed);
            }
        }));
    }
    while pages.load(Ordering::Relaxed) < 64 {
        tokio::task::yield_now().await;
    }
    // A start asks the database whether its attempt, its code or its session are there.
    let before = pages.load(Ordering::Relaxed);
    for _ in 0..4 {
        let session = app.state.storage.session(&started.plan.session).await;
        assert!(session.unwrap().is_some());
    }
    let waited = pages.load(Ordering::Relaxed) - before;
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.await.unwrap();
    }
    // Behind 64 who wait, each question lets some 60 go first.
    assert!(
        waited < 64,
        "{waited} pages were read before four short answers"
    );
}

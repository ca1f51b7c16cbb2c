//! What participants type is deleted on its day, and the session stays what it was.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::session::event::{Author, Envelope, Event};
use domain::session::typed_text::DELETED;
use serde_json::{Value, json};
use server::export::ExportOptions;
use server::system::{Clock, System};

use crate::app::{ATTEMPT, App, STUDY, Setup, ack};

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
const START_MS: u64 = 1_790_000_000_000;
const TYPED: &str = "My name is Ada Lovelace";

struct SetClock(AtomicU64);

impl Clock for SetClock {
    fn now_unix_ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

fn study(deleted_after_days: Value) -> Value {
    json!({
        "format": 2, "id": STUDY, "title": "Words", "seed": 1,
        "typed_text_deleted_after_days": deleted_after_days,
        "parts": [
            {"kind": "questionnaire", "id": "words", "title": "", "items": [
                // Longer than what takes its place.
                {"id": "about", "text": "?", "answer": {"kind": "text", "min_length": 20}},
                {"id": "one", "text": "?", "answer": {"kind": "choice", "options": ["yes", "no"]}}]},
            {"kind": "stage", "id": "s", "task": {
                "kind": "reconstruction", "model": "sinelines-gt5", "questions": 1}}
        ]
    })
}

/// The log up to the stage, or to an end: the participant stops there.
fn log(session: &domain::session::event::SessionId, to_the_end: bool) -> Vec<Envelope> {
    let envelope = |seq: u64, event: Value| Envelope {
        format: 2,
        session: session.clone(),
        author: Author::Participant,
        seq,
        at_ms: seq * 1_000,
        event: serde_json::from_value::<Event>(event).unwrap(),
    };
    let answered = json!({"kind": "questionnaire_answered", "questionnaire": "words",
        "answers": {"about": TYPED, "one": "yes"}});
    let mut log = vec![envelope(0, answered)];
    if to_the_end {
        log.push(envelope(1, json!({"kind": "withdrew", "erase": false})));
    }
    log
}

fn in_files(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    files
        .filter(|file| file.path().is_file())
        .filter(|file| {
            let bytes = std::fs::read(file.path()).unwrap();
            bytes.windows(TYPED.len()).any(|it| it == TYPED.as_bytes())
        })
        .map(|file| file.file_name().into_string().unwrap())
        .collect()
}

#[tokio::test]
async fn texts_go_on_their_day_and_nothing_else_does() {
    let clock = Arc::new(SetClock(AtomicU64::new(START_MS)));
    let app = App::with(Setup {
        study: study(json!(30)),
        system: System {
            clock: clock.clone(),
            ..System::default()
        },
        ..Setup::default()
    })
    .await;
    let started = app.start(ATTEMPT).await;
    let id = &started.plan.session;
    ack(&app.append(&started, &log(id, true)).await);
    let unfinished = app.start("fedcba9876-543210").await;
    ack(&app
        .append(&unfinished, &log(&unfinished.plan.session, false))
        .await);
    let sessions = &app.state.sessions;
    clock.0.store(START_MS + 30 * DAY_MS - 1, Ordering::Relaxed);
    assert_eq!(
        sessions.delete_texts_due_now().await.unwrap(),
        0,
        "a moment too soon"
    );
    let data = app.folder.path().join("data");
    assert!(!in_files(&data).is_empty(), "it is there");

    clock.0.store(START_MS + 30 * DAY_MS, Ordering::Relaxed);
    assert_eq!(sessions.delete_texts_due_now().await.unwrap(), 2);
    for _ in 0..100 {
        if in_files(&data).is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(in_files(&data), [""; 0]);
    // The page that is open goes on: what it sent before still counts.
    ack(&app
        .append(&unfinished, &log(&unfinished.plan.session, true)[1..])
        .await);
    // Two sessions that are whole, whose choices are there.
    let out = app.folder.path().join("out");
    let mut options = ExportOptions::new("");
    options.identifying = true;
    server::export::export(&*app.state.storage, STUDY, &out, &options)
        .await
        .unwrap();
    let answers = tables(&out, "answers");
    assert!(answers.contains(DELETED), "{answers}");
    assert!(answers.contains("yes") && !answers.contains(TYPED));

    // A session that has ended is done with; the other is looked at again, and has nothing left.
    clock.0.store(START_MS + 32 * DAY_MS, Ordering::Relaxed);
    let due = app
        .state
        .storage
        .texts_due(START_MS + 32 * DAY_MS)
        .await
        .unwrap();
    assert_eq!(due, std::slice::from_ref(&unfinished.plan.session));
    assert_eq!(sessions.delete_texts_due_now().await.unwrap(), 0);
    let due = app.state.storage.texts_due(u64::MAX / 2).await.unwrap();
    assert_eq!(due, [], "both have ended");
}

/// The text of all files under a folder whose name begins so.
pub fn tables(folder: &Path, name: &str) -> String {
    let mut text = String::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            text += &tables(&path, name);
        } else if path.file_name().unwrap().to_string_lossy().contains(name)
            && path.extension().is_some_and(|it| it == "csv")
        {
            text += &std::fs::read_to_string(&path).unwrap();
        }
    }
    text
}

#[tokio::test]
async fn without_the_setting_texts_stay() {
    let mut plain = study(json!(1));
    plain
        .as_object_mut()
        .unwrap()
        .remove("typed_text_deleted_after_days");
    let app = App::with(Setup {
        study: plain,
        ..Setup::default()
    })
    .await;
    let started = app.start(ATTEMPT).await;
    ack(&app
        .append(&started, &log(&started.plan.session, true))
        .await);
    assert_eq!(app.state.storage.texts_due(u64::MAX / 2).await.unwrap(), []);
}

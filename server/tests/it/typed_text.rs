//! What participants type is deleted on its day, and the session stays what it was.

use std::path::Path;

use api::SessionStarted;
use domain::session::event::Envelope;
use domain::session::typed_text::DELETED;
use serde_json::{Value, json};

use crate::app::{ATTEMPT, App, STUDY, Setup, ack, identifying, of_page};
use crate::system::TestSystem;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
const START_MS: u64 = 1_790_000_000_000;
const TYPED: &str = "My name is Ada Lovelace";

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
fn log(started: &SessionStarted, to_the_end: bool) -> Vec<Envelope> {
    let envelope = |seq: u64, event: Value| {
        let event = serde_json::from_value(event).unwrap();
        of_page(started, seq, seq * 1_000, event)
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
    let system = TestSystem::at(START_MS);
    let app = App::with(Setup {
        system: system.system(),
        ..Setup::of(study(json!(30)))
    })
    .await;
    let started = app.start(ATTEMPT).await;
    ack(&app.append(&started, &log(&started, true)).await);
    let unfinished = app.start("fedcba9876-543210").await;
    ack(&app.append(&unfinished, &log(&unfinished, false)).await);
    let sessions = &app.state.sessions;
    system.pass(30 * DAY_MS - 1);
    assert_eq!(
        sessions.delete_texts_due_now().await.unwrap(),
        0,
        "a moment too soon"
    );
    let data = app.folder.path().join("data");
    assert!(!in_files(&data).is_empty(), "it is there");

    system.pass(1);
    assert_eq!(sessions.delete_texts_due_now().await.unwrap(), 2);
    for _ in 0..100 {
        if in_files(&data).is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(in_files(&data), [""; 0]);
    // The page that is open goes on: what it sent before still counts.
    ack(&app.append(&unfinished, &log(&unfinished, true)[1..]).await);
    // Two sessions that are whole, whose choices are there.
    let out = app.export_of(STUDY, identifying()).await;
    let answers = tables(&out, "answers");
    assert!(answers.contains(DELETED), "{answers}");
    assert!(answers.contains("yes") && !answers.contains(TYPED));

    // A session that has ended is done with; the other is looked at again, and has nothing left.
    system.pass(2 * DAY_MS);
    let due = app.state.storage.texts_due(START_MS + 32 * DAY_MS).await;
    assert_eq!(due.unwrap(), std::slice::from_ref(&unfinished.plan.session));
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
    let fields = plain.as_object_mut().unwrap();
    fields.remove("typed_text_deleted_after_days");
    let app = App::of(plain).await;
    let started = app.start(ATTEMPT).await;
    ack(&app.append(&started, &log(&started, true)).await);
    assert_eq!(app.state.storage.texts_due(u64::MAX / 2).await.unwrap(), []);
}

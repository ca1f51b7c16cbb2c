//! How long texts and logs may be.

use std::time::Duration;

use api::{ErrorCode, SessionStarted, SessionState, routes};
use axum::body::Body;
use axum::http::Request;
use domain::session::event::{Consented, Envelope, Event, MAX_LOG_BYTES};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use sqlx::{ConnectOptions, sqlite::SqliteConnectOptions};
use tower::ServiceExt;

use crate::app::{ATTEMPT, App, STUDY, ack, log_of, of_page};

/// One participant wrote a log of 300 MB with it.
#[tokio::test]
async fn a_consent_of_a_megabyte_is_refused() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let consent = Event::ConsentGiven(Consented {
        version: Some("x".repeat(900_000)),
        ..Consented::default()
    });
    let answer = app
        .append(&started, &[of_page(&started, 0, 0, consent)])
        .await;
    let refused = answer.refused(ErrorCode::Refused);
    assert_eq!(refused.acked_len, Some(0));
    let expected = "version has 900000 characters; at most 200 are kept";
    assert!(refused.message.contains(expected), "{}", refused.message);
}

/// A study of free play with notes.
fn notes() -> Value {
    json!({
        "format": 2, "id": STUDY, "title": "Notes", "seed": 3,
        "parts": [{ "kind": "stage", "id": "play", "task": {
            "kind": "exploration", "model": "sinelines-gt5" } }]
    })
}

/// A session that has begun to play, with so many notes of 5,000 letters.
async fn with_notes(notes_written: u64) -> (App, SessionStarted, u64) {
    let app = App::of(notes()).await;
    let started = app.start(ATTEMPT).await;
    let mut log = log_of(&started);
    let begun = log
        .iter()
        .position(|it| it.event.kind() == "question_started");
    log.truncate(begun.unwrap() + 1);
    let last = log.last().unwrap().clone();
    for n in 1..=notes_written {
        let text = format!("{n:05}").repeat(1_000);
        let written = json!({ "kind": "exploration", "task_format": 1, "event": "notes_written", "text": text });
        log.push(Envelope {
            seq: last.seq + n,
            event: serde_json::from_value(written).unwrap(),
            ..last.clone()
        });
    }
    for batch in log.chunks(100) {
        ack(&app.append(&started, batch).await);
    }
    let len = log.len() as u64;
    (app, started, len)
}

/// A log of 300 MB took 35 s and 1 GB to be answered with: all of it was in memory at once.
#[tokio::test]
async fn a_long_log_is_sent_piece_by_piece() {
    let (app, started, len) = with_notes(300).await;
    let request = Request::get(routes::session(&started.plan.session))
        .header("authorization", format!("Bearer {}", started.token))
        .body(Body::empty())
        .unwrap();
    let mut body = app
        .router
        .clone()
        .oneshot(request)
        .await
        .unwrap()
        .into_body();
    let (mut pieces, mut bytes) = (0, Vec::new());
    while let Some(frame) = body.frame().await {
        let piece = frame.unwrap().into_data().unwrap();
        assert!(piece.len() < 300_000, "a piece of {} bytes", piece.len());
        pieces += 1;
        bytes.extend_from_slice(&piece);
    }
    assert!(pieces >= 6 && bytes.len() > 1_500_000, "{pieces}");
    let state: SessionState = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(state.events.len() as u64, len);
    assert!(state.events.iter().map(|it| it.seq).eq(0..len));
    assert_eq!(state.plan, started.plan);
    // The machine is made of the same pieces after a restart.
    let app = app.restart().await;
    assert_eq!(app.acked_len(&started).await, len);
}

/// What old versions have stored is read, however long; nothing is added to it but the end.
#[tokio::test]
async fn a_full_log_takes_only_what_ends_the_session() {
    let (app, started, len) = with_notes(1).await;
    let file = app.file();
    app.state.storage.close().await;
    let options = SqliteConnectOptions::new().filename(file);
    let mut database = options.connect().await.unwrap();
    // JSON may have spaces behind it.
    sqlx::query("UPDATE events SET envelope = envelope || printf('%*s', ?, '') WHERE seq = ?")
        .bind(i64::try_from(MAX_LOG_BYTES).unwrap())
        .bind(i64::try_from(len).unwrap() - 1)
        .execute(&mut database)
        .await
        .unwrap();
    drop(database);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let app = app.restart().await;
    let later = |seq, it| of_page(&started, seq, 40 * 60 * 60 * 1_000, it);
    let shown = later(len, Event::PageShown);
    let refused = app.append(&started, std::slice::from_ref(&shown)).await;
    let refused = refused.refused(ErrorCode::Refused);
    assert_eq!(refused.acked_len, Some(len));
    assert!(
        refused.message.contains("the log is full"),
        "{}",
        refused.message
    );
    let end = [shown, later(len + 1, Event::Withdrew { erase: false })];
    assert_eq!(ack(&app.append(&started, &end).await), len + 2);
    let stored = app.state.storage.session(&started.plan.session).await;
    assert_eq!(stored.unwrap().unwrap().phase, "withdrawn");
}

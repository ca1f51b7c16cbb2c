//! A backup was put in the place of the database, which does not know the latest sessions: their pages
//! hand them in again.

use api::{Ack, CompletionCode, ErrorCode, SessionStarted, routes};
use domain::session::event::{Author, Event};
use serde_json::json;
use server::database::{backup, restore};
use server::storage;

use crate::app::{ATTEMPT, App, AppResponse, STUDY, Setup, ack, json_lines, log_of, study_json};

/// A server whose database was made older: it knew `before` sessions, and then those that `made`
/// started.
async fn set_back<T>(setup: Setup, before: &[&str], made: impl AsyncFnOnce(&App) -> T) -> (App, T) {
    let app = App::with(setup).await;
    for attempt in before {
        app.start(attempt).await;
    }
    let url = app.url();
    let copy = app.folder.path().join("backup.db");
    backup(&url, &copy).await.unwrap();
    let made = made(&app).await;
    app.state.storage.close().await;
    restore(&url, &copy, true).await.unwrap();
    let App { folder, setup, .. } = app;
    (App::on(folder, setup).await, made)
}

async fn hand_in(app: &App, started: &SessionStarted, receipt: &str) -> AppResponse {
    let path = routes::restore(&started.plan.session);
    let body = json!({ "receipt": receipt });
    app.post(&path, Some(&started.token), body).await
}

async fn shut(app: &App, started: &SessionStarted, receipt: &str, why: ErrorCode) {
    hand_in(app, started, receipt).await.refused(why);
}

fn receipt(started: &SessionStarted) -> &str {
    started.receipt.as_deref().unwrap()
}

#[tokio::test]
async fn a_session_that_the_backup_does_not_know_is_made_again_and_goes_on_to_its_end() {
    // Drawn from a seed that the server alone knows.
    let mut study = study_json();
    study.as_object_mut().unwrap().remove("seed");
    let setup = Setup::of(study);
    let (app, lost) = set_back(setup, &["before-before-before"], async |app| {
        let lost = app.start(ATTEMPT).await;
        ack(&app.append(&lost, &log_of(&lost)[..9]).await);
        lost
    })
    .await;
    let log = log_of(&lost);
    let session = &lost.plan.session;
    app.refuses(&lost, &log[..9], ErrorCode::NotFound).await;
    // Somebody else has begun since, and has its number.
    let other = app.start("another-attempt-1").await;

    let again: Ack = hand_in(&app, &lost, receipt(&lost)).await.json();
    assert_eq!(again.acked_len, 0);
    let stored = app.session(session).await;
    assert_eq!(*stored.plan, lost.plan, "drawn as it was");
    assert_eq!(stored.ordinal, 3, "the second is somebody else by now");
    ack(&app.append(&lost, &log).await);
    // Asked again, it changes nothing.
    let again: Ack = hand_in(&app, &lost, receipt(&lost)).await.json();
    assert_eq!(again.acked_len, log.len() as u64);
    let state = app.state_of(&lost).await;
    assert_eq!(state.events, log);
    let code = app.complete(&lost).await;
    assert!(!code.json::<CompletionCode>().code.is_empty());
    let own = app.events(session, Author::Server).await;
    let first = own[0].envelope().unwrap();
    assert_eq!(first.event, Event::Restored);
    let mut snapshot = app.state.storage.study_snapshot(STUDY).await.unwrap();
    assert_eq!(snapshot.ledger().await.unwrap().lines.len(), 3);
    assert_ne!(other.plan.session, *session);
    drop(snapshot);

    let out = app.export().await;
    let lines = std::fs::read_to_string(out.join("jsonl/raw/sessions.jsonl")).unwrap();
    let rows = json_lines(&lines).into_iter();
    let restored: Vec<bool> = rows.map(|row| row["restored"] == true).collect();
    assert_eq!(restored, [false, false, true]);
}

#[tokio::test]
async fn only_its_own_receipt_makes_a_session_again_and_what_was_erased_stays_so() {
    let (app, (lost, other, erased)) =
        set_back(Setup::default(), &["before-before-before"], async |app| {
            let lost = app.start(ATTEMPT).await;
            let other = app.start("another-attempt-1").await;
            let erased = app.start("another-attempt-2").await;
            let gone = app.erase(&erased).await;
            assert!(gone.status.is_success(), "{}", gone.text());
            (lost, other, erased)
        })
        .await;
    let mut changed = receipt(&lost).to_owned();
    let last = changed.pop().unwrap();
    changed.push(if last == 'A' { 'B' } else { 'A' });
    let mut middle = receipt(&lost).to_owned();
    middle.replace_range(40..41, if &middle[40..41] == "A" { "B" } else { "A" });
    for wrong in [&middle, &changed, receipt(&other), "", "AAAA"] {
        shut(&app, &lost, wrong, ErrorCode::NotFound).await;
    }
    let path = routes::restore(&lost.plan.session);
    let body = json!({ "receipt": receipt(&lost) });
    app.post(&path, None, body)
        .await
        .refused(ErrorCode::Unauthorised);
    shut(&app, &erased, receipt(&erased), ErrorCode::Gone).await;
    assert_eq!(app.sessions().await, 1, "nothing was made by all that");

    // Another study file: it would be drawn otherwise.
    let mut study = study_json();
    study["title"] = json!("Another");
    let setup = Setup::of(study);
    let app = app.restart_with(setup).await;
    shut(&app, &lost, receipt(&lost), ErrorCode::Gone).await;
    let app = app.restart_with(Setup::default()).await;
    hand_in(&app, &lost, receipt(&lost)).await.json::<Ack>();
    // With another token it is somebody else's.
    let stranger = SessionStarted {
        token: other.token.clone(),
        ..lost.clone()
    };
    shut(&app, &stranger, receipt(&lost), ErrorCode::Unauthorised).await;
    app.state.storage.close().await;
    // A database with another secret.
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/data/test.db", folder.path().display());
    storage::open(&url).await.unwrap().close().await;
    let app = App::on(folder, Setup::default()).await;
    shut(&app, &lost, receipt(&lost), ErrorCode::NotFound).await;
}

use api::{CompletionCode, ErrorCode, routes};
use axum::http::Method;
use domain::session::Session;
use domain::session::event::Author;

use crate::app::{ATTEMPT, App, ack, log_of};

#[tokio::test]
async fn the_code_comes_when_all_is_answered_and_stays_the_same() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    let path = routes::completion(&started.plan.session);
    app.complete(&started).await.refused(ErrorCode::NotComplete);
    let end = log.len() - 1;
    assert_eq!(ack(&app.append(&started, &log[..end]).await), end as u64);
    app.complete(&started).await.refused(ErrorCode::NotComplete);
    app.call(Method::POST, &path, None, None)
        .await
        .refused(ErrorCode::Unauthorised);
    assert_eq!(
        ack(&app.append(&started, &log[end..]).await),
        log.len() as u64
    );

    let CompletionCode { code } = app.complete(&started).await.json();
    assert!(
        code.len() >= 8
            && code
                .bytes()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()),
        "{code}"
    );
    let app = app.restart().await;
    let again: CompletionCode = app.complete(&started).await.json();
    assert_eq!(again.code, code);
    assert_eq!(app.state_of(&started).await.completion_code, Some(code));
    let stored = app.session(&started.plan.session).await;
    assert_eq!(stored.phase, "complete");
    assert!(
        stored
            .completed_at_unix_ms
            .is_some_and(|at| at >= stored.created_at_unix_ms)
    );
}

#[tokio::test]
async fn the_stored_log_is_the_one_that_was_sent_and_replays() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    for batch in log.chunks(7) {
        ack(&app.append(&started, batch).await);
    }
    let session = &started.plan.session;
    let stored = app.events(session, Author::Participant).await;
    let stored: Vec<_> = stored
        .iter()
        .map(|event| event.envelope().unwrap())
        .collect();
    assert_eq!(stored, log);
    let derived = Session::new(started.plan.clone())
        .replayed(&stored)
        .unwrap();
    assert_eq!(derived.ended().len(), 6);

    let state = app.state_of(&started).await;
    assert_eq!(state.events, log);
}

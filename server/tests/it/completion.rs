use api::{CompletionCode, ErrorCode, SessionState, routes};
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
    let token = Some(started.token.as_str());
    let ask = |app: App| async {
        let answer = app.call(Method::POST, &path, token, None).await;
        (app, answer)
    };

    let (app, answer) = ask(app).await;
    answer.refused(ErrorCode::NotComplete);
    let end = log.len() - 1;
    assert_eq!(ack(&app.append(&started, &log[..end]).await), end as u64);
    let (app, answer) = ask(app).await;
    answer.refused(ErrorCode::NotComplete);
    app.call(Method::POST, &path, None, None)
        .await
        .refused(ErrorCode::Unauthorised);
    assert_eq!(
        ack(&app.append(&started, &log[end..]).await),
        log.len() as u64
    );

    let (app, answer) = ask(app).await;
    let CompletionCode { code } = answer.json();
    assert!(
        code.len() >= 8
            && code
                .bytes()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()),
        "{code}"
    );
    let (app, answer) = ask(app.restart().await).await;
    assert_eq!(answer.json::<CompletionCode>().code, code);

    let path = routes::session(&started.plan.session);
    let state: SessionState = app.call(Method::GET, &path, token, None).await.json();
    assert_eq!(state.completion_code, Some(code));
    let stored = app
        .state
        .storage
        .session(&started.plan.session)
        .await
        .unwrap()
        .unwrap();
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
    let stored = app
        .state
        .storage
        .events(session, Author::Participant, 0, 1_000)
        .await
        .unwrap();
    let stored: Vec<_> = stored
        .iter()
        .map(|event| event.envelope().unwrap())
        .collect();
    assert_eq!(stored, log);
    let derived = Session::new(started.plan.clone())
        .replayed(&stored)
        .unwrap();
    assert_eq!(derived.ended().len(), 6);

    let path = routes::session(session);
    let state: SessionState = app
        .call(Method::GET, &path, Some(&started.token), None)
        .await
        .json();
    assert_eq!(state.events, log);
}

use domain::event::{Author, SessionId};
use server::secrets::TokenHash;
use server::storage::{Append, Created, NewSession, StorageError, StoredSession};

use crate::app::{ATTEMPT, App, STUDY, ack, log_of, stored_of};

#[tokio::test]
async fn a_snapshot_does_not_see_what_is_written_after_it() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    ack(&app.append(&started, &log[..30]).await);
    let mut snapshot = app.state.storage.study_snapshot(STUDY).await.unwrap();
    ack(&app.append(&started, &log[30..]).await);
    app.start("another-attempt-1").await;

    assert_eq!(snapshot.sessions().await.unwrap().ordinals.len(), 1);
    let sessions = stored_of(&mut *snapshot).await;
    assert_eq!((sessions.len(), sessions[0].log_len), (1, 30));
    assert_eq!(
        snapshot
            .events(&started.plan.session, Author::Participant, 0, 1_000)
            .await
            .unwrap()
            .len(),
        30
    );
    assert!(snapshot.study_version("none").await.unwrap().is_none());

    let mut later = app.state.storage.study_snapshot(STUDY).await.unwrap();
    assert_eq!(later.sessions().await.unwrap().ordinals.len(), 2);
    assert_eq!(later.sessions().await.unwrap().ordinals, [1, 2]);
}

#[tokio::test]
async fn an_append_that_fails_takes_no_other_with_it() {
    let app = App::new().await;
    let (a, b) = (
        app.start(ATTEMPT).await,
        app.start("another-attempt-1").await,
    );
    let append = |started: &api::SessionStarted, from: usize| Append {
        session: started.plan.session.clone(),
        events: log_of(started)[from..from + 2].to_vec(),
        received_at_unix_ms: 1,
        phase: domain::session::Phase::Consent,
        completion: None,
    };
    let storage = &app.state.storage;
    let (bad, good) = tokio::join!(storage.append(append(&a, 1)), storage.append(append(&b, 0)));
    assert!(
        matches!(bad, Err(StorageError::Stale { expected: 1, .. })),
        "{bad:?}"
    );
    good.unwrap();
    assert_eq!(
        storage
            .events(&a.plan.session, Author::Participant, 0, 9)
            .await
            .unwrap(),
        []
    );
    assert_eq!(
        storage
            .events(&b.plan.session, Author::Participant, 0, 9)
            .await
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn existing_and_unknown_sessions_and_a_closed_storage_are_told_apart() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let storage = &app.state.storage;
    let twin = storage
        .session(&started.plan.session)
        .await
        .unwrap()
        .unwrap();
    let new = |session: &StoredSession| NewSession {
        session: session.clone(),
        study_json: b"{}".as_slice().into(),
        instances: Vec::new(),
        bundles: Vec::new(),
        one_per_code: true,
        texts: Vec::new(),
        delete_text_at_unix_ms: None,
        arrival: None,
    };
    let created = storage.create_session(new(&twin)).await.unwrap();
    assert!(matches!(created, Created::Existing(_)));

    let nobody = SessionId("0".repeat(32));
    assert!(storage.session(&nobody).await.unwrap().is_none());
    let error = storage
        .replace_token(&nobody, TokenHash::of("x"))
        .await
        .unwrap_err();
    assert!(matches!(error, StorageError::NoSession(_)));
    let error = storage.completion_code(&nobody, "x").await.unwrap_err();
    assert!(matches!(error, StorageError::NoSession(_)));

    storage.check().await.unwrap();
    assert_eq!(storage.studies().await.unwrap(), [STUDY]);
    storage.close().await;
    assert!(matches!(storage.check().await, Err(StorageError::Closed)));
    app.get(api::routes::READY)
        .await
        .refused(api::ErrorCode::Unavailable);
    app.append(&started, &log_of(&started)[..1])
        .await
        .refused(api::ErrorCode::Unavailable);
}

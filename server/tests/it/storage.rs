//! A server whose storage is closed, or read by others.

use std::time::Duration;

use api::{ErrorCode, routes};

use crate::app::{ATTEMPT, App, STUDY, log_of};

#[tokio::test]
async fn a_server_without_storage_says_that_it_is_unavailable() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    app.state.storage.close().await;
    app.get(routes::READY).await.refused(ErrorCode::Unavailable);
    app.refuses(&started, &log_of(&started)[..1], ErrorCode::Unavailable)
        .await;
}

/// Exports and analyses hold a view of a study for minutes. Nobody has to wait for them.
#[tokio::test]
async fn views_that_stay_open_leave_connections_to_participants() {
    let app = App::new().await;
    let mut views = Vec::new();
    // Three exports, two results, the rows of the table.
    for _ in 0..6 {
        views.push(app.state.storage.study_snapshot(STUDY).await.unwrap());
    }
    let taken = async {
        let started = app.start(ATTEMPT).await;
        app.append(&started, &log_of(&started)).await;
        let mut view = app.state.storage.study_snapshot(STUDY).await.unwrap();
        view.sessions().await.unwrap().ordinals
    };
    let taken = tokio::time::timeout(Duration::from_secs(20), taken).await;
    assert_eq!(taken.unwrap(), [1]);
    let before = views[0].sessions().await.unwrap().ordinals;
    assert!(before.is_empty(), "a view stays as it was");
}

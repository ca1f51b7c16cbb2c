//! A server whose storage is closed.

use api::{ErrorCode, routes};

use crate::app::{ATTEMPT, App, log_of};

#[tokio::test]
async fn a_server_without_storage_says_that_it_is_unavailable() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    app.state.storage.close().await;
    app.get(routes::READY).await.refused(ErrorCode::Unavailable);
    app.refuses(&started, &log_of(&started)[..1], ErrorCode::Unavailable)
        .await;
}

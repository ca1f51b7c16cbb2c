//! A start request that is carried out after its page has given it up.

use api::ErrorCode;

use crate::app::{ATTEMPT, App, log_of};

#[tokio::test]
async fn a_start_that_its_page_gave_up_shuts_nobody_out() {
    let app = App::new().await;
    let started = app.start_as(ATTEMPT, "P1").await;
    app.append(&started, &log_of(&started)[..2]).await;
    // The page had asked before, on a network that delivers late. Its attempt is spent by now; its code is not.
    let late = app.start_as(ATTEMPT, "P1").await;
    assert_eq!(late.plan.session, started.plan.session);
    assert_eq!(late.token, started.token);
    app.append(&started, &log_of(&started)[2..4]).await;
    assert_eq!(app.state_of(&started).await.events.len(), 4);
    // On another device the code goes on, and the first one is told.
    let other = app.start_as("another-attempt-2", "P1").await;
    assert_ne!(other.token, started.token);
    app.read(&started).await.refused(ErrorCode::Unauthorised);
    assert_eq!(app.state_of(&other).await.events.len(), 4);
}

//! Looking at a study before anybody takes it.

use api::preview::PreviewOpened;
use api::{ErrorCode, SessionState, routes};
use axum::http::{Method, StatusCode};
use domain::recruitment::assignment::Purpose;
use domain::session::Session;
use serde_json::json;

use crate::app::{App, STUDY, Setup};

async fn previewing(setup: Setup) -> App {
    let purpose = Purpose::Preview;
    App::with(Setup { purpose, ..setup }).await
}

#[tokio::test]
async fn every_part_opens_where_its_participant_would_be() {
    let app = previewing(Setup::default()).await;
    let path = routes::study_preview(STUDY);
    let first: PreviewOpened = app.post(&path, None, json!({"seed": 4})).await.json();
    let kinds: Vec<&str> = first.parts.iter().map(|part| part.kind.as_str()).collect();
    assert!(kinds.contains(&"consent") && kinds.contains(&"practice") && kinds.contains(&"stage"));
    for part in 0..=first.parts.len() {
        let wanted = json!({"part": part, "seed": 4});
        let opened: PreviewOpened = app.post(&path, None, wanted).await.json();
        let address = routes::session(&opened.session);
        let state: SessionState = app
            .call(Method::GET, &address, Some(&opened.token), None)
            .await
            .json();
        let session = Session::new(state.plan).replayed(&state.events).unwrap();
        if part == first.parts.len() {
            assert!(session.phase().is_end(), "{:?}", session.phase());
        } else {
            assert_eq!(session.part(), Some(part));
        }
    }
}

#[tokio::test]
async fn the_same_seed_shows_the_same_and_another_does_not() {
    let app = previewing(Setup::default()).await;
    let pictures = async |seed: u64| {
        let path = routes::study_preview(STUDY);
        let opened: PreviewOpened = app.post(&path, None, json!({"seed": seed})).await.json();
        let address = routes::session(&opened.session);
        let state: SessionState = app
            .call(Method::GET, &address, Some(&opened.token), None)
            .await
            .json();
        let plan = state.plan;
        plan.instances().into_iter().cloned().collect::<Vec<_>>()
    };
    assert_eq!(pictures(1).await, pictures(1).await);
    assert_ne!(pictures(1).await, pictures(2).await);
}

#[tokio::test]
async fn what_is_not_there_is_said_and_an_ordinary_server_has_none_of_it() {
    let app = previewing(Setup::default()).await;
    let path = routes::study_preview(STUDY);
    let refused = app.post(&path, None, json!({"cell": "nowhere"})).await;
    refused.refused(ErrorCode::Malformed);
    let page = app.get(&format!("/preview/{STUDY}")).await;
    assert_eq!(page.status, StatusCode::OK);
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(
        policy.contains("'sha256-"),
        "its own script may run: {policy}"
    );
    assert_eq!(app.get("/preview/none").await.status, StatusCode::NOT_FOUND);

    let ordinary = App::new().await;
    let refused = ordinary.post(&path, None, json!({})).await;
    refused.refused(ErrorCode::NotFound);
    let page = ordinary.get(&format!("/preview/{STUDY}")).await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    assert_eq!(ordinary.sessions().await, 0);
}

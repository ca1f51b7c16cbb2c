//! A page of an earlier version and this server: the requests of a whole session, recorded in Chromium,
//! are taken as they are.
//!
//! A recording has the study, the names of session and token, and each request in order (`WS` for a
//! message over the WebSocket). The study's seed gives the recorded session its questions again.

use api::{Ack, ClientMessage, CompletionCode, SessionStarted};
use axum::http::Method;
use domain::session::event::{Author, Envelope};
use domain::session::{Phase, Session};
use serde::Deserialize;
use serde_json::Value;

use crate::app::App;

#[derive(Deserialize)]
struct Recording {
    page: String,
    study: Value,
    session: String,
    token: String,
    requests: Vec<Recorded>,
}

#[derive(Deserialize)]
struct Recorded {
    method: String,
    path: String,
    body: Option<String>,
}

#[tokio::test]
async fn a_page_of_an_earlier_version_takes_a_session_to_its_end() {
    let text = include_str!("recorded/2026-11-23.json");
    let recording: Recording = serde_json::from_str(text).unwrap();
    let app = App::of(recording.study.clone()).await;
    let mut started: Option<SessionStarted> = None;
    let mut code = None;
    for request in &recording.requests {
        // Names that the server chose are others this time.
        let as_of_today = |text: &str| match &started {
            Some(started) => text
                .replace(&recording.session, &started.plan.session.0)
                .replace(&recording.token, &started.token),
            None => text.to_owned(),
        };
        let path = as_of_today(&request.path);
        let body = request.body.as_deref().map(as_of_today);
        let what = format!("{} {path} of {}", request.method, recording.page);
        if request.method == "WS" {
            let message: ClientMessage = serde_json::from_str(&body.unwrap()).unwrap();
            let ClientMessage::Batch(batch) = message else {
                continue;
            };
            let last = batch.events.last().unwrap().seq;
            let answer = app.append(started.as_ref().unwrap(), &batch.events).await;
            assert_eq!(answer.status, 200, "{what}: {}", answer.text());
            assert_eq!(answer.json::<Ack>().acked_len, last + 1, "{what}");
            continue;
        }
        let token = started.as_ref().map(|started| started.token.clone());
        let body = body
            .filter(|body| !body.is_empty())
            .map(|body| serde_json::from_str(&body).unwrap());
        let method: Method = request.method.parse().unwrap();
        let answer = app.call(method, &path, token.as_deref(), body).await;
        assert!(answer.status.is_success(), "{what}: {}", answer.text());
        if path.ends_with("/sessions") {
            started = Some(answer.json());
        }
        if path.ends_with("/completion") {
            code = Some(answer.json::<CompletionCode>().code);
        }
    }
    assert!(code.is_some_and(|code| !code.is_empty()));

    let started = started.unwrap();
    let stored = app
        .state
        .storage
        .events(&started.plan.session, Author::Participant, 0, 10_000);
    let log = stored.await.unwrap().into_iter();
    let log: Vec<Envelope> = log
        .map(|it| serde_json::from_str(&it.json).unwrap())
        .collect();
    let session = Session::new(started.plan).replayed(&log).unwrap();
    assert_eq!(session.phase(), Phase::Complete);
}

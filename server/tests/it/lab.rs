//! Lab sessions: who may follow one, what is seen of it, and what the participant's page is asked.

use std::time::{Duration, Instant};

use api::lab::{Acted, Asked, LabSessionState, LabStudies, NewEvents};
use api::{ErrorCode, SessionStarted, routes};
use axum::http::Method;
use domain::event::{Author, Event};
use domain::session::Session;
use serde_json::{Value, json};
use server::secrets::TokenHash;

use crate::app::{ATTEMPT, Answer, App, STUDY, Setup, ack, log_of, study_json};

fn setup() -> Setup {
    let lab = json!({
        "format": 2, "id": STUDY, "title": "Beside somebody", "mode": "lab",
        "parts": [{ "kind": "stage", "id": "waves", "task": {
            "kind": "reconstruction", "model": "sinelines-gt5", "questions": 2 } }],
        "seed": 3
    });
    let mut online = study_json();
    online["id"] = json!("alone");
    Setup {
        study: lab,
        others: vec![online],
        ..Setup::default()
    }
}

struct Lab {
    app: App,
    key: String,
}

impl Lab {
    async fn new() -> Self {
        let mut app = App::with(setup()).await;
        let key = app.state.sessions.lab_key().await.unwrap();
        app.state.lab_key = Some(TokenHash::of(&key));
        app.router = server::http::router(app.state.clone());
        Self { app, key }
    }

    async fn get(&self, path: &str) -> Answer {
        let key = Some(&*self.key);
        self.app.call(Method::GET, path, key, None).await
    }

    async fn act(&self, started: &SessionStarted, act: Value) -> Answer {
        let path = routes::lab_acts(&started.plan.session);
        self.app.post(&path, Some(&self.key), act).await
    }

    async fn events(&self, started: &SessionStarted, ends: &str) -> NewEvents {
        let path = routes::lab_events(&started.plan.session);
        self.get(&format!("{path}?{ends}")).await.json()
    }

    async fn asked(&self, started: &SessionStarted, from: u64) -> Asked {
        let path = format!("{}?from={from}", routes::asked(&started.plan.session));
        let token = Some(&*started.token);
        self.app.call(Method::GET, &path, token, None).await.json()
    }
}

#[tokio::test]
async fn the_key_opens_lab_sessions_and_nothing_else() {
    let lab = Lab::new().await;
    let started = lab.app.start_as(ATTEMPT, "P07").await;
    let online: SessionStarted = lab
        .app
        .post(
            &routes::study_sessions("alone"),
            None,
            json!({ "attempt": "another-attempt-0" }),
        )
        .await
        .json();
    for path in [
        routes::LAB_STUDIES.to_owned(),
        routes::lab_session(&started.plan.session),
        routes::lab_events(&started.plan.session),
    ] {
        for wrong in [None, Some("wrong"), Some(&*started.token)] {
            let answer = lab.app.call(Method::GET, &path, wrong, None).await;
            answer.refused(ErrorCode::Unauthorised);
        }
    }
    let listed: LabStudies = lab.get(routes::LAB_STUDIES).await.json();
    assert_eq!(listed.studies.len(), 1);
    let sessions = &listed.studies[0].sessions;
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0].session, started.plan.session);
    assert_eq!(sessions[0].participant_code.as_deref(), Some("P07"));
    assert!(!sessions[0].ended);
    let shown: LabSessionState = lab
        .get(&routes::lab_session(&started.plan.session))
        .await
        .json();
    assert_eq!(shown.plan, started.plan);
    assert_eq!(shown.title, "Beside somebody");
    // A session in which nobody sits beside the participant is followed by nobody.
    lab.get(&routes::lab_session(&online.plan.session))
        .await
        .refused(ErrorCode::NotFound);
    // The key is no token: nothing of the participant's can be written with it.
    let append = routes::events(&started.plan.session);
    let batch = json!({ "events": log_of(&started)[..1] });
    lab.app
        .post(&append, Some(&lab.key), batch)
        .await
        .refused(ErrorCode::Unauthorised);
    // The key outlives a restart.
    let key = lab.key.clone();
    let again = lab.app.restart().await;
    assert_eq!(again.state.sessions.lab_key().await.unwrap(), key);
}

#[tokio::test]
async fn who_follows_sees_each_event_as_soon_as_it_is_on_disk() {
    let lab = Lab::new().await;
    let started = lab.app.start(ATTEMPT).await;
    let log = log_of(&started);
    ack(&lab.app.append(&started, &log[..3]).await);
    let first = lab.events(&started, "").await;
    assert_eq!(first.events, log[..3]);
    // Nothing is there yet: the answer waits for it.
    let begun = Instant::now();
    let (new, acked) = tokio::join!(lab.events(&started, "participant=3"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        ack(&lab.app.append(&started, &log[3..5]).await)
    });
    assert_eq!(acked, 5);
    assert_eq!(new.events, log[3..5]);
    assert!(begun.elapsed() >= Duration::from_millis(300));
    assert!(begun.elapsed() < Duration::from_secs(10));
    // What was read leads to the same state as the log.
    let replayed = Session::new(started.plan.clone())
        .replayed(&log[..5])
        .unwrap();
    let mut followed = Session::new(started.plan.clone());
    for event in first.events.iter().chain(&new.events) {
        followed.apply(event).unwrap();
    }
    assert_eq!(followed.phase(), replayed.phase());
    let path = routes::lab_events(&started.plan.session);
    lab.get(&format!("{path}?participant=x"))
        .await
        .refused(ErrorCode::Malformed);
}

#[tokio::test]
async fn what_the_experimenter_does_is_logged_and_the_page_hears_what_it_is_asked() {
    let lab = Lab::new().await;
    let started = lab.app.start(ATTEMPT).await;
    let log = log_of(&started);
    ack(&lab.app.append(&started, &log[..3]).await);
    let noted: Acted = lab
        .act(
            &started,
            json!({ "act": "note", "text": "moves one dial at a time", "mark": "strategy" }),
        )
        .await
        .json();
    let (asked, acted) = tokio::join!(lab.asked(&started, 0), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        lab.act(&started, json!({ "act": "pause" }))
            .await
            .json::<Acted>()
    });
    assert!(acted.at_ms >= noted.at_ms);
    // The note is none of the participant's business.
    assert_eq!(asked.events.len(), 1);
    assert_eq!(asked.events[0].event, Event::PauseAsked);
    assert_eq!(asked.read_to, 2);
    lab.act(&started, json!({ "act": "end_stage", "stage": 0 }))
        .await
        .json::<Acted>();
    let next = lab.asked(&started, asked.read_to).await;
    assert_eq!(next.events[0].event, Event::StageEndAsked { stage: 0 });

    for (act, code) in [
        (
            json!({ "act": "end_stage", "stage": 1 }),
            ErrorCode::Refused,
        ),
        (json!({ "act": "note", "text": " " }), ErrorCode::Malformed),
        (
            json!({ "act": "note", "text": "x".repeat(5_001) }),
            ErrorCode::Refused,
        ),
        (
            json!({ "act": "note", "text": "later", "about_ms": 1_000_000_000_000_u64 }),
            ErrorCode::Refused,
        ),
        (json!({ "act": "erase" }), ErrorCode::Malformed),
    ] {
        lab.act(&started, act).await.refused(code);
    }
    let out = lab.app.export().await;
    let events = std::fs::read_to_string(out.join("jsonl/raw/events.jsonl")).unwrap();
    assert!(events.contains("strategy") && !events.contains("one dial at a time"));
    let storage = &lab.app.state.storage;
    let own = storage
        .events(&started.plan.session, Author::Experimenter, 0, 10)
        .await
        .unwrap();
    assert_eq!(own.len(), 3);
    // Another server on the same log allows what follows.
    let app = lab.app.restart().await;
    ack(&app.append(&started, &log[3..]).await);
}

#[tokio::test]
async fn a_server_that_stops_keeps_nobody_waiting() {
    let lab = Lab::new().await;
    let started = lab.app.start(ATTEMPT).await;
    let path = routes::lab_events(&started.plan.session);
    let begun = Instant::now();
    let (answer, ()) = tokio::join!(lab.get(&path), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        lab.app.state.stopping.cancel();
    });
    answer.refused(ErrorCode::Unavailable);
    assert!(begun.elapsed() < Duration::from_secs(10));
}

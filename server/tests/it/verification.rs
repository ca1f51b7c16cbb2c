//! Decoding again what a page reported: what is found, and where it is told.

use api::SessionStarted;
use domain::session::event::{Author, Envelope, Event, QuestionRef};
use domain::simulate::SimulatedParticipant;
use serde_json::{Value, json};
use server::verification::{Verifier, study_verification};

use crate::app::{ATTEMPT, App, STUDY, ack};

/// Two tasks whose simulated logs are honest; then, if wanted, one whose simulated participant
/// makes distances up.
async fn completed(with_made_up: bool) -> (App, SessionStarted, Vec<Envelope>) {
    let mut parts = vec![
        json!({ "kind": "stage", "id": "dials", "task": {
            "kind": "single_dimension", "model": "sinelines-ae5", "visualisation": "traversals",
            "dimensions": [0, 1], "questions_per_dimension": 2
        } }),
        json!({ "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "mnist-ss5" } }),
    ];
    if with_made_up {
        parts.push(json!({ "kind": "stage", "id": "waves", "task": {
            "kind": "reconstruction", "model": "sinelines-gt5", "questions": 1
        } }));
    }
    let study = json!({ "format": 2, "id": STUDY, "title": "V", "parts": parts, "seed": 3 });
    let app = App::of(study).await;
    let started = app.start(ATTEMPT).await;
    let log: Vec<_> = SimulatedParticipant::new(started.plan.clone(), 1, 3).collect();
    ack(&app.append(&started, &log).await);
    (app, started, log)
}

async fn exported(app: &App) -> Value {
    let out = app.export().await;
    let line = std::fs::read_to_string(out.join("jsonl/raw/sessions.jsonl")).unwrap();
    serde_json::from_str(&line).unwrap()
}

#[tokio::test]
async fn what_follows_from_its_inputs_raises_no_flag() {
    let (app, started, _) = completed(false).await;
    let id = &started.plan.session;
    let waiting = app.state.storage.unverified().await.unwrap();
    assert_eq!(waiting, std::slice::from_ref(id), "its end asks for it");
    let mut verifier = Verifier::default();
    let verify = app.state.sessions.verify(id, &mut verifier);
    let report = verify.await.unwrap().unwrap();
    assert_eq!(report.contradictions, []);
    assert!(report.missing.is_empty(), "{:?}", report.missing);
    // The pictures of four questions.
    assert_eq!((report.questions, report.decoded), (5, 4));
    assert_eq!(app.state.storage.unverified().await.unwrap(), []);
    let row = exported(&app).await;
    assert_eq!(row["decoded_again"], 4);
    assert_eq!(row["contradictions"], 0);
    assert_eq!(row["first_contradiction"], Value::Null);
    // Simulated hours arrived at once.
    assert!(row["claimed_ahead_ms"].as_u64() > Some(1_000), "{row}");
}

#[tokio::test]
async fn what_does_not_follow_is_told_once_with_its_event() {
    let (app, started, log) = completed(true).await;
    let id = &started.plan.session;
    let at = QuestionRef::new(2, 0);
    let begun = |logged: &&Envelope| logged.event == Event::QuestionStarted { at };
    let first_snapshot = log.iter().find(begun).unwrap().seq + 1;

    let all = study_verification(&*app.state.storage, STUDY)
        .await
        .unwrap();
    let found = all.contradicting().next().unwrap();
    let first = &found.report.contradictions[0];
    assert_eq!((first.seq, first.at), (Some(first_snapshot), at));
    let text = all.to_text();
    assert!(
        text.contains(&format!("event {first_snapshot} (stage 3, question 1)")),
        "{text}"
    );

    let sessions = &app.state.sessions;
    let mut verifier = Verifier::default();
    let report = sessions.verify(id, &mut verifier).await.unwrap().unwrap();
    assert_eq!(report.contradictions[0], *first);
    assert!(report.decoded < found.report.decoded + 1);
    assert!(sessions.verify(id, &mut verifier).await.unwrap().is_none());
    let own = app.events(id, Author::Server).await;
    assert_eq!(own.len(), 1, "verified twice, logged once");
    // The log with the server's word is read back, and the page goes on as before.
    let app = app.restart().await;
    let row = exported(&app).await;
    assert_eq!(row["contradictions"], report.contradictions.len());
    assert_eq!(row["phase"], "complete");
    let told = row["first_contradiction"].as_str().unwrap();
    assert!(
        told.starts_with(&format!("event {first_snapshot} ")),
        "{told}"
    );
}

/// The server goes before it has verified a session. The next one finds it by itself.
#[tokio::test]
async fn what_waits_for_verification_when_a_server_goes_is_verified_by_the_next() {
    let (app, started, _) = completed(false).await;
    let app = app.restart().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = tokio::spawn(server::serve::run(listener, app.state.clone()));
    let until = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
    while !app.state.storage.unverified().await.unwrap().is_empty() {
        assert!(tokio::time::Instant::now() < until, "nobody verifies it");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let id = &started.plan.session;
    let own = app.state.storage.events(id, Author::Server, 0, 10).await;
    let said = own.unwrap()[0].envelope().unwrap().event;
    assert!(
        matches!(
            said,
            Event::Verified {
                contradictions: 0,
                ..
            }
        ),
        "{said:?}"
    );
    app.state.stopping.cancel();
    server.await.unwrap().unwrap();
}

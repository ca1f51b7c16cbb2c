//! Whether an answer was right: told once the server has the answer, and not before.

use api::{ErrorCode, SessionStarted, VerdictAnswer, routes};
use domain::session::event::{Author, Event, QuestionRef};
use domain::simulate::SimulatedParticipant;
use domain::task::{TaskKind, Verdict};
use serde_json::{Value, json};
use server::export::layout::{ExportHalf, csv as csv_of};
use server::export::{ReplayedSessions, SessionSelection, Visited};

use crate::app::{ATTEMPT, App, AppResponse, STUDY, Setup, ack};

const FIRST: QuestionRef = QuestionRef::new(0, 0);

/// Single dimension, then a rule that needs the verdicts, then a questionnaire.
fn setup() -> Setup {
    let study = json!({
        "format": 2,
        "id": STUDY,
        "title": "Verdicts",
        "parts": [
            { "kind": "stage", "id": "dials", "practice": true, "wrong_answer": "mark", "task": {
                "kind": "single_dimension", "model": "sinelines-ae5", "visualisation": "traversals",
                "dimensions": [0], "questions_per_dimension": 2
            } },
            { "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "sinelines-gt5" } },
            { "kind": "stage", "id": "waves", "task": {
                "kind": "reconstruction", "model": "sinelines-gt5", "questions": 1
            } }
        ],
        "seed": 3
    });
    Setup::of(study)
}

async fn ask(app: &App, started: &SessionStarted, at: QuestionRef) -> AppResponse {
    let path = routes::verdicts(&started.plan.session);
    let body = json!({ "stage": at.stage, "question": at.question });
    app.post(&path, Some(&started.token), body).await
}

#[tokio::test]
async fn a_verdict_comes_after_the_answer_is_stored_and_is_logged_once() {
    let app = App::with(setup()).await;
    let started = app.start(ATTEMPT).await;
    let mut participant = SimulatedParticipant::new(started.plan.clone(), 1, 2);
    let mut log = Vec::new();
    while participant
        .session()
        .question(FIRST)
        .is_none_or(|q| q.outcome.is_none())
    {
        log.push(participant.next().unwrap());
    }
    let answered = log.len();
    ask(&app, &started, FIRST)
        .await
        .refused(ErrorCode::NotAnswered);
    ack(&app.append(&started, &log[..answered - 1]).await);
    ask(&app, &started, FIRST)
        .await
        .refused(ErrorCode::NotAnswered);
    let path = routes::verdicts(&started.plan.session);
    app.post(&path, None, json!({ "stage": 0, "question": 0 }))
        .await
        .refused(ErrorCode::Unauthorised);
    ack(&app.append(&started, &log[answered - 1..]).await);
    let verdict = ask(&app, &started, FIRST)
        .await
        .json::<VerdictAnswer>()
        .verdict;
    assert_eq!(
        ask(&app, &started, FIRST)
            .await
            .json::<VerdictAnswer>()
            .verdict,
        verdict
    );

    let stored = app.session(&started.plan.session).await;
    let key = serde_json::to_value(&stored.keys.questions[0][0]).unwrap();
    assert_eq!(key["option"], verdict.option);
    let own = app.events(&started.plan.session, Author::Server).await;
    assert_eq!(own.len(), 1, "given twice, logged once");
    let given = Event::VerdictGiven { at: FIRST, verdict };
    assert_eq!(own[0].envelope().unwrap().event, given);

    // The page logs what it received; a false verdict is refused.
    let mut other = participant.clone();
    let false_verdict = Verdict {
        right: !verdict.right,
        ..verdict
    };
    other.receive(FIRST, false_verdict);
    let event = other.next().unwrap();
    app.refuses(&started, &[event], ErrorCode::Refused).await;
    participant.receive(FIRST, verdict);
    let event = participant.next().unwrap();
    ack(&app.append(&started, std::slice::from_ref(&event)).await);
    log.push(event);

    // The rest, on a server that reads everything back.
    let app = app.restart().await;
    let rest: Vec<_> = participant.by_ref().collect();
    assert_eq!(
        ack(&app.append(&started, &rest).await),
        (log.len() + rest.len()) as u64
    );
    // There is nothing right or wrong about playing.
    let play = QuestionRef::new(1, 0);
    ask(&app, &started, play).await.refused(ErrorCode::NotFound);

    let mut sessions = ReplayedSessions::open(&*app.state.storage, STUDY, SessionSelection::All)
        .await
        .unwrap();
    let Some(Visited::Whole(replayed)) = sessions.next().await.unwrap() else {
        panic!("the session is whole");
    };
    assert_eq!(replayed.log.events, log.len() + rest.len() + 1);
    assert!(
        replayed.session.is_marked().is_some(),
        "the keys say what is right"
    );
}

#[tokio::test]
async fn every_task_has_its_tables() {
    let app = App::with(setup()).await;
    let started = app.start(ATTEMPT).await;
    let log: Vec<_> = SimulatedParticipant::new(started.plan.clone(), 1, 3).collect();
    ack(&app.append(&started, &log).await);
    let out = app.export().await;
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap();
    let rows = |table: &str| {
        let tables = manifest["tables"].as_array().unwrap();
        let found = tables.iter().find(|entry| entry["table"] == table);
        found.unwrap_or_else(|| panic!("no table {table}"))["rows"].clone()
    };
    assert_eq!(rows("sessions"), 1);
    assert_eq!(rows("events"), log.len());
    assert_eq!(rows("single_dimension_questions"), 2);
    assert_eq!(rows("exploration_questions"), 1);
    assert_eq!(rows("reconstruction_questions"), 1);
    for task in TaskKind::ALL {
        for table in task.tables() {
            let name = csv_of(STUDY, ExportHalf::Raw, table.name);
            assert!(out.join(name).exists());
        }
    }
    assert_eq!(manifest["active_time_rules"], json!(["capped"]));
}
